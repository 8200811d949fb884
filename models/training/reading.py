"""How a picture is read: cells to patches to one score. The service's engine follows the same rules.

A patch is the mean of 8 x 8 cells (128 px), patches lie 4 cells apart, the 16 most textured speak for the picture.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

CELL, PATCH, STRIDE, READ = 16, 8, 4, 16
TEXTURE_LIMIT = 32  # grey levels; one hard edge must not make a patch 'textured'

Backbone = Callable[[np.ndarray], np.ndarray]  # uint8 [1,H,W,3] -> float32 [C,H/16,W/16]


@dataclass(frozen=True)
class Reading:
    """Features of the patches that speak for a picture, [K,C], and their texture, [K], most textured first."""

    features: np.ndarray
    texture: np.ndarray


def read_picture(rgb: np.ndarray, backbone: Backbone) -> Reading:
    """@param rgb uint8 [height, width, 3], any size from 16 px."""
    padded = pad_to_cells(rgb)
    cells = backbone(padded[None])
    features = patch_means(cells)
    texture = patch_means(cell_means(texture_map(padded))[None])[:, 0]
    best = np.argsort(-texture, kind="stable")[:READ]
    return Reading(features[best], texture[best])


def pad_to_cells(rgb: np.ndarray) -> np.ndarray:
    """Edge pixels repeated at the right and below, up to multiples of 16."""
    height, width = rgb.shape[:2]
    return np.pad(rgb, ((0, -height % CELL), (0, -width % CELL), (0, 0)), mode="edge")


def texture_map(rgb: np.ndarray) -> np.ndarray:
    """[height, width]: absolute luma difference to the right plus to the lower neighbour, clipped at 32."""
    luma = rgb.astype(np.float32) @ np.array([0.299, 0.587, 0.114], np.float32)
    right = np.abs(np.diff(luma, axis=1, append=luma[:, -1:]))
    below = np.abs(np.diff(luma, axis=0, append=luma[-1:]))
    return np.minimum(right + below, TEXTURE_LIMIT)


def cell_means(values: np.ndarray) -> np.ndarray:
    height, width = (length // CELL for length in values.shape)
    return values.reshape(height, CELL, width, CELL).mean((1, 3))


def patch_means(cells: np.ndarray) -> np.ndarray:
    """[C,h,w] -> [patches,C] on the patch grid; a picture smaller than a patch is one patch in that direction."""
    rows, columns = (starts(length) for length in cells.shape[1:])
    means = [cells[:, y : y + PATCH, x : x + PATCH].mean((1, 2)) for y in rows for x in columns]
    return np.stack(means)


def starts(length: int) -> range:
    return range(0, max(1, length - PATCH + 1), STRIDE)
