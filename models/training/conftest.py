"""What tests share. One thread, as in training: short tests do not wait for busy cores, and sums come out alike."""

import cv2
import numpy as np
import pytest
import torch

from data import Item, Pictures

torch.set_num_threads(1)
cv2.setNumThreads(1)

MEMBERS = [("train", 3), ("calibration", 2)]  # of each class


def coarse(random: np.random.Generator) -> np.ndarray:
    """uint8 [224, 224, 3]: soft shapes with a little noise."""
    shapes = random.uniform(30, 220, (14, 14, 3)).repeat(16, 0).repeat(16, 1)
    return np.clip(shapes + random.normal(0, 4, shapes.shape), 0, 255).round().astype(np.uint8)


@pytest.fixture(scope="session")
def pictures() -> Pictures:
    random, items, pixels = np.random.default_rng(1), [], []
    for split, count in MEMBERS:
        for number in range(2 * count):
            kind = ("web", "some generator")[number % 2]
            size = sum(picture.size for picture in pixels)
            items.append(Item(f"{split} {number}", split, bool(number % 2), kind, f"site {number % 3}", 224, 224, size, 90))
            pixels.append(coarse(random).reshape(-1))
    opened = Pictures.__new__(Pictures)
    opened.items, opened.pixels = items, np.concatenate(pixels)
    return opened
