import argparse
import csv
import subprocess
from dataclasses import replace

import cv2
import numpy as np

from forensics_training.data.collect import write_files
from tests.helpers import coarse, fill


def test_files_are_written_as_their_repositories_have_them_and_missing_ones_left_out(tmp_path):
    pictures = fill(tmp_path / "pictures")
    source = pictures.items[0].source
    repository = tmp_path / "mirror" / source.replace("/", "+") / "repo"
    subprocess.run(["git", "init", "--quiet", repository], check=True)
    file = repository / "photo.jpg"
    cv2.imwrite(str(file), coarse(np.random.default_rng(1), 60, 80))
    key = subprocess.run(["git", "hash-object", "-w", "photo.jpg"], cwd=repository, check=True, capture_output=True, text=True).stdout.strip()
    there, gone = (replace(item, split="val") for item in pictures.items[:2])
    pictures.items = [replace(there, key=key), gone]

    write_files(pictures, argparse.Namespace(files=tmp_path / "files", part="val", most=4, mirror=tmp_path / "mirror"))

    assert (tmp_path / "files" / f"{key}.jpg").read_bytes() == file.read_bytes()
    with open(tmp_path / "files" / "manifest.csv", newline="") as rows:
        assert [(row["file"], row["source"]) for row in csv.DictReader(rows) if row["file"]] == [(f"{key}.jpg", source)]
    assert sorted(path.name for path in (tmp_path / "files").iterdir()) == [f"{key}.jpg", "manifest.csv"]
