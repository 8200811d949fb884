import numpy as np
from sklearn.metrics import roc_auc_score

from forensics_training.runtime.metrics import auc, fit_logistic, sigmoid


def test_auc_agrees_with_scikit_learn_also_with_ties():
    random = np.random.default_rng(2)
    real, fake = random.integers(0, 8, 90), random.integers(2, 10, 70)

    expected = roc_auc_score([0] * 90 + [1] * 70, np.concatenate([real, fake]))

    assert np.isclose(auc(real, fake), expected)


def test_fit_logistic_finds_the_curve_that_made_the_targets():
    x = np.linspace(-4, 4, 400)

    scale, offset = fit_logistic(x, sigmoid(1.7 * x - 0.6), np.ones(400))

    assert np.isclose(scale, 1.7, atol=0.02)
    assert np.isclose(offset, -0.6, atol=0.02)
