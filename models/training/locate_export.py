"""Writes the localisation network as ONNX, proves it against PyTorch, and chooses its limits on the calibration split:
python locate_export.py --data DIR --run main --out .work/locate/model
"""

from __future__ import annotations

import argparse
import json
import warnings
from pathlib import Path

import numpy as np
import torch
from torch import nn

from data import open_pictures
from export import OPSET, open_session
from locate_network import Locator
from locate_pairs import Pairs, Reading, photographs
from locate_reading import CONDITIONS, Read, open_reader

FALSE_ALARMS = 0.05  # of untouched pictures, at the limit of the score
LEAST = 10  # photographs of a source that has a limit of its own
SHIFTS = np.arange(-3, 3.01, 0.25)  # of the map's logits, so that 0.5 is a good threshold


class Answers(nn.Module):
    """The three outputs that the engine reads, the map's logits moved by `shift`."""

    def __init__(self, locator: Locator, shift: float):
        super().__init__()
        self.locator, self.shift = locator, shift

    def forward(self, rgb: torch.Tensor, table: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        found = self.locator(rgb, table)
        return found.changed[:, 0] + self.shift, found.trust[:, 0], found.score


def export(locator: Locator, shift: float, path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    answers = Answers(locator.float().to(memory_format=torch.contiguous_format), shift).eval()
    size = {1: "rows", 2: "columns"}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the older exporter, as in export.py
        torch.onnx.export(
            answers, (torch.zeros(1, 99, 131, 3, dtype=torch.uint8), torch.ones(1, 64)), str(path), dynamo=False,
            opset_version=OPSET, input_names=["rgb", "table"], output_names=["changed", "trust", "score"],
            dynamic_axes={"rgb": {1: "height", 2: "width"}, "changed": size, "trust": size},
        )  # fmt: skip
    compare(answers, path)


@torch.no_grad()
def compare(answers: Answers, path: Path) -> None:
    """Sizes that are whole blocks and sizes that are not, with a table and without."""
    random, session = np.random.default_rng(1), open_session(path)
    for height, width, table in ((65, 65, 0), (128, 200, 7), (203, 161, 3)):
        rgb = random.integers(0, 256, (1, height, width, 3), dtype=np.uint8)
        steps = np.full((1, 64), table, np.float32)
        expected = answers(torch.from_numpy(rgb), torch.from_numpy(steps))
        for told, wanted in zip(session.run(None, {"rgb": rgb, "table": steps}), expected, strict=True):
            np.testing.assert_allclose(told, wanted.numpy(), atol=5e-3)


def best_shift(read: Read, pairs: Pairs) -> tuple[float, float]:
    """That with which the mean F1 at 0.5 is highest, and how high."""
    f1 = []
    for number in range(len(pairs)):
        one = pairs.read(number)[0]
        logits, mask = read(one).changed, one.share > 127
        found = [logits >= -shift for shift in SHIFTS]
        f1.append([2 * (map_ & mask).sum() / (map_.sum() + mask.sum()) for map_ in found])
    means = np.mean(f1, axis=0)
    return float(SHIFTS[int(np.argmax(means))]), float(means.max())


def score_limits(read: Read, pairs: Pairs, sources: dict[str, list[Reading]]) -> dict[str, float]:
    """Above which FALSE_ALARMS of the twins, and of the photographs of the worst source under each condition, are called changed.

    Small sources count as one.
    """
    large = [crops for crops in sources.values() if len(crops) >= LEAST]
    small = [one for crops in sources.values() if len(crops) < LEAST for one in crops]
    limits = {"twins": limit_of([read(pairs.read(number)[1]).score for number in range(len(pairs))])}
    for name, change in CONDITIONS.items():
        groups = [[read(change(one)).score for one in crops] for crops in (*large, small) if crops]
        limits[name] = max(limit_of(scores) for scores in groups)
    return limits


def limit_of(scores: list[float]) -> float:
    return float(np.quantile(scores, 1 - FALSE_ALARMS, method="higher"))


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--data", type=Path, required=True)
    options.add_argument("--work", type=Path, default=Path(__file__).parent / ".work")
    options.add_argument("--run", default="main")
    options.add_argument("--out", type=Path, default=Path(__file__).parent / ".work" / "locate" / "model")
    asked = options.parse_args()
    torch.set_num_threads(1)
    folder, locator = asked.work / "locate", Locator()
    locator.load_state_dict(torch.load(folder / asked.run / "best.pt", weights_only=True))
    path, pairs = asked.out / "locate.onnx", Pairs(folder / "pairs-calibration", 500)
    export(locator, 0.0, path)
    shift, f1 = best_shift(open_reader(path), pairs)
    export(locator, shift, path)
    sources = photographs(asked.data, open_pictures(asked.data, asked.work).of("calibration"))
    limits = score_limits(open_reader(path), pairs, sources)
    told = {"shift": shift, "f1AtHalf": f1, "scoreMin": max(limits.values()), "scoreMinBy": limits}
    (asked.out / "limits.json").write_text(json.dumps(told, indent=2) + "\n")
    print(json.dumps(told, indent=2))


if __name__ == "__main__":
    main()
