import io

import numpy as np
import pytest
from PIL import Image

from forensics_training.data.pictures import NATIVE_PX, VIEW_PX, Item, Pictures, cut_arrays, decode, textured_square
from tests.helpers import coarse, fill


def file_of(rgb: np.ndarray, kind: str, **options) -> bytes:
    out = io.BytesIO()
    Image.fromarray(rgb).save(out, kind, **options)
    return out.getvalue()


RGB = coarse(np.random.default_rng(1), 60, 90)


@pytest.mark.parametrize("quality", [30, 50, 75, 92])
def test_the_quality_of_a_file_is_that_it_was_saved_with(quality):
    rgb, found = decode(file_of(RGB, "JPEG", quality=quality))

    assert abs(found - quality) <= 1
    assert rgb.shape == RGB.shape


def test_lossless_files_come_back_as_they_were():
    rgb, quality = decode(file_of(RGB, "PNG"))

    assert quality == 100
    assert (rgb == RGB).all()


def test_a_picture_is_turned_upright():
    turned = Image.Exif()
    turned[0x0112] = 6  # the camera was turned 90 degrees to the left

    rgb, _ = decode(file_of(RGB, "PNG", exif=turned))

    assert (rgb == np.rot90(RGB, -1)).all()


def test_transparent_pixels_are_white():
    layers = np.dstack([RGB, np.full(RGB.shape[:2], 255, np.uint8)])
    layers[:, :30, 3] = 0

    rgb, _ = decode(file_of(layers, "PNG"))

    assert (rgb[:, :30] == 255).all()
    assert (rgb[:, 30:] == RGB[:, 30:]).all()


def place_of(square: np.ndarray, rgb: np.ndarray) -> list[tuple[int, int]]:
    height, width = square.shape[:2]
    return [
        (y, x)
        for y in range(rgb.shape[0] - height + 1)
        for x in range(rgb.shape[1] - width + 1)
        if (rgb[y, x] == square[0, 0]).all() and (rgb[y : y + height, x : x + width] == square).all()
    ]


@pytest.mark.parametrize("seed", range(4))
def test_squares_of_a_pictures_own_pixels_keep_the_grid_of_its_file(seed):
    random = np.random.default_rng(seed)
    rgb = random.integers(0, 256, (500, 617, 3), dtype=np.uint8)

    ((top, left),) = place_of(cut_arrays(rgb, random)["native-0"], rgb)

    assert (top % 8, left % 8) == (0, 0)


def test_of_three_squares_the_most_textured_is_taken():
    rgb = np.zeros((900, 900, 3), np.uint8)
    rgb[::2, 440:] = 255  # stripes along one axis, without steps across it
    rgb[:, 448:900:4] = 128
    taken = [textured_square(rgb, 128, np.random.default_rng(seed)) for seed in range(40)]

    assert np.mean([square[:, ::2, 1].any() for square in taken]) > 0.8  # a single draw: one half


def test_a_large_picture_is_kept_as_two_squares_a_smaller_copy_and_a_view():
    rgb = coarse(np.random.default_rng(2), 1500, 2400)

    arrays = cut_arrays(rgb, np.random.default_rng(3))

    assert sorted(arrays) == ["middle", "native-0", "native-1", "view"]
    assert {arrays[name].shape for name in ("middle", "native-0", "native-1")} == {(NATIVE_PX, NATIVE_PX, 3)}
    assert arrays["view"].shape == (VIEW_PX * 1500 // 2400, VIEW_PX, 3)


def test_a_small_picture_is_never_made_larger():
    rgb = coarse(np.random.default_rng(2), 230, 300)

    arrays = cut_arrays(rgb, np.random.default_rng(3))

    assert sorted(arrays) == ["native-0", "view"]
    assert (arrays["view"] == rgb).all() and (arrays["native-0"] == rgb).all()


def item_of(source: str, split: str = "train", label: str = "real") -> Item:
    return Item("key", split, label, source, "some")


def test_the_part_of_a_source_never_changes():
    """The weights were trained with this split: another rule would test them on training data."""
    sources = ["openalpr/benchmarks", "mdn/learning-area", "dcsan/imagen", "bestdpf/Janus"]

    assert [item_of(source).part for source in sources] == ["train", "calibration", "train", "train"]


def test_a_source_belongs_to_one_part_whatever_its_case_and_a_sixth_are_for_calibration():
    sources = [f"owner/name-{number}" for number in range(600)]
    parts = [item_of(source).part for source in sources]

    assert parts == [item_of(source.upper(), label="ai-generated").part for source in sources]
    assert set(parts) == {"train", "calibration"}
    assert 70 < parts.count("calibration") < 130


def test_pictures_of_val_stay_there():
    assert {item_of(f"owner/name-{number}", "val").part for number in range(40)} == {"val"}


def test_the_cache_is_read_back_as_it_was_written(tmp_path):
    written = fill(tmp_path, count=2)
    item = written.items[1]
    rgb = coarse(np.random.default_rng(1), 400, 500)

    again = Pictures(tmp_path)

    assert again.items == written.items
    assert set(item.arrays) == {"native-0", "view"}
    assert (again.array(item, "view") == rgb).all()
    assert again.array(item, "native-0").shape == (NATIVE_PX, NATIVE_PX, 3)


def test_calibration_sources_never_train_whatever_their_name():
    assert {item_of(f"owner/name-{number}", "calibration").part for number in range(40)} == {"calibration"}
