"""Metrics and fits of both networks. Higher scores mean fake, or changed."""

from __future__ import annotations

import numpy as np


def auc(real: np.ndarray, fake: np.ndarray) -> float:
    """Probability that a fake picture scores above a real one, ties counting half (Mann-Whitney U)."""
    _, inverse = np.unique(np.concatenate([real, fake]), return_inverse=True)
    counts = [np.bincount(part, minlength=inverse.max() + 1) for part in (inverse[: len(real)], inverse[len(real) :])]
    below = counts[0].cumsum() - counts[0] / 2
    return float(counts[1] @ below / (len(real) * len(fake)))


def sigmoid(value: np.ndarray) -> np.ndarray:
    return 1 / (1 + np.exp(-np.asarray(value, np.float64)))


def fit_logistic(x: np.ndarray, target: np.ndarray, weight: np.ndarray) -> tuple[float, float]:
    """Platt scaling (1999): scale and offset of sigmoid(scale * x + offset) with the least weighted cross-entropy to `target` 0..1.

    Newton steps with a weak prior that pulls the scale towards 1; the scale stays at or above 0.05, so the order is kept.
    """
    scale, offset, pull = 1.0, 0.0, 1e-3 * weight.sum()
    for _ in range(50):
        p = sigmoid(scale * x + offset)
        slope, curve = weight * (p - target), weight * p * (1 - p) + 1e-9
        gradient = np.array([(slope * x).sum() + pull * (scale - 1), slope.sum()])
        hessian = np.array([[(curve * x * x).sum() + pull, (curve * x).sum()], [(curve * x).sum(), curve.sum()]])
        step = np.linalg.solve(hessian, gradient)
        step *= min(1, 1 / np.abs(step).max()) if np.abs(step).max() > 0 else 1
        scale, offset = max(0.05, scale - step[0]), offset - step[1]
    return float(scale), float(offset)
