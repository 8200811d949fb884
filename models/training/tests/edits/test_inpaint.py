import cv2
import numpy as np
import pytest

from forensics_training.edits.inpaint import METHODS, fill, fill_by_patches


def stripes(side: int = 160) -> np.ndarray:
    x = np.arange(side) // 8 % 2 * 160 + 40
    return np.repeat(np.broadcast_to(x.astype(np.uint8), (side, side))[..., None], 3, axis=2).copy()


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("place", [(80, 80), (4, 150)])
def test_a_region_is_replaced_and_the_rest_kept_to_the_byte(method, place):
    rgb = stripes()
    unknown = np.zeros((160, 160), np.uint8)
    cv2.circle(unknown, place, 18, 1, -1)
    spoilt = np.where(unknown[..., None] > 0, np.array([255, 0, 255], np.uint8), rgb)

    out = fill(spoilt, unknown > 0, method, np.random.default_rng(1))

    assert np.array_equal(out[unknown == 0], rgb[unknown == 0])
    assert not (out[unknown > 0] == [255, 0, 255]).all(axis=1).any()


def test_patches_continue_a_pattern_that_smooth_methods_blur():
    rgb = stripes()
    unknown = np.zeros((160, 160), bool)
    unknown[60:100, 60:100] = True

    errors = {
        method: np.abs(fill(rgb, unknown, method, np.random.default_rng(1)).astype(int) - rgb)[unknown].mean()
        for method in METHODS
    }

    assert errors["patches"] < 10
    assert errors["patches"] < 0.3 * min(errors["telea"], errors["navier-stokes"])


def test_a_picture_without_a_known_patch_is_still_filled():
    rgb = stripes(64)
    unknown = np.ones((64, 64), bool)
    unknown[::7, ::7] = False

    out = fill_by_patches(rgb, unknown, np.random.default_rng(1))

    assert np.array_equal(out[~unknown], rgb[~unknown])
