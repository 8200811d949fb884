import csv
import subprocess

import cv2
import numpy as np
import pytest

from forensics_training.edits.documents import draw_page
from forensics_training.locator.document_files import HISTORIES, Document, apply_history, list_documents, make


@pytest.fixture(scope="module")
def document(tmp_path_factory):
    git = tmp_path_factory.mktemp("mirror") / "someone+pages" / "repo"
    subprocess.run(["git", "init", "-q", "--bare", str(git)], check=True)
    page = cv2.imencode(".png", draw_page(900, 800, ("",), np.random.default_rng(2)).rgb[..., ::-1])[1].tobytes()
    stored = subprocess.run(["git", f"--git-dir={git}", "hash-object", "-w", "--stdin"], input=page, capture_output=True, check=True)
    return Document("someone/pages", git, stored.stdout.decode().strip(), "digital")


def test_only_documents_of_the_split_that_are_there_are_listed(document, tmp_path):
    listed = tmp_path / "documents.csv"
    rows = [("someone/pages", document.blob, "digital", "val"), ("someone/pages", "1" * 40, "digital", "train"), ("someone/else", "2" * 40, "scan", "val")]
    listed.write_text("\n".join(["repo,blob_sha,kind,split", *(",".join(row) for row in rows)]))

    assert list(list_documents(document.git.parents[1], "val", listed)) == [document]


def test_a_pair_differs_where_the_mask_says(document, tmp_path):
    for draw in range(8):
        row = make(document, draw, ("",), tmp_path)
        changed, twin = (cv2.imread(str(tmp_path / row[name])).astype(int) for name in ("changed", "twin"))
        mask = cv2.imread(str(tmp_path / row["mask"]), cv2.IMREAD_GRAYSCALE)
        differs = np.abs(changed - twin).max(2)
        assert mask.shape == differs.shape and mask.any()
        assert differs[mask > 127].mean() > 3 * differs[mask == 0].mean()
        assert row["history"] in HISTORIES and row["source"] == "someone/pages"


@pytest.mark.parametrize("history", HISTORIES)
def test_both_files_get_the_same_history(history):
    rgb = draw_page(700, 1700, ("",), np.random.default_rng(4)).rgb
    files, share, ending = apply_history(history, [rgb, rgb], np.zeros(rgb.shape[:2], np.uint8), np.random.default_rng(1))

    read = cv2.imdecode(np.frombuffer(files[0], np.uint8), cv2.IMREAD_COLOR)
    assert files[0] == files[1] and read.shape[:2] == share.shape
    assert (ending == "png") == (history == "lossless")
    assert max(share.shape) == {"messenger": 1600}.get(history, max(share.shape))
