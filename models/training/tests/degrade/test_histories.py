import io

import numpy as np
import pytest
from PIL import Image

from forensics_training.data.crops import jpeg_quality
from forensics_training.degrade.codecs import Save, decode, encode
from forensics_training.degrade.histories import Future, Past, apply_future, apply_past, draw_future, draw_past
from tests.helpers import textured


def futures(count: int = 2000) -> list[Future]:
    random = np.random.default_rng(4)
    return [draw_future(random) for _ in range(count)]


@pytest.mark.parametrize("quality", [40, 75, 95])
def test_a_file_has_the_quality_and_format_that_was_asked_for(quality):
    for name in ("jpeg", "webp", "png"):
        with Image.open(io.BytesIO(encode(textured(1, 200), Save(name, quality)))) as image:
            assert image.format == name.upper()
            assert jpeg_quality(image) == (quality if name == "jpeg" else 100)


def test_png_gives_the_same_pixels_back():
    rgb = textured(1, 200)

    assert np.array_equal(decode(encode(rgb, Save("png"))), rgb)


def test_a_cut_takes_the_same_rows_and_columns_of_picture_and_marks():
    rgb, future = textured(2, 224), Future((3, 5), 1.0, 0, None, Save("png"))

    file, marks = apply_future(rgb, rgb[..., :2], future)

    assert np.array_equal(decode(file), rgb[3:, 5:])
    assert np.array_equal(marks, rgb[3:, 5:, :2])


def test_a_smaller_picture_has_its_marks_at_the_same_place():
    marks = np.zeros((320, 320, 2), np.uint8)
    marks[80:160, 200:240, 0] = 255
    rgb = np.repeat(marks[..., :1], 3, axis=2)

    for kind in range(4):
        file, small = apply_future(rgb, marks, Future((0, 0), 0.63, kind, None, Save("png")))

        white = decode(file)[..., 0] > 127
        assert white.shape == small.shape[:2] == (202, 202)
        assert ((small[..., 0] > 127) != white).sum() <= 0.03 * white.sum()
        assert not small[..., 1].any()


def test_a_small_picture_is_not_made_smaller_than_a_localiser_can_read():
    _, marks = apply_future(textured(3, 224), np.zeros((224, 224, 2), np.uint8), Future((0, 0), 0.5, 1, None, Save("png")))

    assert marks.shape == (160, 160, 2)


def test_applying_a_past_twice_gives_the_same_pixels():
    rgb, past = textured(4, 224), Past(7, Save("jpeg", 80, True), (2, 1))

    first, second = apply_past(rgb, past), apply_past(rgb, past)

    assert first.shape == (222, 223, 3)
    assert np.array_equal(first, second)
    assert np.array_equal(apply_past(rgb, Past(None, None, (0, 0))), rgb)


def test_lossless_crops_get_a_first_save_more_often_than_those_that_had_one():
    def saved(quality: int) -> float:
        random = np.random.default_rng(1)
        return float(np.mean([draw_past(quality, random).save is not None for _ in range(500)]))

    assert saved(100) > saved(90) + 0.2


def test_all_formats_grids_sizes_and_qualities_are_drawn():
    drawn = futures()

    jpegs = [one.last.quality for one in drawn if one.last.format == "jpeg"]
    assert {one.last.format for one in drawn} == {"jpeg", "png", "webp"}
    assert min(jpegs) < 45 and max(jpegs) > 95
    assert {one.cut for one in drawn} == {(y, x) for y in range(8) for x in range(8)}
    assert min(one.scale for one in drawn) < 0.55 and 0.6 < np.mean([one.scale == 1 for one in drawn]) < 0.8
    assert 0.05 < np.mean([one.between is not None for one in drawn]) < 0.2
