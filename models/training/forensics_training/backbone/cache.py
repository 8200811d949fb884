"""Features of pictures, kept: `backbone-cache --weights FILE.onnx --list LIST.csv --out DIR`.

LIST has `key, file, part, label, source` (further columns are ignored). Every picture is read in two ways, under three conditions
where it measures (val, calibration) and under random draws of the degradation pipeline where it teaches (train):

- `view`: all of it, squeezed to 224 x 224;
- `square`: the most textured square of 224 px of its own pixels (less where it is smaller).

Kept are CLS and mean patch token of blocks 5 to 12, float16 [8, 2, 384], one after the other in `*.f16`, with one line of
`*.jsonl` each. Stop and start it as you like; it goes on where it was, and takes up what has been added to LIST.
"""

from __future__ import annotations

import argparse
import csv
import hashlib
import json
import os
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import cv2
import numpy as np
import torch
from PIL import Image

from forensics_training.degrade import codecs, pipeline
from forensics_training.backbone.dinov2 import PATCH_PX, ViT, as_batch, load
from forensics_training.data.pictures import decode

SIDE = 224
BLOCKS_KEPT = range(4, 12)  # 5 to 12, counted from one
SHAPE = (len(BLOCKS_KEPT), 2, 384)
VIEW_PIXELS = 800_000  # a picture is scaled to this before a view of it is degraded
MOST = {"val": 4, "calibration": 3, "train": 6}  # pictures of a source, and as many crops


def half(rgb: np.ndarray) -> np.ndarray:
    return cv2.resize(rgb, None, fx=0.5, fy=0.5, interpolation=cv2.INTER_AREA)


