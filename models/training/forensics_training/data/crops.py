"""The pictures of a data folder, decoded once, parted by whole sources, drawn with balance.

Knows the layout of the data folder (its manifest.csv) and nothing of degradation or networks.
"""

from __future__ import annotations

import csv
import json
from dataclasses import asdict, astuple, dataclass
from pathlib import Path

import numpy as np
from PIL import Image

# Whole sources of the train split that no weight of the localisation network ever sees: checkpoints, levels and thresholds are chosen on
# them. `npm run evaluate` reads this list too (test/evaluate/data-set.ts). Chosen by hand before the first run, so that both classes have
# several sources, real ones hold cameras, web files, web copies and lossless files, and generated ones hold diffusion, GAN and
# autoregressive pictures, lossless and JPEG. About 14 % of the pictures of each class.
CALIBRATION_SOURCES = frozenset(
    {
        # real
        "openalpr/benchmarks",
        "cszn/FFDNet",
        "mdn/learning-area",
        "stephen688/blog-images",
        "bep/gallerydeluxe_starter",
        "testerarm/images",
        "LeoHoward123/auto-gallery",
        # generated
        "acgrissom/projects",
        "easydiffusion/easydiffusion",
        "comfyanonymous/ComfyUI_examples",
        "dinablachman/realorfake",
        "bestdpf/Janus",
        "ltdrdata/ComfyUI-extension-tutorials",
        "SimonHFrost/jekyll_blog",
        "cubiq/ComfyUI_Workflows",
        "PixArt-alpha/PixArt-alpha",
        "PixArt-alpha/PixArt-sigma",
        "sarahsimionescu/cursed-poodles",
        "ai-forever/Kandinsky-2",
        "ai-forever/ru-dalle",
    }
)

# Annex K of ITU-T T.81 (1992), luminance, natural order: the base of libjpeg's quality scale.
ANNEX_K_LUMINANCE = np.array(
    [16, 11, 10, 16, 24, 40, 51, 61, 12, 12, 14, 19, 26, 58, 60, 55, 14, 13, 16, 24, 40, 57, 69, 56,
     14, 17, 22, 29, 51, 87, 80, 62, 18, 22, 37, 56, 68, 109, 103, 77, 24, 35, 55, 64, 81, 104, 113, 92,
     49, 64, 78, 87, 103, 121, 120, 101, 72, 92, 95, 98, 112, 100, 103, 99], dtype=np.float64)  # fmt: skip


@dataclass(frozen=True)
class Item:
    """One picture of the cache: `pixels[offset : offset + height * width * 3]` holds it as RGB rows."""

    file: str
    split: str  # train | calibration | val
    fake: bool
    generator: str  # for real pictures: camera | web | lossless | web-copy
    source: str
    width: int
    height: int
    offset: int
    quality: int  # libjpeg quality of the file as it lies here, 100 for lossless


class Pictures:
    """The decoded cache: items and a read-only view of all pixels."""

    def __init__(self, folder: Path):
        self.items = [Item(**row) for row in json.loads((folder / "items.json").read_text())]
        self.pixels = np.load(folder / "pixels.npy", mmap_mode="r")

    def read(self, item: Item) -> np.ndarray:
        """uint8 [height, width, 3], RGB."""
        flat = self.pixels[item.offset : item.offset + item.height * item.width * 3]
        return flat.reshape(item.height, item.width, 3)

    def of(self, split: str) -> list[Item]:
        return [item for item in self.items if item.split == split]


def open_pictures(data: Path, work: Path) -> Pictures:
    """Decodes every picture of `data` into `work/cache`, the first time and whenever its list changed, and opens the cache."""
    cache, listed = work / "cache", listing(data)
    if not (cache / "items.json").exists() or [astuple(item)[:5] for item in Pictures(cache).items] != listed:
        build_cache(data, listed, cache)
    return Pictures(cache)


def listing(data: Path) -> list[tuple[str, str, bool, str, str]]:
    """File, split, whether generated, generator and source of every picture, as the first fields of an `Item`."""
    with open(data / "manifest.csv", newline="") as rows:
        listed = sorted(csv.DictReader(rows), key=lambda row: row["file"])
    return [(row["file"], split_of(row), row["label"] == "ai-generated", row["generator"], row["source"]) for row in listed]


def split_of(row: dict[str, str]) -> str:
    return "calibration" if row["split"] == "train" and row["source"] in CALIBRATION_SOURCES else row["split"]


def build_cache(data: Path, listed: list[tuple[str, str, bool, str, str]], cache: Path) -> None:
    """One flat .npy, because thousands of decodes an epoch would cost more than the degradation."""
    cache.mkdir(parents=True, exist_ok=True)
    items, decoded, offset = [], [], 0
    for row in listed:
        with Image.open(data / row[0]) as image:
            quality = jpeg_quality(image)
            pixels = np.asarray(image.convert("RGB"))
        height, width = pixels.shape[:2]
        items.append(Item(*row, width, height, offset, quality))
        decoded.append(pixels.reshape(-1))
        offset += pixels.size
    stored = cache / "pixels.npy"
    stored.unlink(missing_ok=True)  # who has the old ones mapped keeps them
    np.save(stored, np.concatenate(decoded))
    (cache / "items.json").write_text(json.dumps([asdict(item) for item in items]))


def jpeg_quality(image: Image.Image) -> int:
    """The libjpeg quality whose luminance table is nearest to the file's; 100 when the file has no table."""
    tables = getattr(image, "quantization", None)
    if not tables:
        return 100
    steps = np.asarray(sorted(tables[0]), dtype=np.float64)
    # Sorted steps: the answer must not depend on whether the decoder lists them in zig-zag or natural order.
    distances = [np.abs(np.sort(luminance_table(quality)) - steps).mean() for quality in range(1, 101)]
    return int(np.argmin(distances)) + 1


def luminance_table(quality: int) -> np.ndarray:
    """64 steps 1..255 of libjpeg's baseline luminance table at `quality` 1..100."""
    scale = 5000 / quality if quality < 50 else 200 - 2 * quality
    return np.clip(np.floor((ANNEX_K_LUMINANCE * scale + 50) / 100), 1, 255)


def draw_weights(items: list[Item]) -> np.ndarray:
    """Probability of each item of one class: square root of the size of its group (source and generator),
    shared evenly inside the group, so that a large source does not drown thirty small ones."""
    keys = [(item.source, item.generator) for item in items]
    sizes = {key: keys.count(key) for key in set(keys)}
    weights = np.array([1 / np.sqrt(sizes[key]) for key in keys])
    return weights / weights.sum()
