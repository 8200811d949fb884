import csv

import numpy as np
import pytest
from PIL import Image

from forensics_training.data.crops import CALIBRATION_SOURCES, open_crops

FIELDS = ("file", "split", "label", "generator", "source")
HELD_OUT = sorted(CALIBRATION_SOURCES)[0]


def write_data(folder, rows) -> None:
    for number, row in enumerate(rows):
        Image.fromarray(np.full((8, 8 + number, 3), 40 * number, np.uint8)).save(folder / row[0])
    with open(folder / "manifest.csv", "w", newline="") as out:
        csv.writer(out).writerows([FIELDS, *rows])


@pytest.fixture
def data(tmp_path):
    write_data(tmp_path, [("b.png", "train", "ai-generated", "some", "site 1"), ("a.png", "train", "real", "web", HELD_OUT)])
    return tmp_path


def test_crops_are_read_back_by_the_splits_of_their_sources(data):
    pictures = open_crops(data, data / "work")

    (kept_out,), (generated,) = pictures.of("calibration"), pictures.of("train")
    assert (kept_out.file, kept_out.fake) == ("a.png", False)
    assert (generated.file, generated.fake) == ("b.png", True)
    assert pictures.read(kept_out).shape == (8, 9, 3) and (pictures.read(kept_out) == 40).all()
    assert pictures.read(generated).shape == (8, 8, 3) and (pictures.read(generated) == 0).all()


def test_pictures_are_decoded_once_and_again_when_the_list_changed(data):
    first = open_crops(data, data / "work")
    for item in first.items:
        (data / item.file).unlink()

    again = open_crops(data, data / "work")
    write_data(data, [("a.png", "val", "real", "web", "site 2"), ("c.png", "val", "real", "web", "site 2")])
    other = open_crops(data, data / "work")

    assert again.items == first.items
    assert [(item.file, item.split) for item in other.items] == [("a.png", "val"), ("c.png", "val")]
    assert (other.read(other.items[1]) == 40).all()
