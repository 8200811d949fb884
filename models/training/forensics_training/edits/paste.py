"""Taking a region from one picture into another, or elsewhere in the same: splice and copy-move.

Only where the share is above 0 is the host touched: what lies outside is unchanged to the byte.
"""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np

from forensics_training.edits.shapes import blend, draw_shape, soften

IN_PLACE = 0.35  # chance that a region is moved only, neither turned nor scaled: its grain and its block grid survive
ON_GRID = 0.4  # chance that such a move is by whole blocks of 8 px
FLIPPED, MATCHED, CLONED = 0.3, 0.45, 0.15  # mirrored; brought to the host's colours; gradients joined (Poisson)


@dataclass(frozen=True)
class Edited:
    """`share` uint8 [H,W]: 0 untouched .. 255 wholly new. `origin` uint8 [H,W]: 255 where a copy came from, else 0."""

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
    """A region of `donor`, in place or turned and scaled, laid anywhere on `host`."""
    name, shape = draw_shape(donor, random)
    motion, moved = draw_motion(shape, host.shape[:2], random)
    after, share = carry(donor, shape, motion, host.shape[:2], random)
    if random.random() < MATCHED:
        after = match_colours(after, host, share, random.uniform(0.3, 0.9))
    if random.random() < CLONED:
        after = join_gradients(after, host, share)
    return edited(host, after, share, f"{name}, {moved}")


def copy_move(host: np.ndarray, random: np.random.Generator) -> Edited:
    """A region of `host` once more, elsewhere in it."""
    name, shape = draw_shape(host, random)
    motion, moved = draw_motion(shape, host.shape[:2], random)
    after, share = carry(host, shape, motion, host.shape[:2], random)
    if random.random() < 0.1:
        after = match_colours(after, host, share, random.uniform(0.3, 0.9))
    return edited(host, after, share, f"{name}, {moved}", shape)


def draw_motion(shape: np.ndarray, size: tuple[int, int], random: np.random.Generator) -> tuple[np.ndarray, str]:
    """2x3 matrix from donor to host px, and its name; the middle of the shape comes to lie well inside the host."""
    y, x = np.nonzero(shape)
    middle = np.array([(x.min() + x.max()) / 2, (y.min() + y.max()) / 2])
    extent = np.array([np.ptp(x), np.ptp(y)]) / 2 * 0.8
    room = np.maximum(0.15 * np.array(size[::-1]), np.array(size[::-1]) / 2 - extent)
    target = np.array(size[::-1]) / 2 + random.uniform(-1, 1, 2) * room
    if random.random() < IN_PLACE:
        step, moved = (8, "whole blocks") if random.random() < ON_GRID else (1, "moved")
        shift = np.round((target - middle) / step) * step
        return np.array([[1, 0, shift[0]], [0, 1, shift[1]]]), moved
    angle = np.deg2rad(random.normal(0, 25) if random.random() < 0.6 else 0.0)
    factor = float(np.exp(random.uniform(np.log(0.55), np.log(1.6)))) if random.random() < 0.8 else 1.0
    mirror = -1 if random.random() < FLIPPED else 1
    turn = factor * np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]]) @ np.diag([mirror, 1])
    moved = f"scaled {factor:.2f}, turned {np.rad2deg(angle):.0f}" + (", mirrored" if mirror < 0 else "")
    return np.column_stack([turn, target - turn @ middle]), moved


def carry(
    donor: np.ndarray, shape: np.ndarray, motion: np.ndarray, size: tuple[int, int], random: np.random.Generator
) -> tuple[np.ndarray, np.ndarray]:
    """`donor` and the softened share of its `shape`, both as they lie in a picture of `size`."""
    whole = np.array_equal(motion[:, :2], np.eye(2))
    kinds = (cv2.INTER_LINEAR, cv2.INTER_CUBIC, cv2.INTER_LANCZOS4)
    kind = cv2.INTER_NEAREST if whole else kinds[int(random.integers(3))]
    factor = np.sqrt(abs(np.linalg.det(motion[:, :2])))
    # An editor averages when it makes smaller; a warp alone would alias, which no real splice shows.
    source = cv2.GaussianBlur(donor, (0, 0), 0.45 / factor) if factor < 0.75 else donor
    after = cv2.warpAffine(source, motion, size[::-1], flags=kind, borderMode=cv2.BORDER_REFLECT_101)
    moved = cv2.warpAffine(shape.astype(np.uint8) * 255, motion, size[::-1], flags=cv2.INTER_LINEAR)
    return after, soften(moved > 127, random)


def match_colours(after: np.ndarray, host: np.ndarray, share: np.ndarray, strength: float) -> np.ndarray:
    """The region's mean and contrast, led towards those of the host around it."""
    inside = share > 127
    around = (cv2.dilate(share, np.ones((25, 25), np.uint8)) > 127) & (share == 0)
    if not inside.any() or not around.any():
        return after
    mean, wanted = after[inside].mean(axis=0), host[around].mean(axis=0)
    contrast = np.clip(host[around].std() / (after[inside].std() + 1), 0.7, 1.4)
    matched = (after.astype(np.float32) - mean) * (1 + (contrast - 1) * strength) + mean + (wanted - mean) * strength
    return np.clip(matched, 0, 255).round().astype(np.uint8)


def join_gradients(after: np.ndarray, host: np.ndarray, share: np.ndarray) -> np.ndarray:
    """The region's gradients on the host's colours, where the frame leaves room.

    Perez, Gangnet and Blake, SIGGRAPH 2003.
    """
    mask = (share > 0).astype(np.uint8) * 255
    left, top, width, height = cv2.boundingRect(mask)
    if min(left, top, host.shape[1] - left - width, host.shape[0] - top - height) < 3 or min(width, height) < 8:
        return after
    return cv2.seamlessClone(after, host, mask, (left + width // 2, top + height // 2), cv2.NORMAL_CLONE)
