"""Changed pictures of the size that cameras take, and their untouched twins, as files:
python locate_whole.py --data DIR --mirror DIR --split calibration --count 110

The simulator's edits are done in a window of a whole photograph; both go through the same later life. `index.csv` is that of
`locate_files.py`, so `npm run evaluate -- --manipulated --pairs` reads it. Photographs of a source stay on one side: those of
the calibration split set limits, those of val only measure.
"""

from __future__ import annotations

import argparse
import csv
from collections import defaultdict
from pathlib import Path

import cv2
import numpy as np
import torch
from PIL import Image

from autoencoder import published
from detector.collect import WORK, blob, git_folder
from detector.pictures import Item, Pictures, decode
from histories import FILTERS
from locate_files import FIELDS
from manipulate import KINDS, OFFERED, TRIES, edit, visible

LIVES = {"saved again": 0.4, "posted at 1600 px": 0.3, "scaled": 0.3}
MOST_PIXELS = 12.5e6
MOST_OF_A_SOURCE = 6
WINDOW = (0.3, 0.7)  # of the shorter side
WINDOW_PX = (320, 1400)


class Photographs:
    """Whole photographs of one part of the data, read from their repositories when they are drawn."""

    def __init__(self, pictures: Pictures, mirror: Path, part: str):
        self.mirror = mirror
        by = defaultdict(list)
        for item in pictures.items:
            if item.part == part and item.label == "real" and "view" in item.arrays:
                by[item.source].append(item)
        self.sources = [sorted(items, key=lambda item: item.key)[:MOST_OF_A_SOURCE] for items in by.values()]

    def draw(self, random: np.random.Generator) -> Item:
        group = self.sources[int(random.integers(len(self.sources)))]
        return group[int(random.integers(len(group)))]

    def read(self, item: Item) -> np.ndarray:
        rgb, _ = decode(blob(git_folder(self.mirror, item.source), item.key))
        factor = (MOST_PIXELS / (rgb.shape[0] * rgb.shape[1])) ** 0.5
        # A larger one is cut, not scaled: its own pixels and its block grid are what is looked at.
        height, width = (int(length * min(1, factor)) // 8 * 8 for length in rgb.shape[:2])
        return np.ascontiguousarray(rgb[:height, :width])


def pair(photographs: Photographs, trips, seed: int, cut: bool = False) -> tuple[str, np.ndarray, np.ndarray, np.ndarray, dict]:
    """@returns kind, changed and untouched uint8 [H,W,3], share uint8 [H,W] of what is new, and the options of the last save."""
    random = np.random.default_rng(seed)
    kind = str(random.choice(list(KINDS), p=list(KINDS.values())))
    for _ in range(TRIES):
        host_item = photographs.draw(random)
        host = photographs.read(host_item)
        donors = [photographs.draw(random) for _ in range(OFFERED)]
        donor_item = next((item for item in donors if item.source != host_item.source), None)
        shorter = min(host.shape[:2])
        if donor_item is None or shorter < 480:
            continue
        side = int(np.clip(shorter * random.uniform(*WINDOW), *WINDOW_PX)) // 8 * 8
        top, left = (int(random.integers((room - side) // 8 + 1)) * 8 for room in host.shape[:2])
        window = np.ascontiguousarray(host[top : top + side, left : left + side])
        donor = photographs.read(donor_item)
        if min(donor.shape[:2]) < side:
            continue
        donor_top, donor_left = (int(random.integers((room - side) // 8 + 1)) * 8 for room in donor.shape[:2])
        piece = edit(kind, window, np.ascontiguousarray(donor[donor_top : donor_top + side, donor_left : donor_left + side]), trips, random)
        if not visible(window, piece, kind):
            continue
        changed, share = host.copy(), np.zeros(host.shape[:2], np.uint8)
        changed[top : top + side, left : left + side] = piece.rgb
        share[top : top + side, left : left + side] = piece.share
        if cut:
            changed, host, share = around(side, top, left, random, changed, host, share)
        return kind, *live(changed, host, share, random)
    raise RuntimeError(f"No visible {kind} in {TRIES} tries with seed {seed}.")


def around(side: int, top: int, left: int, random: np.random.Generator, *layers: np.ndarray) -> list[np.ndarray]:
    """Cut to the window and a little beside it: a small picture of which much was changed."""
    height, width = (int(side * random.uniform(1, 1.6)) // 8 * 8 for _ in range(2))
    first = max(0, min(top - (height - side) // 16 * 8, layers[0].shape[0] - height))
    begin = max(0, min(left - (width - side) // 16 * 8, layers[0].shape[1] - width))
    return [np.ascontiguousarray(layer[first : first + height, begin : begin + width]) for layer in layers]


def live(changed: np.ndarray, twin: np.ndarray, share: np.ndarray, random: np.random.Generator):
    """The same later life for all three."""
    kind = str(random.choice(list(LIVES), p=list(LIVES.values())))
    longer = max(share.shape)
    factor = min(1, 1600 / longer) if kind == "posted at 1600 px" else random.uniform(0.35, 0.9) if kind == "scaled" else 1
    quality = int(random.integers(75, 91) if kind == "posted at 1600 px" else random.integers(70, 97))
    if factor < 1:
        size = (round(share.shape[1] * factor), round(share.shape[0] * factor))
        how = FILTERS[int(random.integers(len(FILTERS)))]
        changed, twin, share = (np.asarray(Image.fromarray(one).resize(size, how)) for one in (changed, twin, share))
    return changed, twin, share, {"quality": quality, "subsampling": 2 if random.random() < 0.65 else 0}


def write(photographs: Photographs, trips, folder: Path, count: int, cut: bool) -> None:
    """A pair that is there already is kept, so a run goes on; the index names what is complete."""
    folder.mkdir(parents=True, exist_ok=True)
    rows = []
    for number in range(count):
        names = [f"{number:04d}-{name}" for name in ("changed.jpg", "twin.jpg", "mask.png", "kind.txt")]
        if not (folder / names[3]).exists():
            kind, changed, twin, share, saved = pair(photographs, trips, number, cut)
            for name, rgb in zip(names, (changed, twin)):
                Image.fromarray(rgb).save(folder / name, "JPEG", **saved)
            Image.fromarray(share).save(folder / names[2])
            (folder / names[3]).write_text(kind)
        rows.append(dict(zip(FIELDS, (number, (folder / names[3]).read_text(), *names[:3]), strict=True)))
        with open(folder / "index.csv", "w", newline="") as out:
            table = csv.DictWriter(out, FIELDS, lineterminator="\n")
            table.writeheader()
            table.writerows(rows)


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--data", type=Path, required=True)
    options.add_argument("--mirror", type=Path, required=True, help="folder of bare repositories, owner+name/repo each")
    options.add_argument("--split", choices=("calibration", "val"), default="calibration")
    options.add_argument("--count", type=int, default=80)
    options.add_argument("--cut", action="store_true", help="to the surroundings of what was changed")
    options.add_argument("--out", type=Path, help="default: .work/locate/whole-SPLIT, cut-SPLIT")
    asked = options.parse_args()
    torch.set_num_threads(1)
    cv2.setNumThreads(1)
    photographs = Photographs(Pictures(WORK / "pictures"), asked.mirror, asked.split)
    out = asked.out or WORK / "locate" / f"{'cut' if asked.cut else 'whole'}-{asked.split}"
    write(photographs, [published(asked.data)], out, asked.count, asked.cut)


if __name__ == "__main__":
    main()
