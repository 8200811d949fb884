import numpy as np
from sklearn.metrics import f1_score, roc_auc_score

from forensics_training.locator.figures import judge, worst_limit


def test_metrics_of_a_map_agree_with_scikit_learn():
    random = np.random.default_rng(3)
    mask = random.random((40, 50)) < 0.2
    logits = random.normal(0, 1.5, mask.shape) + mask

    judged = judge(logits, mask)

    best = max(f1_score(mask.ravel(), logits.ravel() > limit) for limit in np.linspace(-3, 3, 121))
    assert abs(judged.f1_half - f1_score(mask.ravel(), logits.ravel() > 0)) < 0.005
    assert abs(judged.f1_best - best) < 0.005
    assert abs(judged.auc - roc_auc_score(mask.ravel(), logits.ravel())) < 0.002


def test_an_uninformative_map_has_the_metrics_of_chance():
    mask = np.zeros((20, 20), bool)
    mask[:10, :10] = True

    judged = judge(np.full(mask.shape, -2.0), mask)

    assert judged.f1_best == 2 * 0.25 / (1 + 0.25)
    assert (judged.f1_half, judged.auc) == (0, 0.5)


def test_the_limit_is_that_of_the_worst_source_and_small_sources_are_pooled():
    scores = np.concatenate([np.arange(20), np.arange(20) + 5, [90, 7], [8]])
    sources = np.repeat(["calm", "worst", "few", "fewer"], [20, 20, 2, 1])

    alone = worst_limit(scores[:40], sources[:40], 0.1)
    limits = [worst_limit(scores, sources, share) for share in (0.1, 0.5)]

    assert alone == 23
    assert (scores[20:40] > alone).mean() <= 0.1
    assert limits == [90, 15]
