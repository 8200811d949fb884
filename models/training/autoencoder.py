"""Aligned fakes: real training pictures sent once through an autoencoder, a small published one or one of family.py.

The published one is TAEF2 (repository madebyollin/taesd, MIT licence); its weights lie in the data folder.
Motif, size and history stay those of the real picture, so only the decoder's traces are left to learn.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import asdict, replace
from pathlib import Path

import numpy as np
import torch
from torch import nn

from data import Item, Pictures
from device import CPU
from fingerprint import fingerprint, hashed, keep, weights_hash

SIDE = 224  # px, cut at the top left so that the JPEG block grid of the original stays where it was
DEPTH = 64
CODE = ("autoencoder", "family", "network", "data")  # what the round trips depend on, beside the weights

Trip = Callable[[torch.Tensor, float], torch.Tensor]  # RGB 0..1 [1,3,H,W], noise in deviations of the latent -> the same


class Clamp(nn.Module):
    def forward(self, latent: torch.Tensor) -> torch.Tensor:
        return torch.tanh(latent / 3) * 3


class Block(nn.Module):
    """conv-ReLU-conv-ReLU-conv plus identity, then ReLU; at the lowest size a gated mix is added first."""

    def __init__(self, lowest: bool = False):
        super().__init__()
        self.conv = nn.Sequential(conv(), nn.ReLU(), conv(), nn.ReLU(), conv())
        self.pool = (
            nn.Sequential(nn.Conv2d(DEPTH, 4 * DEPTH, 1, bias=False), nn.GroupNorm(4, 4 * DEPTH), nn.ReLU(),
                          nn.Conv2d(4 * DEPTH, DEPTH, 1, bias=False))
            if lowest else None
        )  # fmt: skip

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        if self.pool is not None:
            x = x + self.pool(x)
        return torch.relu(self.conv(x) + x)


def conv(inputs: int = DEPTH, outputs: int = DEPTH, stride: int = 1, bias: bool = True) -> nn.Conv2d:
    return nn.Conv2d(inputs, outputs, 3, stride, 1, bias=bias)


def encoder() -> nn.Sequential:
    """RGB 0..1 [N,3,H,W] -> latent [N,32,H/8,W/8]."""
    layers: list[nn.Module] = [conv(3), Block()]
    for lowest in (False, False, True):
        layers += [conv(stride=2, bias=False), Block(lowest), Block(lowest), Block(lowest)]
    return nn.Sequential(*layers, conv(outputs=32))


def decoder() -> nn.Sequential:
    """latent [N,32,h,w] -> RGB 0..1 [N,3,8h,8w]; the order of layers is that of the published weights."""
    layers: list[nn.Module] = [Clamp(), conv(32), nn.ReLU(), Block(True), Block(True), Block(True)]
    for blocks in (3, 3, 1):
        layers += [nn.Upsample(scale_factor=2), conv(bias=False), *(Block() for _ in range(blocks))]
    return nn.Sequential(*layers, conv(outputs=3))


def load(data: Path) -> tuple[nn.Module, nn.Module]:
    parts = []
    for name, network in (("encoder", encoder()), ("decoder", decoder())):
        weights = torch.load(data / "autoencoder" / f"taef2_{name}.pth", map_location="cpu", weights_only=True)
        network.load_state_dict({key: value.float() for key, value in weights.items()})
        parts.append(network.eval().to(memory_format=torch.channels_last))
    return parts[0], parts[1]


class Published(nn.Module):
    """A `Trip` through the two published halves."""

    def __init__(self, encode: nn.Module, decode: nn.Module):
        super().__init__()
        self.encode, self.decode = encode, decode

    def forward(self, rgb: torch.Tensor, noise: float) -> torch.Tensor:
        latent = self.encode(rgb)
        return self.decode(latent + torch.randn_like(latent) * latent.std() * noise)


def published(data: Path) -> Published:
    return Published(*load(data)).eval()


def make_aligned(
    pictures: Pictures, trips: Sequence[nn.Module], folder: Path, count: int, seed: int, device: torch.device = CPU
) -> None:
    """Writes `folder`: `count` round trips, spread over the real sources of the train split, each autoencoder in turn.

    Every second latent gets a little noise, so that the fakes are not decoders fed with perfect latents alone.

    @param trips each a `Trip`, on `device`
    """
    trained = hashed(*(weights_hash(trip).encode() for trip in trips))
    made_from = fingerprint(pictures, CODE, autoencoders=trained, count=count, seed=seed)
    keep(folder / "items.json", made_from, lambda path: write_trips(pictures, trips, path, count, seed, device))


@torch.no_grad()
def write_trips(
    pictures: Pictures, trips: Sequence[nn.Module], index: Path, count: int, seed: int, device: torch.device
) -> None:
    """Writes `index` and the pixels beside it."""
    random = np.random.default_rng(seed)
    torch.manual_seed(seed)
    made, pixels = [], []
    for number, item in enumerate(spread(pictures, count, random)):
        rgb = torch.from_numpy(pictures.read(item)[:SIDE, :SIDE].copy()).permute(2, 0, 1)[None].float() / 255
        noise = random.uniform(0.05, 0.35) if number // len(trips) % 2 else 0.0
        trip = trips[number % len(trips)](rgb.to(device), noise)
        out = trip[0].clamp(0, 1).mul(255).round().byte().permute(1, 2, 0).cpu().numpy()
        made.append(replace(item, width=SIDE, height=SIDE, offset=number * out.size))
        pixels.append(out.reshape(-1))
    stored = index.with_name("pixels.npy")
    stored.unlink(missing_ok=True)  # who has the old ones mapped keeps them
    np.save(stored, np.concatenate(pixels))
    index.write_text(json.dumps([asdict(item) for item in made]))


def spread(pictures: Pictures, count: int, random: np.random.Generator) -> list[Item]:
    """`count` real training pictures, drawn source by source in turn."""
    by_source: dict[str, list[Item]] = {}
    for item in pictures.of("train"):
        if not item.fake and min(item.width, item.height) >= SIDE:
            by_source.setdefault(item.source, []).append(item)
    for items in by_source.values():
        random.shuffle(items)
    chosen: list[Item] = []
    while len(chosen) < count and any(by_source.values()):
        for items in by_source.values():
            if items and len(chosen) < count:
                chosen.append(items.pop())
    return chosen
