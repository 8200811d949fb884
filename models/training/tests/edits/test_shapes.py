import cv2
import numpy as np
import pytest

from forensics_training.edits.shapes import SHAPES, blend, draw_shape, soften, tidy
from tests.helpers import textured


def test_a_region_is_one_part_without_holes_of_a_usual_size():
    for seed in range(60):
        _, mask = draw_shape(textured(seed % 7, 224), np.random.default_rng(seed))

        parts, _ = cv2.connectedComponents(mask.astype(np.uint8), connectivity=8)
        outside, _ = cv2.connectedComponents(np.pad(~mask, 1, constant_values=True).astype(np.uint8), connectivity=4)
        assert parts == outside == 2
        assert 0.004 < mask.mean() <= 0.4


@pytest.mark.parametrize("name", ["superpixels", "colour", "object"])
def test_shapes_that_follow_the_content_find_a_red_disc_on_grey(name):
    rgb = np.full((224, 224, 3), 128, np.uint8)
    cv2.circle(rgb, (112, 112), 50, (220, 30, 30), -1)
    rgb = np.clip(rgb + np.random.default_rng(1).normal(0, 3, rgb.shape), 0, 255).astype(np.uint8)
    disc = rgb[..., 0].astype(int) - rgb[..., 1] > 90

    likeness = []
    for seed in range(30):
        mask = tidy(SHAPES[name](rgb, 0.15, np.random.default_rng(seed)))
        likeness.append((mask & disc).sum() / max(1, (mask | disc).sum()))

    assert max(likeness) > 0.85


def test_thin_parts_are_removed_and_holes_filled():
    mask = np.zeros((100, 100), bool)
    mask[20:60, 20:60] = True
    mask[35:40, 35:40] = False
    mask[30, 60:95] = True

    out = tidy(mask)

    assert out[36, 36]
    assert not out[30, 66:].any()
    assert abs(int(out.sum()) - 1600) < 60


def test_edges_are_hard_or_soft_and_the_middle_stays_wholly_new():
    mask = np.zeros((120, 120), bool)
    mask[30:90, 30:90] = True

    shares = [soften(mask, np.random.default_rng(seed)) for seed in range(40)]

    assert all(share[60, 60] == 255 and share[0, 0] == 0 for share in shares)
    widths = {int(((share > 0) & (share < 255))[60].sum()) for share in shares}
    assert 0 in widths and max(widths) > 10


def test_blending_keeps_the_host_at_share_0_and_replaces_it_at_255():
    random = np.random.default_rng(2)
    before, after = random.integers(0, 256, (2, 40, 40, 3), dtype=np.uint8)
    share = np.zeros((40, 40), np.uint8)
    share[:, 10:20], share[:, 20:] = 128, 255

    out = blend(before, after, share)

    assert np.array_equal(out[:, :10], before[:, :10])
    assert np.array_equal(out[:, 20:], after[:, 20:])
    between = (before[:, 10:20].astype(int) * 127 + after[:, 10:20].astype(int) * 128) / 255
    assert np.abs(out[:, 10:20] - between).max() <= 0.5
