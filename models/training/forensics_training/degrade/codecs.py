"""Saving as JPEG, WebP or PNG, and resampling filters. Images are uint8 [H,W,3] RGB."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from PIL import Image

FILTERS = (Image.Resampling.BOX, Image.Resampling.BILINEAR, Image.Resampling.BICUBIC, Image.Resampling.LANCZOS)


@dataclass(frozen=True)
class Save:
    format: str  # jpeg | webp | png
    quality: int = 100
    subsample: bool = False  # JPEG only: chroma 4:2:0, else 4:4:4


def encode(rgb: np.ndarray, save: Save) -> bytes:
    options: list[int] = []
    if save.format == "jpeg":
        factor = cv2.IMWRITE_JPEG_SAMPLING_FACTOR_420 if save.subsample else cv2.IMWRITE_JPEG_SAMPLING_FACTOR_444
        options = [cv2.IMWRITE_JPEG_QUALITY, save.quality, cv2.IMWRITE_JPEG_SAMPLING_FACTOR, factor]
    if save.format == "webp":
        options = [cv2.IMWRITE_WEBP_QUALITY, save.quality]
    written, data = cv2.imencode(f".{save.format}", cv2.cvtColor(rgb, cv2.COLOR_RGB2BGR), options)
    if not written:
        raise RuntimeError(f"The picture could not be written as {save.format}.")
    return data.tobytes()


def decode(file: bytes) -> np.ndarray:
    return cv2.cvtColor(cv2.imdecode(np.frombuffer(file, np.uint8), cv2.IMREAD_COLOR), cv2.COLOR_BGR2RGB)


def saved(rgb: np.ndarray, save: Save) -> np.ndarray:
    """The pixels after one save."""
    return decode(encode(rgb, save))


def save_jpeg(rgb: np.ndarray, quality: int, subsample: bool) -> np.ndarray:
    """The pixels after one JPEG save; chroma 4:2:0 when `subsample`, else 4:4:4."""
    return saved(rgb, Save("jpeg", quality, subsample))
