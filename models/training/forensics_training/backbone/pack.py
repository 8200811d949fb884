"""Packs pictures for `backbone-adapt`: `backbone-pack --list LIST.csv --classes CLASSES.csv --out FOLDER`.

LIST has `key, file, part, label, generator, source`; the keys of crops begin with `crop`. From each whole picture of train, these JPEG files are packed:

- `view`: the whole picture, squeezed to 288 x 288, and likewise two windows of half to nine tenths of each side;
- `square`: the most textured native square of 384 px, and a second one from larger pictures, saved with the file's own tables to keep
  its history;
- `small`: a square of 320 px of the picture scaled to 0.3 to 0.6.

A crop is packed as its own file. `check.zip` holds the views and squares of calibration and val that monitor a run.
Each archive is a zip of these files and `index.json`, a list with one entry per file; every archive draws on all sources equally, one
picture of each before a second of any.
"""

from __future__ import annotations

import argparse
import csv
import hashlib
import io
import json
import zipfile
from collections import Counter
from collections.abc import Iterator
from multiprocessing import Pool
from pathlib import Path

import cv2
import numpy as np
from PIL import Image

from forensics_training.backbone.inputs import SIDE, squeezed, textured_square
from forensics_training.data.pictures import decode, textured_square as random_textured_square
from forensics_training.degrade.codecs import Save, encode, save_jpeg, saved

