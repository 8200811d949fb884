"""The cache of pictures that the detector is trained and measured on: decoded once, cut and scaled, with label and source.

A picture is cached as several arrays, uint8 [height, width, 3] RGB: `native-*` are squares at native resolution, aligned to the 8 px
JPEG grid; `middle` is such a square of the picture scaled to about a megapixel; `view` is the whole picture, scaled.
"""

from __future__ import annotations

import hashlib
import io
import json
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np
from PIL import Image, ImageOps

Image.MAX_IMAGE_PIXELS = 120_000_000

NATIVE_PX = 384
VIEW_PX = 512  # longer side
MIDDLE_PIXELS = (0.6e6, 1.6e6)
MAX_PER_SOURCE = 24  # whole pictures of one source and split
LOSSLESS = 100


@dataclass(frozen=True)
class Item:
    key: str
    split: str  # train | calibration | val
    label: str  # real | ai-generated | neither
    source: str
    generator: str
    arrays: tuple[str, ...] = ()  # names of the cached arrays
    quality: int = LOSSLESS  # libjpeg quality of the last save; applies to `native-*`

    @property
    def fake(self) -> bool:
        return self.label == "ai-generated"

    @property
    def part(self) -> str:
        """Like `split`, but a sixth of the training sources, chosen by a hash of the name, is used for thresholds instead of weights."""
        if self.split != "train":
            return self.split
        drawn = int(hashlib.sha256(self.source.lower().encode()).hexdigest()[8:16], 16)
        return "calibration" if drawn % 6 == 0 else "train"


class Pictures:
    """The cache below `folder`: `index.json`, and one .npy for each array."""

    def __init__(self, folder: Path):
        self.folder = folder
        index = folder / "index.json"
        rows = json.loads(index.read_text()) if index.exists() else []
        self.items = [Item(**{**row, "arrays": tuple(row["arrays"])}) for row in rows]

    def array(self, item: Item, name: str) -> np.ndarray:
        return np.load(self.folder / item.key[:2] / f"{item.key}.{name}.npy", mmap_mode="r")

    def add(self, item: Item, arrays: dict[str, np.ndarray]) -> None:
        folder = self.folder / item.key[:2]
        folder.mkdir(parents=True, exist_ok=True)
        for name, rgb in arrays.items():
            np.save(folder / f"{item.key}.{name}.npy", rgb)
        self.items.append(Item(**{**vars(item), "arrays": tuple(arrays)}))

    def save(self) -> None:
        rows = [{**vars(item), "arrays": list(item.arrays)} for item in self.items]
        (self.folder / "index.json").write_text(json.dumps(rows))


def decode(data: bytes) -> tuple[np.ndarray, int]:
    """@returns RGB uint8 [height, width, 3] with EXIF orientation applied, and the estimated libjpeg quality (100 when lossless)."""
    picture = Image.open(io.BytesIO(data))
    quality = quality_of(picture)
    turned = ImageOps.exif_transpose(picture)
    if turned.mode in ("RGBA", "LA", "P"):
        turned = turned.convert("RGBA")
        ground = Image.new("RGBA", turned.size, (255, 255, 255, 255))
        turned = Image.alpha_composite(ground, turned)
    return np.asarray(turned.convert("RGB")), quality


def quality_of(picture: Image.Image) -> int:
    tables = getattr(picture, "quantization", None)
    if not tables:
        return 90 if picture.format == "WEBP" else LOSSLESS
    # The mean of libjpeg's luma table is 57.625 at quality 50; the scale factor follows from the mean of this one.
    mean = float(np.mean(tables[min(tables)]))
    factor = 100 * mean / 57.625
    return int(np.clip(round(5000 / factor if factor > 100 else 100 - factor / 2), 1, 100))


def cut_arrays(rgb: np.ndarray, random: np.random.Generator) -> dict[str, np.ndarray]:
    """The arrays cached for a whole picture."""
    height, width = rgb.shape[:2]
    arrays = {f"native-{at}": textured_square(rgb, NATIVE_PX, random) for at in range(2 if height * width > 600_000 else 1)}
    pixels = random.uniform(*MIDDLE_PIXELS)
    if height * width > 1.4 * pixels:
        factor = (pixels / (height * width)) ** 0.5
        arrays["middle"] = textured_square(scaled(rgb, factor), NATIVE_PX, random)
    arrays["view"] = scaled(rgb, min(1, VIEW_PX / max(height, width)))
    return arrays


def textured_square(rgb: np.ndarray, side: int, random: np.random.Generator) -> np.ndarray:
    """The most textured of three random squares, aligned to the 8 px grid."""
    height, width = rgb.shape[:2]
    best, most = None, -1.0
    for _ in range(3):
        top, left = (int(random.integers(max(0, room - side) // 8 + 1)) * 8 for room in (height, width))
        square = rgb[top : top + side, left : left + side]
        texture = float(np.abs(np.diff(square[::2, ::2, 1].astype(np.int16), axis=1)).clip(0, 32).mean())
        if texture > most:
            best, most = square, texture
    return np.ascontiguousarray(best)


def scaled(rgb: np.ndarray, factor: float) -> np.ndarray:
    if factor == 1:
        return rgb
    size = (max(8, round(rgb.shape[1] * factor)), max(8, round(rgb.shape[0] * factor)))
    return cv2.resize(rgb, size, interpolation=cv2.INTER_AREA if factor < 1 else cv2.INTER_CUBIC)
