import numpy as np
import pytest
import torch
from torch import nn

from autoencoder import SIDE, decoder, encoder, make_aligned
from data import Item, Pictures


def pictures() -> Pictures:
    """Twelve real train pictures of three sources, one that is too small, one generated, one of another split."""
    sizes = [(240, f"site {n % 3}", "train", False) for n in range(12)]
    sizes += [(100, "site 3", "train", False), (240, "site 4", "train", True), (240, "site 5", "calibration", False)]
    random, items, pixels = np.random.default_rng(1), [], []
    for number, (side, source, split, fake) in enumerate(sizes):
        items.append(Item(f"{number}", split, fake, "web", source, side, side, sum(p.size for p in pixels), 90))
        pixels.append(random.integers(0, 256, side * side * 3, dtype=np.uint8))
    opened = Pictures.__new__(Pictures)
    opened.items, opened.pixels = items, np.concatenate(pixels)
    return opened


class Darker(nn.Module):
    """Gives back a share of the brightness, and notes what it was asked for."""

    def __init__(self, share: float = 1.0):
        super().__init__()
        self.share = nn.Parameter(torch.tensor(share))
        self.noises: list[float] = []
        self.devices: list[str] = []

    def forward(self, rgb: torch.Tensor, noise: float) -> torch.Tensor:
        self.noises.append(noise)
        self.devices.append(rgb.device.type)
        return torch.rand(rgb.shape) if rgb.is_meta else rgb * self.share


def test_round_trips_come_from_real_training_pictures_of_every_source_and_each_autoencoder_in_turn(tmp_path):
    real = pictures()

    make_aligned(real, [Darker(0.5), Darker()], tmp_path, 6, seed=3)

    made = Pictures(tmp_path)
    by_file = {item.file: item for item in real.items}
    assert sorted(item.source for item in made.items) == ["site 0", "site 0", "site 1", "site 1", "site 2", "site 2"]
    for number, item in enumerate(made.items):
        original = real.read(by_file[item.file])[:SIDE, :SIDE].astype(int)
        share = 0.5 if number % 2 == 0 else 1
        assert np.abs(made.read(item) - original * share).max() <= 1


def test_every_second_round_of_the_autoencoders_gets_noise_on_the_latent(tmp_path):
    trips = [Darker(), Darker()]

    make_aligned(pictures(), trips, tmp_path, 8, seed=3)

    assert [[noise > 0 for noise in trip.noises] for trip in trips] == [[False, True] * 2] * 2


def test_round_trips_are_made_on_the_device_that_was_asked_for(tmp_path):
    trip = Darker()

    make_aligned(pictures(), [trip], tmp_path, 2, seed=3, device=torch.device("meta"))

    assert trip.devices == ["meta"] * 2
    assert len(Pictures(tmp_path).items) == 2


@pytest.mark.parametrize(
    "count, seed, share, sources",
    [(6, 3, 0.5, 3), (4, 4, 0.5, 3), (4, 3, 0.75, 3), (4, 3, 0.5, 2)],
    ids=["count", "seed", "weights", "pictures"],
)
def test_round_trips_are_kept_until_what_they_were_made_from_changes(tmp_path, count, seed, share, sources):
    make_aligned(pictures(), [Darker(0.5)], tmp_path, 4, seed=3)
    again, other, fewer = Darker(0.5), Darker(share), pictures()
    fewer.items = [item for item in fewer.items if int(item.source[-1]) < sources or item.split != "train"]

    make_aligned(pictures(), [again], tmp_path, 4, seed=3)
    make_aligned(fewer, [other], tmp_path, count, seed)

    assert again.noises == []
    assert len(other.noises) == len(Pictures(tmp_path).items) == count


def test_the_published_layers_shrink_by_eight_and_grow_back():
    rgb = torch.rand(1, 3, 32, 48)

    with torch.no_grad():
        latent = encoder()(rgb)
        out = decoder()(latent)

    assert latent.shape == (1, 32, 4, 6)
    assert out.shape == rgb.shape
