"""What the backbone sees of a picture: all of it squeezed to a square, and the most textured squares of its own pixels."""

from __future__ import annotations

import numpy as np
from PIL import Image

from forensics_training.detector.read import gradients

SIDE = 224
STEP = 56  # px between possible positions of a square
SQUARES = 1


def squeezed(rgb: np.ndarray, side: int = SIDE) -> np.ndarray:
    """uint8 [side, side, 3]: bicubic, antialiased, as in libvips."""
    return np.asarray(Image.fromarray(np.ascontiguousarray(rgb)).resize((side, side), Image.Resampling.BICUBIC))


def textured_squares(rgb: np.ndarray, count: int = SQUARES) -> list[np.ndarray]:
    """The `count` most textured squares of SIDE px that do not overlap, most textured first; none if the picture is smaller.

    They begin at multiples of STEP px. Texture is the sum of clipped luma gradients, as for the tiles in `detector.read`.
    """
    height, width = rgb.shape[:2]
    if min(height, width) < SIDE:
        return []
    sums = sums_of_texture(rgb)
    places = [(top, left) for top in range(0, height - SIDE + 1, STEP) for left in range(0, width - SIDE + 1, STEP)]
    kept: list[tuple[int, int]] = []
    for top, left in sorted(places, key=lambda place: (-within(sums, *place, SIDE), place)):
        if all(abs(top - other) >= SIDE or abs(left - beside) >= SIDE for other, beside in kept):
            kept.append((top, left))
            if len(kept) == count:
                break
    return [np.ascontiguousarray(rgb[top : top + SIDE, left : left + SIDE]) for top, left in kept]


def textured_square(rgb: np.ndarray, side: int) -> np.ndarray:
    """The most textured square of `side` px (of the shorter side, if the picture is smaller), aligned to the 8 px grid."""
    height, width = rgb.shape[:2]
    side = min(side, height, width)
    sums = sums_of_texture(rgb)
    step = max(8, side // 4 // 8 * 8)
    places = [(top, left) for top in range(0, height - side + 1, step) for left in range(0, width - side + 1, step)]
    top, left = max(places, key=lambda place: within(sums, *place, side))
    return np.ascontiguousarray(rgb[top : top + side, left : left + side])


def sums_of_texture(rgb: np.ndarray) -> np.ndarray:
    return np.pad(gradients(rgb).astype(np.int64).cumsum(0).cumsum(1), ((1, 0), (1, 0)))


def within(sums: np.ndarray, top: int, left: int, side: int) -> int:
    return int(sums[top + side, left + side] - sums[top, left + side] - sums[top + side, left] + sums[top, left])
