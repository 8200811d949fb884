import numpy as np
import pytest

from forensics_training.degrade.processing import PROCESSINGS, grain, halo, portrait, process, smooth_chroma, tone_map


def photograph(seed: int = 1) -> np.ndarray:
    """Soft shapes with a little noise: so that every kind of processing changes something."""
    random = np.random.default_rng(seed)
    coarse = random.uniform(30, 220, (8, 8, 3)).repeat(16, 0).repeat(16, 1)
    return np.clip(coarse + random.normal(0, 4, coarse.shape), 0, 255).round().astype(np.uint8)


@pytest.mark.parametrize("processing", PROCESSINGS, ids=lambda processing: processing.__name__)
def test_every_processing_keeps_size_and_type_and_changes_the_picture(processing):
    rgb = photograph()
    before = rgb.copy()

    out = processing(rgb, np.random.default_rng(7))

    assert out.shape == rgb.shape and out.dtype == np.uint8
    assert not np.array_equal(out, rgb)
    assert np.array_equal(rgb, before)


def test_what_is_drawn_does_not_depend_on_the_picture():
    def rest_of_stream(rgb: np.ndarray, seed: int) -> float:
        random = np.random.default_rng(seed)
        process(rgb, random)
        return random.random()

    for seed in range(30):
        assert rest_of_stream(photograph(1), seed) == rest_of_stream(photograph(2), seed)


def test_every_processing_occurs():
    rgb = photograph()
    drawn = {process(rgb, np.random.default_rng(seed)).tobytes() for seed in range(40)}

    alone = set()
    for seed in range(40):
        random = np.random.default_rng(seed)
        kind = PROCESSINGS[int(random.integers(len(PROCESSINGS)))]
        assert kind(rgb, random).tobytes() in drawn
        alone.add(kind)

    assert alone == set(PROCESSINGS)


def test_chroma_smoothing_hardly_changes_luma():
    rgb = photograph()

    out = smooth_chroma(rgb, np.random.default_rng(2))

    luma = np.array([0.299, 0.587, 0.114])
    assert np.abs((out.astype(float) - rgb) @ luma).mean() < 1
    assert np.abs(out.astype(float) - rgb).mean() > 1


def test_a_portrait_is_blurred_on_one_side_only():
    rgb = photograph()

    changed = np.abs(portrait(rgb, np.random.default_rng(4)).astype(float) - rgb).mean(axis=2)

    corners = [changed[y, x].mean() for y in (slice(24), slice(-24, None)) for x in (slice(24), slice(-24, None))]
    assert min(corners) < 0.2 < 1 < max(corners)


def test_sharpening_and_tone_mapping_raise_local_contrast_and_grain_adds_noise():
    rgb = photograph()

    def steps(picture: np.ndarray) -> float:
        return float(np.abs(np.diff(picture.astype(float), axis=1)).mean())

    for processing in (halo, tone_map, grain):
        assert steps(processing(rgb, np.random.default_rng(5))) > steps(rgb)
