"""Banks of random convolutions that nobody trained: statistics of natural pictures that no one had to think of.

A classifier that bends learns the few sources it saw (EXPERIMENTS.md); what is drawn from a seed cannot. Linear discriminants read
how strongly each channel answers.
"""

from __future__ import annotations

import torch
from torch import nn
from torch.nn import functional

from network import CELL, replicate

WIDTHS = (24, 48, 64, 64)  # channels at half size, a quarter, an eighth, a sixteenth


class Bank(nn.Module):
    """Four strided 4x4 convolutions with normal weights. Per channel: mean of its positive part, of its size, of its square.

    Each channel is moved and scaled to mean 0 and deviation 1 on pink noise, so that its zero lies where pictures are.
    """

    def __init__(self, seed: int):
        super().__init__()
        random = torch.Generator().manual_seed(seed)
        self.layers = nn.ModuleList()
        answers = pink_noise(random)
        for inputs, outputs in zip((3, *WIDTHS), WIDTHS):
            layer = nn.Conv2d(inputs, outputs, 4, 2)
            with torch.no_grad():
                weight = torch.randn(outputs, inputs, 4, 4, generator=random)
                weight -= 0.8 * weight.mean((1, 2, 3), keepdim=True)  # mostly contrast, a little brightness
                answer = functional.conv2d(replicate(answers, 1), weight, stride=2)
                deviation = answer.std((0, 2, 3))
                layer.weight.copy_(weight / deviation[:, None, None, None])
                layer.bias.copy_(-answer.mean((0, 2, 3)) / deviation)
                answers = torch.relu(layer(replicate(answers, 1)))
            self.layers.append(layer.requires_grad_(False))

    def maps(self, rgb: torch.Tensor) -> torch.Tensor:
        """Grey levels [N,3,H,W] -> [N,3 * channels,H/16,W/16]."""
        below, cells = rgb / 255 - 0.5, []
        for depth, layer in enumerate(self.layers):
            answer = layer(replicate(below, 1))
            below = torch.relu(answer)
            side = CELL >> (depth + 1)
            parts = (below, answer.abs(), answer * answer)
            cells += [functional.avg_pool2d(part, side) if side > 1 else part for part in parts]
        return torch.cat(cells, 1)

    def describe(self, means: torch.Tensor) -> torch.Tensor:
        numbers = []
        for part in means.split([3 * width for width in WIDTHS], 1):
            positive, size, square = part.chunk(3, 1)
            mean = 2 * positive - size
            spread = (square - mean * mean).clamp(min=0).sqrt()
            numbers += [(number + 0.01).log() for number in (positive, size, spread)]
        return torch.cat(numbers, 1)


def pink_noise(random: torch.Generator, side: int = 128, count: int = 16) -> torch.Tensor:
    """[count,3,side,side] around 0, amplitudes falling with frequency as in photographs, colours going together."""
    frequency = torch.fft.fftfreq(side)
    falling = 1 / (frequency[:, None].square() + frequency[None].square()).sqrt().clamp(min=1 / side)
    grey, colour = (torch.randn(count, channels, side, side, generator=random) for channels in (1, 3))
    noise = torch.fft.ifft2(torch.fft.fft2(grey + 0.25 * colour) * falling).real
    return 0.22 * noise / noise.std((1, 2, 3), keepdim=True)
