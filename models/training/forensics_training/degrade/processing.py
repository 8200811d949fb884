"""Camera and editor processing beyond blur and noise, applied to both classes alike.

A photograph that a phone smoothed, tone-mapped or blurred behind a face must not look generated because of that, and a generated picture with
the same processing must not look like a photograph. Each function maps uint8 [H,W,3] RGB to the same shape.
"""

from __future__ import annotations

from collections.abc import Callable

import cv2
import numpy as np

Processing = Callable[[np.ndarray, np.random.Generator], np.ndarray]  # uint8 [H,W,3] RGB -> the same


def tone_map(rgb: np.ndarray, random: np.random.Generator) -> np.ndarray:
    """HDR tone mapping as in phones: large-scale luminance is compressed, local detail kept or raised."""
    value = rgb.astype(np.float32)
    luma = value.mean(axis=2)
    surroundings = cv2.GaussianBlur(luma, (0, 0), random.uniform(6, 20))
    even = 255 * (surroundings / 255) ** random.uniform(0.6, 1.1)
    wanted = even + (luma - surroundings) * random.uniform(1, 1.6)
    return to_uint8(value * (np.maximum(wanted, 0) / (luma + 1))[..., None])


def smooth_chroma(rgb: np.ndarray, random: np.random.Generator) -> np.ndarray:
    """Chroma noise reduction: chroma loses fine detail, luma keeps it."""
    ycc = cv2.cvtColor(rgb, cv2.COLOR_RGB2YCrCb)
    ycc[..., 1:] = cv2.GaussianBlur(ycc[..., 1:], (0, 0), random.uniform(0.8, 3))
    return cv2.cvtColor(ycc, cv2.COLOR_YCrCb2RGB)


def halo(rgb: np.ndarray, random: np.random.Generator) -> np.ndarray:
    """Unsharp mask, from slight to excessive."""
    amount = random.uniform(0.3, 1.6)
    return cv2.addWeighted(rgb, 1 + amount, cv2.GaussianBlur(rgb, (0, 0), random.uniform(0.6, 2.5)), -amount, 0)


def portrait(rgb: np.ndarray, random: np.random.Generator) -> np.ndarray:
    """Simulated depth of field: one side of a soft boundary is blurred."""
    height, width = rgb.shape[:2]
    angle, place = random.uniform(0, 2 * np.pi), random.uniform(-0.3, 0.3)
    y, x = np.mgrid[-0.5 : 0.5 : height * 1j, -0.5 : 0.5 : width * 1j]
    blurred = 1 / (1 + np.exp((x * np.cos(angle) + y * np.sin(angle) - place) / random.uniform(0.01, 0.06)))[..., None]
    far = cv2.GaussianBlur(rgb, (0, 0), random.uniform(1.5, 4))
    return to_uint8(rgb * (1 - blurred) + far * blurred)


def scan(rgb: np.ndarray, random: np.random.Generator) -> np.ndarray:
    """A scanned print: soft, with paper grain, lifted blacks and a colour cast."""
    value = cv2.GaussianBlur(rgb, (0, 0), random.uniform(0.5, 1)).astype(np.float32)
    paper = cv2.GaussianBlur(random.standard_normal(rgb.shape[:2], np.float32), (0, 0), random.uniform(0.5, 1.2))
    value += (paper / paper.std() * random.uniform(1, 4))[..., None]
    return to_uint8(random.uniform(5, 25) + value * random.uniform(0.85, 0.95, 3))


def grain(rgb: np.ndarray, random: np.random.Generator) -> np.ndarray:
    """Film grain or smoothed sensor noise: spatially correlated, stronger in dark areas."""
    noise = cv2.GaussianBlur(random.standard_normal(rgb.shape, np.float32), (0, 0), random.uniform(0.4, 1))
    light = rgb.astype(np.float32).mean(axis=2, keepdims=True) / 255
    return to_uint8(rgb + noise / noise.std() * random.uniform(1, 7) * (1.2 - light))


def to_uint8(value: np.ndarray) -> np.ndarray:
    return np.clip(value, 0, 255).round().astype(np.uint8)


PROCESSINGS: tuple[Processing, ...] = (tone_map, smooth_chroma, halo, portrait, scan, grain)


def process(rgb: np.ndarray, random: np.random.Generator) -> np.ndarray:
    """Applies one of them; which one, and how strong, depends on `random` alone."""
    return PROCESSINGS[int(random.integers(len(PROCESSINGS)))](np.ascontiguousarray(rgb), random)
