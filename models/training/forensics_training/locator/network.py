"""The localisation network: a map of changed places, a confidence map, and a score of the whole picture.

Fully convolutional. Instead of learning what a forgery looks like, it compares each place with the rest of the picture: features at
1/8 of the resolution are normalised by their mean and deviation over the whole picture, and again over what a first guess considers
untouched. Map, confidence and score follow TruFor (Guillaro et al., CVPR 2023).
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import nn
from torch.nn import functional

from forensics_training.locator.traces import Blocks, Grid, Histogram, Residuals
from forensics_training.runtime.layers import Residual, unit

WIDTH = 96
SCORED = 8 + 2 * WIDTH  # inputs of the score


@dataclass
class Found:
    """`changed`: logits [N,1,h,w], one for each cell of 4 x 4 px; `trust`: logits [N,1,h,w] that the map is right there; `score`:
    logit [N] of the whole picture; `first`: the first guess, logits [N,1,h/2,w/2]. h = 2 ceil(H/8), w = 2 ceil(W/8)."""

    changed: torch.Tensor
    trust: torch.Tensor
    score: torch.Tensor
    first: torch.Tensor


class Locator(nn.Module):
    """rgb uint8 [N,H,W,3]; table float32 [N,64]: luma quantisation steps in natural order, zeros where the file has none."""

    def __init__(self):
        super().__init__()
        self.residuals, self.blocks, self.histogram, self.grid = Residuals(), Blocks(), Histogram(), Grid()
        self.scale1 = unit(Residuals.channels, 16)
        self.scale2 = nn.Sequential(unit(16, 32, stride=2), unit(32, 32))
        self.scale4 = nn.Sequential(unit(32, 64, stride=2), Residual(64))
        self.scale8 = unit(64, 96, stride=2)
        self.spectrum = nn.Sequential(nn.BatchNorm2d(Blocks.channels), unit(Blocks.channels, 64, size=1))
        self.rare = nn.Sequential(nn.BatchNorm2d(Histogram.channels), unit(Histogram.channels, 48, size=1))
        self.phases = unit(Grid.channels, 24, size=1)
        self.quality = nn.Sequential(nn.Linear(65, 32), nn.ReLU(), nn.Linear(32, WIDTH))
        self.mix = unit(96 + 64 + 48 + 24, WIDTH, size=1)
        self.near = Residual(WIDTH)
        self.against = Against()
        self.far = Around(3)
        self.guess = nn.Conv2d(WIDTH, 1, 1)
        self.again = Against()
        self.last = nn.Sequential(Around(2), Residual(WIDTH))
        self.fine = nn.Sequential(unit(WIDTH + 64, 48, size=1), unit(48, 48))
        self.changed = nn.Conv2d(48, 1, 1)
        self.trust = nn.Sequential(unit(48, 16), nn.Conv2d(16, 1, 1))
        self.score = nn.Sequential(nn.Linear(SCORED, 16), nn.ReLU(), nn.Linear(16, 1))

    def forward(self, rgb: torch.Tensor, table: torch.Tensor) -> Found:
        # fp32 in mixed-precision training too: the eight mantissa bits of bfloat16 would round the traces away.
        with torch.autocast(rgb.device.type, enabled=False):
            residuals, small = self.traces(pad_to_blocks(rgb.permute(0, 3, 1, 2).float()), table)
        quarter = self.scale4(self.scale2(self.scale1(residuals)))
        x = self.mix(torch.cat([self.scale8(quarter), *self.read(small)], 1))
        x = self.near(x + self.quality(describe_table(table))[:, :, None, None])
        x = self.far(self.against(x, torch.ones_like(x[:, :1])))
        first = self.guess(x)
        x = self.last(self.again(x, torch.sigmoid(-first)))
        wide = functional.interpolate(x, scale_factor=2.0, mode="bilinear", align_corners=False)
        fine = self.fine(torch.cat([wide, quarter], 1))
        changed, trust = self.changed(fine), self.trust(fine.detach())
        with torch.autocast(rgb.device.type, enabled=False):
            scored = torch.cat([pool_maps(changed, trust.detach()), pool_features(x, changed)], 1)
            score = self.score(scored)[:, 0]
        return Found(changed, trust, score, first)

    def traces(self, rgb: torch.Tensor, table: torch.Tensor) -> tuple[torch.Tensor, list[torch.Tensor]]:
        log, steps = self.blocks(rgb, table)
        known = (table.amax(1) > 0).float()
        return self.residuals(rgb), [log, self.histogram(steps, known), self.grid(rgb)]

    def read(self, small: list[torch.Tensor]) -> list[torch.Tensor]:
        return [read(maps) for read, maps in zip((self.spectrum, self.rare, self.phases), small, strict=True)]


class Against(nn.Module):
    """Features of each place, normalised by weighted mean and standard deviation over the picture.

    @param weight [N,1,h,w], how much each place counts
    """

    def __init__(self):
        super().__init__()
        self.mix = unit(3 * WIDTH, WIDTH, size=1)

    def forward(self, x: torch.Tensor, weight: torch.Tensor) -> torch.Tensor:
        with torch.autocast(x.device.type, enabled=False):
            x, weight = x.float(), weight.float() + 1e-3
            total = weight.sum((2, 3), keepdim=True)
            mean = (x * weight).sum((2, 3), keepdim=True) / total
            apart = x - mean
            spread = ((apart * apart * weight).sum((2, 3), keepdim=True) / total + 1e-2).sqrt()
            joined = torch.cat([x, (apart / spread).clamp(-8, 8), mean.expand_as(x)], 1)
        return x + self.mix(joined)


class Around(nn.Module):
    """A wider receptive field: residual blocks at half the resolution, added to the input."""

    def __init__(self, blocks: int):
        super().__init__()
        self.blocks = nn.Sequential(unit(WIDTH, WIDTH, size=1), *(Residual(WIDTH) for _ in range(blocks)))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        half = functional.avg_pool2d(x, 2, ceil_mode=True, count_include_pad=False)
        wide = functional.interpolate(self.blocks(half), scale_factor=2.0, mode="bilinear", align_corners=False)
        return x + wide[:, :, : x.shape[2], : x.shape[3]]


def pad_to_blocks(maps: torch.Tensor) -> torch.Tensor:
    """Repeats edge pixels at the right and below up to whole 8 x 8 blocks, as an encoder does."""
    height, width = maps.shape[2:]
    return functional.pad(maps, (0, -width % 8, 0, -height % 8), mode="replicate")


def describe_table(table: torch.Tensor) -> torch.Tensor:
    """[N,65]: log2 of the steps, centred on 8, and whether there is a table."""
    known = (table.amax(1, keepdim=True) > 0).float()
    return torch.cat([(torch.log2(table.clamp(min=1)) - 3) / 2 * known, known], 1)


def pool_features(x: torch.Tensor, changed: torch.Tensor) -> torch.Tensor:
    """[N,2*WIDTH]: mean features of the most changed places, and of the untouched ones."""
    places, share = x.float().flatten(2), functional.avg_pool2d(changed.float(), 2).flatten(1)
    most, rest = torch.softmax(share, 1), torch.sigmoid(-share)
    rest = rest / (rest.sum(1, keepdim=True) + 1e-3)
    return torch.cat([(places * most[:, None]).sum(2), (places * rest[:, None]).sum(2)], 1)


def pool_maps(changed: torch.Tensor, trust: torch.Tensor) -> torch.Tensor:
    """[N,8]: of both maps the mean weighted by trust, a mean square, the softmax-weighted value at the most changed places, and a soft
    minimum."""
    changed, trust = changed.float().flatten(1), trust.float().flatten(1)
    share, weight, most = torch.sigmoid(changed), torch.sigmoid(trust), torch.softmax(changed, 1)
    trusted = weight / (weight.sum(1, keepdim=True) + 1e-3)
    numbers = [(changed * trusted).sum(1), ((share * share * weight).mean(1) + 1e-6).log(), (changed * most).sum(1),
               (changed * torch.softmax(-changed, 1)).sum(1), (trust * trusted).sum(1), (trust * trust).mean(1).sqrt(),
               (trust * most).sum(1), (trust * torch.softmax(-trust, 1)).sum(1)]  # fmt: skip
    return torch.stack(numbers, 1) / 4
