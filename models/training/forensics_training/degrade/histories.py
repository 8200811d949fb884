"""Processing histories before and after an edit, drawn as plain values before any pixel is touched.

Because a history is a value, an edited picture and its untouched counterpart get exactly the same one.
"""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from PIL import Image

from forensics_training.degrade.codecs import FILTERS, Save, encode, saved
from forensics_training.degrade.pipeline import FIRST_SAVE_LOSSLESS, FIRST_SAVE_LOSSY, WEBP
from forensics_training.degrade.processing import process

# Probabilities, chosen by hand and not tuned on any validation picture.
PROCESSED, FIRST_CUT = 0.15, 0.25
CUT, SMALLER, BETWEEN, LAST_JPEG, LAST_PNG = 0.2, 0.3, 0.12, 0.65, 0.2  # the rest is saved as WebP
SMALLEST = 160  # px, least short side of a finished picture


@dataclass(frozen=True)
class Past:
    """From the crop in the data to the picture that an editor opens."""

    processing: int | None  # seed of the camera processing
    save: Save | None
    cut: tuple[int, int]  # px removed at the top and the left: shifts the block grid


@dataclass(frozen=True)
class Future:
    """From the editor to the file that an examiner receives."""

    cut: tuple[int, int]
    scale: float  # <= 1
    filter: int  # index into FILTERS
    between: Save | None  # a save in between, by a messenger or a site
    last: Save


def draw_past(quality: int, random: np.random.Generator) -> Past:
    """@param quality libjpeg quality of the crop; a lossless one (100) mostly gets a first lossy save"""
    processed, saved, cut = random.random(3)
    seed, save, shift = int(random.integers(2**31)), draw_lossy((60, 98), random), draw_shift(random)
    chance = FIRST_SAVE_LOSSLESS if quality > 99 else FIRST_SAVE_LOSSY
    return Past(
        processing=seed if processed < PROCESSED else None,
        save=save if saved < chance else None,
        cut=shift if cut < FIRST_CUT else (0, 0),
    )


def draw_future(random: np.random.Generator) -> Future:
    cut, smaller, between, last = random.random(4)
    shift, scale, kind = draw_shift(random), random.uniform(0.5, 0.97), int(random.integers(len(FILTERS)))
    earlier, jpeg = draw_lossy((60, 96), random), draw_jpeg((35, 60) if random.random() < 0.1 else (60, 98), random)
    webp = Save("webp", int(random.integers(45, 96)))
    return Future(
        cut=shift if cut < CUT else (0, 0),
        scale=float(scale) if smaller < SMALLER else 1.0,
        filter=kind,
        between=earlier if between < BETWEEN else None,
        last=jpeg if last < LAST_JPEG else Save("png") if last < LAST_JPEG + LAST_PNG else webp,
    )


def draw_shift(random: np.random.Generator) -> tuple[int, int]:
    return int(random.integers(8)), int(random.integers(8))


def draw_lossy(qualities: tuple[int, int], random: np.random.Generator) -> Save:
    webp, jpeg = random.random() < WEBP, draw_jpeg(qualities, random)
    return Save("webp", jpeg.quality) if webp else jpeg


def draw_jpeg(qualities: tuple[int, int], random: np.random.Generator) -> Save:
    return Save("jpeg", int(random.integers(*qualities)), bool(random.random() < 0.65))


def apply_past(rgb: np.ndarray, past: Past) -> np.ndarray:
    if past.processing is not None:
        rgb = process(rgb, np.random.default_rng(past.processing))
    if past.save is not None:
        rgb = saved(rgb, past.save)
    return np.ascontiguousarray(rgb[past.cut[0] :, past.cut[1] :])


def apply_future(rgb: np.ndarray, marks: np.ndarray, future: Future) -> tuple[bytes, np.ndarray]:
    """@returns the file, and `marks` (uint8 [H,W,N], 0..255) cropped and scaled in register with its pixels, never saved with loss."""
    rgb, marks = (np.ascontiguousarray(layer[future.cut[0] :, future.cut[1] :]) for layer in (rgb, marks))
    height, width = rgb.shape[:2]
    scale = max(future.scale, min(1.0, SMALLEST / min(height, width)))
    if scale < 1:
        size = (round(width * scale), round(height * scale))
        rgb = np.asarray(Image.fromarray(rgb).resize(size, FILTERS[future.filter]))
        # Always area interpolation for the marks: Lanczos and bicubic would ring at edges.
        marks = cv2.resize(marks, size, interpolation=cv2.INTER_AREA).reshape(size[1], size[0], -1)
    if future.between is not None:
        rgb = saved(rgb, future.between)
    return encode(rgb, future.last), marks
