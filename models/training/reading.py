"""How a picture is read: cells to patches to one row of numbers each. The service's engine follows the same rules.

A patch is the mean of 8 x 8 cells (128 px), patches lie 4 cells apart and one more ends at each edge; the 16 most textured
speak for the picture. The network reads them at full size. The second arm votes on them and on those of the picture at half
size, where at least one patch fits into that; what it says of both sizes adds up.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

CELL, PATCH, STRIDE, READ = 16, 8, 4, 16
TEXTURE_LIMIT = 32  # grey levels; one hard edge must not make a patch 'textured'


Cells = Callable[[np.ndarray], np.ndarray]  # uint8 [1,H,W,3], sides multiples of 16 -> float32 [C,H/16,W/16]


@dataclass(frozen=True)
class Reading:
    """What the head is shown of the patches that speak for a picture, [K,C], most textured first."""

    features: np.ndarray


def read_picture(rgb: np.ndarray, backbone: Cells) -> Reading:
    """At full size alone. @param rgb uint8 [height, width, 3], any size from 16 px."""
    cells = backbone(pad_to_cells(rgb)[None])
    return Reading(np.stack([cells[:, y : y + PATCH, x : x + PATCH].mean((1, 2)) for y, x in patches_of(rgb)]))


def read_both_sizes(rgb: np.ndarray, backbone: Cells, votes: Cells) -> Reading:
    """The network's features, and behind them the votes of the second arm."""
    said = votes_of(rgb, votes)
    half = halved(rgb)
    if min(half.shape[:2]) >= PATCH * CELL:
        said = said + votes_of(half, votes).mean(0)
    return Reading(np.concatenate([read_picture(rgb, backbone).features, said], 1))


def votes_of(rgb: np.ndarray, votes: Cells) -> np.ndarray:
    """[K,B]: the cell in the middle of a patch holds the vote on exactly that patch."""
    cells = votes(pad_to_cells(rgb)[None])
    rows, columns = cells.shape[1:]
    middle = PATCH // 2
    return np.stack([cells[:, min(y + middle, rows - 1), min(x + middle, columns - 1)] for y, x in patches_of(rgb)])


def halved(rgb: np.ndarray) -> np.ndarray:
    """Half of each side, rounded down: the mean of 2 x 2 pixels, rounded half up."""
    height, width = (length // 2 for length in rgb.shape[:2])
    blocks = rgb[: 2 * height, : 2 * width].reshape(height, 2, width, 2, 3).astype(np.uint16)
    return ((blocks.sum((1, 3)) + 2) >> 2).astype(np.uint8)


def patches_of(rgb: np.ndarray) -> list[tuple[int, int]]:
    """First row and column, in cells, of the patches that speak for the picture, most textured first."""
    textures = cell_textures(rgb)
    rows, columns = (starts(length) for length in rgb.shape[:2])
    places = [(y, x) for y in rows for x in columns]
    sums = np.array([textures[y : y + PATCH, x : x + PATCH].sum() for y, x in places])
    return [places[at] for at in np.argsort(-sums, kind="stable")[:READ]]


def starts(length: int) -> list[int]:
    """First cells of the patches along `length` pixels: they lie inside as a whole, if one fits at all."""
    whole = length // CELL
    last = max(0, (whole if whole >= PATCH else -(-length // CELL)) - PATCH)
    return [*range(0, last, STRIDE), last]


def cell_textures(rgb: np.ndarray) -> np.ndarray:
    """Sum over each cell of the absolute luma differences to the right and to the lower neighbour, at most 32 a pixel."""
    luma = (rgb.astype(np.uint32) @ np.array([299, 587, 114], np.uint32) + 500) // 1000
    luma = luma.astype(np.int32)
    right = np.abs(np.diff(luma, axis=1, append=luma[:, -1:]))
    below = np.abs(np.diff(luma, axis=0, append=luma[-1:]))
    texture = np.minimum(right + below, TEXTURE_LIMIT)
    height, width = texture.shape
    padded = np.pad(texture, ((0, -height % CELL), (0, -width % CELL)))
    return padded.reshape(padded.shape[0] // CELL, CELL, -1, CELL).sum((1, 3))


def pad_to_cells(rgb: np.ndarray) -> np.ndarray:
    """Edge pixels repeated at the right and below, up to multiples of 16."""
    height, width = rgb.shape[:2]
    return np.pad(rgb, ((0, -height % CELL), (0, -width % CELL), (0, 0)), mode="edge")
