"""The trunk of the localisation network as a source of numbers: it was trained to see traces of processing, never who made a picture.

Everything before it compares places, as means over the cells of the trace network; linear discriminants read level and spread.
"""

from __future__ import annotations

from pathlib import Path

import torch
from torch import nn
from torch.nn import functional

from locate_network import Locator
from network import CELL

LEAST = 0.02  # added before logarithms: answers of a channel lie near 1
PIXELS = {"scale1": 1, "scale2": 2, "scale4": 4, "scale8": 8, "spectrum": 8, "phases": 8, "near": 8}  # between two values of a map


def open_trunk(run: Path) -> Trunk:
    """@param run folder of a run of locate_train.py."""
    locator = Locator()
    locator.load_state_dict(torch.load(run / "best.pt", weights_only=True))
    return Trunk(locator)


class Trunk(nn.Module):
    """Read without a quantisation table: the statistics know none either."""

    def __init__(self, locator: Locator):
        super().__init__()
        self.locator = locator.eval().requires_grad_(False)

    def maps(self, rgb: torch.Tensor, cell: int = CELL) -> torch.Tensor:
        """Grey levels [N,3,H,W], sides multiples of `cell` -> means of each channel and of its square, layer by layer, [N,784,H/cell,W/cell].
        `cell` 8 reads a picture at half size beside the cells of the whole."""
        cells = []
        for name, answer in self.layers(rgb).items():
            side = cell // PIXELS[name]
            cells += [functional.avg_pool2d(part, side) for part in (answer, answer * answer)]
        return torch.cat(cells, 1)

    def layers(self, rgb: torch.Tensor) -> dict[str, torch.Tensor]:
        of, none = self.locator, torch.zeros(len(rgb), 64)
        residuals, small = of.traces(rgb, none)
        scale1 = of.scale1(residuals)
        scale2 = of.scale2(scale1)
        scale4 = of.scale4(scale2)
        scale8 = of.scale8(scale4)
        spectrum, rare, phases = of.read(small)
        mixed = of.mix(torch.cat([scale8, spectrum, rare, phases], 1))
        near = of.near(mixed + of.quality(torch.zeros(len(rgb), 65))[:, :, None, None])
        return dict(zip(PIXELS, (scale1, scale2, scale4, scale8, spectrum, phases, near), strict=True))

    def describe(self, means: torch.Tensor) -> torch.Tensor:
        """Means over a window, [N,784] -> logarithms of levels and deviations, [N,784]."""
        numbers, widths = [], (16, 32, 64, 96, 64, 24, 96)
        for part in means.split([2 * width for width in widths], 1):
            mean, square = part.chunk(2, 1)
            spread = (square - mean * mean).clamp(min=0).sqrt()
            numbers += [(mean + LEAST).log(), (spread + LEAST).log()]
        return torch.cat(numbers, 1)
