"""Level of the map: the logit that becomes 0.5.

One level for all pictures costs a third of the F1 that their own best levels reach, because re-saving or downscaling weakens the
traces of a change. The level is therefore linear in the strongest place of the picture (experiments/2026-11-22-map-level.md).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np
import torch
from torch.nn import functional

from forensics_training.locator.pairs import Pairs, Reading
from forensics_training.locator.reading import CELL, CONDITIONS
from forensics_training.runtime.model_files import open_session

WINDOW = 5  # cells; the strongest place is a mean over a window
LOGITS = np.arange(-9, 5.01, 0.1)  # levels at which F1 is computed
OFFSETS, SLOPES = np.arange(-4, 1.01, 0.1), np.arange(0, 0.91, 0.05)

Cells = Callable[[Reading], np.ndarray]


@dataclass(frozen=True)
class Level:
    """offset + slope * logit of the strongest place."""

    offset: float = 0.0
    slope: float = 0.0

    def applied(self, changed: torch.Tensor) -> torch.Tensor:
        """@param changed logits [N,h,w]
        @returns the same minus the level of each picture"""
        return changed - self.offset - self.slope * strongest(changed)[:, None, None]


def strongest(changed: torch.Tensor) -> torch.Tensor:
    """[N]: highest mean logit of any window."""
    means = functional.avg_pool2d(changed[:, None], WINDOW, 1, WINDOW // 2, count_include_pad=False)
    return means.amax((1, 2, 3))


def open_cells(path: Path) -> Cells:
    """Reads the raw map of an exported network: logits [h,w] of cells."""
    session = open_session(path)
    return lambda one: session.run(["changed"], {"rgb": one.rgb[None], "table": one.table[None]})[0][0]


def best_level(cells: Cells, pairs: Pairs) -> tuple[Level, float]:
    """The level with the highest mean F1 at 0.5 over changed pictures and conditions, and that F1.

    Pictures are weighted by their changed share, because simulated regions are smaller than those that people change.
    """
    tops, curves, shares = [], [], []
    for number in range(len(pairs)):
        for change in CONDITIONS.values():
            one = change(pairs.read(number)[0])
            found = cells(one)
            tops.append(float(strongest(torch.from_numpy(found)[None])[0]))
            curves.append(f1_by_logit(found, one.share > 127))
            shares.append((one.share > 127).mean())
    f1 = mean_f1(np.array(tops), np.array(curves), np.array(shares))
    offset, slope = np.unravel_index(int(np.argmax(f1)), f1.shape)
    return Level(round(float(OFFSETS[offset]), 2), round(float(SLOPES[slope]), 2)), float(f1.max())


def mean_f1(tops: np.ndarray, curves: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """@param tops [pictures]
    @param curves F1 [pictures, LOGITS]
    @param weights [pictures]
    @returns weighted mean F1 [OFFSETS, SLOPES]"""
    levels = OFFSETS[:, None, None] + SLOPES[:, None] * tops
    at = np.clip(np.round((levels - LOGITS[0]) / (LOGITS[1] - LOGITS[0])), 0, len(LOGITS) - 1).astype(int)
    return curves[np.arange(len(tops)), at] @ weights / weights.sum()


def f1_by_logit(cells: np.ndarray, mask: np.ndarray) -> np.ndarray:
    """F1 [LOGITS] when pixels at or above each level are marked."""
    size = (cells.shape[1] * CELL, cells.shape[0] * CELL)
    wide = cv2.resize(cells, size, interpolation=cv2.INTER_LINEAR)[: mask.shape[0], : mask.shape[1]]
    step = np.searchsorted(LOGITS, wide, side="right")
    inside, outside = (np.bincount(step[part], minlength=len(LOGITS) + 1) for part in (mask, ~mask))
    found, wrong = (counts[::-1].cumsum()[::-1][1:] for counts in (inside, outside))
    return 2 * found / np.maximum(found + wrong + inside.sum(), 1)
