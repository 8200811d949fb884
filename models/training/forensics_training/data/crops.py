"""The crops that the `manifest.csv` of a data folder lists: decoded once, split by whole sources, sampled with balance."""

from __future__ import annotations

import csv
import json
from dataclasses import asdict, astuple, dataclass
from pathlib import Path

import numpy as np
from PIL import Image

# Sources of the train split that are held out from the weights of the locator: checkpoints, levels and thresholds are chosen on them.
# `npm run evaluate` reads this list too (test/evaluate/data-set.ts). Chosen by hand before the first run so that both classes have
# several sources: cameras, web files, web copies and lossless files among the real ones; diffusion, GAN and autoregressive models,
# lossless and JPEG, among the generated ones. About 14 % of each class.
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

# ITU-T T.81 (1992), Annex K, luminance, natural order: the base of libjpeg's quality scale.
ANNEX_K_LUMINANCE = np.array(
    [16, 11, 10, 16, 24, 40, 51, 61, 12, 12, 14, 19, 26, 58, 60, 55, 14, 13, 16, 24, 40, 57, 69, 56,
     14, 17, 22, 29, 51, 87, 80, 62, 18, 22, 37, 56, 68, 109, 103, 77, 24, 35, 55, 64, 81, 104, 113, 92,
     49, 64, 78, 87, 103, 121, 120, 101, 72, 92, 95, 98, 112, 100, 103, 99], dtype=np.float64)  # fmt: skip


@dataclass(frozen=True)
class Crop:
    """One crop of the cache; `pixels[offset : offset + height * width * 3]` are its RGB rows."""

    file: str
    split: str  # train | calibration | val
    fake: bool
    generator: str  # for real pictures: camera | web | lossless | web-copy
    source: str
    width: int
    height: int
    offset: int
    quality: int  # libjpeg quality of the file, 100 when lossless


class Crops:
    """The decoded cache: items, and all pixels in one memory-mapped array."""

    def __init__(self, folder: Path):
        self.items = [Crop(**row) for row in json.loads((folder / "items.json").read_text())]
        self.pixels = np.load(folder / "pixels.npy", mmap_mode="r")

    def read(self, item: Crop) -> np.ndarray:
        """uint8 [height, width, 3], RGB."""
        flat = self.pixels[item.offset : item.offset + item.height * item.width * 3]
        return flat.reshape(item.height, item.width, 3)

    def of(self, split: str) -> list[Crop]:
        return [item for item in self.items if item.split == split]


def open_crops(data: Path, work: Path) -> Crops:
    """Opens the cache in `work/cache`; decodes every crop of `data` into it first when it is missing or the list has changed."""
    cache, listed = work / "cache", list_crops(data)
    if not (cache / "items.json").exists() or [astuple(item)[:5] for item in Crops(cache).items] != listed:
        build_cache(data, listed, cache)
    return Crops(cache)


def list_crops(data: Path) -> list[tuple[str, str, bool, str, str]]:
    """The first five fields of every `Crop`: file, split, fake, generator, source."""
    with open(data / "manifest.csv", newline="") as rows:
        listed = sorted(csv.DictReader(rows), key=lambda row: row["file"])
    return [(row["file"], split_of(row), row["label"] == "ai-generated", row["generator"], row["source"]) for row in listed]


def split_of(row: dict[str, str]) -> str:
    return "calibration" if row["split"] == "train" and row["source"] in CALIBRATION_SOURCES else row["split"]


def build_cache(data: Path, listed: list[tuple[str, str, bool, str, str]], cache: Path) -> None:
    """Writes one flat .npy, because thousands of decodes per epoch would cost more than the degradation."""
    cache.mkdir(parents=True, exist_ok=True)
    items, decoded, offset = [], [], 0
    for row in listed:
        with Image.open(data / row[0]) as image:
            quality = jpeg_quality(image)
            pixels = np.asarray(image.convert("RGB"))
        height, width = pixels.shape[:2]
        items.append(Crop(*row, width, height, offset, quality))
        decoded.append(pixels.reshape(-1))
        offset += pixels.size
    stored = cache / "pixels.npy"
    stored.unlink(missing_ok=True)  # a process that has the old file mapped keeps it
    np.save(stored, np.concatenate(decoded))
    (cache / "items.json").write_text(json.dumps([asdict(item) for item in items]))


def jpeg_quality(image: Image.Image) -> int:
    """The libjpeg quality whose luminance table is nearest to that of the file (mean absolute difference); 100 without a table."""
    tables = getattr(image, "quantization", None)
    if not tables:
        return 100
    steps = np.asarray(sorted(tables[0]), dtype=np.float64)
    # Sorted, so that the order of the decoder (zig-zag or natural) does not matter.
    distances = [np.abs(np.sort(luminance_table(quality)) - steps).mean() for quality in range(1, 101)]
    return int(np.argmin(distances)) + 1


def luminance_table(quality: int) -> np.ndarray:
    """float64 [64], natural order, steps 1..255: libjpeg's baseline luminance table at `quality` 1..100."""
    scale = 5000 / quality if quality < 50 else 200 - 2 * quality
    return np.clip(np.floor((ANNEX_K_LUMINANCE * scale + 50) / 100), 1, 255)


def draw_weights(items: list[Crop]) -> np.ndarray:
    """float64 [N], sum 1: sampling probability of each crop of one class. A group (source and generator) gets the square root of its
    size, shared evenly inside it, so that one large source does not outweigh thirty small ones."""
    keys = [(item.source, item.generator) for item in items]
    sizes = {key: keys.count(key) for key in set(keys)}
    weights = np.array([1 / np.sqrt(sizes[key]) for key in keys])
    return weights / weights.sum()
