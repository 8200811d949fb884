"""Refitting the head of views on readings of the whole model."""

import csv
import math

import numpy as np
import pytest

from forensics_training.backbone import views

SHARE = 0.5


def drawn(count=600, seed=1):
    """What the model sees is in `z`, what only the third feature of the view shows is not."""
    random = np.random.default_rng(seed)
    seen, unseen = random.normal(0, 1.5, count), random.normal(0, 1, count)
    fake = random.random(count) < 1 / (1 + np.exp(-(seen + 1.5 * unseen)))
    x = random.normal(0, 1, (count, 3, 6)).astype(np.float32)
    x[:, :, 2] = 4 + 2 * unseen[:, None]
    size = np.zeros((count, 1))
    source = np.array([f"s{at // 2}" for at in range(count)])
    return views.Pictures([str(at) for at in range(count)], x, np.repeat(seen[:, None], 3, axis=1), size, fake, source, np.ones(count, bool))


def cost(pictures, z):
    return np.logaddexp(0, np.where(pictures.fake[:, None], -z, z)).mean()


def test_the_head_learns_what_the_model_does_not_see():
    taught, other = drawn(), drawn(seed=2)

    change = views.fit(taught, SHARE, ridge=1e-4)

    assert change.weight[2] * SHARE * change.factor == pytest.approx(0.75, abs=0.2)  # 1.5 for each deviation of 2
    assert np.abs(np.delete(change.weight, 2)).max() < 0.4
    after = change.factor * views.changed(other, change, SHARE) + change.offset
    assert cost(other, after) < cost(other, other.z) - 0.1


def test_a_picture_is_judged_by_a_head_that_has_not_seen_its_source():
    pictures = drawn()
    before = views.cross_fitted(pictures, SHARE)
    mine = pictures.source == "s0"
    pictures.fake[mine] = ~pictures.fake[mine]

    assert np.allclose(views.cross_fitted(pictures, SHARE)[mine], before[mine])


def test_readings_move_by_what_the_head_adds_and_others_are_left_out(tmp_path):
    rows = [("data/a", "as is", 0.5), ("data/a", "half", 0.5), ("data/b", "as is", 0.5)]
    with open(tmp_path / "readings.csv", "w", newline="") as file:
        csv.writer(file).writerows([("file", "condition", "fake_probability"), *rows])
    (tmp_path / "out").mkdir()

    views.write_readings([tmp_path / "readings.csv"], tmp_path / "out", {("a", "as is"): 1.0, ("a", "half, jpeg 80"): -1.0})

    found = views.read(tmp_path / "out" / "readings.csv")
    assert [row["condition"] for row in found] == ["as is", "half"]
    assert [float(row["fake_probability"]) for row in found] == pytest.approx([1 / (1 + math.exp(-1)), 1 / (1 + math.exp(1))])
