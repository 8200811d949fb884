import numpy as np
import pytest
import torch

from forensics_training.locator.level import LOGITS, OFFSETS, Level, best_level, f1_by_logit, mean_f1, strongest
from forensics_training.locator.pairs import Reading


class Told:
    """Pairs of one kind: the upper left quarter is changed, and its values are `high` above the rest."""

    def __init__(self, highs):
        self.highs = highs

    def __len__(self):
        return len(self.highs)

    def read(self, number):
        rgb, share = np.full((96, 96, 3), number, np.uint8), np.zeros((96, 96), np.uint8)
        share[:48, :48] = 255
        return Reading(rgb, np.zeros(64, np.float32), share), None

    def cells(self, one):
        """Identifies the picture by the number in its pixels, which survives JPEG."""
        side = one.share.shape[0] // 4
        high, found = self.highs[round(float(one.rgb.mean()))], np.full((side, side), -6, np.float32)
        found[: side // 2, : side // 2] = high
        found[side // 2 :, side // 2 :] = -6 + (high + 6) * 0.5  # untouched, yet half as high
        return found


def test_the_level_follows_the_strongest_place_of_each_picture():
    pairs = Told([4, 1, -2, 3, -1])

    level, f1 = best_level(pairs.cells, pairs)

    assert f1 > 0.95
    assert level.slope > 0.3
    for high in (4, 1, -2):
        moved = level.applied(torch.tensor(pairs.cells(pairs.read(pairs.highs.index(high))[0]))[None])[0]
        assert moved[0, 0] > 0 > moved[-1, -1]


def test_each_picture_has_its_own_level_and_a_weak_one_is_not_marked():
    maps = torch.tensor([-8.0, 2.0])[:, None, None].expand(2, 20, 20)

    moved = Level(-1.5, 0.5).applied(maps)

    assert moved[:, 0, 0].tolist() == [-2.5, 2.5]


def test_a_single_cell_does_not_set_the_level():
    cells = torch.full((1, 20, 20), -4.0)
    cells[0, 10, 10] = 6

    assert strongest(cells).item() == pytest.approx(-4 + 10 / 25)
    assert strongest(torch.full((1, 3, 20), -4.0)).item() == pytest.approx(-4)  # padding does not count at the edges


def test_the_curve_gives_the_f1_of_every_level():
    cells, mask = np.full((4, 4), -1, np.float32), np.zeros((16, 16), bool)
    cells[:2], mask[:8] = 1, True

    curve = f1_by_logit(cells, mask)

    assert curve[np.searchsorted(LOGITS, -2)] == pytest.approx(2 / 3)
    assert curve[np.searchsorted(LOGITS, 0)] == pytest.approx(1)
    assert curve[np.searchsorted(LOGITS, 2)] == 0


def test_pictures_count_by_their_weight():
    curves = np.zeros((2, len(LOGITS)))
    curves[0, np.searchsorted(LOGITS, -1.01)], curves[1, np.searchsorted(LOGITS, -3.01)] = 1, 1

    f1 = mean_f1(np.zeros(2), curves, np.array([1, 3]))[:, 0]

    assert f1[np.searchsorted(OFFSETS, -1.01)] == 0.25
    assert f1[np.searchsorted(OFFSETS, -3.01)] == 0.75
