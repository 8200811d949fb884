import numpy as np
import pytest

from forensics_training.edits.drawings import draw_picture, draw_scene


@pytest.mark.parametrize("draw", [draw_picture, draw_scene])
def test_a_drawing_depends_on_its_seed_alone(draw):
    assert np.array_equal(draw(96, np.random.default_rng(4)), draw(96, np.random.default_rng(4)))
    assert not np.array_equal(draw(96, np.random.default_rng(4)), draw(96, np.random.default_rng(5)))


def test_every_kind_of_drawing_fills_the_square_that_was_asked_for():
    for seed in range(30):
        canvas = draw_picture(128, np.random.default_rng(seed))

        assert canvas.shape == (128, 128, 3)
        assert canvas.dtype == np.uint8


def test_every_scene_fills_the_square_with_several_textures():
    for seed in range(12):
        scene = draw_scene(128, np.random.default_rng(seed))

        assert scene.shape == (128, 128, 3) and scene.dtype == np.uint8
        rough = [tile.std() for row in np.array_split(scene[..., 1].astype(float), 8) for tile in np.array_split(row, 8, axis=1)]
        assert max(rough) > 2 * min(rough)