VIEW_PX, SQUARE_PX, SMALL_PX = 288, 384, 320
WEBP = 0.12  # share of the squares of either class that are first saved as WebP
MOST = {"train": 40, "calibration": 3, "val": 3}  # pictures per source, and as many crops
ARCHIVE_BYTES = 46 << 20
WINDOWS = 2  # per picture, as further views
CHECKED = 180  # pictures in `check.zip` from each part


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--list", type=Path, required=True)
    parser.add_argument("--classes", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--check-only", action="store_true")
    given = parser.parse_args()
    given.out.mkdir(parents=True, exist_ok=True)
    rows = read_rows(given.list, given.classes)
    with Pool(given.processes) as pool:
        checked = [row for part in ("calibration", "val") for row in list(queue(rows, part))[:CHECKED]]
        write(given.out / "check.zip", pool.imap(pack_check, checked, 8))
        if given.check_only:
            return
        archive, entries, held = 0, [], 0
        for found in pool.imap(pack_train, queue(rows, "train"), 8):
            entries.append(found)
            held += sum(len(data) for _, data in found)
            if held > ARCHIVE_BYTES:
                write(given.out / f"train-{archive:02}.zip", entries)
                archive, entries, held = archive + 1, [], 0
        write(given.out / f"train-{archive:02}.zip", entries)


Packed = list[tuple[dict, bytes]]


def write(path: Path, pictures) -> None:
    index = []
    with zipfile.ZipFile(path, "w", zipfile.ZIP_STORED) as file:
        for packed in pictures:
            for entry, data in packed:
                file.writestr(str(len(index)), data)
                index.append(entry)
        file.writestr("index.json", json.dumps(index))
    print(path.name, len(index), f"{path.stat().st_size / 2**20:.1f} MiB", flush=True)


def read_rows(listed: Path, classes: Path) -> list[dict[str, str]]:
    kinds = {row["blob_sha"]: row["class"] for row in csv.DictReader(open(classes))}
    return [{**row, "class": kinds.get(row["key"], row["generator"] if row["label"] == "neither" else "")} for row in csv.DictReader(open(listed))]


def queue(rows: list[dict[str, str]], part: str, most: int | None = None, crops: bool = True) -> Iterator[dict[str, str]]:
    """The first picture of each source, then the second of each, up to `most` per source."""
    most = most or MOST[part]
    taken, ranked = Counter(), []
    for row in sorted((row for row in rows if row["part"] == part), key=lambda row: digest(row["key"])):
        kind = (row["source"].lower(), row["label"], is_crop(row))
        if taken[kind] < most and (crops or not is_crop(row)):
            ranked.append((taken[kind], digest(row["key"]), row))
        taken[kind] += 1
    return (row for _, _, row in sorted(ranked, key=lambda one: one[:2]))


def is_crop(row: dict[str, str]) -> bool:
    return row["key"].startswith("crop")


def digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def pack_train(row: dict[str, str]) -> Packed:
    data = Path(row["file"]).read_bytes()
    try:
        rgb, quality = decode(data)
    except Exception:  # one unreadable picture must not end the run
        return []
    random = np.random.default_rng(int(digest(row["key"])[:12], 16))
    entry = {name: row[name] for name in ("key", "part", "label", "generator", "source", "class")} | {"quality": quality}
    if is_crop(row):
        return [({**entry, "input": "square"}, data)]
    windows = [window(rgb, random) for _ in range(WINDOWS)] if min(rgb.shape[:2]) >= 2 * VIEW_PX else []
    found = [({**entry, "input": "view", "quality": 100}, encode(squeezed(one, VIEW_PX), Save("jpeg", 93))) for one in (rgb, *windows)]
    if row["label"] == "neither" or min(rgb.shape[:2]) < SIDE:
        return found
    for place in (textured_square, random_square) if rgb.shape[0] * rgb.shape[1] > 800_000 else (textured_square,):
        found.append(({**entry, "input": "square"}, native_square(rgb, place, data, quality, random)))
    factor = float(np.exp(random.uniform(np.log(0.3), np.log(0.6))))
    if min(rgb.shape[:2]) * factor >= SIDE:
        scaled = cv2.resize(rgb, None, fx=factor, fy=factor, interpolation=cv2.INTER_AREA)
        found.append(({**entry, "input": "small", "quality": 100}, encode(textured_square(scaled, SMALL_PX), Save("jpeg", 95))))
    return found


def window(rgb: np.ndarray, random: np.random.Generator) -> np.ndarray:
    """A random window of half to nine tenths of each side."""
    sides = [int(length * random.uniform(0.5, 0.9)) for length in rgb.shape[:2]]
    top, left = (int(random.integers(length - side + 1)) for length, side in zip(rgb.shape[:2], sides, strict=True))
    return rgb[top : top + sides[0], left : left + sides[1]]


def random_square(rgb: np.ndarray, side: int) -> np.ndarray:
    """The most textured of three random squares on the 8 px grid; the sum of the pixels is the seed."""
    return random_textured_square(rgb, side, np.random.default_rng(int(rgb[::64, ::64].sum())))


def native_square(rgb: np.ndarray, place, data: bytes, quality: int, random: np.random.Generator) -> bytes:
    """A square of a JPEG keeps its tables and grid; a lossless one is saved as a website would, or left as it is."""
    square = place(rgb, SQUARE_PX)
    if random.random() < WEBP:
        square, quality = saved(square, Save("webp", int(random.integers(60, 96)))), 100
        return encode(square, Save("jpeg", 97))
    picture = Image.open(io.BytesIO(data))
    tables = getattr(picture, "quantization", None)
    if tables and quality < 99:
        file = io.BytesIO()
        subsampling = 2 if len(picture.getbands()) == 3 and picture.layer[0][1:3] != (1, 1) else 0
        Image.fromarray(square).save(file, "jpeg", qtables=tables, subsampling=subsampling)
        return file.getvalue()
    if random.random() < 0.25:
        return encode(textured_square(square, SIDE + 32), Save("png"))
    return encode(square, Save("jpeg", int(random.integers(88, 99)), random.random() < 0.5))


def pack_check(row: dict[str, str]) -> Packed:
    """Views and squares under the three conditions in which the service is measured, lossless except for the view."""
    try:
        rgb, _ = decode(Path(row["file"]).read_bytes())
    except Exception:
        return []
    half = cv2.resize(rgb, None, fx=0.5, fy=0.5, interpolation=cv2.INTER_AREA)
    shown = {"as is": rgb, "jpeg 75": save_jpeg(rgb, 75, True), "half, jpeg 80": save_jpeg(half, 80, True)}
    entry = {name: row[name] for name in ("key", "part", "label", "generator", "source", "class")}
    found = []
    for condition, picture in shown.items():
        square = textured_square(picture, SIDE)
        if row["label"] != "neither" and min(square.shape[:2]) == SIDE:
            found.append(({**entry, "input": "square", "condition": condition}, encode(square, Save("jpeg", 98))))
        if not is_crop(row) and condition != "jpeg 75":
            found.append(({**entry, "input": "view", "condition": condition}, encode(squeezed(picture), Save("jpeg", 95))))
    return found


if __name__ == "__main__":
    main()
