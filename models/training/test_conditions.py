import numpy as np

from conditions import GRADED, toned


def picture() -> np.ndarray:
    return np.random.default_rng(1).integers(0, 256, (8, 8, 3), dtype=np.uint8)


def test_a_grading_that_changes_nothing_gives_the_picture_back():
    assert np.array_equal(toned(1.0, 1.0, 1.0)(picture()), picture())


def test_without_saturation_all_channels_are_alike():
    grey = GRADED["grey"](picture())

    assert np.ptp(grey, axis=2).max() == 0
    assert np.abs(grey[..., 0] - picture().mean(2)).max() <= 0.51


def test_vivid_pictures_have_more_contrast_and_faded_ones_less():
    deviation = {name: GRADED[name](picture()).std() for name in ("vivid", "faded")}

    assert deviation["faded"] < picture().std() < deviation["vivid"]
