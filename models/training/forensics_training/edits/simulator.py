"""Simulated manipulations with exact masks, each with its untouched counterpart, from real training crops.

Both pictures of a pair come from one host with one history before the edit and one after it, so the file does not reveal the label.
Donors are real pictures of the same split; only a repainted region may come from a generated picture.
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
from forensics_training.data.crops import Crop, Crops, draw_weights, open_crops
from forensics_training.degrade.codecs import decode
from forensics_training.degrade.histories import Future, Past, apply_future, apply_past, draw_future, draw_past
from forensics_training.edits.autoencoder import RoundTrip, published
from forensics_training.edits.family import STEPS, open_family
from forensics_training.edits.in_place import removal, repaint, treatment, writing
from forensics_training.edits.paste import Edited, copy_move, splice

KINDS = {"splice": 0.24, "copy-move": 0.2, "removal": 0.16, "treatment": 0.1, "writing": 0.06, "repaint": 0.24}
SPLITS = ("train", "calibration")  # never val, which only measures
AREA, AREA_OF_WRITING = (0.006, 0.45), (0.003, 0.4)  # changed share of the picture
VISIBLE = 1.5  # grey levels, mean absolute difference over the region: below it nobody could be asked to find the change
FLAT = 2.0  # grey levels, standard deviation inside the region: a patch of white paper carries no trace of its origin
TRIES = 40
OFFERED = 6  # donors to choose the most similar from


@dataclass(frozen=True)
class Sample:
    """One finished file. `share` uint8 [H,W]: 0 untouched .. 255 new; `origin`: where a copy was taken from, else 0."""

    kind: str  # one of KINDS, or 'authentic'
    how: str  # a description for the contact sheet
    file: bytes
    share: np.ndarray
    origin: np.ndarray
    sources: tuple[str, ...]  # files of the data folder it was made from
    past: Past
    future: Future

    @cached_property
    def rgb(self) -> np.ndarray:
        """uint8 [H,W,3], as decoded from `file`."""
        return decode(self.file)

    @property
    def mask(self) -> np.ndarray:
        return self.share > 127


class Pool:
    """Crops of one class, sampled by `draw_weights`."""

    def __init__(self, items: list[Crop]):
        self.items, self.weights = items, draw_weights(items)

    def draw(self, random: np.random.Generator) -> Crop:
        return self.items[int(random.choice(len(self.items), p=self.weights))]


class Simulator:
    """Draws pairs of one split. The same crops, autoencoders and seed give the same bytes on one machine with the same codecs."""

    def __init__(self, pictures: Crops, autoencoders: Sequence[RoundTrip], split: str = "train"):
        if split not in SPLITS:
            raise ValueError(f"Samples are made of {' or '.join(SPLITS)} pictures, never of {split}.")
        items = pictures.of(split)
        self.pictures, self.autoencoders = pictures, autoencoders
        self.real, self.generated = (Pool([item for item in items if item.fake is fake]) for fake in (False, True))

    def pair(self, seed: int, kind: str | None = None) -> tuple[Sample, Sample]:
        """A manipulated picture and its untouched counterpart.

        @param kind one of KINDS, drawn by their weights when None
        """
        random = np.random.default_rng(seed)
        kind = kind or str(random.choice(list(KINDS), p=list(KINDS.values())))
        for _ in range(TRIES):
            host = self.real.draw(random)
            donor = self.draw_donor(host, self.generated if kind == "repaint" else self.real, random)
            past, future = draw_past(host.quality, random), draw_future(random)
            before = apply_past(self.pictures.read(host), past)
            other = apply_past(self.pictures.read(donor), draw_past(donor.quality, random))
            piece = edit(kind, before, other, self.autoencoders, random)
            if host.file != donor.file and visible(before, piece, kind):
                sources = (host.file, donor.file) if kind in ("splice", "repaint") else (host.file,)
                untouched = Edited(before, np.zeros_like(piece.share), np.zeros_like(piece.share), "untouched")
                changed = sample(kind, piece, sources, past, future)
                return changed, sample("authentic", untouched, sources[:1], past, future)
        raise RuntimeError(f"No visible {kind} in {TRIES} tries with seed {seed}: are the pictures flat?")

    def draw_donor(self, host: Crop, pool: Pool, random: np.random.Generator) -> Crop:
        """Half of the time the one of several donors whose mean colour is nearest to the host's: colour alone must not reveal the region."""
        offered = [pool.draw(random) for _ in range(OFFERED)]
        if random.random() < 0.5:
            return offered[0]
        wanted = self.colours(host)
        return min(offered, key=lambda item: np.inf if item == host else np.abs(self.colours(item) - wanted).sum())

    def colours(self, item: Crop) -> np.ndarray:
        return self.pictures.read(item)[::16, ::16].mean(axis=(0, 1))


def edit(
    kind: str, host: np.ndarray, donor: np.ndarray, autoencoders: Sequence[RoundTrip], random: np.random.Generator
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
        return repaint(host, donor, autoencoders, random)
    raise ValueError(f"Unknown kind {kind}: one of {', '.join(KINDS)}.")


def visible(before: np.ndarray, piece: Edited, kind: str) -> bool:
    """Whether size of the region and strength of the change could be asked of an examiner. Excludes copies that mostly cover their own source."""
    mask = piece.share > 127
    least, most = AREA_OF_WRITING if kind == "writing" else AREA
    if not least <= mask.mean() <= most or (mask & (piece.origin > 0)).sum() > 0.3 * mask.sum():
        return False
    inside = piece.rgb[mask].astype(np.float32)
    if kind in ("splice", "copy-move", "repaint") and inside.std(axis=0).max() < FLAT:
        return False
    return float(np.abs(inside - before[mask]).mean()) >= VISIBLE


def sample(kind: str, piece: Edited, sources: tuple[str, ...], past: Past, future: Future) -> Sample:
    file, marks = apply_future(piece.rgb, np.dstack([piece.share, piece.origin]), future)
    share, origin = np.ascontiguousarray(marks[..., 0]), np.ascontiguousarray(marks[..., 1])
    return Sample(kind, piece.how, file, share, origin, sources, past, future)


def sheet(samples: Sequence[Sample], columns: int = 6, side: int = 200) -> np.ndarray:
    """Contact sheet uint8 RGB: each sample above its mask (white: new, grey: source of a copy) and its description."""
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
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--work", type=Path, default=WORK)
    parser.add_argument("--count", type=int, default=24)
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    torch.set_num_threads(1)
    cv2.setNumThreads(1)
    pictures = open_crops(args.data, args.work)
    simulator = Simulator(pictures, [published(args.data), *open_family(pictures, args.work, STEPS, 20)])
    samples, seconds = [], []
    for seed in range(args.seed, args.seed + args.count):
        began = time.process_time()
        samples.append(simulator.pair(seed)[0])
        seconds.append(time.process_time() - began)
    slow = np.quantile(seconds, 0.95)
    print(f"{len(samples)} pairs: {np.mean(seconds):.3f} s of one core in the mean, 95 % below {slow:.3f} s")
    cv2.imwrite(str(args.work / "manipulated.png"), cv2.cvtColor(sheet(samples), cv2.COLOR_RGB2BGR))
