import numpy as np
import pytest
import torch

from tests.helpers import coarse, fill
from forensics_training.detector.read import (
    CONDITIONS,
    DROPPED,
    EMBEDDINGS,
    MAX_PIXELS,
    PASSES,
    PATCH,
    RUINED,
    STRIDE,
    TILE_PX,
    TILES,
    WHOLE_PX,
    NumpyHead,
    cells_of,
    chosen,
    patches_of,
    read_picture,
    scaled,
    textured_tiles,
)


@pytest.mark.parametrize(("rows", "columns"), [(4, 4), (7, 10), (9, 6), (3, 8), (1, 1)])
def test_patches_are_the_means_that_a_plain_loop_gives(rows, columns):
    cells = np.random.default_rng(1).normal(size=(5, rows, columns)).astype(np.float32)
    tops, lefts = (sorted({*range(0, length - PATCH + 1, STRIDE), max(0, length - PATCH)}) for length in (rows, columns))

    expected = [cells[:, y : y + PATCH, x : x + PATCH].mean((1, 2)) for y in tops for x in lefts]

    np.testing.assert_allclose(patches_of(cells), np.stack(expected), atol=1e-5)


def test_cells_at_the_edge_are_filled_with_its_pixels(model):
    rgb = coarse(np.random.default_rng(1), 70, 100)
    filled = np.pad(rgb, ((0, 26), (0, 28), (0, 0)), mode="edge")

    cells = cells_of(model, rgb)

    assert cells.shape[1:] == (3, 4)
    np.testing.assert_array_equal(cells, cells_of(model, filled))


def test_the_numpy_head_agrees_with_the_network(model):
    head = NumpyHead(model)
    features = np.random.default_rng(1).normal(size=(6, model.features.channels)).astype(np.float32)

    with torch.no_grad():
        expected = model.head(torch.from_numpy(features)).numpy()
        hidden = torch.nn.functional.normalize(model.head.embed(torch.from_numpy(features)), dim=1).numpy()

    np.testing.assert_allclose(head.logits(features), expected, rtol=1e-4, atol=1e-4 * np.abs(expected).max())
    np.testing.assert_allclose(head.embeddings(features), hidden, atol=1e-4)


def test_passes_drop_features_and_keep_their_sum(model):
    head = NumpyHead(model)
    ones = np.ones((3, model.features.channels), np.float32)

    assert head.masks.shape == (PASSES, model.features.channels)
    assert (head.masks == 0).mean() == pytest.approx(DROPPED, abs=0.02)
    assert head.masks.mean() == pytest.approx(1, abs=0.02)
    for said, mask in zip(head.passes(ones), head.masks, strict=True):
        np.testing.assert_allclose(said, head.logits(mask[None])[0], rtol=1e-4, atol=1e-3)


def test_a_small_picture_is_read_in_patches_and_as_a_whole(model):
    said = read_picture(model, NumpyHead(model), coarse(np.random.default_rng(1), 420, 640))

    assert {name for name in said if name != "embeddings"} == {
        f"{group}{passes}" for group in ("patches", "whole") for passes in ("", " passes")
    }
    assert said["patches"].shape == (3,) and said["patches passes"].shape == (PASSES, 3)
    assert said["embeddings"].shape == (EMBEDDINGS, 64)
    np.testing.assert_allclose(np.linalg.norm(said["embeddings"], axis=1), 1, atol=1e-5)


def test_of_a_large_picture_the_most_textured_squares_of_its_own_pixels_are_read_too(model, monkeypatch):
    rgb = np.full((1100, 1600, 3), 128, np.uint8)
    noisy = [(y, x) for y in (0, 2) for x in range(5)][:TILES]
    random = np.random.default_rng(1)
    for y, x in noisy:
        rgb[y * TILE_PX : (y + 1) * TILE_PX, x * TILE_PX : (x + 1) * TILE_PX] = random.integers(0, 256, (TILE_PX, TILE_PX, 3))
    sizes = []
    monkeypatch.setattr("forensics_training.detector.read.cells_of", lambda model, shown: sizes.append(shown.shape[:2]) or cells_of(model, shown[:64, :64]))

    said = read_picture(model, NumpyHead(model), rgb)

    tiles = textured_tiles(rgb)
    assert len(tiles) == TILES == len(noisy)
    assert all(tile.std() > 50 for tile in tiles)
    assert sizes.count((TILE_PX, TILE_PX)) == TILES
    assert sizes[0][0] * sizes[0][1] == pytest.approx(MAX_PIXELS, rel=0.002)
    assert said["tiles"].shape == (3,) and said["tiles passes"].shape == (PASSES, 3)


def test_a_large_picture_too_narrow_for_a_square_has_none(model, monkeypatch):
    monkeypatch.setattr("forensics_training.detector.read.cells_of", lambda model, shown: cells_of(model, shown[:64, :64]))

    said = read_picture(model, NumpyHead(model), coarse(np.random.default_rng(1), TILE_PX - 16, 5200))

    assert "tiles" not in said and said["patches"].shape == (3,)


def test_a_picture_of_its_own_size_is_the_same_and_a_smaller_one_keeps_its_shape():
    rgb = coarse(np.random.default_rng(1), 100, 161)

    assert scaled(rgb, 1) is rgb
    assert scaled(rgb, 0.5).shape == (50, 80, 3)
    assert abs(float(scaled(rgb, 0.5).mean()) - float(rgb.mean())) < 0.5


@pytest.mark.parametrize("name", [*CONDITIONS, *RUINED])
def test_conditions_do_what_their_names_say(name):
    rgb = coarse(np.random.default_rng(1), 90, 120)

    changed = (CONDITIONS | RUINED)[name](rgb)

    assert changed.shape == ((45, 60, 3) if name.startswith("half") else rgb.shape)
    assert (name == "as is") == (changed.shape == rgb.shape and bool((changed == rgb).all()))


def test_of_each_source_and_class_at_most_so_many_pictures_and_crops_are_read(tmp_path):
    pictures = fill(tmp_path, labels=("real",))
    (one, *_), source = pictures.items, pictures.items[0].source
    crops = [type(one)(f"crop{n}", "train", "real", source, "some", ("native-0",)) for n in range(4)]
    whole = [type(one)(f"whole{n}", "train", "real", source, "some", ("native-0", "view")) for n in range(5)]
    pictures.items = [*crops, *whole, type(one)("v", "val", "real", source, "some", ("native-0", "view"))]

    assert [item.key for item in chosen(pictures, one.part, whole=2, crops=3)] == ["crop0", "crop1", "crop2", "whole0", "whole1"]
