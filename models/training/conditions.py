"""The fixed histories under which pictures are measured: both classes alike."""

from __future__ import annotations

from collections.abc import Callable

import cv2
import numpy as np
from PIL import Image

from degrade import save_jpeg


def half_bicubic(rgb: np.ndarray) -> np.ndarray:
    height, width = rgb.shape[:2]
    return np.asarray(Image.fromarray(rgb).resize((width // 2, height // 2), Image.Resampling.BICUBIC))


CONDITIONS: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "as is": lambda rgb: rgb,
    "jpeg 75": lambda rgb: save_jpeg(rgb, 75, True),
    "half": half_bicubic,
    "half, jpeg 80": lambda rgb: save_jpeg(half_bicubic(rgb), 80, True),
}

# Beyond these no trace is expected: both class heads should fall. Used to fit their calibration, never for training.
RUINED: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "jpeg 10": lambda rgb: save_jpeg(rgb, 10, True),
    "blur 4": lambda rgb: cv2.GaussianBlur(rgb, (0, 0), 4),
}


def toned(gain: float, saturation: float, gamma: float) -> Callable[[np.ndarray], np.ndarray]:
    """Contrast about mid grey, saturation about the mean of the channels, then brightness by a power."""

    def change(rgb: np.ndarray) -> np.ndarray:
        value = rgb.astype(np.float32) / 255
        grey = value.mean(2, keepdims=True)
        value = grey + (value - grey) * saturation
        value = np.clip((value - 0.5) * gain + 0.5, 0, 1) ** gamma
        return (value * 255).round().astype(np.uint8)

    return change


# What a photographer does to the look of a picture, stronger than the law of degradation does: no trace is gone, the tones are.
GRADED: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "vivid": toned(1.3, 1.5, 1.0),
    "faded": toned(0.7, 0.6, 0.85),
    "dark": toned(1.1, 1.0, 1.6),
    "grey": toned(1.0, 0.0, 1.0),
}
