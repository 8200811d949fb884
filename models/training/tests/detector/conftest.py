"""A cache of small pictures, and a network with an untrained head: what the tests of this folder read."""

import cv2
import numpy as np
import pytest
import torch

from forensics_training.data.pictures import Item, Pictures, cut_arrays
from forensics_training.detector.network import Detector

LABELS = ("real", "ai-generated")


def coarse(random: np.random.Generator, height: int, width: int) -> np.ndarray:
    """uint8 [height, width, 3]: soft shapes with a little noise."""
    small = random.uniform(30, 220, (height // 16 + 1, width // 16 + 1, 3)).astype(np.float32)
    soft = cv2.resize(small, (width, height), interpolation=cv2.INTER_CUBIC)
    return np.clip(soft + random.normal(0, 4, soft.shape), 0, 255).round().astype(np.uint8)


def fill(folder, labels=LABELS, sizes=((400, 500),), count=3) -> Pictures:
    """`count` whole pictures of each label, each of its own source, in turn of `sizes`; the pixels do not follow the label."""
    pictures = Pictures(folder)
    for label in labels:
        for number in range(count):
            random = np.random.default_rng(number)
            rgb = coarse(random, *sizes[number % len(sizes)])
            item = Item(f"{label[:2]}{number:02d}", "train", label, f"{label} {number}", "some", quality=90)
            pictures.add(item, cut_arrays(rgb, random))
    pictures.save()
    return Pictures(folder)


@pytest.fixture(scope="session")
def model() -> Detector:
    """The published weights, and a head whose answers spread."""
    torch.manual_seed(1)
    made = Detector("lite2").eval()
    with torch.no_grad():
        made.head.embed.weight.mul_(20)
        made.head.judge.weight.mul_(20)
    return made
