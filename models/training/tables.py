"""What the arms are fitted and judged on, computed once: hand-made statistics and network features of the same patches.

`draws`: degraded patches of 128 px of every training picture, by the law of degrade.py.
`readings`: the patches that speak for each picture under the four conditions, as the product reads it.
Kept as raw window means, so that what is derived from them needs no second look at the pixels; made anew where code, pictures or
network changed.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path

import cv2
import numpy as np
import torch

from conditions import CONDITIONS
from data import Item, Pictures, open_pictures
from degrade import degrade
from evaluate import Network
from fingerprint import Fingerprint, fingerprint, hashed, keep
from handmade import Statistics
from reading import read_picture

SIDE = 128
# What the numbers depend on, beside the network.
CODE = ("tables", "degrade", "processing", "conditions", "reading", "handmade", "filters", "network")


class Reader:
    """uint8 [1,H,W,3] -> float32 [K+96,H/16,W/16]: maps of the statistics, then the features of a shipped network."""

    def __init__(self, model: Path):
        self.statistics, self.network = Statistics().eval(), Network(model)
        self.hash = hashed((model / "model.onnx").read_bytes())

    @torch.no_grad()
    def cells(self, rgb: np.ndarray) -> np.ndarray:
        maps = self.statistics(torch.from_numpy(np.ascontiguousarray(rgb)))[0].numpy()
        return np.concatenate([maps, self.network.backbone(rgb)])

    def patch(self, rgb: np.ndarray) -> np.ndarray:
        return self.cells(np.ascontiguousarray(rgb)[None]).mean((1, 2))


def draw(pictures: Pictures, reader: Reader, number: int, seed: int) -> dict[str, np.ndarray]:
    """One degraded patch of every picture that is not in val; `row` is its place in `pictures.items`."""
    rows, means, histories = [], [], []
    for row, item in enumerate(pictures.items):
        if item.split == "val":
            continue
        patch, history = degrade(pictures.read(item), item.quality, SIDE, np.random.default_rng([seed, number, row]))
        rows.append(row)
        means.append(reader.patch(patch))
        histories.append((history.compression, history.usable))
    return {"row": np.array(rows), "means": np.stack(means), "history": np.array(histories, np.float32)}


def read(pictures: Pictures, items: list[Item], reader: Reader, change: Callable) -> dict[str, np.ndarray]:
    """Window means of the patches that are read of each picture; `picture` says whose they are."""
    readings = [read_picture(change(pictures.read(item)), reader.cells).features for item in items]
    owner = np.repeat(np.arange(len(items)), [len(reading) for reading in readings])
    return {"picture": owner, "means": np.concatenate(readings)}


def make_draws(pictures: Pictures, reader: Reader, folder: Path, draws: int, seed: int) -> None:
    for number in range(draws):
        made_from = made_with(pictures, reader) | {"seed": seed, "draw": number}
        keep(folder / f"draw-{number}.npz", made_from, lambda path: np.savez(path, **draw(pictures, reader, number, seed)))


def made_with(pictures: Pictures, reader: Reader) -> Fingerprint:
    return fingerprint(pictures, CODE, network=reader.hash)


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--data", type=Path, required=True)
    options.add_argument("--network", type=Path, required=True, help="folder of a plain exported network")
    options.add_argument("--work", type=Path, default=Path(__file__).parent / ".work")
    options.add_argument("--draws", type=int, default=6)
    options.add_argument("--seed", type=int, default=20)
    asked = options.parse_args()
    torch.set_num_threads(1)
    cv2.setNumThreads(1)
    pictures, folder = open_pictures(asked.data, asked.work), asked.work / "tables"
    reader = Reader(asked.network)
    make_draws(pictures, reader, folder, asked.draws, asked.seed)
    for split in ("train", "calibration", "val"):
        for name, change in CONDITIONS.items():
            made_from = made_with(pictures, reader) | {"split": split, "condition": name}
            keep(folder / f"{split}-{name}.npz", made_from,
                 lambda path: np.savez(path, **read(pictures, pictures.of(split), reader, change)))  # fmt: skip


if __name__ == "__main__":
    main()
