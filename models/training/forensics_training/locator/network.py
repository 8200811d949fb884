"""The localisation network: where was a picture changed, how far can that be trusted, and was it changed at all?

Fully convolutional. It compares each place with the rest of the picture instead of learning what a forgery looks like:
features at 1/8 of the size are set against their mean and deviation over the whole picture, and once more over what a
first guess holds for untouched. Map, confidence and score follow TruFor (Guillaro et al., CVPR 2023).
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import nn
from torch.nn import functional

from forensics_training.locator.traces import Blocks, Grid, Histogram, Residuals
from forensics_training.runtime.layers import Residual, unit

WIDTH = 96
SCORED = 8 + 2 * WIDTH  # numbers that the score is read from


@dataclass(frozen=True)
class Parts:
    """What may be left out to see what it is worth."""

    blocks: bool = True
    histogram: bool = True
    grid: bool = True
    compared: bool = True


@dataclass
class Found:
    """`changed`: logits [N,1,h,w], a value for each 4 x 4 px of the whole blocks; `trust`: logits that the map is right
    there; `score`: logit [N]; `first`: the first guess, logits [N,1,h/2,w/2]."""

    changed: torch.Tensor
    trust: torch.Tensor
    score: torch.Tensor
    first: torch.Tensor


class Locator(nn.Module):
    """rgb uint8 [N,H,W,3]; table float32 [N,64], luma quantisation steps in natural order, zeros where there is none."""

    def __init__(self, parts: Parts = Parts()):
        super().__init__()
        self.parts = parts
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
        # Full precision also in mixed training: eight bits of mantissa would round the traces away.
        with torch.autocast("cpu", enabled=False):
            residuals, small = self.traces(whole_blocks(rgb.permute(0, 3, 1, 2).float()), table)
        quarter = self.scale4(self.scale2(self.scale1(residuals)))
        x = self.mix(torch.cat([self.scale8(quarter), *self.read(small)], 1))
        x = self.near(x + self.quality(described(table))[:, :, None, None])
        alike = torch.ones_like(x[:, :1])
        x = self.far(self.against(x, alike) if self.parts.compared else x)
        first = self.guess(x)
        x = self.last(self.again(x, torch.sigmoid(-first)) if self.parts.compared else x)
        wide = functional.interpolate(x, scale_factor=2.0, mode="bilinear", align_corners=False)
        fine = self.fine(torch.cat([wide, quarter], 1))
        changed, trust = self.changed(fine), self.trust(fine.detach())
        with torch.autocast("cpu", enabled=False):
            scored = torch.cat([pooled(changed, trust.detach()), compared(x, changed)], 1)
            score = self.score(scored)[:, 0]
        return Found(changed, trust, score, first)

    def traces(self, rgb: torch.Tensor, table: torch.Tensor) -> tuple[torch.Tensor, list[torch.Tensor]]:
        log, steps = self.blocks(rgb, table)
        known = (table.amax(1) > 0).float()
        kept = (self.parts.blocks, self.parts.histogram, self.parts.grid)
        small = [log, self.histogram(steps, known), self.grid(rgb)]
        small = [maps if keep else torch.zeros_like(maps) for maps, keep in zip(small, kept, strict=True)]
        return self.residuals(rgb), small

    def read(self, small: list[torch.Tensor]) -> list[torch.Tensor]:
        return [read(maps) for read, maps in zip((self.spectrum, self.rare, self.phases), small, strict=True)]


class Against(nn.Module):
    """Each place beside the mean of the picture, in units of its deviation; `weight` says what counts as the picture."""

    def __init__(self):
        super().__init__()
        self.mix = unit(3 * WIDTH, WIDTH, size=1)

    def forward(self, x: torch.Tensor, weight: torch.Tensor) -> torch.Tensor:
        with torch.autocast("cpu", enabled=False):
            x, weight = x.float(), weight.float() + 1e-3
            total = weight.sum((2, 3), keepdim=True)
            mean = (x * weight).sum((2, 3), keepdim=True) / total
            apart = x - mean
            spread = ((apart * apart * weight).sum((2, 3), keepdim=True) / total + 1e-2).sqrt()
            joined = torch.cat([x, (apart / spread).clamp(-8, 8), mean.expand_as(x)], 1)
        return x + self.mix(joined)


class Around(nn.Module):
    """What lies further away: residual blocks at half the size, added to what was there."""

    def __init__(self, blocks: int):
        super().__init__()
        self.blocks = nn.Sequential(unit(WIDTH, WIDTH, size=1), *(Residual(WIDTH) for _ in range(blocks)))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        half = functional.avg_pool2d(x, 2, ceil_mode=True, count_include_pad=False)
        wide = functional.interpolate(self.blocks(half), scale_factor=2.0, mode="bilinear", align_corners=False)
        return x + wide[:, :, : x.shape[2], : x.shape[3]]


def whole_blocks(maps: torch.Tensor) -> torch.Tensor:
    """Edge pixels repeated at the right and below, as an encoder does it."""
    height, width = maps.shape[2:]
    return functional.pad(maps, (0, -width % 8, 0, -height % 8), mode="replicate")


def described(table: torch.Tensor) -> torch.Tensor:
    """[N,65]: logarithms of the steps over those of a middling table, and whether there is one."""
    known = (table.amax(1, keepdim=True) > 0).float()
    return torch.cat([(torch.log2(table.clamp(min=1)) - 3) / 2 * known, known], 1)


def compared(x: torch.Tensor, changed: torch.Tensor) -> torch.Tensor:
    """[N,2*WIDTH]: the features where most was changed, and their mean over what was not."""
    places, share = x.float().flatten(2), functional.avg_pool2d(changed.float(), 2).flatten(1)
    most, rest = torch.softmax(share, 1), torch.sigmoid(-share)
    rest = rest / (rest.sum(1, keepdim=True) + 1e-3)
    return torch.cat([(places * most[:, None]).sum(2), (places * rest[:, None]).sum(2)], 1)


def pooled(changed: torch.Tensor, trust: torch.Tensor) -> torch.Tensor:
    """[N,8]: of both maps the mean where trusted, a mean square, the value where most was changed, and a soft minimum."""
    changed, trust = changed.float().flatten(1), trust.float().flatten(1)
    share, weight, most = torch.sigmoid(changed), torch.sigmoid(trust), torch.softmax(changed, 1)
    trusted = weight / (weight.sum(1, keepdim=True) + 1e-3)
    numbers = [(changed * trusted).sum(1), ((share * share * weight).mean(1) + 1e-6).log(), (changed * most).sum(1),
               (changed * torch.softmax(-changed, 1)).sum(1), (trust * trusted).sum(1), (trust * trust).mean(1).sqrt(),
               (trust * most).sum(1), (trust * torch.softmax(-trust, 1)).sum(1)]  # fmt: skip
    return torch.stack(numbers, 1) / 4
