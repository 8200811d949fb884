"""Splice and copy-move: pasting a region of another picture, or of the same one.

Outside the mask (`share` 0) the host stays unchanged to the byte.
"""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np

from forensics_training.edits.shapes import blend, draw_shape, soften

TRANSLATED = 0.35  # probability of a pure translation, which preserves noise and block grid
ON_GRID = 0.4  # probability that such a translation is by whole blocks of 8 px
FLIPPED, MATCHED, CLONED = 0.3, 0.45, 0.15  # probabilities: mirrored; colours matched to the host; Poisson blending


@dataclass(frozen=True)
class Edited:
    """A picture after an edit. `share` uint8 [H,W]: 0 untouched .. 255 entirely new. `origin` uint8 [H,W]: 255 where a copy was taken from."""

    rgb: np.ndarray
    share: np.ndarray
    origin: np.ndarray
    how: str


def edited(
    host: np.ndarray, after: np.ndarray, share: np.ndarray, how: str, origin: np.ndarray | None = None
) -> Edited:
    source = np.zeros_like(share) if origin is None else origin.astype(np.uint8) * 255
    return Edited(blend(host, after, share), share, source, how)


def splice(host: np.ndarray, donor: np.ndarray, random: np.random.Generator) -> Edited:
    """A region of `donor`, possibly rotated, scaled and mirrored, pasted into `host`."""
    name, shape = draw_shape(donor, random)
    motion, moved = draw_motion(shape, host.shape[:2], random)
    after, share = warp(donor, shape, motion, host.shape[:2], random)
    if random.random() < MATCHED:
        after = match_colours(after, host, share, random.uniform(0.3, 0.9))
    if random.random() < CLONED:
        after = poisson_blend(after, host, share)
    return edited(host, after, share, f"{name}, {moved}")


def copy_move(host: np.ndarray, random: np.random.Generator) -> Edited:
    """A region of `host` pasted elsewhere in it."""
    name, shape = draw_shape(host, random)
    motion, moved = draw_motion(shape, host.shape[:2], random)
    after, share = warp(host, shape, motion, host.shape[:2], random)
    if random.random() < 0.1:
        after = match_colours(after, host, share, random.uniform(0.3, 0.9))
    return edited(host, after, share, f"{name}, {moved}", shape)


def draw_motion(shape: np.ndarray, size: tuple[int, int], random: np.random.Generator) -> tuple[np.ndarray, str]:
    """Affine matrix [2,3] from donor to host px, and a description; the centre of the shape lands well inside the host."""
    y, x = np.nonzero(shape)
    middle = np.array([(x.min() + x.max()) / 2, (y.min() + y.max()) / 2])
    extent = np.array([np.ptp(x), np.ptp(y)]) / 2 * 0.8
    room = np.maximum(0.15 * np.array(size[::-1]), np.array(size[::-1]) / 2 - extent)
    target = np.array(size[::-1]) / 2 + random.uniform(-1, 1, 2) * room
    if random.random() < TRANSLATED:
        step, moved = (8, "whole blocks") if random.random() < ON_GRID else (1, "moved")
        shift = np.round((target - middle) / step) * step
        return np.array([[1, 0, shift[0]], [0, 1, shift[1]]]), moved
    angle = np.deg2rad(random.normal(0, 25) if random.random() < 0.6 else 0.0)
    factor = float(np.exp(random.uniform(np.log(0.55), np.log(1.6)))) if random.random() < 0.8 else 1.0
    mirror = -1 if random.random() < FLIPPED else 1
    turn = factor * np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]]) @ np.diag([mirror, 1])
    moved = f"scaled {factor:.2f}, turned {np.rad2deg(angle):.0f}" + (", mirrored" if mirror < 0 else "")
    return np.column_stack([turn, target - turn @ middle]), moved


def warp(
    donor: np.ndarray, shape: np.ndarray, motion: np.ndarray, size: tuple[int, int], random: np.random.Generator
) -> tuple[np.ndarray, np.ndarray]:
    """`donor` and the softened mask of its `shape`, both warped into a picture of `size`."""
    translated = np.array_equal(motion[:, :2], np.eye(2))
    kinds = (cv2.INTER_LINEAR, cv2.INTER_CUBIC, cv2.INTER_LANCZOS4)
    kind = cv2.INTER_NEAREST if translated else kinds[int(random.integers(3))]
    factor = np.sqrt(abs(np.linalg.det(motion[:, :2])))
    # Editors antialias when they shrink; a plain warp would alias, which no real splice shows.
    source = cv2.GaussianBlur(donor, (0, 0), 0.45 / factor) if factor < 0.75 else donor
    after = cv2.warpAffine(source, motion, size[::-1], flags=kind, borderMode=cv2.BORDER_REFLECT_101)
    moved = cv2.warpAffine(shape.astype(np.uint8) * 255, motion, size[::-1], flags=cv2.INTER_LINEAR)
    return after, soften(moved > 127, random)


def match_colours(after: np.ndarray, host: np.ndarray, share: np.ndarray, strength: float) -> np.ndarray:
    """Moves mean and contrast of the region towards those of its surroundings in the host."""
    inside = share > 127
    around = (cv2.dilate(share, np.ones((25, 25), np.uint8)) > 127) & (share == 0)
    if not inside.any() or not around.any():
        return after
    mean, wanted = after[inside].mean(axis=0), host[around].mean(axis=0)
    contrast = np.clip(host[around].std() / (after[inside].std() + 1), 0.7, 1.4)
    matched = (after.astype(np.float32) - mean) * (1 + (contrast - 1) * strength) + mean + (wanted - mean) * strength
    return np.clip(matched, 0, 255).round().astype(np.uint8)


def poisson_blend(after: np.ndarray, host: np.ndarray, share: np.ndarray) -> np.ndarray:
    """Poisson blending (Perez, Gangnet and Blake, SIGGRAPH 2003); skipped where the region touches the frame."""
    mask = (share > 0).astype(np.uint8) * 255
    left, top, width, height = cv2.boundingRect(mask)
    if min(left, top, host.shape[1] - left - width, host.shape[0] - top - height) < 3 or min(width, height) < 8:
        return after
    return cv2.seamlessClone(after, host, mask, (left + width // 2, top + height // 2), cv2.NORMAL_CLONE)
