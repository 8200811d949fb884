import numpy as np
import torch

from forensics_training.degrade.codecs import Save, encode
from forensics_training.locator.pairs import reading
from forensics_training.locator.traces import BINS, Blocks, Grid, Histogram, Residuals
from tests.helpers import textured


def planes(rgb: np.ndarray) -> torch.Tensor:
    return torch.from_numpy(rgb.copy()).permute(2, 0, 1)[None].float()


def saved(rgb: np.ndarray, quality: int):
    return reading(encode(rgb, Save("jpeg", quality)))


def test_a_flat_picture_leaves_no_residual_and_a_grain_does():
    flat, grain = np.full((64, 64, 3), 90, np.uint8), textured(1, 64)

    residuals = Residuals()

    assert residuals(planes(flat)).abs().max() < 1e-5
    assert residuals(planes(grain)).abs().mean() > 0.1


def test_coefficients_of_a_jpeg_are_whole_steps_of_its_table():
    one = saved(textured(2, 128), 70)

    _, steps = Blocks()(planes(one.rgb), torch.from_numpy(one.table)[None])

    below = steps[steps < BINS - 1]
    assert (below - below.round()).abs().mean() < 0.02
    assert 0.05 < (below > 0.5).float().mean() < 0.95


def test_a_region_saved_once_stands_out_of_a_picture_saved_twice():
    rgb = textured(3, 256)
    twice = saved(rgb, 65).rgb.copy()
    twice[64:192, 64:192] = rgb[64:192, 64:192]
    one = saved(twice, 90)

    _, steps = Blocks()(planes(one.rgb), torch.from_numpy(one.table)[None])
    likely = Histogram()(steps, torch.ones(1))[0, :64].sum(0)

    inside = torch.zeros_like(likely, dtype=torch.bool)
    inside[8:24, 8:24] = True
    assert likely[inside].mean() < likely[~inside].mean() - 2


def test_without_a_table_all_histogram_maps_are_zero():
    _, steps = Blocks()(planes(textured(4, 64)), torch.zeros(1, 64))

    assert (Histogram()(steps, torch.zeros(1)) == 0).all()


def test_the_column_and_row_at_which_blocks_meet_stand_out_where_the_grid_is():
    rgb = saved(textured(5, 256), 40).rgb

    for down, right in ((0, 0), (3, 6)):
        phases = Grid()(planes(rgb[down:, right:][:240, :240])).mean((0, 2, 3))

        assert phases[:8].argmax() == (7 - right) % 8
        assert phases[8:].argmax() == (7 - down) % 8
