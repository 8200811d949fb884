import pytest
import torch

from locate_network import Locator
from trunk import Trunk


def picture(side: int) -> torch.Tensor:
    return torch.rand(1, 3, side, side, generator=torch.Generator().manual_seed(1)) * 255


def test_a_cell_knows_nothing_of_the_far_side_of_the_picture():
    trunk, rgb = Trunk(Locator()), picture(256)
    changed = rgb.clone()
    changed[:, :, :, 208:] = 0

    before, after = trunk.maps(rgb), trunk.maps(changed)

    assert torch.allclose(before[..., :4], after[..., :4], atol=1e-5)
    assert not torch.allclose(before[..., 14:], after[..., 14:], atol=1e-2)


@pytest.mark.parametrize(("side", "cell"), [(128, 16), (64, 8)])
def test_full_and_half_size_have_the_same_cells_and_finite_numbers(side: int, cell: int):
    trunk = Trunk(Locator())

    maps = trunk.maps(torch.zeros(1, 3, side, side), cell)
    numbers = trunk.describe(maps.mean((2, 3)))

    assert maps.shape == (1, 784, 8, 8)
    assert torch.isfinite(numbers).all()
