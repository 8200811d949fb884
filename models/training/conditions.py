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
