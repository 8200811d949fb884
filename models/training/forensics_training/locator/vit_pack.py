"""Packs photographs as hosts of simulated edits: `locator-pack-hosts --list pictures.csv --out FOLDER`.

Archives `hosts-0.zip`, `hosts-1.zip`, ... of at most `--bytes` bytes hold JPEG files and `index.json` (name, source, label). Every other
photograph is a region cut losslessly on the block grid, so that traces of cameras and saves survive; the others are the whole
picture, scaled. The first archive holds the first pictures of every source. Some generated pictures are included as donors of inserted regions.
Needs the program `jpegtran`.
"""

from __future__ import annotations

import argparse
import csv
import hashlib
import json
import subprocess
import zipfile
from collections import defaultdict
from pathlib import Path

import numpy as np
from PIL import Image

from forensics_training.data.pictures import decode, scaled
from forensics_training.degrade.codecs import Save, encode

LONGER, SHORTER = 1024, 768  # px of a cut
LEAST = 400  # px, shorter side of a usable picture
MOST_BYTES = 650_000
GENERATED = 9  # one picture in this many is generated
PER_SOURCE = 60


def listed(path: Path, label: str, part: str) -> list[dict[str, str]]:
    """Whole pictures in turn: the first of each source, then the second of each, ..."""
    by = defaultdict(list)
    with open(path, newline="") as rows:
        for row in csv.DictReader(rows):
            if row["label"] == label and row["part"] == part and not row["key"].startswith("crop"):
                by[row["source"].lower()].append(row)
    for rows in by.values():
        rows.sort(key=lambda row: hashlib.sha256(row["key"].encode()).hexdigest())
    return [rows[at] for at in range(PER_SOURCE) for _, rows in sorted(by.items()) if at < len(rows)]


def cut(path: Path, native: bool) -> bytes | None:
    """A JPEG file of at most LONGER px; None where the picture is too small or too large in bytes."""
    random = np.random.default_rng(int(hashlib.sha256(path.name.encode()).hexdigest()[:8], 16))
    with Image.open(path) as picture:
        width, height = picture.size
        lossless = picture.format == "JPEG" and picture.mode == "RGB" and picture.getexif().get(0x0112, 1) == 1
    if min(width, height) < LEAST:
        return None
    if lossless and (native or max(width, height) <= LONGER):
        wanted = (LONGER, SHORTER) if width >= height else (SHORTER, LONGER)
        size = [min(want, have) // 16 * 16 for want, have in zip(wanted, (width, height), strict=True)]
        left, top = (int(random.integers((have - want) // 16 + 1)) * 16 for have, want in zip((width, height), size, strict=True))
        command = ["jpegtran", "-copy", "none", "-optimize", "-crop", f"{size[0]}x{size[1]}+{left}+{top}", str(path)]
        data = subprocess.run(command, capture_output=True).stdout
    else:
        rgb, _ = decode(path.read_bytes())
        data = encode(scaled(rgb, min(1, LONGER / max(rgb.shape[:2]))), Save("jpeg", 95))
    return data if 0 < len(data) <= MOST_BYTES else None


def pack(pictures: list[dict[str, str]], donors: list[dict[str, str]], out: Path, bytes_of: list[int]) -> None:
    out.mkdir(parents=True, exist_ok=True)
    turns, rest = iter(pictures), iter(donors)
    for number, most in enumerate(bytes_of):
        index, used = [], 0
        with zipfile.ZipFile(out / f"hosts-{number}.part", "w") as file:
            while used < most - MOST_BYTES:
                row = next(rest if len(index) % GENERATED == GENERATED - 1 else turns, None)
                if row is None:
                    break
                try:
                    data = cut(Path(row["file"]), native=bool(len(index) % 2))
                except OSError:
                    continue
                if data is None:
                    continue
                name = f"{row['key'][:16]}.jpg"
                file.writestr(name, data)
                index.append({"name": name, "source": row["source"], "label": row["label"]})
                used += len(data) + 200
            file.writestr("index.json", json.dumps(index))
        (out / f"hosts-{number}.part").rename(out / f"hosts-{number}.zip")
        print(f"hosts-{number}.zip: {len(index)} pictures of {len({row['source'] for row in index})} sources, {used / 1e6:.1f} MB", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--list", type=Path, required=True, help="table with key, file, part, label and source")
    parser.add_argument("--part", choices=("train", "calibration", "val"), default="train")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--bytes", type=int, nargs="+", default=[48_800_000] * 4, help="of each archive")
    args = parser.parse_args()
    pack(listed(args.list, "real", args.part), listed(args.list, "ai-generated", args.part), args.out, args.bytes)


if __name__ == "__main__":
    main()
