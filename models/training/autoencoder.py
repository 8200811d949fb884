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

SIDE = 224  # px, cut at the top left so that the JPEG block grid of the original stays where it was
DEPTH = 64

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


def published(data: Path) -> Trip:
    encode, decode = load(data)

    def trip(rgb: torch.Tensor, noise: float) -> torch.Tensor:
        latent = encode(rgb)
        return decode(latent + torch.randn_like(latent) * latent.std() * noise)

    return trip


@torch.no_grad()
def make_aligned(pictures: Pictures, trips: Sequence[Trip], folder: Path, count: int, seed: int) -> None:
    """Writes `folder`: `count` round trips, spread over the real sources of the train split, each autoencoder in turn.

    Every second latent gets a little noise, so that the fakes are not decoders fed with perfect latents alone.
    """
    if (folder / "items.json").exists():
        return
    folder.mkdir(parents=True, exist_ok=True)
    random = np.random.default_rng(seed)
    torch.manual_seed(seed)
    made, pixels = [], []
    for number, item in enumerate(spread(pictures, count, random)):
        rgb = torch.from_numpy(pictures.read(item)[:SIDE, :SIDE].copy()).permute(2, 0, 1)[None].float() / 255
        noise = random.uniform(0.05, 0.35) if number // len(trips) % 2 else 0.0
        trip = trips[number % len(trips)](rgb, noise)
        out = trip[0].clamp(0, 1).mul(255).round().byte().permute(1, 2, 0).numpy()
        made.append(replace(item, width=SIDE, height=SIDE, offset=number * out.size))
        pixels.append(out.reshape(-1))
    np.save(folder / "pixels.npy", np.concatenate(pixels))
    (folder / "items.json").write_text(json.dumps([asdict(item) for item in made]))


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
