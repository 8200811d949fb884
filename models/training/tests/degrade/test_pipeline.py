import numpy as np

from forensics_training.degrade.codecs import save_jpeg
from forensics_training.degrade.pipeline import GRADE, GREY, History, degrade, enlarge_again, grade


def picture(seed: int = 3, side: int = 256) -> np.ndarray:
    return np.random.default_rng(seed).integers(0, 256, (side, side, 3), dtype=np.uint8)


def test_the_same_draws_give_the_same_patch_and_history():
    first, history = degrade(picture(), 90, 128, np.random.default_rng(5), 0.8)
    second, again = degrade(picture(), 90, 128, np.random.default_rng(5), 0.8)

    assert np.array_equal(first, second)
    assert history == again


def test_draws_do_not_depend_on_pixels_so_both_pictures_of_a_pair_degrade_alike():
    for seed in range(40):
        _, one = degrade(picture(1), 80, 96, np.random.default_rng(seed), 0.7)
        _, other = degrade(picture(2), 80, 96, np.random.default_rng(seed), 0.7)

        assert one == other


def test_every_patch_has_the_size_that_was_asked_for():
    for seed in range(40):
        side = 96 if seed % 2 else 128
        patch, _ = degrade(picture(side=224 + 32 * (seed % 4)), 100, side, np.random.default_rng(seed), 0.8)

        assert patch.shape == (side, side, 3)
        assert patch.dtype == np.uint8


def test_scale_and_saves_are_drawn_alike_for_small_and_large_crops():
    small = [degrade(picture(side=224), 90, 128, np.random.default_rng(seed), 0.9)[1] for seed in range(60)]
    large = [degrade(picture(side=320), 90, 128, np.random.default_rng(seed), 0.9)[1] for seed in range(60)]

    assert np.isclose(np.mean([h.scale for h in small]), np.mean([h.scale for h in large]), atol=0.15)
    assert np.isclose(np.mean([h.quality for h in small]), np.mean([h.quality for h in large]), atol=5)


def test_compression_grows_as_quality_falls():
    targets = [History(quality).compression for quality in range(100, 0, -1)]

    assert targets == sorted(targets)
    assert (targets[0], targets[-1]) == (0.0, 1.0)


def test_heavy_degradation_leaves_no_usable_trace():
    assert History(quality=90).usable == 1.0
    assert History(quality=10).usable == 0.0
    assert History(blur=4).usable == 0.0
    assert History(scale=0.1).usable == 0.0


def test_a_jpeg_round_trip_moves_the_block_borders():
    ramp = np.tile(np.arange(64, dtype=np.uint8)[None, :, None] * 3, (64, 1, 3))

    saved = save_jpeg(ramp, 20, True)

    assert saved.shape == ramp.shape
    assert not np.array_equal(saved, ramp)


def test_a_thumbnail_that_was_scaled_up_keeps_its_size_and_remembers_what_it_lost():
    history = History(scale=0.8)

    out = enlarge_again(picture(), 0.5, history)

    assert out.shape == picture().shape
    assert history.scale == 0.4
    assert np.abs(np.diff(out.astype(float), axis=1)).mean() < 0.5 * np.abs(np.diff(picture().astype(float), axis=1)).mean()


def test_grading_takes_the_colour_of_some_and_moves_the_contrast_of_others():
    soft = picture() // 3 + 80
    graded = [grade(soft, np.random.default_rng(seed)) for seed in range(300)]

    grey = [np.array_equal(g[..., 0], g[..., 1]) and np.array_equal(g[..., 1], g[..., 2]) for g in graded]
    spread = [g.mean(2).std() / soft.mean(2).std() for g in graded]

    assert abs(np.mean(grey) - GREY / GRADE) < 0.07
    assert min(spread) < 0.8 and max(spread) > 1.2


def test_grading_keeps_the_hue():
    blue = np.full((8, 8, 3), (60, 100, 160), np.uint8)

    for seed in range(100):
        red, green, other = grade(blue, np.random.default_rng(seed))[0, 0]

        assert red <= green <= other
