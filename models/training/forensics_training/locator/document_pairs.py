"""Pairs of documents with replaced words, for the network that reads documents. An interrupted run continues where it stopped.

Drawn pages on photographs of the data folder, or, with `--mirror`, the real documents of `sources/documents.csv`. Pair number n of a split
is always the same.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import cv2
import numpy as np

from forensics_training import WORK
from forensics_training.data.collect import SOURCES, blob, git_folder, read
from forensics_training.data.crops import list_crops
from forensics_training.degrade.codecs import decode, saved
from forensics_training.degrade.histories import draw_jpeg
from forensics_training.edits.documents import capture, draw_page, fonts_in, replace_found_words, replace_words
from forensics_training.edits.paste import Edited
from forensics_training.locator.pairs import FIRST, SHARD, stored_pairs, write_shard
from forensics_training.locator.vit_examples import BEFORE_SAVED, Pair, finish

SIDES = (384, 512, 640, 768)  # px, of a finished square
VISIBLE = 0.03  # share of the painted area that must differ by more than 12 grey levels
TRIES = 40


class Documents:
    """Real documents of one split, by repository. @param mirror folder of repositories, each at owner+name/repo; missing ones are skipped"""

    def __init__(self, mirror: Path, split: str, listed: Path = SOURCES.with_name("documents.csv")):
        self.sources: dict[str, list[tuple[Path, str]]] = {}
        for row in read(listed):
            git = git_folder(mirror, row["repo"])
            if row["split"] == split and git.exists():
                self.sources.setdefault(row["repo"], []).append((git, row["blob_sha"]))
        self.decoded: dict[str, np.ndarray] = {}

    def draw(self, random: np.random.Generator) -> np.ndarray:
        files = self.sources[str(random.choice(sorted(self.sources)))]
        git, name = files[int(random.integers(len(files)))]
        if name not in self.decoded:
            self.decoded[name] = decode(blob(git, name))
        return self.decoded[name]


def make_pair(hosts: list[Path] | Documents, fonts: tuple[str, ...], random: np.random.Generator) -> Pair:
    """@param hosts photographs for drawn pages to lie on, or real documents
    @raises RuntimeError if no try makes a visible change"""
    for _ in range(TRIES):
        side = int(random.choice(SIDES))
        made = real(hosts, side, fonts, random) if isinstance(hosts, Documents) else drawn(hosts, side, fonts, random)
        if made is None:
            continue
        before, piece = made
        if is_visible(before, piece):
            return finish("document", before, piece, (side, side), random)
    raise RuntimeError(f"No visible change in {TRIES} tries.")


def drawn(grounds: list[Path], side: int, fonts: tuple[str, ...], random: np.random.Generator) -> tuple[np.ndarray, Edited]:
    at_edit = int(side * (random.uniform(1, 1.8) if random.random() < 0.4 else 1))
    ground = cv2.resize(decode(grounds[int(random.integers(len(grounds)))].read_bytes()), (at_edit, at_edit), interpolation=cv2.INTER_AREA)
    page = draw_page(int(at_edit * random.uniform(0.9, 1.6)), int(at_edit * random.uniform(0.8, 1.5)), fonts, random)
    captured = capture(page, ground, random)
    if random.random() < 0.6:  # saved by the camera
        captured = type(captured)(saved(captured.rgb, draw_jpeg((78, 98), random)), captured.page, captured.motion)
    return captured.rgb, replace_words(captured, fonts, random)


def real(documents: Documents, side: int, fonts: tuple[str, ...], random: np.random.Generator) -> tuple[np.ndarray, Edited] | None:
    rgb = documents.draw(random)
    most = min(rgb.shape[:2]) / side
    if most < 1:
        return None
    reduced = float(np.exp(random.uniform(0, np.log(min(most, 3))))) if random.random() < 0.5 else 1.0
    length = min(int(side * reduced), *rgb.shape[:2])
    step = 8 if random.random() < 0.7 else 1
    top, left = (int(random.integers((room - length) // step + 1)) * step for room in rgb.shape[:2])
    window = np.ascontiguousarray(rgb[top : top + length, left : left + length])
    later = random.random() < 0.5  # scaled down after the edit
    if length != side and not later:
        window = cv2.resize(window, (side, side), interpolation=cv2.INTER_AREA)
    if random.random() < BEFORE_SAVED:
        window = saved(window, draw_jpeg((68, 98), random))
    piece = replace_found_words(window, fonts, random)
    return None if piece is None else (window, piece)


def is_visible(before: np.ndarray, piece: Edited) -> bool:
    seen = np.abs(piece.rgb.astype(np.int16) - before).max(2)[piece.share > 127]
    return seen.size > 12 and bool(np.mean(seen > 12) > VISIBLE)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--work", type=Path, default=WORK)
    parser.add_argument("--mirror", type=Path, help="folder of repositories; real documents instead of drawn ones")
    parser.add_argument("--fonts", type=Path, help="folder of fonts; the last sixth by name is for calibration")
    parser.add_argument("--split", choices=("train", "calibration", "val"), default="train")
    parser.add_argument("--count", type=int, default=4000)
    args = parser.parse_args()
    cv2.setNumThreads(1)
    photographs = [args.data / file for file, split, is_fake, *_ in list_crops(args.data) if split == args.split and not is_fake]
    hosts = Documents(args.mirror, args.split) if args.mirror else photographs
    fonts = fonts_in(args.fonts)
    cut = len(fonts) * 5 // 6
    fonts = (fonts[:cut] if args.split == "train" else fonts[cut:]) or fonts
    folder = args.work / "locate" / f"pairs-{'real' if args.mirror else 'drawn'}-documents-{args.split}"
    folder.mkdir(parents=True, exist_ok=True)
    for shard in range(-(-args.count // SHARD)):
        path, first = folder / f"{shard:04d}", shard * SHARD
        wanted = min(SHARD, args.count - first)
        if stored_pairs(path) < wanted:
            write_shard(path, [make_pair(hosts, fonts, np.random.default_rng([FIRST[args.split], first + at])) for at in range(wanted)])
            print(f"shard {shard + 1}", flush=True)
