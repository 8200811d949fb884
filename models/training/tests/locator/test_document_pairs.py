import csv
import subprocess

import cv2
import numpy as np
import pytest

from forensics_training.edits.documents import draw_page
from forensics_training.locator.document_pairs import Documents, make_pair
from forensics_training.locator.pairs import Pairs, write_shard


@pytest.fixture(scope="module")
def documents(tmp_path_factory):
    """Documents of a split, from three repositories, one of which is missing."""
    mirror, rows = tmp_path_factory.mktemp("mirror"), []
    for number, split in enumerate(("train", "val", "train")):
        page = draw_page(900, 800, ("",), np.random.default_rng(number)).rgb[..., ::-1]
        git = mirror / f"someone+{number}" / "repo"
        git.mkdir(parents=True)
        subprocess.run(["git", "init", "-q", "--bare", str(git)], check=True)
        stored = subprocess.run(["git", f"--git-dir={git}", "hash-object", "-w", "--stdin"], input=cv2.imencode(".png", page)[1].tobytes(), capture_output=True, check=True)
        rows.append({"repo": f"someone/{number}", "blob_sha": stored.stdout.decode().strip(), "split": split})
    rows.append({"repo": "someone/else", "blob_sha": "0" * 40, "split": "train"})
    with (mirror / "documents.csv").open("w", newline="") as out:
        table = csv.DictWriter(out, list(rows[0]))
        table.writeheader()
        table.writerows(rows)
    return lambda split: Documents(mirror, split, mirror / "documents.csv")


def test_only_documents_of_the_split_that_are_there_are_drawn(documents):
    assert sorted(documents("train").sources) == ["someone/0", "someone/2"]


def test_pairs_differ_where_the_mask_says_and_are_read_back(documents, tmp_path):
    write_shard(tmp_path / "0000", [make_pair(documents("train"), ("",), np.random.default_rng(seed)) for seed in range(4)])

    for number in range(4):
        changed, twin = Pairs(tmp_path, 4).read(number)
        differs = np.abs(changed.rgb.astype(int) - twin.rgb).max(2)
        assert differs[changed.share > 127].mean() > 3 * differs[changed.share == 0].mean()
        assert not twin.share.any()
