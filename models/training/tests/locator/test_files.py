import csv

import cv2
import numpy as np

from forensics_training.edits.simulator import Simulator
from forensics_training.locator.files import ending, write
from forensics_training.locator.pairs import Pairs, store
from tests.helpers import Watched


def test_files_hold_the_stored_bytes_and_the_index_names_them(tmp_path):
    simulator = Simulator(Watched(), [])
    store(simulator, tmp_path / "pairs", 3, 2)

    write(Pairs(tmp_path / "pairs", 2), tmp_path / "files")

    with open(tmp_path / "files" / "index.csv", newline="") as rows:
        index = list(csv.DictReader(rows))
    for seed, row in zip((3, 4), index, strict=True):
        changed, twin = simulator.pair(seed)
        assert row["kind"] == changed.kind
        assert (tmp_path / "files" / row["changed"]).read_bytes() == changed.file
        assert (tmp_path / "files" / row["twin"]).read_bytes() == twin.file
        mask = cv2.imread(str(tmp_path / "files" / row["mask"]), cv2.IMREAD_UNCHANGED)
        assert np.array_equal(mask, changed.share)


def test_a_file_is_named_by_what_it_holds():
    rgb = np.zeros((16, 16, 3), np.uint8)

    endings = [ending(cv2.imencode(f".{name}", rgb)[1].tobytes()) for name in ("jpg", "png", "webp")]

    assert endings == ["jpg", "png", "webp"]
