"""Manipulated pictures with exact masks, and their untouched twins, made from real training crops:
python manipulate.py --data DIR [--count 24] (draws, measures the time and writes a contact sheet to .work/)

A sample and its twin come from one host, which had one past before the edit and has one future after it: the file does
not tell the label. Donors are real pictures of the same split; only a repainted region may come from a generated one.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import cv2
import numpy as np
import torch

from forensics_training import WORK
from forensics_training.data.crops import Item, Pictures, draw_weights, open_pictures
from forensics_training.degrade.histories import Future, Past, decode, draw_future, draw_past, finish, live_through
from forensics_training.edits.autoencoder import Trip, published
from forensics_training.edits.family import STEPS, open_family
from forensics_training.edits.in_place import removal, repaint, treatment, writing
from forensics_training.edits.paste import Edited, copy_move, splice

KINDS = {"splice": 0.24, "copy-move": 0.2, "removal": 0.16, "treatment": 0.1, "writing": 0.06, "repaint": 0.24}
AI_KINDS = frozenset({"repaint"})
SPLITS = ("train", "calibration")  # never val: pictures of val only measure
CHANGED = {"writing": (0.003, 0.4)}  # share of the picture; other kinds: USUAL
USUAL = (0.006, 0.45)
SEEN = 1.5  # levels of 255, mean over the region: less is no change that anybody could be asked to find
FLAT = 2.0  # levels, deviation inside the region: a piece of white paper carries no trace of where it came from
TRIES = 40
OFFERED = 6  # donors to choose the most alike from


@dataclass(frozen=True)
class Sample:
    """One finished file. `share` uint8 [H,W]: 0 untouched .. 255 new; `origin`: where a copy came from, else 0."""

    kind: str  # one of KINDS, or 'authentic'
    how: str  # in words, for a sheet and for figures by method
    file: bytes
    share: np.ndarray
    origin: np.ndarray
    sources: tuple[str, ...]  # files of the data folder that it was made from
    past: Past
    future: Future

    @cached_property
    def rgb(self) -> np.ndarray:
        """uint8 [H,W,3], as decoded from `file`."""
        return decode(self.file)

    @property
    def mask(self) -> np.ndarray:
        return self.share > 127

    @property
    def label(self) -> str:
        if self.kind == "authentic":
            return "real"
        return "ai-manipulated" if self.kind in AI_KINDS else "manipulated"


class Pool:
    """Pictures of one class, drawn so that no large source drowns the small ones."""

    def __init__(self, items: list[Item]):
        self.items, self.weights = items, draw_weights(items)

    def draw(self, random: np.random.Generator) -> Item:
        return self.items[int(random.choice(len(self.items), p=self.weights))]


class Simulator:
    """Draws samples of one split. Same pictures, trips and seed: same bytes, on one machine with the same codecs."""

    def __init__(self, pictures: Pictures, trips: Sequence[Trip], split: str = "train"):
        if split not in SPLITS:
            raise ValueError(f"Samples are made of {' or '.join(SPLITS)} pictures, never of {split}.")
        items = pictures.of(split)
        self.pictures, self.trips = pictures, trips
        self.real, self.generated = (Pool([item for item in items if item.fake is fake]) for fake in (False, True))

    def pair(self, seed: int, kind: str | None = None) -> tuple[Sample, Sample]:
        """A manipulated picture and its twin; `kind`: one of KINDS, drawn by their weights when None."""
        random = np.random.default_rng(seed)
        kind = kind or str(random.choice(list(KINDS), p=list(KINDS.values())))
        for _ in range(TRIES):
            host = self.real.draw(random)
            donor = self.draw_donor(host, self.generated if kind == "repaint" else self.real, random)
            past, future = draw_past(host.quality, random), draw_future(random)
            before = live_through(self.pictures.read(host), past)
            other = live_through(self.pictures.read(donor), draw_past(donor.quality, random))
            piece = edit(kind, before, other, self.trips, random)
            if host.file != donor.file and visible(before, piece, kind):
                sources = (host.file, donor.file) if kind in ("splice", "repaint") else (host.file,)
                untouched = Edited(before, np.zeros_like(piece.share), np.zeros_like(piece.share), "untouched")
                changed = sample(kind, piece, sources, past, future)
                return changed, sample("authentic", untouched, sources[:1], past, future)
        raise RuntimeError(f"No visible {kind} in {TRIES} tries with seed {seed}: are the pictures flat?")

    def draw_donor(self, host: Item, pool: Pool, random: np.random.Generator) -> Item:
        """Every second time that of several whose mean colours come nearest to the host's.

        Somebody who means to deceive chooses well, and colours alone must not give the region away.
        """
        offered = [pool.draw(random) for _ in range(OFFERED)]
        if random.random() < 0.5:
            return offered[0]
        wanted = self.colours(host)
        return min(offered, key=lambda item: np.inf if item == host else np.abs(self.colours(item) - wanted).sum())

    def colours(self, item: Item) -> np.ndarray:
        return self.pictures.read(item)[::16, ::16].mean(axis=(0, 1))


def edit(
    kind: str, host: np.ndarray, donor: np.ndarray, trips: Sequence[Trip], random: np.random.Generator
) -> Edited:
    """`host` after one edit of `kind`. `donor`: generated for 'repaint', real for 'splice', unused by the others."""
    if kind == "splice":
        return splice(host, donor, random)
    if kind == "copy-move":
        return copy_move(host, random)
    if kind == "removal":
        return removal(host, random)
    if kind == "treatment":
        return treatment(host, random)
    if kind == "writing":
        return writing(host, random)
    if kind == "repaint":
        return repaint(host, donor, trips, random)
    raise ValueError(f"Unknown kind {kind}: one of {', '.join(KINDS)}.")


def visible(before: np.ndarray, piece: Edited, kind: str) -> bool:
    """Whether the region is of a size, and the change of a strength, that an examiner could be asked for.

    A copy that mostly covers what it was copied from is none either.
    """
    mask = piece.share > 127
    least, most = CHANGED.get(kind, USUAL)
    if not least <= mask.mean() <= most or (mask & (piece.origin > 0)).sum() > 0.3 * mask.sum():
        return False
    inside = piece.rgb[mask].astype(np.float32)
    if kind in ("splice", "copy-move", "repaint") and inside.std(axis=0).max() < FLAT:
        return False
    return float(np.abs(inside - before[mask]).mean()) >= SEEN


def sample(kind: str, piece: Edited, sources: tuple[str, ...], past: Past, future: Future) -> Sample:
    file, marks = finish(piece.rgb, np.dstack([piece.share, piece.origin]), future)
    share, origin = np.ascontiguousarray(marks[..., 0]), np.ascontiguousarray(marks[..., 1])
    return Sample(kind, piece.how, file, share, origin, sources, past, future)


def sheet(samples: Sequence[Sample], columns: int = 6, side: int = 200) -> np.ndarray:
    """uint8 RGB: each sample above its mask (white: new, grey: where a copy came from), its words below."""
    cells = []
    for one in samples:
        cell = np.full((2 * side + 18, side, 3), 255, np.uint8)
        marks = np.maximum(one.share, one.origin // 3)
        for top, layer in ((0, one.rgb), (side, np.repeat(marks[..., None], 3, axis=2))):
            factor = side / max(layer.shape[:2])
            small = cv2.resize(layer, None, fx=factor, fy=factor, interpolation=cv2.INTER_AREA)[:side, :side]
            cell[top : top + small.shape[0], : small.shape[1]] = small
        words, place = f"{one.kind}: {one.how}"[:44], (1, 2 * side + 12)
        cv2.putText(cell, words, place, cv2.FONT_HERSHEY_SIMPLEX, 0.27, (0, 0, 0), 1, cv2.LINE_AA)
        cells.append(cell)
    while len(cells) % columns:
        cells.append(np.full_like(cells[0], 255))
    return np.vstack([np.hstack(cells[row : row + columns]) for row in range(0, len(cells), columns)])


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--data", type=Path, required=True)
    options.add_argument("--work", type=Path, default=WORK)
    options.add_argument("--count", type=int, default=24)
    options.add_argument("--seed", type=int, default=1)
    asked = options.parse_args()
    torch.set_num_threads(1)
    cv2.setNumThreads(1)
    pictures = open_pictures(asked.data, asked.work)
    simulator = Simulator(pictures, [published(asked.data), *open_family(pictures, asked.work, STEPS, 20)])
    samples, seconds = [], []
    for seed in range(asked.seed, asked.seed + asked.count):
        began = time.process_time()
        samples.append(simulator.pair(seed)[0])
        seconds.append(time.process_time() - began)
    slow = np.quantile(seconds, 0.95)
    print(f"{len(samples)} pairs: {np.mean(seconds):.3f} s of one core in the mean, 95 % below {slow:.3f} s")
    cv2.imwrite(str(asked.work / "manipulated.png"), cv2.cvtColor(sheet(samples), cv2.COLOR_RGB2BGR))


if __name__ == "__main__":
    main()
