import argparse
from dataclasses import replace

import numpy as np
import pytest
import torch

from forensics_training.data.pictures import Item, Pictures
from forensics_training.degrade.pipeline import History
from forensics_training.detector import train as training
from forensics_training.detector.train import Batches, Sampler, loss_of
from tests.helpers import fill

GIVEN = argparse.Namespace(seed=5, side=96, batch=12, steps=3)


@pytest.fixture
def no_drawings(monkeypatch):
    """A drawing takes a different number of draws from a picture, so the pictures after it would differ."""
    monkeypatch.setattr(training, "DRAWN", 0.0)
    monkeypatch.setattr(training, "PAGES", 0.0)


@pytest.fixture(scope="module")
def cache(tmp_path_factory) -> Pictures:
    return fill(tmp_path_factory.mktemp("cache"))


def batches(pictures: Pictures, items: list[Item] | None = None, **changed) -> Batches:
    given = argparse.Namespace(**{**vars(GIVEN), **changed})
    return Batches(pictures, pictures.items if items is None else items, given)


def test_a_batch_depends_on_seed_and_step_alone(cache):
    first = batches(cache)[2]
    later = batches(cache)
    later[0], later[1]

    for one, other in zip(first, later[2], strict=True):
        assert (one == other).all()
    for other in (batches(cache)[1], batches(cache, seed=6)[2]):
        assert (first[0] != other[0]).any()


def test_a_batch_holds_both_classes_in_turn_with_what_is_left_of_their_trace(cache, no_drawings):
    rgb, targets = batches(cache)[0]

    real, fake, compression, usable = targets.T
    assert rgb.shape == (12, 96, 96, 3) and rgb.dtype == np.uint8
    assert (real + fake == usable).all()
    assert not real[1::2].any() and not fake[::2].any()
    assert real.any() and fake.any()
    assert ((compression >= 0) & (compression <= 1)).all() and compression.any()


def test_the_scale_of_a_patch_does_not_tell_its_class(tmp_path, monkeypatch, no_drawings):
    """Even if half of the generated pictures are too small for most scales."""
    real = fill(tmp_path, labels=("real",), count=2)
    items = fill(tmp_path, labels=("ai-generated",), sizes=((400, 500), (130, 130)), count=4).items
    scales: list[float] = []

    def noted(rgb, quality, side, random, scale):
        scales.append(scale)
        return rgb[:1, :1], History()

    monkeypatch.setattr(training, "degrade", noted)
    source = batches(real, items)
    for step in range(60):
        source[step]

    for_real, for_fake = np.sort(scales[::2]), np.sort(scales[1::2])
    places = np.unique(scales)
    apart = np.abs(np.searchsorted(for_real, places, "right") - np.searchsorted(for_fake, places, "right")).max() / len(for_real)
    assert len(for_real) == len(for_fake) == 360
    assert apart < 0.12  # two samples of this size from one distribution differ by more in only a few per cent of cases (Kolmogorov, Smirnov)


def test_a_picture_is_drawn_that_is_large_enough_for_the_scale(tmp_path, monkeypatch, no_drawings):
    """Every other photograph is too small for the scale; otherwise the scale of a patch would reveal its class."""
    pictures = fill(tmp_path, labels=("real",), sizes=((130, 130), (400, 500)), count=6)
    asked, given = [], []
    monkeypatch.setattr(training, "VIEWS", 0.0)
    monkeypatch.setattr(training, "draw_scale", lambda smallest, random: asked.append(random.uniform(0.46, 1)) or asked[-1])
    degrade = training.degrade

    def watched(rgb, quality, side, random, scale):
        given.append((scale, min(rgb.shape[:2])))
        return degrade(rgb, quality, side, random, scale)

    monkeypatch.setattr(training, "degrade", watched)
    items = [*pictures.items, *(replace(item, label="ai-generated") for item in pictures.items if "view" in item.arrays)]
    batches(pictures, items)[0]

    assert [scale for scale, _ in given] == asked
    assert all(least * scale >= 96 + training.MARGIN for scale, least in given)
    assert min(asked) < 0.6


@pytest.mark.parametrize("label", ["neither", "drawing", "page"])
def test_what_is_no_picture_of_either_class_has_no_usable_trace(tmp_path, monkeypatch, label):
    pictures = fill(tmp_path, labels=("real", "ai-generated", "neither"))
    monkeypatch.setattr(training, "VIEWS", 1.0 if label == "page" else 0.0)
    monkeypatch.setattr(training, "DRAWN", 0.0 if label == "page" else 1.0)
    monkeypatch.setattr(training, "PAGES", 1.0)
    items = [item for item in pictures.items if label == "neither" or item.label != "neither"]

    _, targets = batches(pictures, items)[0]

    assert not targets[:, [0, 1, 3]].any()
    assert targets[:, 2].any()


def test_a_source_is_drawn_by_the_root_of_its_size_and_less_or_more_by_its_generator():
    sizes = {"large": 16, "small": 1, "unsure": 16, "edited": 1}
    generators = {"unsure": "lovable-flux-1", "edited": "edited camera"}
    drawn = Sampler([Item(f"{n}", "train", "real", name, generators.get(name, "")) for name, size in sizes.items() for n in range(size)])
    random = np.random.default_rng(1)

    names = [drawn.draw(random).source for _ in range(6000)]

    shares = [names.count(name) / names.count("small") for name in ("large", "unsure", "edited")]
    assert shares == pytest.approx([4, 4 * training.SAMPLED["lovable-flux-1"], training.SAMPLED["edited camera"]], rel=0.15)


REAL, FAKE, NEITHER = [1.0, 0.0, 0.5, 1.0], [0.0, 1.0, 0.5, 1.0], [0.0, 0.0, 0.5, 0.0]


def pull(target: list[float]) -> list[float]:
    """The three logits, starting from 0, after one step of gradient descent."""
    logits = torch.zeros(1, 3, requires_grad=True)
    loss_of(logits, torch.tensor([target])).backward()
    return (-logits.grad[0]).tolist()


def test_the_loss_moves_both_logits_to_the_side_of_the_picture_and_both_of_a_drawing_down():
    for target, signs in ((REAL, (1, -1)), (FAKE, (-1, 1)), (NEITHER, (-1, -1))):
        assert tuple(np.sign(pull(target)[:2])) == signs


def test_the_difference_of_the_logits_is_not_trained_on_drawings():
    real, fake, _ = pull(NEITHER)

    assert real == fake
    assert pull(FAKE)[1] > abs(fake)  # where it counts, it acts in addition to the logit itself


def test_the_loss_falls_for_right_answers_and_rises_for_wrong_ones():
    targets = torch.tensor([REAL, FAKE, NEITHER])
    right = torch.tensor([[3.0, -3, 0], [-3, 3, 0], [-3, -3, 0]])

    losses = [float(loss_of(share * right, targets)) for share in (-1, 0, 0.5, 1)]

    assert losses == sorted(losses, reverse=True) and losses[0] > losses[-1]


def test_compression_is_learned_from_drawings_too():
    for amount, sign in ((1.0, 1), (0.0, -1)):
        assert np.sign(pull([0.0, 0.0, amount, 0.0])[2]) == sign
