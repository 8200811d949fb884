"""Builds the cache of pictures from local copies of the repositories that the source lists name.

Run again, it adds what is missing. Nothing it writes is ever committed.
"""

from __future__ import annotations

import argparse
import csv
import hashlib
import subprocess
from collections import Counter, defaultdict
from pathlib import Path

import cv2
import numpy as np

from forensics_training import SOURCES, WORK
from forensics_training.data.pictures import MAX_PER_SOURCE, Item, Pictures, cut_arrays, decode

LEFT_OUT = {"DataSQRL/datasqrl.github.io"}  # drawings pasted on photographs: belong to neither class


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help="folder with manifest.csv and whole-pictures.csv")
    parser.add_argument("--mirror", type=Path, help="folder of repositories, owner+name/repo each")
    parser.add_argument("--sources", type=Path, nargs="*", default=[SOURCES])
    parser.add_argument("--out", type=Path, default=WORK / "pictures")
    parser.add_argument("--files", type=Path, help="also write whole pictures there as files, for `npm run evaluate -- --data`")
    parser.add_argument("--part", choices=("val", "calibration"), default="val", help="part of the pictures that --files writes")
    parser.add_argument("--most", type=int, default=6, help="of --files, pictures a source")
    args = parser.parse_args()
    cv2.setNumThreads(1)
    pictures = Pictures(args.out)
    have = {item.key for item in pictures.items}
    add_crops(pictures, args.data, have)
    if args.mirror:
        add_whole_pictures(pictures, args, have)
    pictures.save()
    if args.files:
        write_files(pictures, args)


def add_crops(pictures: Pictures, data: Path, have: set[str]) -> None:
    for row in read(data / "manifest.csv"):
        key = "crop" + hashlib.sha256(row["file"].encode()).hexdigest()[:16]
        if key in have:
            continue
        rgb, quality = decode((data / row["file"]).read_bytes())
        item = Item(key, row["split"], row["label"], row["source"], row["generator"], quality=quality)
        pictures.add(item, {"native-0": rgb})


def add_whole_pictures(pictures: Pictures, args: argparse.Namespace, have: set[str]) -> None:
    wanted = [*read(args.data / "whole-pictures.csv"), *originals_of_crops(args.data), *(row for path in args.sources if path.exists() for row in read(path))]
    taken = Counter((item.source, item.split) for item in pictures.items if not item.key.startswith("crop"))
    by_repository = defaultdict(list)
    for row in wanted:
        if row["blob_sha"] and row["blob_sha"] not in have:
            by_repository[row["repo"]].append(row)
    for repository, rows in sorted(by_repository.items()):
        path = git_folder(args.mirror, repository)
        if not path.exists():
            continue
        rows = shuffled(rows)
        for row in rows:
            if taken[(repository, row["split"])] >= MAX_PER_SOURCE or row["blob_sha"] in have:
                continue
            try:
                rgb, quality = decode(blob(path, row["blob_sha"]))
            except Exception:
                continue  # a Git LFS pointer, a blob missing from the mirror, or not a picture
            if min(rgb.shape[:2]) < 224:
                continue
            random = np.random.default_rng(int(row["blob_sha"][:12], 16))
            item = Item(row["blob_sha"], row["split"], row["label"], repository, row.get("generator_or_kind") or row["generator"], quality=quality)
            pictures.add(item, cut_arrays(rgb, random))
            have.add(item.key)
            taken[(repository, row["split"])] += 1
        pictures.save()


def write_files(pictures: Pictures, args: argparse.Namespace) -> None:
    """Writes the original files and a manifest.csv."""
    args.files.mkdir(parents=True, exist_ok=True)
    taken: Counter[str] = Counter()
    rows = []
    for item in pictures.items:
        if item.part != args.part or "view" not in item.arrays or taken[item.source] >= args.most:
            continue
        data = blob(git_folder(args.mirror, item.source), item.key)
        if not data or data[8:12] == b"WEBP":
            continue
        taken[item.source] += 1
        name = item.key + (".png" if data.startswith(b"\x89PNG") else ".jpg")
        (args.files / name).write_bytes(data)
        rows.append({"file": name, "split": args.part, "label": item.label, "generator": item.generator, "source": item.source, "camera": ""})
    # One row without a file for each generator seen in training, so that the evaluation can tell unseen generators apart.
    known = {item.generator: item for item in pictures.items if item.split == "train" and item.fake}
    rows += [{"file": "", "split": "train", "label": item.label, "generator": name, "source": item.source, "camera": ""} for name, item in sorted(known.items())]
    with open(args.files / "manifest.csv", "w", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


def git_folder(mirror: Path, repository: str) -> Path:
    folder = mirror / repository.replace("/", "+") / "repo"
    return folder / ".git" if (folder / ".git").exists() else folder


def blob(git: Path, name: str) -> bytes:
    return subprocess.run(["git", f"--git-dir={git}", "cat-file", "blob", name], capture_output=True).stdout


def originals_of_crops(data: Path) -> list[dict[str, str]]:
    return [{**row, "repo": row["source"]} for row in read(data / "manifest.csv") if row["blob_sha"]]


def shuffled(rows: list[dict[str, str]]) -> list[dict[str, str]]:
    """In an order that does not follow file names, so that the limit per source does not pick one series."""
    return sorted(rows, key=lambda row: hashlib.sha256(row["blob_sha"].encode()).hexdigest())


def read(path: Path) -> list[dict[str, str]]:
    with open(path, newline="") as file:
        return list(csv.DictReader(file))

