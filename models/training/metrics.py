"""Figures with intervals. Scores grow towards fake; sources, not pictures, are what is drawn again."""

from __future__ import annotations

import numpy as np


def auc(real: np.ndarray, fake: np.ndarray) -> float:
    """Chance that a generated picture scores above a real one, ties half (Mann-Whitney)."""
    scores = np.concatenate([real, fake])
    return weighted_auc(scores, np.arange(len(scores)) >= len(real), np.ones(len(scores)))


def weighted_auc(scores: np.ndarray, fake: np.ndarray, weights: np.ndarray) -> float:
    """The same where pictures are drawn by `weights` inside each class."""
    _, inverse = np.unique(scores, return_inverse=True)
    real, generated = np.bincount(inverse, weights * ~fake), np.bincount(inverse, weights * fake)
    below = real.cumsum() - real / 2
    return float(generated @ below / (real.sum() * generated.sum()))


def auc_interval(scores: np.ndarray, fake: np.ndarray, sources: np.ndarray, seed: int, draws: int = 1000) -> list[float]:
    """95 % interval of the AUC over drawn sources."""
    return interval([weighted_auc(scores, fake, times) for times in drawn_sources(sources, fake, seed, draws)])


def drawn_sources(sources: np.ndarray, fake: np.ndarray, seed: int, draws: int = 1000) -> np.ndarray:
    """[draws, P]: how often each of P pictures counts when whole sources of each class are drawn with replacement."""
    random, times = np.random.default_rng(seed), np.zeros((draws, len(fake)))
    for of in (~fake, fake):
        names, inverse = np.unique(sources[of], return_inverse=True)
        times[:, of] = random.multinomial(len(names), np.full(len(names), 1 / len(names)), draws)[:, inverse]
    return times


def interval(drawn: list[float]) -> list[float]:
    """The middle 95 % of a figure over many draws; draws that have none (NaN) do not count."""
    return [float(value) for value in np.nanpercentile(drawn, [2.5, 97.5])]


def recall_at(real: np.ndarray, fake: np.ndarray, false_alarms: float) -> float:
    """Share of generated pictures above the threshold that lets `false_alarms` (0..1) of the real ones through."""
    return float((fake > np.quantile(real, 1 - false_alarms, method="higher")).mean())


def worst_source(alarms: np.ndarray, sources: np.ndarray, least: int = 10) -> tuple[str, float]:
    """The source with the highest share of alarms among those with at least `least` pictures."""
    named = [(str(s), float(alarms[sources == s].mean())) for s in np.unique(sources) if (sources == s).sum() >= least]
    return max(named, key=lambda pair: pair[1])


def sigmoid(value: np.ndarray) -> np.ndarray:
    return 1 / (1 + np.exp(-np.asarray(value, np.float64)))


def fit_logistic(x: np.ndarray, target: np.ndarray, weight: np.ndarray) -> tuple[float, float]:
    """Scale and offset of sigmoid(scale * x + offset) with least weighted cross-entropy to `target` 0..1 (Platt 1999).

    Newton steps with a slight pull of the scale towards 1; the scale stays above 0.05 so that order is kept.
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
