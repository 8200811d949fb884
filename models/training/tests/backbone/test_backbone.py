import csv

import cv2
import numpy as np
import torch

from forensics_training.backbone import cache
from forensics_training.backbone.dinov2 import BLOCKS, ViT, as_batch


def rows(folder, parts=("val", "train"), side=300):
    """A list with one picture of each part, PNG files of coarse noise."""
    listed = []
    for number, part in enumerate(parts):
        path = folder / f"{part}.png"
        cv2.imwrite(str(path), cv2.resize(np.random.default_rng(number).integers(0, 256, (20, 30, 3), np.uint8), (side + 60, side)))
        listed.append({"key": part, "file": str(path), "part": part, "label": "real", "source": part})
    with open(folder / "list.csv", "w", newline="") as file:
        writer = csv.DictWriter(file, list(listed[0]))
        writer.writeheader()
        writer.writerows(listed)
    return folder / "list.csv"


def test_the_position_table_follows_the_size_of_the_picture():
    vit = ViT().eval()
    with torch.no_grad():
        blocks = vit(as_batch([np.zeros((56, 84, 3), np.uint8)]))

    assert [tuple(block.shape) for block in blocks] == [(1, 1 + 4 * 6, 384)] * BLOCKS


def test_the_most_textured_square_is_found_and_a_small_picture_gives_whole_patches():
    rgb = np.zeros((600, 600, 3), np.uint8)
    rgb[320:520, 300:500] = np.random.default_rng(0).integers(0, 256, (200, 200, 3))

    assert cache.textured(rgb).std() > 60
    assert cache.textured(rgb[:150, :190]).shape == (140, 140, 3)


def test_pictures_of_val_are_read_under_each_condition_and_those_of_train_as_drawn(tmp_path):
    names = [name for row, draw in cache.queue(rows(tmp_path), 2) for name in cache.names_of(row, draw)]

    assert sum(name.startswith("val|") for name in names) == 6
    assert [name for name in names if name.startswith("train|")] == ["train|view|draw 0", "train|square|draw 0", "train|view|draw 1", "train|square|draw 1"]


def test_a_draw_is_the_same_when_it_is_made_again(tmp_path):
    row = next(row for row, _ in cache.queue(rows(tmp_path), 1) if row["part"] == "train")
    rgb = np.random.default_rng(3).integers(0, 256, (300, 360, 3), np.uint8)
    once, again = (cache.arrays_of(row, rgb, 90, 1) for _ in range(2))

    assert list(once) == list(again) and all((once[name] == again[name]).all() for name in once)


def test_a_store_goes_on_where_it_was(tmp_path):
    values = np.arange(2 * np.prod(cache.SHAPE)).reshape(2, *cache.SHAPE).astype(np.float16)
    cache.Store(tmp_path).add(["a", "b"], values)
    again = cache.Store(tmp_path)
    again.failed(["c"], "unreadable")

    assert again.done == {"a", "b", "c"}
    assert list(cache.read_store(tmp_path)) == ["a", "b"]
    assert (cache.read_store(tmp_path)["b"] == values[1]).all()
