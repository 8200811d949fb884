import torch

from bank import WIDTHS, Bank, pink_noise


def test_a_seed_says_everything_about_a_bank():
    rgb = torch.rand(1, 3, 64, 48, generator=torch.Generator().manual_seed(1)) * 255

    one, again, other = (Bank(seed).maps(rgb) for seed in (1, 1, 2))

    assert torch.equal(one, again)
    assert not torch.allclose(one, other)


def test_each_channel_has_mean_0_and_deviation_1_on_the_noise_it_was_fitted_to():
    means = Bank(5).maps((pink_noise(torch.Generator().manual_seed(5)) + 0.5) * 255).mean((0, 2, 3))

    for positive, size, square in (part.chunk(3) for part in means.split([3 * width for width in WIDTHS])):
        assert torch.allclose(2 * positive - size, torch.zeros(()), atol=1e-3)
        assert torch.allclose(square, torch.ones(()), atol=1e-2)


def test_a_cell_knows_nothing_beyond_32_px_of_its_border():
    bank, rgb = Bank(3), torch.rand(1, 3, 160, 160) * 255
    changed = rgb.clone()
    changed[:, :, :, 96:] = 0

    before, after = bank.maps(rgb), bank.maps(changed)

    assert torch.equal(before[..., :4], after[..., :4])  # 64 px lie left of what changed by 32
    assert not torch.allclose(before[..., 5], after[..., 5])


def test_what_is_described_is_finite_on_a_flat_picture():
    bank = Bank(3)

    numbers = bank.describe(bank.maps(torch.zeros(1, 3, 32, 32)).mean((2, 3)))

    assert numbers.shape == (1, 3 * sum(WIDTHS))
    assert torch.isfinite(numbers).all()
