"""Simulated pairs, stored in shards before training. An interrupted run continues where it stopped.

Pair number n of a split is always `Simulator.pair(FIRST[split] + n)`.
"""

from __future__ import annotations

import argparse
import io
import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np
import torch
from PIL import Image

from forensics_training import WORK
from forensics_training.data.crops import Crop, open_crops
from forensics_training.edits.autoencoder import published
from forensics_training.edits.family import STEPS, open_family
from forensics_training.edits.simulator import SPLITS, Sample, Simulator

SHARD = 250  # pairs
FIRST = {"train": 0, "calibration": 10_000_000}  # first seed; the two splits never share one


@dataclass(frozen=True)
class Reading:
    """Input of the network for one file, and its target."""

    rgb: np.ndarray  # uint8 [H,W,3]
    table: np.ndarray  # float32 [64], luma quantisation steps in natural order; zeros when the file has none
    share: np.ndarray  # uint8 [H,W], 0 untouched .. 255 new


@dataclass(frozen=True)
class Entry:
    """Position of a pair in its shard: three byte strings in a row (changed file, counterpart, share as PNG)."""

    kind: str
    height: int
    width: int
    offset: int
    lengths: tuple[int, int, int]


class Pairs:
    """The first `count` stored pairs of a folder, read-only."""

    def __init__(self, folder: Path, count: int):
        self.entries: list[tuple[int, Entry]] = []
        self.bytes = []
        for shard in range(-(-count // SHARD)):
            rows = json.loads((folder / f"{shard:04d}.json").read_text())
            self.entries += [(shard, Entry(**{**row, "lengths": tuple(row["lengths"])})) for row in rows]
            self.bytes.append(np.memmap(folder / f"{shard:04d}.bin", np.uint8, "r"))
        self.entries = self.entries[:count]
        self.sides = np.array([min(entry.height, entry.width) for _, entry in self.entries])

    def __len__(self) -> int:
        return len(self.entries)

    def read(self, number: int) -> tuple[Reading, Reading]:
        """The changed picture and its untouched counterpart."""
        changed, counterpart, share = self.files(number)
        marks = cv2.imdecode(np.frombuffer(share, np.uint8), cv2.IMREAD_GRAYSCALE)
        return reading(changed, marks), reading(counterpart)

    def files(self, number: int) -> tuple[bytes, bytes, bytes]:
        """The changed picture, its counterpart, and the share as a grey PNG (0 untouched .. 255 new)."""
        shard, entry = self.entries[number]
        ends = entry.offset + np.cumsum((0, *entry.lengths))
        changed, counterpart, share = (self.bytes[shard][a:b].tobytes() for a, b in zip(ends, ends[1:], strict=False))
        return changed, counterpart, share


def reading(file: bytes, share: np.ndarray | None = None) -> Reading:
    """@param share uint8 [H,W]; None for an untouched picture"""
    with Image.open(io.BytesIO(file)) as image:
        rgb, table = np.asarray(image.convert("RGB")), table_of(image)
    return Reading(rgb, table, np.zeros(rgb.shape[:2], np.uint8) if share is None else share)


def photographs(data: Path, items: Sequence[Crop]) -> dict[str, list[Reading]]:
    """The photographs among `items`, by source."""
    by_source: dict[str, list[Reading]] = {}
    for item in items:
        if not item.fake:
            by_source.setdefault(item.source, []).append(reading((data / item.file).read_bytes()))
    return by_source


def table_of(image: Image.Image) -> np.ndarray:
    tables = getattr(image, "quantization", None)
    return np.asarray(tables[0] if tables else np.zeros(64), np.float32)


def store(simulator: Simulator, folder: Path, first: int, count: int) -> None:
    """Writes what is missing of the first `count` pairs.

    @param first seed of pair 0
    """
    folder.mkdir(parents=True, exist_ok=True)
    for shard in range(-(-count // SHARD)):
        path, wanted = folder / f"{shard:04d}", min(SHARD, count - shard * SHARD)
        if stored_pairs(path) < wanted:
            seeds = range(first + shard * SHARD, first + shard * SHARD + wanted)
            write_shard(path, [made_of(*simulator.pair(seed)) for seed in seeds])
            print(f"shard {shard + 1}", flush=True)


def stored_pairs(shard: Path) -> int:
    index = shard.with_suffix(".json")
    return len(json.loads(index.read_text())) if index.exists() else 0


@dataclass(frozen=True)
class Made:
    """A finished pair before it is stored."""

    kind: str
    files: tuple[bytes, bytes]  # changed, untouched
    share: np.ndarray  # uint8 [H,W], 0 untouched .. 255 new


def made_of(changed: Sample, counterpart: Sample) -> Made:
    return Made(changed.kind, (changed.file, counterpart.file), changed.share)


def write_shard(path: Path, pairs: Sequence[Made]) -> None:
    """Writes the index last and atomically: a shard without one was interrupted and is written again."""
    rows, offset = [], 0
    with open(path.with_suffix(".bin"), "wb") as out:
        for one in pairs:
            _, share = cv2.imencode(".png", one.share)
            parts = (*one.files, share.tobytes())
            rows.append({"kind": one.kind, "height": one.share.shape[0], "width": one.share.shape[1],
                         "offset": offset, "lengths": [len(part) for part in parts]})  # fmt: skip
            offset += out.write(b"".join(parts))
    unfinished = path.with_suffix(".part")
    unfinished.write_text(json.dumps(rows))
    unfinished.rename(path.with_suffix(".json"))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--work", type=Path, default=WORK)
    parser.add_argument("--split", choices=SPLITS, default="train")
    parser.add_argument("--count", type=int, default=16_000)
    parser.add_argument("--without-family", action="store_true", help="repaint with the published autoencoder alone, without training our own")
    args = parser.parse_args()
    torch.set_num_threads(1)
    cv2.setNumThreads(1)
    pictures = open_crops(args.data, args.work)
    autoencoders = [published(args.data), *([] if args.without_family else open_family(pictures, args.work, STEPS, 20))]
    simulator = Simulator(pictures, autoencoders, args.split)
    store(simulator, args.work / "locate" / f"pairs-{args.split}", FIRST[args.split], args.count)
