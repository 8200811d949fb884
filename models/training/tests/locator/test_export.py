import numpy as np
import pytest
import torch

from forensics_training.edits.simulator import Simulator
from forensics_training.locator.export import Calibration, Scores, platt, export, limits_of, scores_of
from forensics_training.locator.level import Level
from forensics_training.locator.network import Locator
from forensics_training.locator.pairs import Pairs, Reading, store
from forensics_training.locator.reading import CONDITIONS, Map, open_reader
from forensics_training.runtime.checkpoint import mean_of
from tests.helpers import Watched, textured


@pytest.fixture(scope="module")
def pairs(tmp_path_factory):
    folder = tmp_path_factory.mktemp("pairs")
    store(Simulator(Watched(), []), folder, 0, 6)
    return Pairs(folder, 6)


def test_the_exported_network_reads_any_size_and_applies_level_and_calibration(tmp_path):
    torch.manual_seed(1)
    locator, one = Locator(), Reading(textured(1, 99)[:70], np.full(64, 5, np.float32), np.zeros((70, 99), np.uint8))

    maps = []
    for calibration in (Calibration(), Calibration(Level(-1.5), 2.0, 0.5)):
        export(locator, calibration, tmp_path / "locate.onnx")  # compares with PyTorch
        maps.append(open_reader(tmp_path / "locate.onnx")(one))

    assert maps[0].changed.shape == maps[0].trust.shape == (70, 99)
    assert np.allclose(maps[1].changed - maps[0].changed, 1.5, atol=1e-4)
    assert maps[1].score == pytest.approx(2 * maps[0].score + 0.5, abs=1e-4)


def test_a_small_picture_and_its_mirror_image_get_the_same_answer(tmp_path):
    torch.manual_seed(1)
    export(Locator(), Calibration(), tmp_path / "locate.onnx")
    read, rgb, share = open_reader(tmp_path / "locate.onnx"), textured(1, 99)[:72, :96], np.zeros((72, 96), np.uint8)

    one, mirrored = (read(Reading(np.ascontiguousarray(view), np.full(64, 5, np.float32), share)) for view in (rgb, rgb[::-1, ::-1]))

    assert np.allclose(mirrored.changed[::-1, ::-1], one.changed, atol=1e-4) and not np.allclose(mirrored.changed, one.changed, atol=1e-2)
    assert mirrored.score == pytest.approx(one.score, abs=1e-4)


def test_the_limit_is_that_of_the_worst_source(pairs):
    def crops(level: int, count: int) -> list[Reading]:
        return [Reading(np.full((80, 80, 3), level + n, np.uint8), np.zeros(64, np.float32), np.zeros((80, 80), np.uint8))
                for n in range(count)]  # fmt: skip

    def brightness(one: Reading) -> Map:
        return Map(one.share, one.share, float(one.rgb.mean()))

    limits = limits_of(scores_of(brightness, pairs, {"calm": crops(10, 40), "worst": crops(100, 40), "few": crops(50, 3)}))

    assert list(limits) == ["twins", *CONDITIONS]
    assert limits["as is"] == limits["half"] == 138  # one of the forty is above it


def test_the_score_becomes_log_odds_of_a_change():
    random = np.random.default_rng(1)
    untouched = {name: (random.normal(3, 1, 4000), np.full(4000, "one")) for name in ("twins", *CONDITIONS)}

    scale, offset = platt(Scores(random.normal(5, 1, 4000), untouched))

    # Normal classes of equal spread, two deviations apart: the log odds are 2 (x - 4).
    assert scale == pytest.approx(2, abs=0.1)
    assert offset == pytest.approx(-8, abs=0.4)


def test_several_runs_give_the_mean_of_their_weights():
    one, other = ({"weight": torch.tensor([value, 2.0]), "seen": torch.tensor(seen)} for value, seen in ((1.0, 7), (3.0, 9)))

    mean = mean_of([one, other])

    assert mean["weight"].tolist() == [2.0, 2.0] and mean["seen"] == 7
