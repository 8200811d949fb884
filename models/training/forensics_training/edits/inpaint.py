"""Inpainting by the classical methods that editors offer."""

from __future__ import annotations

import cv2
import numpy as np

CANDIDATES = 900  # source patches; more are slower and repeat less
SIDES = (9, 21)  # patch side in px; grows with the region, so that about 80 steps suffice

METHODS = ("telea", "navier-stokes", "patches")


def fill(rgb: np.ndarray, unknown: np.ndarray, method: str, random: np.random.Generator) -> np.ndarray:
    """uint8 [H,W,3] with the pixels of the bool mask `unknown` replaced and every other one kept.

    @param method one of METHODS: Telea 2004 (fast marching), Bertalmio, Bertozzi and Sapiro 2001 (Navier-Stokes), or
        patches of the same picture.
    """
    if method == "patches":
        return fill_by_patches(rgb, unknown, random)
    flag = cv2.INPAINT_TELEA if method == "telea" else cv2.INPAINT_NS
    out = cv2.inpaint(np.ascontiguousarray(rgb), unknown.astype(np.uint8), float(random.uniform(2, 7)), flag)
    return np.where(unknown[..., None], out, rgb)


def fill_by_patches(rgb: np.ndarray, unknown: np.ndarray, random: np.random.Generator) -> np.ndarray:
    """Exemplar-based inpainting from the boundary inwards (Criminisi, Perez and Toyama, IEEE TIP 2004), without the structure term and
    with a random sample of source patches. Falls back to Telea's method where no patch is completely known.
    """
    side = int(np.clip(np.sqrt(unknown.sum()) / 6, *SIDES)) | 1
    half = side // 2
    patches = candidates(rgb, unknown, side, random)
    if patches is None:
        return fill(rgb, unknown, "telea", random)
    box = surroundings(unknown, half)
    value = np.pad(rgb, ((half, half), (half, half), (0, 0)), mode="reflect")[box]
    known, inside = np.pad(~unknown, half)[box], np.pad(unknown, half)[box]
    # In large patches every second row and column suffices to compare them, in a quarter of the time.
    step = 1 if side <= 11 else 2
    seen = patches[:, ::step, ::step].reshape(len(patches), -1).astype(np.float32)
    squares = seen * seen
    while inside.any():
        y, x = most_supported(known, inside, side)
        rows, columns = slice(y - half, y + half + 1), slice(x - half, x + half + 1)
        weight = np.repeat(known[rows, columns][::step, ::step].ravel(), 3).astype(np.float32)
        distance = squares @ weight - 2 * (seen @ (weight * value[rows, columns][::step, ::step].ravel()))
        missing = inside[rows, columns].copy()
        value[rows, columns][missing] = patches[int(np.argmin(distance))][missing]
        known[rows, columns] |= missing
        inside[rows, columns] = False
    out = rgb.copy()
    core = (slice(box[0].start, box[0].stop - 2 * half), slice(box[1].start, box[1].stop - 2 * half))
    out[core] = np.where(unknown[core][..., None], value[half:-half, half:-half], rgb[core])
    return out


def surroundings(unknown: np.ndarray, half: int) -> tuple[slice, slice]:
    """Rows and columns, in a picture padded by `half` on each side, that contain every window around an unknown pixel."""
    left, top, width, height = cv2.boundingRect(unknown.astype(np.uint8))
    return slice(top, top + height + 2 * half), slice(left, left + width + 2 * half)


def candidates(rgb: np.ndarray, unknown: np.ndarray, side: int, random: np.random.Generator) -> np.ndarray | None:
    """uint8 [N, side, side, 3]: random patches of the picture without an unknown pixel; None where there are none."""
    half = side // 2
    usable = cv2.erode((~unknown).astype(np.uint8), np.ones((side, side), np.uint8))
    usable[:half], usable[-half:], usable[:, :half], usable[:, -half:] = 0, 0, 0, 0
    y, x = np.nonzero(usable)
    if y.size == 0:
        return None
    chosen = random.choice(y.size, min(CANDIDATES, y.size), replace=False)
    windows = np.lib.stride_tricks.sliding_window_view(rgb, (side, side), axis=(0, 1))
    return np.moveaxis(windows[y[chosen] - half, x[chosen] - half], 1, -1)


def most_supported(known: np.ndarray, inside: np.ndarray, side: int) -> tuple[int, int]:
    """Row and column of the unknown pixel with the most known pixels around it."""
    support = cv2.boxFilter(known.astype(np.float32), -1, (side, side), normalize=False, borderType=cv2.BORDER_CONSTANT)
    y, x = np.unravel_index(int(np.argmax(np.where(inside, support, -1))), inside.shape)
    return int(y), int(x)
