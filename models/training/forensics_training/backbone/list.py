"""Writes pictures as files, and LIST for `backbone-pack`, `backbone-read` and `backbone-fuse`: `backbone-list --data DATA --mirror MIRROR --out FOLDER`.

Takes the pictures of the source lists whose repositories are in MIRROR. FOLDER gets one file per picture, named by its blob hash, and
`list.csv`; a second run adds what is missing.
"""

from __future__ import annotations

import argparse
import csv
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from forensics_training import SOURCES
from forensics_training.data.collect import blob, git_folder, read, shuffled
from forensics_training.data.pictures import Item

FIELDS = ("key", "file", "part", "label", "generator", "source")
PARTS = ("train", "calibration", "val")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--mirror", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--parts", nargs="+", default=PARTS, choices=PARTS)
    parser.add_argument("--most", type=int, default=5, help="pictures of a source")
    given = parser.parse_args()
    given.out.mkdir(parents=True, exist_ok=True)
    rows = [row for path in (SOURCES, given.data / "whole-pictures.csv") for row in read(path) if row["blob_sha"]]
    listed = list(written(rows, given))
    with open(given.out / "list.csv", "w", newline="") as file:
        writer = csv.DictWriter(file, FIELDS, lineterminator="\n")
        writer.writeheader()
        writer.writerows(listed)
    print(f"{len(listed)} pictures of {len({row['source'] for row in listed})} sources")


def written(rows: list[dict[str, str]], given: argparse.Namespace) -> Iterator[dict[str, str]]:
    taken, seen = Counter(), set()
    for row in shuffled(rows):
        key, source = row["blob_sha"], row["repo"]
        generator = row.get("generator_or_kind") or row["generator"]
        part = Item(key, row["split"], row["label"], source, generator).part
        kind = source, row["label"], part
        git = git_folder(given.mirror, source)
        if part not in given.parts or taken[kind] >= given.most or key in seen or not git.exists():
            continue
        path = given.out / key
        if not path.exists() and (data := blob(git, key)):
            path.write_bytes(data)
        if path.exists():  # a mirror may lack large files
            taken[kind] += 1
            seen.add(key)
            yield {"key": key, "file": str(path), "part": part, "label": row["label"], "generator": generator, "source": source}


if __name__ == "__main__":
    main()
