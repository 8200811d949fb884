"""Reads the pictures of calibration and val as the engine does: `backbone-read --list LIST.csv --detector MODEL --out FOLDER`.

For each picture under each condition: the output of MODEL's patch network (`detector.read`), and the two inputs of the backbone, the
view of the whole and the most textured native squares. FOLDER gets one .npz per picture, so a run can be interrupted.
"""

from __future__ import annotations

import argparse
import io
import json
import pickle
import time
from pathlib import Path

import cv2
import numpy as np
import torch
from PIL import Image

from forensics_training.backbone.inputs import squeezed, textured_squares
from forensics_training.backbone.pack import queue, read_rows
from forensics_training.data.pictures import decode
from forensics_training.detector.read import CONDITIONS, Exported, NumpyHead, read_picture

SQUARES_KEPT = 3  # more than the model reads, for experiments


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--list", type=Path, required=True)
    parser.add_argument("--classes", type=Path, required=True)
    parser.add_argument("--detector", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--most", type=int, default=4, help="whole pictures of a source")
    parser.add_argument("--parts", nargs="+", default=("calibration", "val"))
    parser.add_argument("--turn", type=int, nargs=2, default=(0, 1), help="AT OF: this process reads every OF-th picture")
    given = parser.parse_args()
    torch.set_num_threads(1), cv2.setNumThreads(1)
    given.out.mkdir(parents=True, exist_ok=True)
    model = Exported(given.detector)
    head = NumpyHead(model)
    rows = read_rows(given.list, given.classes)
    wanted = in_turns([list(queue(rows, part, given.most, crops=False)) for part in given.parts])
    began, count = time.time(), 0
    for row in wanted[given.turn[0] :: given.turn[1]]:
        target = given.out / f"{row['key']}.npz"
        if target.exists():
            continue
        try:
            rgb, quality = decode(Path(row["file"]).read_bytes())
        except Exception as error:
            print(row["key"], repr(error)[:80], flush=True)
            continue
        save(target, row | {"quality": quality, "size": rgb.shape[:2]}, {name: change(rgb) for name, change in CONDITIONS.items()}, model, head)
        count += 1
        if count % 20 == 0:
            print(count, f"{time.time() - began:.0f} s", flush=True)


def in_turns(queues: list[list]) -> list:
    """The queues interleaved in proportion to their lengths."""
    placed = [((at + 0.5) / len(one), number, row) for number, one in enumerate(queues) for at, row in enumerate(one)]
    return [row for _, _, row in sorted(placed, key=lambda each: each[:2])]


def save(target: Path, row: dict, shown: dict[str, np.ndarray], model: Exported, head: NumpyHead) -> None:
    said = {name: read_picture(model, head, rgb) for name, rgb in shown.items()}
    arrays = {}
    for name, rgb in shown.items():
        arrays[f"{name}|view"] = squeezed(rgb)
        for at, square in enumerate(textured_squares(rgb, SQUARES_KEPT)):
            arrays[f"{name}|square {at}"] = square
    partial = target.with_suffix(".part")
    with open(partial, "wb") as file:
        np.savez(file, row=json.dumps(row), said=np.frombuffer(pickle.dumps(said), np.uint8), **{name: as_png(one) for name, one in arrays.items()})
    partial.rename(target)


def as_png(rgb: np.ndarray) -> np.ndarray:
    file = io.BytesIO()
    Image.fromarray(rgb).save(file, "png", compress_level=1)
    return np.frombuffer(file.getvalue(), np.uint8)


if __name__ == "__main__":
    main()
