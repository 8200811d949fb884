"""TAEF2, a small published autoencoder (repository madebyollin/taesd, MIT licence): re-encodes regions as a generator would.

Its weights are in the data folder. family.py trains some of our own.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import torch
from torch import nn

DEPTH = 64

# RGB 0..1 [1,3,H,W] and the noise level in standard deviations of the latent -> the reconstruction, same shape
RoundTrip = Callable[[torch.Tensor, float], torch.Tensor]


class Clamp(nn.Module):
    def forward(self, latent: torch.Tensor) -> torch.Tensor:
        return torch.tanh(latent / 3) * 3


class Block(nn.Module):
    """conv-ReLU-conv-ReLU-conv plus identity, then ReLU; at the lowest resolution a gated mix is added first."""

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
    """latent [N,32,h,w] -> RGB 0..1 [N,3,8h,8w]; layers in the order of the published weights."""
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
    """A `RoundTrip` through the published encoder and decoder."""

    def __init__(self, encode: nn.Module, decode: nn.Module):
        super().__init__()
        self.encode, self.decode = encode, decode

    def forward(self, rgb: torch.Tensor, noise: float) -> torch.Tensor:
        latent = self.encode(rgb)
        return self.decode(latent + torch.randn_like(latent) * latent.std() * noise)


def published(data: Path) -> Published:
    return Published(*load(data)).eval()
