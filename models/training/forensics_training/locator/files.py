"""Writes stored pairs as files, for `npm run evaluate -- --manipulated --pairs`.

`index.csv` (number, kind, changed, twin, mask) lists them; `twin` is the untouched counterpart. A mask is 255 where a pixel is new,
0 where it is untouched, and in between at soft edges.
"""

from __future__ import annotations

import argparse
import csv
from pathlib import Path

from forensics_training import WORK
from forensics_training.edits.simulator import SPLITS
from forensics_training.locator.pairs import Pairs

FIELDS = ("number", "kind", "changed", "twin", "mask")


def write(pairs: Pairs, folder: Path) -> None:
    """Writes the index last: when it exists, all files do."""
    folder.mkdir(parents=True, exist_ok=True)
    rows = [write_pair(pairs, number, folder) for number in range(len(pairs))]
    with open(folder / "index.csv", "w", newline="") as out:
        table = csv.DictWriter(out, FIELDS)
        table.writeheader()
        table.writerows(rows)


def write_pair(pairs: Pairs, number: int, folder: Path) -> dict[str, str | int]:
    changed, counterpart, mask = pairs.files(number)
    contents = {f"{number:04d}-changed.{ending(changed)}": changed, f"{number:04d}-twin.{ending(counterpart)}": counterpart,
                f"{number:04d}-mask.png": mask}  # fmt: skip
    for name, content in contents.items():
        (folder / name).write_bytes(content)
    return dict(zip(FIELDS, (number, pairs.kind(number), *contents), strict=True))


def ending(file: bytes) -> str:
    """File name extension, by the first bytes."""
    return "jpg" if file[:2] == b"\xff\xd8" else "png" if file[1:4] == b"PNG" else "webp"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--work", type=Path, default=WORK / "locate")
    parser.add_argument("--split", choices=SPLITS, default="calibration")
    parser.add_argument("--count", type=int, default=500)
    args = parser.parse_args()
    write(Pairs(args.work / f"pairs-{args.split}", args.count), args.work / "files" / args.split)
