import numpy as np

from drawings import draw_picture


def test_a_drawing_depends_on_its_seed_alone():
    assert np.array_equal(draw_picture(96, np.random.default_rng(4)), draw_picture(96, np.random.default_rng(4)))
    assert not np.array_equal(draw_picture(96, np.random.default_rng(4)), draw_picture(96, np.random.default_rng(5)))


def test_every_kind_of_drawing_fills_the_square_that_was_asked_for():
    for seed in range(30):
        canvas = draw_picture(128, np.random.default_rng(seed))

        assert canvas.shape == (128, 128, 3)
        assert canvas.dtype == np.uint8
