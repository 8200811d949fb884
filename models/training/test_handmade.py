import numpy as np
import torch
from scipy.fft import dctn

from degrade import save_jpeg
from filters import code_classes, neighbour_differences, one_of, within
from handmade import Planes, Spectrum, Statistics
from network import ycc_matrix


def picture(seed: int = 1, side: int = 128) -> torch.Tensor:
    return torch.from_numpy(np.random.default_rng(seed).integers(0, 256, (1, side, side, 3), dtype=np.uint8))


def test_every_cell_gets_every_map_and_every_number_is_finite_also_where_nothing_moves():
    statistics = Statistics()
    flat = torch.full((1, 64, 96, 3), 7, dtype=torch.uint8)

    maps = statistics(flat)

    assert maps.shape == (1, sum(statistics.widths), 4, 6)
    assert torch.isfinite(statistics.describe(maps.mean((2, 3)))).all()


def test_a_cell_depends_on_nothing_beyond_the_halo():
    statistics = Statistics()
    rgb = picture(side=224)
    changed = rgb.clone()
    changed[:, 96:112, 96:112] = 255 - changed[:, 96:112, 96:112]

    difference = (statistics(rgb) - statistics(changed)).abs().amax((0, 1))

    touched = np.argwhere(difference.numpy() > 1e-5)
    assert touched.min() >= 6 - 2 and touched.max() <= 6 + 2


def test_turning_a_picture_hardly_moves_what_does_not_know_left_from_right():
    statistics, rgb = Statistics(), picture()
    views = [Planes(view, statistics.to_ycc) for view in (rgb, rgb.transpose(1, 2).contiguous())]

    for name in ("luma dct", "half luma dct", "colours"):
        straight, turned = (statistics.groups[name].maps(planes).mean((2, 3)) for planes in views)
        assert torch.allclose(straight, turned, rtol=1e-3, atol=1e-4)


def test_the_spectrum_is_that_of_scipys_dct():
    rgb = picture(2, 64)
    luma = (rgb[0].numpy() @ np.array([0.299, 0.587, 0.114])).reshape(8, 8, 8, 8).swapaxes(1, 2)
    sizes = np.log1p(2 * np.abs(dctn(luma, axes=(2, 3), norm="ortho"))).mean((0, 1))

    maps = Spectrum(1, 8).maps(Planes(rgb, ycc_matrix())).mean((2, 3))[0]

    assert np.isclose(maps[0], sizes[0, 0], atol=1e-3)
    assert np.isclose(maps[1], (sizes[0, 1] + sizes[1, 0]) / 2, atol=1e-3)


def test_a_save_empties_high_frequencies_on_the_block_grid_only():
    statistics = Statistics()
    rgb = picture(3, 128).numpy()[0]
    saved = torch.from_numpy(save_jpeg(rgb, 20, False))[None]

    maps = statistics(saved).mean((2, 3))[0]

    ends = np.cumsum([0, *statistics.widths])
    on_grid, between = maps[ends[0] : ends[1]], maps[ends[1] : ends[2]]
    assert on_grid[36:72].mean() > 2 * between[36:72].mean()


def test_a_sequence_its_mirror_image_and_its_negative_are_one_pattern():
    classes = code_classes().reshape(3, 3, 3)

    assert torch.equal(classes, classes.permute(2, 1, 0))
    assert torch.equal(classes, classes.flip(0, 1, 2))
    assert len(classes.unique()) == 10


def test_zones_keep_their_values_together_and_codes_become_channels():
    values, zones = torch.tensor([2.0, 3.0])[None, :, None, None], torch.tensor([1.0, 0.0, 1.0])[None, :, None, None]

    assert within(values, zones).flatten().tolist() == [2, 3, 0, 0, 2, 3]
    assert one_of(torch.tensor([[[[1.0, 0.0]]]]), 3)[0, :, 0].tolist() == [[0, 1], [1, 0], [0, 0]]


def test_neighbours_are_asked_clockwise():
    around = torch.tensor([[1.0, 2, 3], [8, 10, 4], [7, 6, 5]])[None, None]

    assert torch.equal(torch.conv2d(around, neighbour_differences()).flatten(), torch.arange(1.0, 9) - 10)
