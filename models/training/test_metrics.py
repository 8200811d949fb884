import numpy as np
from sklearn.metrics import roc_auc_score

from metrics import auc, auc_interval, drawn_sources, fit_logistic, recall_at, sigmoid, weighted_auc, worst_source


def test_auc_agrees_with_scikit_learn_also_with_ties():
    random = np.random.default_rng(2)
    real, fake = random.integers(0, 8, 90), random.integers(2, 10, 70)

    expected = roc_auc_score([0] * 90 + [1] * 70, np.concatenate([real, fake]))

    assert np.isclose(auc(real, fake), expected)


def test_a_weight_of_two_counts_as_two_pictures():
    random = np.random.default_rng(4)
    scores, fake, weights = random.integers(0, 9, 80), np.arange(80) % 2 == 1, random.integers(1, 4, 80)
    repeated, labels = scores.repeat(weights), fake.repeat(weights)

    assert np.isclose(weighted_auc(scores, fake, weights), auc(repeated[~labels], repeated[labels]))


def test_the_interval_of_a_perfect_separation_is_one():
    scores = np.concatenate([np.linspace(0, 0.4, 20), np.linspace(0.6, 1, 20)])
    sources = np.array([f"s{i % 5}" for i in range(20)] + [f"t{i % 4}" for i in range(20)])

    assert auc_interval(scores, np.arange(40) >= 20, sources, seed=1, draws=50) == [1.0, 1.0]


def test_a_source_is_drawn_whole_and_each_class_keeps_its_number_of_sources():
    sources = np.array(["a", "a", "b", "x", "x", "x", "y", "z"])
    fake = np.array([False, False, False, True, True, True, True, True])

    for times in drawn_sources(sources, fake, seed=3, draws=40):
        alike = [len(set(times[sources == name])) == 1 for name in "abxyz"]

        assert all(alike)
        assert times[0] + times[2] == 2
        assert times[3] + times[6] + times[7] == 3


def test_recall_counts_only_what_lies_above_the_allowed_false_alarms():
    real = np.arange(100) / 100

    assert recall_at(real, np.array([0.93, 0.97, 0.99]), 0.05) == 2 / 3


def test_the_worst_source_needs_enough_pictures_to_be_named():
    sources = np.array(["large"] * 10 + ["small"] * 2)
    alarms = np.array([True] * 3 + [False] * 7 + [True] * 2)

    assert worst_source(alarms, sources) == ("large", 0.3)


def test_fit_logistic_finds_the_curve_that_made_the_targets():
    x = np.linspace(-4, 4, 400)

    scale, offset = fit_logistic(x, sigmoid(1.7 * x - 0.6), np.ones(400))

    assert np.isclose(scale, 1.7, atol=0.02)
    assert np.isclose(offset, -0.6, atol=0.02)
