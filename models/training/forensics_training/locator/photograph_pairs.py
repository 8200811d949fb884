"""Simulated manipulations of whole photographs, each with its untouched counterpart.

The simulator edits a window of the photograph; both pictures then get the same later history. They are written as files for `npm run
evaluate -- --manipulated --pairs`; `index.csv` lists them. `twin` is the untouched counterpart; a mask is 255 where a pixel is new, 0 where it
is untouched, in between at soft edges. Photographs of the calibration split set thresholds; those of val are only for testing.

With `--squares`, pairs are made in squares of whole photographs and stored like those of `pairs.py`, for `locator-train --start`. Only
they may use the training split, and only they have generated and drawn hosts: a picture that no camera took has not been changed for that reason.
"""

from __future__ import annotations

import argparse
import csv
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, get_args

import cv2
import numpy as np
import torch
from PIL import Image

from forensics_training import WORK
from forensics_training.data.collect import blob, git_folder
from forensics_training.data.pictures import Item, Pictures, decode
from forensics_training.degrade.codecs import FILTERS, Save, encode
from forensics_training.edits.autoencoder import published
from forensics_training.edits.drawings import draw_picture, draw_scene
from forensics_training.edits.simulator import KINDS, OFFERED, TRIES, edit, visible
from forensics_training.locator.pairs import SHARD, Made, stored_pairs, write_shard

FIELDS = ("number", "kind", "changed", "twin", "mask")  # of index.csv

Cut = Literal["window", "close"]

AFTERWARDS = {"saved again": 0.4, "posted at 1600 px": 0.3, "scaled": 0.3}
MAX_PIXELS = 12.5e6
MAX_PER_SOURCE = 6
WINDOW = (0.3, 0.7)  # of the shorter side
WINDOW_OF_A_SQUARE = (0.5, 1.0)  # larger, because people change larger parts of a picture
WINDOW_PX = (320, 1400)
SQUARE_PX = 1024  # of a photograph, for training
SQUARES = 2  # per photograph
SQUARED_PER_SOURCE = 3  # photographs
GENERATED = 5  # every fifth source of generated pictures is used
DRAWN = 60  # drawn squares, each its own source; every other one a rendered scene
CROPPED_IN_TRAINING = {"close": 0.4, "window": 0.2}  # share of the pairs that are cropped to the change, or to the window
CLOSE_PX = 288  # least side of a crop close to the change
LOSSLESS = 0.15  # share of the pairs without a last lossy save


