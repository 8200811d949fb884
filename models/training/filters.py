"""Fixed kernels, tables and small steps that the groups of handmade.py are put together from."""

from __future__ import annotations

import numpy as np
import torch
from torch.nn import functional

from network import CELL, replicate


def to_cells(maps: list[torch.Tensor], pixels: int) -> torch.Tensor:
    """Means over cells of 16 px of maps whose pixels stand `pixels` px apart (32 px blocks stand on one cell each).

    Each list entry by itself: joining them before would copy every map at full size. But maps that come as one tensor
    stay one: the time in which ONNX Runtime opens a graph grows with the square of its nodes.
    """
    side = CELL // pixels
    return torch.cat([functional.avg_pool2d(part, side) if side > 1 else part for part in maps], 1)


def shifted(maps: torch.Tensor, down: int, right: int) -> torch.Tensor:
    """The value `down` and `right` pixels further on; edge pixels repeated."""
    padded = functional.pad(maps, (0, right, 0, down), mode="replicate")
    return padded[:, :, down:, right:]


def box(maps: torch.Tensor, side: int) -> torch.Tensor:
    rows = functional.avg_pool2d(replicate(maps, side // 2), (1, side), 1)
    return functional.avg_pool2d(rows, (side, 1), 1)


def near(values: torch.Tensor, knots: torch.Tensor, width: float) -> torch.Tensor:
    """[N,1,H,W] -> [N,K,H,W]: 1 where a value lies on a knot, falling as a normal density of deviation `width`."""
    apart = (values - knots[None, :, None, None]) / width
    return torch.exp(-apart * apart / 2)


def column(levels: tuple[float, ...]) -> torch.Tensor:
    """[K,1,1]: what a map is compared with, one level for each channel of the answer."""
    return torch.tensor(levels, dtype=torch.float32)[:, None, None]


def one_of(codes: torch.Tensor, count: int) -> torch.Tensor:
    """[N,1,H,W] -> [N,count,H,W]: 1 where the code is that of the channel, else 0."""
    return (codes == torch.arange(count, device=codes.device)[None, :, None, None]).float()


def within(values: torch.Tensor, zones: torch.Tensor) -> torch.Tensor:
    """Values [N,C,H,W], zones 0 or 1 [N,Z,H,W] -> [N,Z*C,H,W]: all values in the first zone, 0 outside, then in the second."""
    return (zones[:, :, None] * values[:, None]).flatten(1, 2)


def diagonal_fold() -> torch.Tensor:
    """[36,64,1,1]: mean of the coefficients (u, v) and (v, u), lowest frequencies first."""
    pairs = sorted(((u, v) for u in range(8) for v in range(u, 8)), key=lambda pair: (sum(pair), pair))
    fold = np.zeros((36, 64))
    for row, (u, v) in enumerate(pairs):
        fold[row, u * 8 + v] += 0.5
        fold[row, v * 8 + u] += 0.5
    return torch.from_numpy(fold).float()[:, :, None, None]


def both_ways() -> torch.Tensor:
    return torch.tensor(np.outer([-1, 2, -1], [-1, 2, -1]) / 4).float()


def luma_kernels() -> torch.Tensor:
    """[7,1,5,5]: second difference both ways, first and second differences along x and y, along a diagonal, and a 5 x 5 high-pass."""
    kernels = np.zeros((7, 5, 5))
    kernels[0, 1:4, 1:4] = np.outer([-1, 2, -1], [-1, 2, -1]) / 4
    kernels[1, 2, 2:4] = kernels[2, 2:4, 2] = (-1, 1)
    kernels[3, 2, 1:4] = kernels[4, 1:4, 2] = (0.5, -1, 0.5)
    kernels[5, 1:4, 1:4] = np.diag([0.5, -1, 0.5])
    kernels[6] = np.outer([-1, 2, -2, 2, -1], [-1, 2, -2, 2, -1]) / 12
    return torch.from_numpy(kernels).float()[:, None]


def second_differences() -> torch.Tensor:
    """[2,1,3,3]: along x and along y."""
    kernels = np.zeros((2, 3, 3))
    kernels[0, 1] = kernels[1, :, 1] = (1, -2, 1)
    return torch.from_numpy(kernels).float()[:, None]


def neighbour_differences() -> torch.Tensor:
    """[8,1,3,3]: each neighbour less the pixel in the middle, clockwise from above left."""
    kernels = np.zeros((8, 3, 3))
    for kernel, place in zip(kernels, ((0, 0), (0, 1), (0, 2), (1, 2), (2, 2), (2, 1), (2, 0), (1, 0)), strict=True):
        kernel[place] = 1
        kernel[1, 1] = -1
    return torch.from_numpy(kernels).float()[:, None]


def code_classes() -> torch.Tensor:
    """[27] -> class 0..9 of three values -1, 0, 1, where a sequence, its mirror image and its negative are one class."""
    classes: dict[tuple, int] = {}
    table = []
    for code in range(27):
        triple = (code // 9 - 1, code // 3 % 3 - 1, code % 3 - 1)
        alike = {tuple(sign * value for value in order) for sign in (1, -1) for order in (triple, triple[::-1])}
        table.append(classes.setdefault(max(alike), len(classes)))
    return torch.tensor(table)
