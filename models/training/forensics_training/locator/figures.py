"""Figures of localisation: each picture counts once, and intervals come from drawing pictures again."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from forensics_training.locator.pairs import Pairs
from forensics_training.locator.reading import Read
from forensics_training.runtime.metrics import auc, sigmoid

LEAST = 10  # photographs of a source that has a limit of its own
LEVELS = 400  # thresholds that are tried for the best one


@dataclass(frozen=True)
class Judged:
    """How well the map of a changed picture agrees with its mask."""

    f1_best: float  # at the threshold that suits this picture best
    f1_half: float  # at 0.5
    auc: float
    f1_chance: float  # best F1 of a map that says nothing


def judge(logits: np.ndarray, mask: np.ndarray) -> Judged:
    """@param logits of 'changed' [H,W]. @param mask bool [H,W], some of it True and some of it False."""
    step = np.minimum((sigmoid(logits) * LEVELS).astype(np.int64), LEVELS - 1)
    inside, outside = (np.bincount(step[part], minlength=LEVELS) for part in (mask, ~mask))
    found, wrong = (counts[::-1].cumsum()[::-1] for counts in (inside, outside))  # from each level upwards
    f1 = 2 * found / (found + wrong + inside.sum())
    # Chance that a changed pixel stands above an untouched one, those of one level half.
    above = (inside * (outside.cumsum() - outside / 2)).sum() / (inside.sum() * outside.sum())
    return Judged(float(f1.max()), float(f1[LEVELS // 2]), float(above), float(f1[0]))


def figures_of(read: Read, pairs: Pairs) -> dict[str, float]:
    """Means over stored pairs; `worth` decides between checkpoints."""
    judged, untouched, changed = [], [], []
    for number in range(len(pairs)):
        one, twin = pairs.read(number)
        found = read(one)
        judged.append(judge(found.changed, one.share > 127))
        changed.append(found.score)
        untouched.append(read(twin).score)
    figures = {name: float(np.mean([getattr(one, name) for one in judged])) for name in ("f1_best", "f1_half", "auc")}
    figures["picture_auc"] = auc(np.array(untouched), np.array(changed))
    figures["worth"] = (figures["f1_best"] + figures["f1_half"] + figures["picture_auc"]) / 3
    return {name: round(value, 4) for name, value in figures.items()}


def interval(values: Sequence[float], seed: int = 1, draws: int = 1000) -> tuple[float, float]:
    """95 % interval of the mean, by drawing with replacement."""
    random, array = np.random.default_rng(seed), np.asarray(values, np.float64)
    low, high = np.percentile(array[random.integers(len(array), size=(draws, len(array)))].mean(1), [2.5, 97.5])
    return float(low), float(high)


def auc_interval(untouched: np.ndarray, changed: np.ndarray, seed: int = 1, draws: int = 1000) -> tuple[float, float]:
    """The same for the AUC of picture scores; both classes are drawn."""
    random = np.random.default_rng(seed)
    drawn = []
    for _ in range(draws):
        again = [scores[random.integers(len(scores), size=len(scores))] for scores in (untouched, changed)]
        drawn.append(auc(*again))
    low, high = np.percentile(drawn, [2.5, 97.5])
    return float(low), float(high)


def worst_limit(scores: np.ndarray, sources: np.ndarray, share: float) -> float:
    """Above which no more than `share` of the scores of the worst source lie; small sources count as one."""
    names, counts = np.unique(sources, return_counts=True)
    large = [scores[sources == name] for name in names[counts >= LEAST]]
    small = scores[np.isin(sources, names[counts < LEAST])]
    groups = [group for group in (*large, small) if len(group)]
    return max(float(np.quantile(group, 1 - share, method="higher")) for group in groups)
