import argparse
import csv
import subprocess
from dataclasses import replace

import cv2
import numpy as np

from forensics_training.backbone.list import written
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


def test_a_list_names_the_pictures_of_the_repositories_that_are_there_by_part_and_source(tmp_path):
    repository = tmp_path / "mirror" / "a+photographs" / "repo"
    subprocess.run(["git", "init", "--quiet", repository], check=True)
    keys = []
    for at in range(3):
        (repository / "one").write_bytes(bytes([at]) * 8)
        keys.append(subprocess.run(["git", "hash-object", "-w", "one"], cwd=repository, check=True, capture_output=True, text=True).stdout.strip())
    row = {"label": "real", "generator": "camera", "split": "val"}
    rows = [*({**row, "repo": "a/photographs", "blob_sha": key} for key in (*keys, "0" * 40)), {**row, "repo": "b/gone", "blob_sha": keys[0]}]

    found = list(written(rows, argparse.Namespace(mirror=tmp_path / "mirror", out=tmp_path, parts=["val"], most=2)))

    assert len(found) == 2 and {one["key"] for one in found} < set(keys)
    assert {(one["part"], one["source"]) for one in found} == {("val", "a/photographs")}
    assert all(len((tmp_path / one["key"]).read_bytes()) == 8 for one in found)
    assert not list(written(rows, argparse.Namespace(mirror=tmp_path / "mirror", out=tmp_path, parts=["train"], most=2)))
