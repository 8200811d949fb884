"""Refitting the heads of view and square on readings of the whole model."""

import csv
import math

import numpy as np
import pytest

from forensics_training.backbone import heads

SHARES = (0.5, 0.25)


def drawn(count=600, seed=1):
    """What the model sees is in `z`; only the third feature of the view and the fourth of the square show the rest.

    Every tenth picture has no square, and shows all of it in the view.
    """
    random = np.random.default_rng(seed)
    seen, first, second = random.normal(0, 1.5, count), random.normal(0, 1, count), random.normal(0, 1, count)
    missing = np.arange(count) % 10 == 0
    first[missing], second[missing] = first[missing] * 1.5, 0  # the view counts for both: .75 instead of .5
    fake = random.random(count) < 1 / (1 + np.exp(-(seen + 1.5 * first + second)))
    x = random.normal(0, 1, (count, 3, 2, 6)).astype(np.float32)
    x[:, :, 0, 2] = 4 + 2 * (first / np.where(missing, 1.5, 1))[:, None]
    x[:, :, 1, 3] = second[:, None] - 1
    x[missing, :, 1] = np.nan
    size = np.zeros((count, 1))
    source = np.array([f"s{at // 2}" for at in range(count)])
    return heads.Pictures([str(at) for at in range(count)], x, np.repeat(seen[:, None], 3, axis=1), size, fake, source, np.ones(count, bool))


def cost(pictures, z):
    return np.logaddexp(0, np.where(pictures.fake[:, None], -z, z)).mean()


def test_each_head_learns_what_the_model_does_not_see():
    taught, other = drawn(), drawn(seed=2)

    change = heads.fit(taught, SHARES, ridge=1e-4)

    assert change.weight.shape == (6, 2)
    assert change.weight[2, 0] * SHARES[0] * change.factor == pytest.approx(0.75, abs=0.2)  # 1.5 for each deviation of 2
    assert change.weight[3, 1] * SHARES[1] * change.factor == pytest.approx(1, abs=0.3)
    after = change.factor * heads.changed(other, change, SHARES) + change.offset
    assert np.isfinite(after).all()
    assert cost(other, after) < cost(other, other.z) - 0.1


def test_without_a_square_the_head_of_the_view_counts_for_both():
    pictures = drawn(20)
    change = heads.Change(np.ones((6, 2), np.float32), np.array([1.0, 100.0]), 1, 0)

    moved = heads.changed(pictures, change, SHARES) - pictures.z

    assert moved[0] == pytest.approx(0.75 * (pictures.x[0, :, 0].sum(-1) + 1), rel=1e-4)
    assert moved[1] == pytest.approx(0.5 * (pictures.x[1, :, 0].sum(-1) + 1) + 0.25 * (pictures.x[1, :, 1].sum(-1) + 100), rel=1e-4)


def test_a_picture_is_judged_by_heads_that_have_not_seen_its_source():
    pictures = drawn()
    before = heads.cross_fitted(pictures, SHARES)
    mine = pictures.source == "s0"
    pictures.fake[mine] = ~pictures.fake[mine]

    assert np.allclose(heads.cross_fitted(pictures, SHARES)[mine], before[mine])


def test_readings_move_by_what_the_heads_add_and_others_are_left_out(tmp_path):
    rows = [("data/a", "as is", 0.5), ("data/a", "half", 0.5), ("data/b", "as is", 0.5)]
    with open(tmp_path / "readings.csv", "w", newline="") as file:
        csv.writer(file).writerows([("file", "condition", "fake_probability"), *rows])
    (tmp_path / "out").mkdir()

    heads.write_readings([tmp_path / "readings.csv"], tmp_path / "out", {("a", "as is"): 1.0, ("a", "half, jpeg 80"): -1.0})

    found = heads.read(tmp_path / "out" / "readings.csv")
    assert [row["condition"] for row in found] == ["as is", "half"]
    assert [float(row["fake_probability"]) for row in found] == pytest.approx([1 / (1 + math.exp(-1)), 1 / (1 + math.exp(1))])
