import numpy as np
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis

from discriminant import discriminant, ensemble, fit_scale, group_by_source


def sample(seed: int = 1, count: int = 400):
    random = np.random.default_rng(seed)
    fake = np.arange(count) % 2 == 1
    numbers = random.normal(size=(count, 5)) @ random.normal(size=(5, 5)) + fake[:, None] * random.normal(size=5)
    sources = np.array([f"{'fake' if label else 'real'}{i % 7}" for i, label in enumerate(fake)])
    return numbers, fake, sources, np.ones(count)


def test_without_shrinkage_it_is_the_discriminant_of_scikit_learn():
    numbers, fake, sources, weights = sample()
    groups = group_by_source(numbers, fake, sources, weights)

    direction, offset = discriminant(groups, np.ones(len(groups)), shrinkage=0)

    theirs = LinearDiscriminantAnalysis(solver="lsqr", priors=[0.5, 0.5]).fit(numbers, fake)
    assert np.allclose(direction, theirs.coef_[0], rtol=1e-6)
    assert np.isclose(offset, theirs.intercept_[0], rtol=1e-6)


def test_a_source_counts_as_often_as_it_was_drawn():
    numbers, fake, sources, weights = sample()
    twice = weights + (sources == "fake1")
    plain = group_by_source(numbers, fake, sources, weights)
    counts = np.array([2 if group.fake and np.isclose(group.weight, weights[sources == "fake1"].sum())
                       and np.allclose(group.mean, numbers[sources == "fake1"].mean(0)) else 1 for group in plain])  # fmt: skip

    drawn, _ = discriminant(plain, counts)
    weighted, _ = discriminant(group_by_source(numbers, fake, sources, twice), np.ones(len(plain)))

    assert counts.sum() == len(plain) + 1
    assert np.allclose(drawn, weighted)


def test_the_mean_of_the_members_is_the_discriminant_of_all_sources():
    groups = group_by_source(*sample())

    directions, offsets = ensemble(groups, 4, np.random.default_rng(1))

    direction, offset = discriminant(groups, np.ones(len(groups)))
    assert np.allclose(directions.mean(1), direction)
    assert np.isclose(offsets.mean(), offset)


def test_members_differ_by_the_sources_they_drew_and_agree_when_there_is_one_source_a_class():
    numbers, fake, sources, weights = sample()
    alone = np.where(fake, "fake", "real")

    many, _ = ensemble(group_by_source(numbers, fake, sources, weights), 4, np.random.default_rng(1))
    one, _ = ensemble(group_by_source(numbers, fake, alone, weights), 4, np.random.default_rng(1))

    assert np.ptp(many, axis=1).max() > 1e-3
    assert np.allclose(one, one[:, :1])


def test_one_odd_number_moves_neither_the_scale_nor_the_answer_beyond_its_limit():
    numbers, _, _, _ = sample()
    odd = numbers.copy()
    odd[0, 0] = 1e9

    assert np.allclose(fit_scale(odd).middle, fit_scale(numbers).middle, atol=0.05)
    assert fit_scale(numbers)(odd)[0, 0] == 3.0
