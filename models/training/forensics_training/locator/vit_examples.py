"""Pairs of a changed picture and its untouched counterpart, made while the network of locate-2 trains.

Worker processes edit photographs from the archives of `locator-pack-hosts` and write the pairs into shared memory, overwriting the
oldest. Both pictures of a pair have the same history before the edit and after it.
"""

from __future__ import annotations

import ctypes
import io
import json
import mmap
import time
import traceback
import zipfile
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np
from PIL import Image

from forensics_training.degrade.codecs import FILTERS, Save, decode, encode, saved
from forensics_training.degrade.histories import draw_jpeg
from forensics_training.degrade.processing import process, to_uint8
from forensics_training.edits.documents import capture, draw_page, replace_words
from forensics_training.edits.drawings import draw_scene
from forensics_training.edits.in_place import removal, treatment, writing
from forensics_training.edits.paste import Edited, copy_move, splice
from forensics_training.edits.simulator import visible
from forensics_training.edits.today import regenerated, sign, sky
from forensics_training.locator.pairs import Made, table_of

# Height and width of finished pictures, and how often each is made. Few, because all the pictures in a batch have the same size.
SIZES = {(256, 384): 0.14, (384, 256): 0.1, (384, 512): 0.14, (512, 384): 0.1, (512, 512): 0.08, (576, 768): 0.16, (768, 576): 0.1, (768, 1024): 0.11, (1024, 768): 0.07}
KINDS = {"splice": 0.22, "copy-move": 0.13, "removal": 0.12, "treatment": 0.08, "regenerated": 0.1, "generated": 0.07, "writing": 0.03, "sign": 0.04, "sky": 0.03, "document": 0.18}
BEFORE_SAVED, PROCESSED, GRADED = 0.3, 0.15, 0.15  # probabilities of a save before the edit, of processing before it, of grading after it
HISTORIES = {"png": 0.15, "jpeg": 0.34, "messenger": 0.24, "twice": 0.15, "low": 0.05, "webp": 0.07}
WITHOUT_TABLE = 0.15  # share of the pairs shown without the table of the last save, as in screenshots
TRIES = 12
WHOLE = 0.5  # probability that the edit may be anywhere; otherwise it is smaller and inside a window
DRAWN = 0.04  # share of the hosts that are rendered scenes


class Hosts:
    """Photographs (and generated pictures) from all archives that exist by now."""

    def __init__(self, folder: Path):
        self.folder, self.seen, self.looked = folder, {}, 0.0
        self.by: dict[str, dict[str, list[tuple[Path, str]]]] = {"real": defaultdict(list), "ai-generated": defaultdict(list)}
        self.scenes: list[np.ndarray] = []
        self.look()

    def look(self) -> None:
        self.looked = time.time()
        for path in sorted(self.folder.glob("hosts-*.zip")):
            if path not in self.seen:
                self.seen[path] = zipfile.ZipFile(path)
                for row in json.loads(self.seen[path].read("index.json")):
                    self.by[row["label"]][row["source"]].append((path, row["name"]))
        self.sources = {label: list(groups.values()) for label, groups in self.by.items()}
        # Sources by the square root of their size.
        self.upto = {label: np.cumsum(np.sqrt([len(one) for one in groups])) for label, groups in self.sources.items()}

    def draw(self, label: str, random: np.random.Generator) -> tuple[Path, str]:
        upto = self.upto[label]
        group = self.sources[label][min(len(upto) - 1, int(np.searchsorted(upto, random.random() * upto[-1])))]
        return group[int(random.integers(len(group)))]

    def read(self, item: tuple[Path, str]) -> np.ndarray:
        return decode(self.seen[item[0]].read(item[1]))

    def again(self, item: tuple[Path, str]) -> np.ndarray | None:
        """The picture after an autoencoder, where that was made."""
        path = again_path(self.folder, item[1])
        return np.load(path, mmap_mode="r") if path.exists() else None

    def scene(self, random: np.random.Generator) -> np.ndarray:
        if len(self.scenes) < 4:
            self.scenes.append(draw_scene(768, random))
        return self.scenes[int(random.integers(len(self.scenes)))]


def again_path(folder: Path, name: str) -> Path:
    return folder / "again" / f"{name}.npy"


