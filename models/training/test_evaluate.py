import json

import numpy as np

from data import Item, Pictures
from evaluate import evaluate_graded


class Drawn(Pictures):
    """Coloured generated pictures and paler photographs."""

    def __init__(self):
        self.items = [Item(f"{n}", "val", n % 2 == 1, "any", f"site {n % 4}", 8, 8, 0, 100) for n in range(40)]

    def read(self, item: Item) -> np.ndarray:
        colour = (60 if item.fake else 30) + int(item.file)
        return np.full((8, 8, 3), (128 + colour, 128, 128 - colour), np.uint8)


def by_colour(pictures, items, network, change) -> np.ndarray:
    return np.array([np.ptp(change(pictures.read(item)).astype(float), axis=2).mean() for item in items])


def test_a_score_that_follows_colour_alone_is_shown_up_by_grading(tmp_path, monkeypatch):
    line = {"scale": 1.0, "offset": -100.0}
    (tmp_path / "manifest.json").write_text(json.dumps({"thresholds": {"fakeMin": {"default": 0.9}}, "calibration": {"decision": line}}))
    monkeypatch.setattr("evaluate.Network", lambda folder: None)
    monkeypatch.setattr("evaluate.decisions", by_colour)

    told = evaluate_graded(Drawn(), tmp_path, "val")

    assert told["as is"] > 0.9
    assert told["grey"]["both"] == 0.5
    assert (told["grey"]["real"], told["grey"]["generated"]) == (1.0, 0.0)
    assert told["vivid"]["shiftOfPhotographs"] > 0 > told["faded"]["shiftOfPhotographs"]
    assert told["vivid"]["photographsAboveLimit"][1] > told["vivid"]["photographsAboveLimit"][0]
