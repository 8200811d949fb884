"""Synthetic pictures, and caches of them, that several tests read."""

import cv2
import numpy as np
import torch

from forensics_training.data.crops import Crop, Crops
from forensics_training.data.pictures import Item, Pictures, cut_arrays

LABELS = ("real", "ai-generated")


def coarse(random: np.random.Generator, height: int, width: int) -> np.ndarray:
    """uint8 [height, width, 3]: soft shapes with a little noise."""
    small = random.uniform(30, 220, (height // 16 + 1, width // 16 + 1, 3)).astype(np.float32)
    soft = cv2.resize(small, (width, height), interpolation=cv2.INTER_CUBIC)
    return np.clip(soft + random.normal(0, 4, soft.shape), 0, 255).round().astype(np.uint8)


def fill(folder, labels=LABELS, sizes=((400, 500),), count=3) -> Pictures:
    """`count` whole pictures of each label, each from its own source, with `sizes` in turn; the pixels do not depend on the label."""
    pictures = Pictures(folder)
    for label in labels:
        for number in range(count):
            random = np.random.default_rng(number)
            rgb = coarse(random, *sizes[number % len(sizes)])
            item = Item(f"{label[:2]}{number:02d}", "train", label, f"{label} {number}", "some", quality=90)
            pictures.add(item, cut_arrays(rgb, random))
    pictures.save()
    return Pictures(folder)


def textured(seed: int, side: int) -> np.ndarray:
    """Slowly changing colours under fine grain: something to cut out, fill from and move."""
    random = np.random.default_rng(seed)
    slow = cv2.resize(random.integers(0, 256, (6, 6, 3), dtype=np.uint8), (side, side), interpolation=cv2.INTER_CUBIC)
    return np.clip(slow + random.normal(0, 12, slow.shape), 0, 255).astype(np.uint8)


class Watched(Crops):
    """Real and generated pictures of all three splits; remembers which were read."""

    def __init__(self):
        rows = [(split, fake) for split in ("train", "calibration", "val") for fake in (False, True) for _ in range(4)]
        pixels = [textured(number, 224 + 32 * (number % 2)) for number in range(len(rows))]
        offsets = np.cumsum([0, *(one.size for one in pixels)])
        self.items = [
            Crop(f"{split} {number}", split, fake, "camera", f"site {number}", *pixels[number].shape[1::-1],
                 int(offsets[number]), 100 if number % 3 else 90)
            for number, (split, fake) in enumerate(rows)
        ]  # fmt: skip
        self.pixels = np.concatenate([one.reshape(-1) for one in pixels])
        self.was_read: set[Crop] = set()

    def read(self, item: Crop) -> np.ndarray:
        self.was_read.add(item)
        return super().read(item)


def coarser(rgb: torch.Tensor, noise: float) -> torch.Tensor:
    """Stands in for an autoencoder: loses detail, accepts only sides that are multiples of 16, adds noise if asked."""
    assert rgb.shape[2] % 16 == rgb.shape[3] % 16 == 0
    half = torch.nn.functional.avg_pool2d(rgb, 2)
    return torch.nn.functional.interpolate(half, scale_factor=2) + torch.randn_like(rgb) * noise * 0.1
