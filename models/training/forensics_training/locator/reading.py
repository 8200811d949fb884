"""Inference with the exported network, as in the engine, and the conditions that files are measured under."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np
from PIL import Image

from forensics_training.degrade.codecs import Save, encode
from forensics_training.locator.pairs import Reading, reading
from forensics_training.runtime.model_files import open_session

CELL = 4  # px per map cell


@dataclass(frozen=True)
class Map:
    """`changed` and `trust`: logits float32 [H,W]; `score`: logit of the whole picture."""

    changed: np.ndarray
    trust: np.ndarray
    score: float


Read = Callable[[Reading], Map]


MIRRORED_PIXELS = 1 << 20  # a small picture is read in as many mirrored views as have this many pixels together
MIRRORED_VIEWS = ((1, 1), (1, -1), (-1, 1), (-1, -1))  # steps through rows and columns


def open_reader(path: Path) -> Read:
    session = open_session(path)

    def read(one: Reading) -> Map:
        height, width = one.rgb.shape[:2]
        # Whole blocks, so that the block grid begins in every corner.
        rgb = np.pad(one.rgb, ((0, -height % 8), (0, -width % 8), (0, 0)), "edge")
        answers = []
        for down, across in MIRRORED_VIEWS[: max(1, MIRRORED_PIXELS // (height * width))]:
            view = np.ascontiguousarray(rgb[::down, ::across])
            changed, trust, score = session.run(None, {"rgb": view[None], "table": one.table[None]})
            answers.append((changed[0, ::down, ::across], trust[0, ::down, ::across], float(score[0])))
        changed, trust, score = (np.mean(values, 0) for values in zip(*answers, strict=True))
        return to_map(changed, trust, float(score), one.rgb)

    return read


def to_map(changed: np.ndarray, trust: np.ndarray, score: float, rgb: np.ndarray) -> Map:
    """Both maps enlarged to the size of the picture (bilinear), the padding cropped off."""
    height, width = rgb.shape[:2]
    size = (changed.shape[1] * CELL, changed.shape[0] * CELL)
    maps = (cv2.resize(cells, size, interpolation=cv2.INTER_LINEAR)[:height, :width] for cells in (changed, trust))
    return Map(*maps, score)


def saved_at(quality: int) -> Callable[[Reading], Reading]:
    return lambda one: reading(encode(one.rgb, Save("jpeg", quality, True)), one.share)


def half(one: Reading) -> Reading:
    height, width = one.rgb.shape[:2]
    rgb = np.asarray(Image.fromarray(one.rgb).resize((width // 2, height // 2), Image.Resampling.BICUBIC))
    share = cv2.resize(one.share, rgb.shape[1::-1], interpolation=cv2.INTER_AREA)
    return Reading(rgb, np.zeros(64, np.float32), share)


CONDITIONS: dict[str, Callable[[Reading], Reading]] = {"as is": lambda one: one, "jpeg 75": saved_at(75), "half": half}
