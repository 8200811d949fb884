"""The degradation pipeline, one for real and generated pictures.

The files of the two classes have different histories: half of the generated ones are lossless, many others share one JPEG quality.
Every degradation is therefore drawn without looking at the class, and a lossless file mostly gets the first lossy save that the others
already have, so that a network cannot learn the file format instead of the picture.
"""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from PIL import Image

from forensics_training.degrade.codecs import FILTERS, Save, saved
from forensics_training.degrade.processing import process

MARGIN = 16  # px kept around the patch during saves, so that its offset on the block grid can be chosen

# Probability of each step. Chosen by hand and not tuned on the val split.
FIRST_SAVE_LOSSLESS, FIRST_SAVE_LOSSY = 0.75, 0.35
AS_IS, EXTREME, RESIZE, LAST_SAVE = 0.12, 0.06, 0.55, 0.7
PROCESS, BLUR, SHARPEN, DENOISE, NOISE = 0.25, 0.12, 0.08, 0.08, 0.12
GRADE, GREY = 0.35, 0.12  # GREY: of all disturbed patches, taken out of the graded ones
THUMBNAIL, POSTED_AGAIN = 0.05, 0.1
WEBP = 0.12


@dataclass
class History:
    """What was done to a patch. `quality`: lowest libjpeg quality so far, 100: never saved with loss."""

    quality: float = 100.0
    blur: float = 0.0  # sigma in px of the present patch
    scale: float = 1.0

    @property
    def compression(self) -> float:
        """Target of the compression output: 0 when lossless, 1 at quality 20 and below."""
        return float(np.clip((100 - self.quality) / 80, 0, 1))

    @property
    def usable(self) -> float:
        """1..0: how much of the traces of origin survives. Both class logits are trained to fall with it. The limits were set where
        the pipeline begins to hide most of what lies above a quarter of the sampling rate."""
        return float(ramp(self.quality, 12, 40) * ramp(-self.blur, -3.0, -1.5) * ramp(self.scale, 0.18, 0.4))


def ramp(value: float, none: float, full: float) -> float:
    return float(np.clip((value - none) / (full - none), 0, 1))


def draw_scale(smallest: float, random: np.random.Generator) -> float:
    """Scale factor `smallest`..1.4, skewed towards smaller: shared pictures are shrunk far more often than enlarged."""
    grown = np.log(smallest) + np.log(1.4 / smallest) * random.random() ** 1.5
    return float(np.exp(grown)) if random.random() < RESIZE else 1.0


def degrade(
    rgb: np.ndarray, quality: int, side: int, random: np.random.Generator, scale: float
) -> tuple[np.ndarray, History]:
    """Cuts one patch and degrades it.

    @param rgb uint8 [height, width, 3], at least `side` x `side`; its JPEG grid, if any, begins at 0, 0
    @param quality libjpeg quality of its file, 100 when lossless
    @param scale resize factor, drawn without looking at the class; ignored for a patch that stays as it is
    @returns uint8 [side, side, 3] and its history. No draw depends on pixel values or on the class.
    """
    history = History(quality=float(quality))
    as_is = random.random() < AS_IS
    first = random.random() < (FIRST_SAVE_LOSSLESS if quality > 99 else FIRST_SAVE_LOSSY)
    scale = 1.0 if as_is else scale
    patch = cut(rgb, int(np.ceil((side + MARGIN) / scale)), random)
    if first:
        patch = save_randomly(patch, history, (72, 98), random)
    if not as_is:
        patch = disturb(patch, history, random)
        if scale != 1.0:
            patch = resize(patch, scale, side, random)
            history.scale *= scale
            history.blur *= scale
        if random.random() < THUMBNAIL:
            patch = enlarge_again(patch, random.uniform(0.4, 0.75), history)
        if random.random() < POSTED_AGAIN:
            patch = save_randomly(patch, history, (65, 95), random)
            patch = enlarge_again(patch, random.uniform(0.85, 0.97), history)
        if random.random() < EXTREME:
            patch = ruin(patch, history, random)
        if random.random() < LAST_SAVE:
            lowest = 28 if random.random() < 0.15 else 50
            patch = save_randomly(patch, history, (lowest, 98), random)
    patch = centre(patch, side, random)
    return turn(patch, random), history


