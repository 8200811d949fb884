import numpy as np
import torch

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


def darker(rgb: torch.Tensor, noise: float) -> torch.Tensor:
    return rgb * 0.5


def noted(asked: list):
    def trip(rgb: torch.Tensor, noise: float) -> torch.Tensor:
        asked.append(noise)
        return rgb

    return trip


def test_round_trips_come_from_real_training_pictures_of_every_source_and_each_autoencoder_in_turn(tmp_path):
    real = pictures()

    make_aligned(real, [darker, lambda rgb, noise: rgb], tmp_path, 6, seed=3)

    made = Pictures(tmp_path)
    by_file = {item.file: item for item in real.items}
    assert sorted(item.source for item in made.items) == ["site 0", "site 0", "site 1", "site 1", "site 2", "site 2"]
    for number, item in enumerate(made.items):
        original = real.read(by_file[item.file])[:SIDE, :SIDE].astype(int)
        share = 0.5 if number % 2 == 0 else 1
        assert np.abs(made.read(item) - original * share).max() <= 1


def test_every_second_round_of_the_autoencoders_gets_noise_on_the_latent(tmp_path):
    asked: list[float] = []

    make_aligned(pictures(), [noted(asked), noted(asked)], tmp_path, 8, seed=3)

    assert [noise > 0 for noise in asked] == [False, False, True, True] * 2


def test_the_published_layers_shrink_by_eight_and_grow_back():
    rgb = torch.rand(1, 3, 32, 48)

    with torch.no_grad():
        latent = encoder()(rgb)
        out = decoder()(latent)

    assert latent.shape == (1, 32, 4, 6)
    assert out.shape == rgb.shape