@dataclass(frozen=True)
class Pair(Made):
    table: np.ndarray  # float32 [64], as the network sees it


@dataclass(frozen=True)
class Window:
    """A region of a host at the size at which it is edited. `again`: the same after an autoencoder."""

    rgb: np.ndarray
    again: np.ndarray | None


def make_pair(hosts: Hosts, size: tuple[int, int], fonts: tuple[str, ...], random: np.random.Generator, kind: str | None = None) -> Pair:
    kind = kind or str(random.choice(list(KINDS), p=list(KINDS.values())))
    for _ in range(TRIES):
        window = draw_window(hosts, size, random)
        if window is None:
            continue
        seed = int(random.integers(2**31))
        before, again = (None if one is None else past(one, np.random.default_rng(seed)) for one in (window.rgb, window.again))
        piece = change(kind, before, again, hosts, fonts, random)
        if piece is not None:
            return finish(kind, piece[0], piece[1], size, random)
    raise RuntimeError(f"No visible {kind} in {TRIES} tries.")


def draw_window(hosts: Hosts, size: tuple[int, int], random: np.random.Generator) -> Window | None:
    if random.random() < DRAWN:
        rgb, again = hosts.scene(random), None
    else:
        item = hosts.draw("real", random)
        rgb = hosts.read(item)
        again = hosts.again(item) if random.random() < 0.3 else None
    most = min(rgb.shape[0] / size[0], rgb.shape[1] / size[1])
    if most < 1:
        return None
    reduced = float(np.exp(random.uniform(0, np.log(most)))) if random.random() < 0.7 else 1.0
    later = reduced ** random.random() if random.random() < 0.5 else 1.0  # how much of it comes after the edit
    high, wide = (min(room, int(length * reduced)) for length, room in zip(size, rgb.shape[:2], strict=True))
    step = 8 if random.random() < 0.7 else 1
    top, left = (int(random.integers((room - length) // step + 1)) * step for room, length in zip(rgb.shape[:2], (high, wide), strict=True))
    at_edit = tuple(max(length, round(length * later)) for length in size)
    layers = []
    for one in (rgb, again):
        one = None if one is None else np.ascontiguousarray(one[top : top + high, left : left + wide])
        layers.append(one if one is None or one.shape[:2] == at_edit else cv2.resize(one, at_edit[::-1], interpolation=cv2.INTER_AREA))
    return Window(*layers)


def past(rgb: np.ndarray, random: np.random.Generator) -> np.ndarray:
    if random.random() < PROCESSED:
        rgb = process(rgb, random)
    if random.random() < BEFORE_SAVED:
        rgb = saved(rgb, draw_jpeg((68, 98), random))
    return rgb


def change(kind: str, host: np.ndarray, again: np.ndarray | None, hosts: Hosts, fonts: tuple[str, ...], random: np.random.Generator) -> tuple[np.ndarray, Edited] | None:
    """The picture before the edit, and the edit; None if the change is invisible."""
    if kind == "document":
        height, width = host.shape[:2]
        page = draw_page(int(height * random.uniform(0.9, 1.1)), int(width * random.uniform(0.8, 1.1)), fonts, random)
        captured = capture(page, host, random)
        seed = int(random.integers(2**31))
        if random.random() < 0.6:  # saved by the camera before the edit
            quality = draw_jpeg((78, 98), np.random.default_rng(seed))
            captured = type(captured)(saved(captured.rgb, quality), captured.page, captured.motion)
        piece = replace_words(captured, fonts, random)
        seen = np.abs(piece.rgb.astype(np.int16) - captured.rgb).max(2)[piece.share > 127]
        return (captured.rgb, piece) if seen.size > 12 and np.mean(seen > 12) > 0.03 else None
    part = 1.0 if random.random() < WHOLE else random.uniform(0.4, 1)
    high, wide = (int(length * part) // 8 * 8 for length in host.shape[:2])
    top, left = (int(random.integers((room - length) // 8 + 1)) * 8 for room, length in zip(host.shape[:2], (high, wide), strict=True))
    if kind == "sky":
        top = 0
    box = (slice(top, top + high), slice(left, left + wide))
    inside = np.ascontiguousarray(host[box])
    donor = None
    if kind in ("splice", "generated", "sky"):
        other = hosts.read(hosts.draw("ai-generated" if kind == "generated" else "real", random))
        factor = max(high / other.shape[0], wide / other.shape[1])
        if factor > 1:
            other = cv2.resize(other, None, fx=factor * 1.001, fy=factor * 1.001, interpolation=cv2.INTER_CUBIC)
        y, x = (int(random.integers(room - length + 1)) for room, length in zip(other.shape[:2], (high, wide), strict=True))
        donor = past(np.ascontiguousarray(other[y : y + high, x : x + wide]), random)
    piece = edit_window(kind, inside, None if again is None else np.ascontiguousarray(again[box]), donor, fonts, random)
    if not visible(inside, piece, "writing" if kind in ("writing", "sign") else "repaint" if kind == "generated" else "treatment" if kind in ("regenerated", "sky") else kind):
        return None
    after, share = host.copy(), np.zeros(host.shape[:2], np.uint8)
    after[box], share[box] = piece.rgb, piece.share
    return host, Edited(after, share, share, piece.how)


def edit_window(kind: str, host: np.ndarray, again: np.ndarray | None, donor: np.ndarray | None, fonts: tuple[str, ...], random: np.random.Generator) -> Edited:
    if kind in ("splice", "generated"):
        return harmonised(splice(host, donor, random), host, random)
    if kind == "sky":
        return sky(host, donor, random)
    if kind == "regenerated":
        return regenerated(host, again, random)
    if kind == "sign":
        return sign(host, fonts, random)
    return {"copy-move": copy_move, "removal": removal, "treatment": treatment, "writing": writing}[kind](host, random)


def harmonised(piece: Edited, host: np.ndarray, random: np.random.Generator) -> Edited:
    """Adds blur or noise to half of the splices, as someone hiding them would."""
    if random.random() < 0.5:
        return piece
    part = piece.share.astype(np.float32)[..., None] / 255
    if random.random() < 0.5:
        softer = cv2.GaussianBlur(piece.rgb, (0, 0), random.uniform(0.4, 1))
    else:
        softer = to_uint8(piece.rgb + random.standard_normal(host.shape, np.float32) * random.uniform(1, 5))
    return Edited(to_uint8(piece.rgb * (1 - part) + softer * part), piece.share, piece.origin, piece.how)


def finish(kind: str, before: np.ndarray, piece: Edited, size: tuple[int, int], random: np.random.Generator) -> Pair:
    """Gives both the same later history."""
    history = str(random.choice(list(HISTORIES), p=list(HISTORIES.values())))
    filtered, graded, seed = int(random.integers(len(FILTERS))), random.random() < GRADED, int(random.integers(2**31))
    first, last, shift = draw_jpeg((65, 97), random), draw_save(history, random), random.integers(0, 8, 2) if random.random() < 0.3 else (0, 0)
    files, share = [], piece.share
    if share.shape != size:
        share = np.asarray(Image.fromarray(share).resize(size[::-1], Image.Resampling.BOX))
    for rgb in (piece.rgb, before):
        if rgb.shape[:2] != size:
            rgb = np.asarray(Image.fromarray(rgb).resize(size[::-1], FILTERS[filtered]))
        if graded:
            rgb = grade(rgb, np.random.default_rng(seed))
        if history == "twice":
            top, left = shift
            moved = cv2.copyMakeBorder(rgb, top, 0, left, 0, cv2.BORDER_REFLECT_101)
            rgb = np.ascontiguousarray(saved(moved, first)[top:, left:])
        files.append(encode(np.ascontiguousarray(rgb), last))
    table = np.zeros(64, np.float32)
    if last.format == "jpeg" and random.random() >= WITHOUT_TABLE:
        with Image.open(io.BytesIO(files[0])) as picture:
            table = table_of(picture)
    return Pair(kind, (files[0], files[1]), np.ascontiguousarray(share), table)


def draw_save(history: str, random: np.random.Generator) -> Save:
    if history == "png":
        return Save("png")
    if history == "webp":
        return Save("webp", int(random.integers(60, 96)))
    if history == "messenger":
        return Save("jpeg", int(random.integers(70, 81)), True)
    return draw_jpeg((50, 70) if history == "low" else (75, 99), random)


def grade(rgb: np.ndarray, random: np.random.Generator) -> np.ndarray:
    """Editing of the whole picture: tones, colours, sharpness or noise reduction."""
    value = rgb.astype(np.float32)
    if random.random() < 0.7:
        value = 255 * (value / 255) ** random.uniform(0.75, 1.3) * random.uniform(0.94, 1.06, 3).astype(np.float32)
        grey = value.mean(2, keepdims=True)
        value = grey + (value - grey) * (0 if random.random() < 0.08 else random.uniform(0.6, 1.5))
        value = (value - 128) * random.uniform(0.85, 1.25) + 128
    if random.random() < 0.3:
        value += (value - cv2.GaussianBlur(value, (0, 0), random.uniform(0.8, 2))) * random.uniform(0.3, 1.2)
    elif random.random() < 0.25:
        value = cv2.bilateralFilter(np.clip(value, 0, 255), 5, random.uniform(8, 25), 3)
    return to_uint8(value)


class Pool:
    """Finished pairs by size, in memory shared by the forked processes. `ready` counts how often a slot was written."""

    def __init__(self, megabytes: int, workers: int):
        self.workers, self.made = workers, shared((workers,), np.int64)
        self.rgb, self.share, self.table, self.ready = {}, {}, {}, {}
        for size, part in SIZES.items():
            pixels = size[0] * size[1]
            count = max(2, int(megabytes * 1e6 * part / (7 * pixels) / workers)) * workers
            self.rgb[size] = shared((count, 2, *size, 3), np.uint8)
            self.share[size] = shared((count, *size), np.uint8)
            self.table[size] = shared((count, 64), np.float32)
            self.ready[size] = shared((count,), np.int64)

    def write(self, size: tuple[int, int], place: int, pair: Pair) -> None:
        pictures = [decode(file) for file in pair.files]
        if any(one.shape[:2] != size for one in pictures):
            return
        times, self.ready[size][place] = int(self.ready[size][place]), 0
        self.rgb[size][place] = pictures
        self.share[size][place], self.table[size][place] = pair.share, pair.table
        self.ready[size][place] = times + 1

    def draw(self, pixels: float, random: np.random.Generator) -> tuple[np.ndarray, ...] | None:
        """A batch of about `pixels` pixels, counting both pictures of each pair: rgb [2N,H,W,3] (changed ones first), share [N,H,W], table [2N,64]."""
        size = list(SIZES)[int(random.choice(len(SIZES), p=list(SIZES.values())))]
        ready, count = np.flatnonzero(self.ready[size]), max(1, int(pixels / (2 * size[0] * size[1])))
        if len(ready) < min(count, len(self.ready[size]) // 4 + 1):
            return None
        chosen = random.choice(ready, count, replace=len(ready) < count)
        rgb, share, table = self.rgb[size][chosen], self.share[size][chosen], self.table[size][chosen]
        return np.concatenate([rgb[:, 0], rgb[:, 1]]), share, np.concatenate([table, table])


def shared(shape: tuple[int, ...], kind: type) -> np.ndarray:
    length = int(np.prod(shape)) * np.dtype(kind).itemsize
    return np.frombuffer(mmap.mmap(-1, max(1, length)), kind).reshape(shape)


def work(pool: Pool, folder: Path, fonts: tuple[str, ...], number: int, seed: int) -> None:
    """Makes pairs until the parent ends."""
    ctypes.CDLL(None).prctl(1, 9)  # PR_SET_PDEATHSIG: killed when the parent ends
    cv2.setNumThreads(1)
    random, hosts, turn = np.random.default_rng([seed, number]), Hosts(folder), defaultdict(int)
    sizes, chances, failed = list(SIZES), list(SIZES.values()), 0
    while True:
        if time.time() - hosts.looked > 10:
            hosts.look()
        if not hosts.sources["real"]:
            time.sleep(1)
            continue
        size = sizes[int(random.choice(len(sizes), p=chances))]
        try:
            pair = make_pair(hosts, size, fonts, random)
        except Exception:  # usually a shape or page with nothing to change; nobody would notice if the worker ended
            failed += 1
            if failed in (1, 10, 100):
                print(f"worker {number}, {failed} tries failed: {traceback.format_exc(limit=-2)}", flush=True)
            continue
        mine = len(pool.ready[size]) // pool.workers
        pool.write(size, number + pool.workers * (turn[size] % mine), pair)
        turn[size] += 1
        pool.made[number] += 1
