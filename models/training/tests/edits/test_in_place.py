import numpy as np
import pytest
import torch

from forensics_training.edits.in_place import TREATMENTS, repaint, round_trip_region, writing
from tests.helpers import coarser, textured


@pytest.mark.parametrize("kind", TREATMENTS)
def test_every_treatment_changes_a_picture_and_keeps_its_size(kind):
    rgb = textured(1, 224)

    out = TREATMENTS[kind](rgb, np.random.default_rng(1))

    assert out.shape == rgb.shape and out.dtype == np.uint8
    assert np.abs(out.astype(int) - rgb).mean() > 1


def test_the_whole_region_goes_through_the_autoencoder_wherever_it_lies():
    rgb = np.full((221, 223, 3), 100, np.uint8)

    for top, bottom, left, right in ((0, 221, 0, 223), (200, 221, 0, 9), (50, 90, 40, 100)):
        region = np.zeros(rgb.shape[:2], bool)
        region[top:bottom, left:right] = True

        out = round_trip_region(rgb, region, lambda box, _: coarser(box, 0) * 0 + 1, np.random.default_rng(1))

        assert (out[region] == 255).all()


def test_latent_noise_depends_on_the_seed_and_leaves_the_global_generator_alone():
    rgb, region = textured(2, 224), np.ones((224, 224), bool)
    torch.manual_seed(5)
    expected = torch.rand(3)

    torch.manual_seed(5)
    first = [round_trip_region(rgb, region, coarser, np.random.default_rng(seed)) for seed in range(6)]
    after = torch.rand(3)
    second = [round_trip_region(rgb, region, coarser, np.random.default_rng(seed)) for seed in range(6)]

    assert np.array_equal(first, second)
    assert torch.equal(after, expected)
    assert len({one.tobytes() for one in first}) > 1


def test_re_encoding_keeps_the_content_in_place():
    host = textured(3, 256)
    pieces = [repaint(host, textured(4, 224), [coarser], np.random.default_rng(seed)) for seed in range(30)]

    same = [piece for piece in pieces if piece.how.startswith("re-encoded")]

    assert same
    for piece in same:
        inside = piece.share > 127
        assert np.abs(piece.rgb[inside].mean(axis=0) - host[inside].mean(axis=0)).max() < 3


def test_writing_covers_strokes_not_the_box_around_them():
    host = textured(5, 256)

    for seed in range(20):
        piece = writing(host, np.random.default_rng(seed))

        y, x = np.nonzero(piece.share)
        assert 0 < (piece.share > 0).sum() < 0.8 * np.ptp(y) * np.ptp(x)
