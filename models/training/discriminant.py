"""Linear discriminants on the hand-made statistics, and an ensemble of them drawn over sources.

Fisher's discriminant with a shrunken within-class covariance (Friedman, "Regularized discriminant analysis", JASA 1989): on
sources that training never saw it did better than trees and multilayer networks on the same numbers (EXPERIMENTS.md).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.linalg import solve

SHRINKAGE = 0.02  # share of the mean variance that is added to every variance
LIMIT = 3.0  # deviations from the median; further out a number says no more


@dataclass(frozen=True)
class Scale:
    """Robust location and spread of each number, so that one odd picture moves neither."""

    middle: np.ndarray
    spread: np.ndarray

    def __call__(self, numbers: np.ndarray) -> np.ndarray:
        return np.clip((numbers - self.middle) / self.spread, -LIMIT, LIMIT)


def fit_scale(numbers: np.ndarray) -> Scale:
    low, middle, high = np.percentile(numbers, [10, 50, 90], axis=0)
    return Scale(middle, (high - low) / 2.563 + 1e-6)  # 2.563 deviations lie between them if normal


@dataclass(frozen=True)
class Group:
    """The patches of one source of one class, as far as a discriminant needs them."""

    source: str
    fake: bool
    weight: float
    mean: np.ndarray
    scatter: np.ndarray  # weighted mean of outer products around `mean`


def group_by_source(numbers: np.ndarray, fake: np.ndarray, sources: np.ndarray, weights: np.ndarray) -> list[Group]:
    groups = []
    for label in (False, True):
        for source in np.unique(sources[fake == label]):
            mine = (fake == label) & (sources == source)
            weight = weights[mine].sum()
            mean = weights[mine] @ numbers[mine] / weight
            apart = numbers[mine] - mean
            groups.append(Group(str(source), label, float(weight), mean, (apart * weights[mine, None]).T @ apart / weight))
    return groups


def discriminant(groups: list[Group], counts: np.ndarray, shrinkage: float = SHRINKAGE) -> tuple[np.ndarray, float]:
    """@param counts how often each group counts.
    @returns direction [D] and offset: positive sums speak for `fake`, and are log odds if both classes are normal."""
    means, covariance = [], 0.0
    for label in (False, True):
        mine = [(group, count * group.weight) for group, count in zip(groups, counts, strict=True) if group.fake == label]
        total = sum(weight for _, weight in mine)
        mean = sum(weight * group.mean for group, weight in mine) / total
        # Scatter inside the sources, and of the sources around the mean of their class.
        for group, weight in mine:
            apart = group.mean - mean
            covariance = covariance + weight / total / 2 * (group.scatter + np.outer(apart, apart))
        means.append(mean)
    shrunk = covariance + shrinkage * np.trace(covariance) / len(covariance) * np.eye(len(covariance))
    direction = solve(shrunk, means[1] - means[0], assume_a="pos")
    return direction, float(-direction @ (means[0] + means[1]) / 2)


def ensemble(groups: list[Group], members: int, random: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Directions [D,B] and offsets [B], each from sources drawn again with replacement inside each class: how far the members
    differ is how far the answer hangs on which sources happened to be there. All are moved alike so that their mean is the
    discriminant of all sources, which does better than the mean of the draws."""
    labels = np.array([group.fake for group in groups])
    fitted = []
    for _ in range(members):
        counts = np.zeros(len(groups))
        for label in (False, True):
            mine = np.flatnonzero(labels == label)
            counts += np.bincount(random.choice(mine, len(mine)), minlength=len(groups))
        fitted.append(discriminant(groups, counts))
    direction, offset = discriminant(groups, np.ones(len(groups)))
    directions, offsets = np.stack([drawn for drawn, _ in fitted], 1), np.array([drawn for _, drawn in fitted])
    return directions - (directions.mean(1) - direction)[:, None], offsets - offsets.mean() + offset