class Photographs:
    """Whole photographs of one part, read from their repositories on demand."""

    window = WINDOW

    def __init__(self, pictures: Pictures, mirror: Path, part: str):
        self.mirror = mirror
        by = {"real": defaultdict(list), "ai-generated": defaultdict(list)}
        for item in pictures.items:
            if item.part == part and item.label in by and "view" in item.arrays:
                by[item.label][item.source].append(item)
        missing = {source for groups in by.values() for source in groups if not git_folder(mirror, source).exists()}
        if missing:
            print(f"Left out, not in {mirror}: {', '.join(sorted(missing))}")
        self.sources, self.generated = (
            [sorted(items, key=lambda item: item.key)[:MAX_PER_SOURCE] for source, items in groups.items() if source not in missing] for groups in by.values()
        )

    def draw(self, random: np.random.Generator) -> Item:
        group = self.sources[int(random.integers(len(self.sources)))]
        return group[int(random.integers(len(group)))]

    def longer(self, item: Item, rgb: np.ndarray) -> int:
        """Longer side of the photograph that `rgb` comes from."""
        return max(rgb.shape[:2])

    def read(self, item: Item) -> np.ndarray:
        rgb, _ = decode(blob(git_folder(self.mirror, item.source), item.key))
        factor = (MAX_PIXELS / (rgb.shape[0] * rgb.shape[1])) ** 0.5
        # Crop larger ones instead of scaling them, to keep native pixels and block grid.
        height, width = (int(length * min(1, factor)) // 8 * 8 for length in rgb.shape[:2])
        return np.ascontiguousarray(rgb[:height, :width])


@dataclass(frozen=True)
class Square:
    source: str
    key: str
    longer: int  # longer side of its photograph


class Squares:
    """Squares of the photographs of one part, of some generated and of some drawn pictures; made once and kept in `folder`."""

    window = WINDOW_OF_A_SQUARE

    def __init__(self, folder: Path, photographs: Photographs):
        self.folder = folder
        index = folder / "index.csv"
        if not index.exists():
            folder.mkdir(parents=True, exist_ok=True)
            groups = photographs.sources + photographs.generated[::GENERATED]
            squares = [square for group in groups for item in group[:SQUARED_PER_SOURCE] for square in self.cut(photographs, item)]
            squares += [self.drawn(number) for number in range(DRAWN)]
            with open(index, "w", newline="") as out:
                csv.writer(out).writerows((one.source, one.key, one.longer) for one in squares)
        by = defaultdict(list)
        with open(index, newline="") as rows:
            for source, key, longer in csv.reader(rows):
                by[source].append(Square(source, key, int(longer)))
        self.sources = list(by.values())

    def cut(self, photographs: Photographs, item: Item) -> list[Square]:
        rgb = photographs.read(item)
        if min(rgb.shape[:2]) < 640:
            return []
        random, squares = np.random.default_rng(int(item.key[:12], 16)), []
        for at in range(SQUARES if min(rgb.shape[:2]) >= 1.5 * SQUARE_PX else 1):
            top, left = (int(random.integers(max(0, room - SQUARE_PX) // 16 + 1)) * 16 for room in rgb.shape[:2])
            squares.append(Square(item.source, f"{item.key}-{at}", max(rgb.shape[:2])))
            np.save(self.folder / f"{squares[-1].key}.npy", rgb[top : top + SQUARE_PX, left : left + SQUARE_PX])
        return squares

    def drawn(self, number: int) -> Square:
        square = Square(f"drawn {number}", f"drawn-{number}", SQUARE_PX)
        draw = draw_scene if number % 2 else draw_picture
        np.save(self.folder / f"{square.key}.npy", draw(SQUARE_PX, np.random.default_rng([2, number])))
        return square

    def draw(self, random: np.random.Generator) -> Square:
        # Sources by the square root of their size.
        weight = np.sqrt([len(group) for group in self.sources])
        group = self.sources[int(random.choice(len(weight), p=weight / weight.sum()))]
        return group[int(random.integers(len(group)))]

    def longer(self, item: Square, rgb: np.ndarray) -> int:
        return item.longer

    def read(self, item: Square) -> np.ndarray:
        return np.load(self.folder / f"{item.key}.npy")


def store(squares: Squares, autoencoders, folder: Path, count: int) -> None:
    """Writes what is missing of the first `count` pairs."""
    folder.mkdir(parents=True, exist_ok=True)
    for shard in range(-(-count // SHARD)):
        path, wanted = folder / f"{shard:04d}", min(SHARD, count - shard * SHARD)
        if stored_pairs(path) < wanted:
            write_shard(path, [finished(squares, autoencoders, shard * SHARD + at) for at in range(wanted)])
            print(f"shard {shard + 1}", flush=True)


def finished(squares: Squares, autoencoders, seed: int) -> Made:
    random = np.random.default_rng([1, seed])
    cut = random.choice([*CROPPED_IN_TRAINING, None], p=[*CROPPED_IN_TRAINING.values(), 1 - sum(CROPPED_IN_TRAINING.values())])
    kind, changed, counterpart, share, saved = pair(squares, autoencoders, 30_000_000 + seed, cut)
    save = Save("png") if random.random() < LOSSLESS else Save("jpeg", saved["quality"], saved["subsampling"] == 2)
    return Made(kind, (encode(changed, save), encode(counterpart, save)), share)


def pair(photographs: Photographs | Squares, autoencoders, seed: int, cut: Cut | None = None, least: float = 0) -> tuple[str, np.ndarray, np.ndarray, np.ndarray, dict]:
    """@param cut crop to the window of the edit, or close to the change
    @param least pixels that the finished pictures must have
    @returns kind, changed and untouched uint8 [H,W,3], share uint8 [H,W], and the options of the last save"""
    random = np.random.default_rng(seed)
    kind = str(random.choice(list(KINDS), p=list(KINDS.values())))
    for _ in range(TRIES * (10 if least else 1)):  # few are still large at the end
        host_item = photographs.draw(random)
        host = photographs.read(host_item)
        donors = [photographs.draw(random) for _ in range(OFFERED)]
        donor_item = next((item for item in donors if item.source != host_item.source), None)
        shorter = min(host.shape[:2])
        if donor_item is None or shorter < 480 or host[..., 0].size < least:
            continue
        side = int(np.clip(shorter * random.uniform(*photographs.window), *WINDOW_PX)) // 8 * 8
        top, left = (int(random.integers((room - side) // 8 + 1)) * 8 for room in host.shape[:2])
        window = np.ascontiguousarray(host[top : top + side, left : left + side])
        donor = photographs.read(donor_item)
        if min(donor.shape[:2]) < side:
            continue
        donor_top, donor_left = (int(random.integers((room - side) // 8 + 1)) * 8 for room in donor.shape[:2])
        piece = edit(kind, window, np.ascontiguousarray(donor[donor_top : donor_top + side, donor_left : donor_left + side]), autoencoders, random)
        if not visible(window, piece, kind):
            continue
        changed, share = host.copy(), np.zeros(host.shape[:2], np.uint8)
        changed[top : top + side, left : left + side] = piece.rgb
        share[top : top + side, left : left + side] = piece.share
        if cut:
            box = (top, left, side, side) if cut == "window" else box_of(share)
            changed, host, share = crop_around(box, random, changed, host, share)
        finished = apply_later_history(changed, host, share, random, max(host.shape[:2]) if cut else photographs.longer(host_item, host))
        if finished[2].size >= least:
            return kind, *finished
    raise RuntimeError(f"No visible {kind} in {TRIES} tries with seed {seed}.")


def box_of(share: np.ndarray) -> tuple[int, int, int, int]:
    """Top, left, height and width of the changed area, extended to the block grid and to CLOSE_PX."""
    box = []
    for axis in (1, 0):
        touched = np.flatnonzero(share.any(axis))
        first, length = int(touched[0]), int(touched[-1]) + 1 - int(touched[0])
        spare = max(0, CLOSE_PX - length)
        first = max(0, first - spare // 2) // 8 * 8
        box.append((first, -(-(length + spare) // 8) * 8 + 8))
    (top, height), (left, width) = box
    return top, left, height, width


def crop_around(box: tuple[int, int, int, int], random: np.random.Generator, *layers: np.ndarray) -> list[np.ndarray]:
    """The layers cropped to the box (top, left, height, width) with a random margin."""
    top, left, *lengths = box
    rooms = layers[0].shape[:2]
    height, width = (min(room, int(length * random.uniform(1, 1.6))) // 8 * 8 for length, room in zip(lengths, rooms, strict=True))
    first = max(0, min(top - (height - lengths[0]) // 16 * 8, rooms[0] - height)) // 8 * 8
    begin = max(0, min(left - (width - lengths[1]) // 16 * 8, rooms[1] - width)) // 8 * 8
    return [np.ascontiguousarray(layer[first : first + height, begin : begin + width]) for layer in layers]


def apply_later_history(changed: np.ndarray, counterpart: np.ndarray, share: np.ndarray, random: np.random.Generator, longer: int):
    """Gives all three the same later history; `longer`: longer side of the photograph they come from."""
    kind = str(random.choice(list(AFTERWARDS), p=list(AFTERWARDS.values())))
    factor = min(1, 1600 / longer) if kind == "posted at 1600 px" else random.uniform(0.35, 0.9) if kind == "scaled" else 1
    quality = int(random.integers(75, 91) if kind == "posted at 1600 px" else random.integers(70, 97))
    if factor < 1:
        size = (round(share.shape[1] * factor), round(share.shape[0] * factor))
        how = FILTERS[int(random.integers(len(FILTERS)))]
        changed, counterpart, share = (np.asarray(Image.fromarray(one).resize(size, how)) for one in (changed, counterpart, share))
    return changed, counterpart, share, {"quality": quality, "subsampling": 2 if random.random() < 0.65 else 0}


def write(make: Callable[[int], tuple[str, np.ndarray, np.ndarray, np.ndarray, dict]], folder: Path, count: int) -> None:
    """Existing pairs are kept, so an interrupted run continues; the index lists complete pairs.

    @param make what `pair` returns, by number
    """
    folder.mkdir(parents=True, exist_ok=True)
    rows = []
    for number in range(count):
        names = [f"{number:04d}-{name}" for name in ("changed.jpg", "twin.jpg", "mask.png", "kind.txt")]
        if not (folder / names[3]).exists():
            kind, changed, counterpart, share, saved = make(number)
            for name, rgb in zip(names, (changed, counterpart)):
                Image.fromarray(rgb).save(folder / name, "JPEG", **saved)
            Image.fromarray(share).save(folder / names[2])
            (folder / names[3]).write_text(kind)
        rows.append(dict(zip(FIELDS, (number, (folder / names[3]).read_text(), *names[:3]), strict=True)))
        with open(folder / "index.csv", "w", newline="") as out:
            table = csv.DictWriter(out, FIELDS, lineterminator="\n")
            table.writeheader()
            table.writerows(rows)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--mirror", type=Path, required=True, help="folder of repositories, owner+name/repo each")
    parser.add_argument("--split", choices=("train", "calibration", "val"), default="calibration")
    parser.add_argument("--count", type=int, default=80)
    parser.add_argument("--cut", choices=get_args(Cut), help="crop to the window of the edit, or close to the change")
    parser.add_argument("--least", type=float, default=0, metavar="MEGAPIXELS", help="least size of the finished pictures")
    parser.add_argument("--squares", action="store_true", help="squares of photographs, stored for training")
    parser.add_argument("--out", type=Path, help="default: .work/locate/whole-SPLIT, large-SPLIT with --least, window-SPLIT and close-SPLIT with --cut, pairs-squares-SPLIT")
    args = parser.parse_args()
    torch.set_num_threads(1)
    cv2.setNumThreads(1)
    if args.split == "train" and not args.squares:
        parser.error("--split train needs --squares")
    photographs, autoencoders = Photographs(Pictures(WORK / "pictures"), args.mirror, args.split), [published(args.data)]
    if args.squares:
        squares = Squares(WORK / "locate" / f"squares-{args.split}", photographs)
        store(squares, autoencoders, args.out or WORK / "locate" / f"pairs-squares-{args.split}", args.count)
        return
    out = args.out or WORK / "locate" / f"{args.cut or ('large' if args.least else 'whole')}-{args.split}"
    write(lambda number: pair(photographs, autoencoders, number, args.cut, args.least * 1e6), out, args.count)