def cut(rgb: np.ndarray, side: int, random: np.random.Generator) -> np.ndarray:
    """A random square aligned to the 8 px grid of the file, so that its block grid stays visible."""
    height, width = rgb.shape[:2]
    side = min(side, height, width)
    top, left = (int(random.random() * ((room - side) // 8 + 1)) * 8 for room in (height, width))
    return rgb[top : top + side, left : left + side]


def centre(patch: np.ndarray, side: int, random: np.random.Generator) -> np.ndarray:
    """The final square of `side` px: mostly aligned to the block grid, as in an uncropped file, else anywhere."""
    step = 8 if random.random() < 0.7 else 1
    top, left = (int(random.random() * ((room - side) // step + 1)) * step for room in patch.shape[:2])
    return patch[top : top + side, left : left + side]


def save_randomly(
    patch: np.ndarray, history: History, qualities: tuple[int, int], random: np.random.Generator
) -> np.ndarray:
    quality, webp, subsample = int(random.integers(*qualities)), random.random() < WEBP, random.random() < 0.65
    history.quality = min(history.quality, quality)
    return saved(patch, Save("webp", quality) if webp else Save("jpeg", quality, subsample))


def disturb(patch: np.ndarray, history: History, random: np.random.Generator) -> np.ndarray:
    if random.random() < PROCESS:
        patch = process(patch, random)
    if random.random() < BLUR:
        sigma = random.uniform(0.3, 1.6)
        patch = cv2.GaussianBlur(patch, (0, 0), sigma)
        history.blur = max(history.blur, sigma)
    if random.random() < SHARPEN:
        patch = cv2.addWeighted(patch, 1.6, cv2.GaussianBlur(patch, (0, 0), 1.2), -0.6, 0)
    if random.random() < DENOISE:  # phones smooth as generators do; smoothness alone must not mean generated
        strength = random.uniform(5, 30)
        patch = cv2.medianBlur(patch, 3) if random.random() < 0.3 else cv2.bilateralFilter(patch, 5, strength, 2)
    if random.random() < NOISE:
        noise = random.standard_normal(patch.shape, np.float32) * random.uniform(0.5, 6)
        patch = np.clip(patch + noise, 0, 255).round().astype(np.uint8)
    if random.random() < GRADE:
        patch = grade(patch, random)
    return patch


def grade(patch: np.ndarray, random: np.random.Generator) -> np.ndarray:
    """Colour grading: contrast, saturation (down to none) and gamma, but no hue shift."""
    contrast, saturation, gamma = random.uniform(0.6, 1.4), random.uniform(0.3, 1.7), np.exp(random.uniform(-0.5, 0.5))
    if random.random() < GREY / GRADE:
        saturation = 0.0
    value = patch.astype(np.float32) / 255
    grey = value.mean(axis=2, keepdims=True)
    value = grey + (value - grey) * saturation
    value = np.clip((value - 0.5) * contrast + 0.5, 0, 1) ** gamma
    return (value * 255).round().astype(np.uint8)


def resize(patch: np.ndarray, scale: float, side: int, random: np.random.Generator) -> np.ndarray:
    """Resizes with a random filter, antialiased as in browsers and phones."""
    size = max(side, int(round(patch.shape[0] * scale)))
    kind = FILTERS[int(random.integers(len(FILTERS)))]
    return np.asarray(Image.fromarray(patch).resize((size, size), kind))


def ruin(patch: np.ndarray, history: History, random: np.random.Generator) -> np.ndarray:
    """Destroys the traces of origin, so that both class logits learn to stay low."""
    kind = int(random.integers(3))
    if kind == 0:
        return save_randomly(patch, history, (5, 24), random)
    if kind == 1:
        sigma = random.uniform(2.5, 6)
        history.blur = max(history.blur, sigma)
        return cv2.GaussianBlur(patch, (0, 0), sigma)
    return enlarge_again(patch, random.uniform(0.1, 0.25), history)


def enlarge_again(patch: np.ndarray, factor: float, history: History) -> np.ndarray:
    """Downscales by `factor` and upscales again: an enlarged thumbnail, or a site's copy of a copy."""
    history.scale *= factor
    side = patch.shape[0]
    small = cv2.resize(patch, (max(8, int(side * factor)),) * 2, interpolation=cv2.INTER_AREA)
    return cv2.resize(small, (side, side), interpolation=cv2.INTER_CUBIC)


def turn(patch: np.ndarray, random: np.random.Generator) -> np.ndarray:
    """One of the eight flips and rotations by 90 degrees."""
    flip_x, flip_y, swap = random.random(3) < 0.5
    patch = patch[:, ::-1] if flip_x else patch
    patch = patch[::-1] if flip_y else patch
    return patch.transpose(1, 0, 2) if swap else patch