CONDITIONS = {
    "as is": lambda rgb: rgb,
    "jpeg 75": lambda rgb: codecs.save_jpeg(rgb, 75, True),
    "half, jpeg 80": lambda rgb: codecs.save_jpeg(half(rgb), 80, True),
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--weights", type=Path, required=True)
    parser.add_argument("--list", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--minutes", type=float, default=1e9)
    parser.add_argument("--draws", type=int, default=1, help="of degradation, for pictures of train")
    given = parser.parse_args()
    torch.set_num_threads(1), cv2.setNumThreads(1)
    vit, store, end = load(given.weights), Store(given.out), time.time() + 60 * given.minutes
    for row, draw in queue(given.list, given.draws):
        if time.time() > end:
            return
        names = names_of(row, draw)
        if all(name in store.done for name in names):
            continue
        try:
            rgb, quality = decode(Path(row["file"]).read_bytes())
        except Exception as error:  # one unreadable picture must not end a night's run
            store.failed(names, repr(error)[:80])
            continue
        shown = arrays_of(row, rgb, quality, draw)
        store.add(names, features(vit, [shown[name] for name in names]))


def queue(listed: Path, draws: int) -> Iterator[tuple[dict[str, str], int]]:
    """One picture of each source, then the second of each: wherever it is stopped, all sources have been read alike."""
    with open(listed, newline="") as file:
        rows = list(csv.DictReader(file))
    rows.sort(key=lambda row: hashlib.sha256(row["key"].encode()).hexdigest())
    taken, ranked = Counter(), []
    for row in rows:
        kind = (row["source"], row["part"], row["label"], is_crop(row))
        ranked.append((taken[kind] + (2 if is_crop(row) else 0), len(ranked), row))
        taken[kind] += 1
    for draw in range(draws):
        for rank, _, row in sorted(ranked, key=lambda one: one[:2]):
            if rank < MOST[row["part"]] + (2 if is_crop(row) else 0) and (draw == 0 or row["part"] == "train"):
                yield row, draw


def is_crop(row: dict[str, str]) -> bool:
    return row["key"].startswith("crop")


def names_of(row: dict[str, str], draw: int) -> list[str]:
    conditions = [f"draw {draw}"] if row["part"] == "train" else list(CONDITIONS)
    inputs = ["square"] if is_crop(row) else ["view", "square"]
    return [f"{row['key']}|{kind}|{condition}" for condition in conditions for kind in inputs]


def arrays_of(row: dict[str, str], rgb: np.ndarray, quality: int, draw: int) -> dict[str, np.ndarray]:
    if row["part"] != "train":
        changed = {name: change(rgb) for name, change in CONDITIONS.items()}
        inputs = {"view": squeezed, "square": textured}
        return {f"{row['key']}|{kind}|{name}": read(one) for name, one in changed.items() for kind, read in inputs.items()}
    random = np.random.default_rng([int(hashlib.sha256(row["key"].encode()).hexdigest()[:12], 16), draw])
    name = f"{row['key']}|{{}}|draw {draw}"
    scale = pipeline.draw_scale(max(0.45, SIDE / min(rgb.shape[:2])) if min(rgb.shape[:2]) > SIDE else 1.0, random)
    square, _ = pipeline.degrade(textured(rgb, 512), quality, SIDE, random, scale)
    return {name.format("square"): textured(square), name.format("view"): squeezed(degraded_view(rgb, quality, random))}


def degraded_view(rgb: np.ndarray, quality: int, random: np.random.Generator) -> np.ndarray:
    """The law of degradation for all of a picture: the same steps with the same chances, but nothing is cut off or turned."""
    factor = (VIEW_PIXELS / (rgb.shape[0] * rgb.shape[1])) ** 0.5
    if factor < 1:
        rgb, quality = cv2.resize(rgb, None, fx=factor, fy=factor, interpolation=cv2.INTER_AREA), law_quality(quality, random)
    history = pipeline.History(quality=float(quality))
    if random.random() < pipeline.AS_IS:
        return rgb
    if random.random() < (pipeline.FIRST_SAVE_LOSSLESS if quality > 99 else pipeline.FIRST_SAVE_LOSSY):
        rgb = pipeline.save_randomly(rgb, history, (72, 98), random)
    rgb = pipeline.disturb(rgb, history, random)
    scale = pipeline.draw_scale(0.45, random)
    if scale != 1:
        rgb = cv2.resize(rgb, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA if scale < 1 else cv2.INTER_CUBIC)
    if random.random() < pipeline.LAST_SAVE:
        rgb = pipeline.save_randomly(rgb, history, (50, 98), random)
    return rgb[:, ::-1] if random.random() < 0.5 else rgb


def law_quality(quality: int, random: np.random.Generator) -> int:
    """Made smaller, a picture has no blocks of its file left: half of them count as never saved."""
    return 100 if random.random() < 0.5 else quality


def squeezed(rgb: np.ndarray) -> np.ndarray:
    return np.asarray(Image.fromarray(np.ascontiguousarray(rgb)).resize((SIDE, SIDE), Image.Resampling.BICUBIC))


def textured(rgb: np.ndarray, side: int = SIDE) -> np.ndarray:
    """The most textured square, on the 8 px grid; a picture that is smaller gives what it has, in whole patches."""
    height, width = rgb.shape[:2]
    side = min(side, height, width)
    side -= side % PATCH_PX if side <= SIDE else 0
    change = np.abs(np.diff(rgb[:, :, 1].astype(np.int16), axis=1)).clip(0, 32).astype(np.float64)
    sums = np.pad(change.cumsum(0).cumsum(1), ((1, 0), (1, 0)))
    step = max(8, side // 4 // 8 * 8)
    places = [(top, left) for top in range(0, height - side + 1, step) for left in range(0, width - side + 1, step)]
    texture = lambda top, left: sums[top + side, left + side - 1] - sums[top, left + side - 1] - sums[top + side, left] + sums[top, left]
    top, left = max(places, key=lambda place: texture(*place))
    return np.ascontiguousarray(rgb[top : top + side, left : left + side])


@torch.inference_mode()
def features(vit: ViT, pictures: list[np.ndarray]) -> np.ndarray:
    """float16 [N, 8, 2, 384]; pictures of one size are read together."""
    answer = np.empty((len(pictures), *SHAPE), np.float16)
    for size in {one.shape for one in pictures}:
        places = [at for at, one in enumerate(pictures) if one.shape == size]
        blocks = vit(as_batch([pictures[at] for at in places]))
        kept = [torch.stack([blocks[at][:, 0], blocks[at][:, 1:].mean(1)], 1) for at in BLOCKS_KEPT]
        answer[places] = torch.stack(kept, 1).numpy()
    return answer


class Store:
    """Features in the order in which they came. A shard belongs to one process; what a line names, the file has."""

    def __init__(self, folder: Path):
        folder.mkdir(parents=True, exist_ok=True)
        self.folder, self.done = folder, set()
        for path in folder.glob("*.jsonl"):
            self.done |= {json.loads(line)["name"] for line in path.read_text().splitlines()}
        self.shard = folder / f"{time.strftime('%m%d-%H%M%S')}-{os.getpid()}"

    def add(self, names: list[str], values: np.ndarray) -> None:
        with open(self.shard.with_suffix(".f16"), "ab") as file:
            at = file.tell() // values[0].nbytes
            file.write(values.tobytes())
        self.note([{"name": name, "at": at + offset} for offset, name in enumerate(names)])

    def failed(self, names: list[str], why: str) -> None:
        self.note([{"name": name, "at": -1, "why": why} for name in names])

    def note(self, lines: list[dict]) -> None:
        with open(self.shard.with_suffix(".jsonl"), "a") as file:
            file.writelines(json.dumps(line) + "\n" for line in lines)
        self.done |= {line["name"] for line in lines}


def read_store(folder: Path) -> dict[str, np.ndarray]:
    """name -> float16 [8, 2, 384]."""
    found = {}
    for path in sorted(folder.glob("*.jsonl")):
        values = path.with_suffix(".f16")
        if not values.exists():
            continue
        values = np.fromfile(values, np.float16).reshape(-1, *SHAPE)
        for line in map(json.loads, path.read_text().splitlines()):
            if line["at"] >= 0:
                found[line["name"]] = values[line["at"]]
    return found
