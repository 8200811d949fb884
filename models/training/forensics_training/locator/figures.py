"""Metrics of localisation; each picture counts once."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from forensics_training.locator.pairs import Pairs
from forensics_training.locator.reading import Read
from forensics_training.runtime.metrics import auc, sigmoid

LEAST = 10  # minimum photographs of a source that gets its own limit
LEVELS = 400  # thresholds tried for F1


@dataclass(frozen=True)
class Judged:
    """Agreement of the map of a changed picture with its mask."""

    f1_best: float  # at the best threshold of this picture
    f1_half: float  # at 0.5
    auc: float
    f1_chance: float  # best F1 of an uninformative map


def judge(logits: np.ndarray, mask: np.ndarray) -> Judged:
    """@param logits of 'changed', float [H,W]
    @param mask bool [H,W], neither all True nor all False"""
    step = np.minimum((sigmoid(logits) * LEVELS).astype(np.int64), LEVELS - 1)
    inside, outside = (np.bincount(step[part], minlength=LEVELS) for part in (mask, ~mask))
    found, wrong = (counts[::-1].cumsum()[::-1] for counts in (inside, outside))  # from each level upwards
    f1 = 2 * found / (found + wrong + inside.sum())
    # Probability that a changed pixel scores above an untouched one; ties count half.
    above = (inside * (outside.cumsum() - outside / 2)).sum() / (inside.sum() * outside.sum())
    return Judged(float(f1.max()), float(f1[LEVELS // 2]), float(above), float(f1[0]))


def figures_of(read: Read, pairs: Pairs) -> dict[str, float]:
    """Means over stored pairs; `worth` chooses among checkpoints."""
    judged, untouched, changed = [], [], []
    for number in range(len(pairs)):
        one, counterpart = pairs.read(number)
        found = read(one)
        judged.append(judge(found.changed, one.share > 127))
        changed.append(found.score)
        untouched.append(read(counterpart).score)
    figures = {name: float(np.mean([getattr(one, name) for one in judged])) for name in ("f1_best", "f1_half", "auc")}
    figures["picture_auc"] = auc(np.array(untouched), np.array(changed))
    figures["worth"] = (figures["f1_best"] + figures["f1_half"] + figures["picture_auc"]) / 3
    return {name: round(value, 4) for name, value in figures.items()}


def worst_limit(scores: np.ndarray, sources: np.ndarray, share: float) -> float:
    """The limit that at most `share` of the scores of any source exceed; sources with fewer than LEAST scores are pooled."""
    names, counts = np.unique(sources, return_counts=True)
    large = [scores[sources == name] for name in names[counts >= LEAST]]
    small = scores[np.isin(sources, names[counts < LEAST])]
    groups = [group for group in (*large, small) if len(group)]
    return max(float(np.quantile(group, 1 - share, method="higher")) for group in groups)
