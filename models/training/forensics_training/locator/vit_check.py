"""Pictures that monitor a run of locate-2: simulated changes in photographs from other sources, and the research sets.

`locator-pack-check --data DATA --hosts FOLDER --fonts FOLDER --out check.zip` packs them: files as they are, masks as PNG, `index.json`.
Nothing is fitted on any of them.
"""

from __future__ import annotations

import argparse
import csv
import io
import json
import zipfile
from collections import defaultdict
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np
import torch
from PIL import Image
from torch.nn import functional

from forensics_training.data.pictures import scaled
from forensics_training.degrade.codecs import Save, encode
from forensics_training.edits.documents import fonts_in
from forensics_training.locator.pairs import reading
from forensics_training.locator.vit_examples import KINDS, SIZES, Hosts, make_pair
from forensics_training.locator.vit_network import VIEW_PX, VitLocator
from forensics_training.runtime.metrics import auc

LONGER = 1024
LEVELS = 64
BATCH = 12
LARGEST = 250_000  # bytes of a simulated file


@dataclass(frozen=True)
class Watched:
    group: str  # simulated | document | research | research, JPEG 75
    changed: bool
    rgb: np.ndarray
    table: np.ndarray
    mask: np.ndarray  # bool


def pack(data: Path, hosts: Hosts, fonts: tuple[str, ...], pairs: int, out: Path) -> None:
    index: list[dict] = []
    with zipfile.ZipFile(out, "w") as file:

        def add(group: str, changed: bool, picture: bytes, mask: np.ndarray | None) -> None:
            name = f"{len(index):04d}"
            file.writestr(name, picture)
            if changed:
                file.writestr(f"{name}.png", cv2.imencode(".png", (mask > 127).astype(np.uint8) * 255)[1].tobytes())
            index.append({"name": name, "group": group, "changed": changed})

        with open(data / "manipulated" / "manifest.csv", newline="") as rows:
            for row in csv.DictReader(rows):
                picture, changed = (data / row["file"]).read_bytes(), row["label"] != "real"
                mask = np.asarray(Image.open(data / row["mask"]).convert("L")) if changed else None
                if max(int(row["width"]), int(row["height"])) > LONGER:
                    rgb = reading(picture).rgb
                    factor = LONGER / max(rgb.shape[:2])
                    picture, mask = encode(scaled(rgb, factor), Save("png")), None if mask is None else scaled(mask, factor)
                add("research", changed, picture, mask)
        number = seed = 0
        while number < pairs:
            random = np.random.default_rng([7, seed])
            seed += 1
            kind = list(KINDS)[int(random.choice(len(KINDS), p=list(KINDS.values())))]
            size = list(SIZES)[int(random.choice(len(SIZES), p=list(SIZES.values())))]
            try:
                pair = make_pair(hosts, size, fonts, random, kind)
            except (RuntimeError, ValueError, cv2.error, IndexError):
                continue
            if max(map(len, pair.files)) <= LARGEST:
                group = "document" if kind == "document" else "simulated"
                add(group, True, pair.files[0], pair.share)
                add(group, False, pair.files[1], None)
                number += 1
        file.writestr("index.json", json.dumps(index))


def read(path: Path) -> list[Watched]:
    """The pictures in an archive; those of the research sets also after JPEG 75."""
    with zipfile.ZipFile(path) as file:
        index = json.loads(file.read("index.json"))
        stored = [(row, file.read(row["name"]), file.read(f"{row['name']}.png") if row["changed"] else None) for row in index]
    with ThreadPoolExecutor(8) as threads:
        return [one for found in threads.map(lambda args: watched(*args), stored) for one in found]


def watched(row: dict, data: bytes, mask: bytes | None) -> list[Watched]:
    first = reading(data)
    marked = np.zeros(first.rgb.shape[:2], bool) if mask is None else np.asarray(Image.open(io.BytesIO(mask))) > 127
    files = {row["group"]: first}
    if row["group"] == "research":
        files["research, JPEG 75"] = reading(encode(first.rgb, Save("jpeg", 75, True)))
    return [Watched(group, row["changed"], one.rgb, one.table, marked) for group, one in files.items()]


@torch.no_grad()
def figures(model: VitLocator, pictures: list[Watched], device: torch.device, longer: int = VIEW_PX) -> dict[str, dict[str, float]]:
    """For each group: mean F1 of the changed pictures at each picture's best level and at 0.5; AUC of the score; share of changed pictures
    that score above 98 % of the untouched ones; and the mean share of an untouched picture that is marked."""
    model.eval()
    seen = defaultdict(lambda: ([], [], [], [], []))  # best F1, F1 at 0.5, scores of changed and of untouched pictures, marked share
    for batch in batches(pictures):
        rgb, table = (torch.from_numpy(np.stack([getattr(one, name) for one in batch])).to(device) for name in ("rgb", "table"))
        with mixed_on(device):
            found = model(rgb, table, longer)
        height, width = rgb.shape[1:3]
        maps = functional.interpolate(found.changed.float(), scale_factor=4.0, mode="bilinear", align_corners=False)[:, 0, :height, :width]
        for one, logits, score in zip(batch, torch.sigmoid(maps), found.score.float().tolist(), strict=True):
            best, half, changed, untouched, marked = seen[one.group]
            if one.changed:
                values = f1_by_level(logits, torch.from_numpy(one.mask).to(device))
                best.append(float(values.max())), half.append(float(values[LEVELS // 2])), changed.append(score)
            else:
                untouched.append(score), marked.append(float((logits > 0.5).float().mean()))
    result = {}
    for group, (best, half, changed, untouched, marked) in sorted(seen.items()):
        limit = np.quantile(untouched, 0.98)
        numbers = {"f1Best": np.mean(best), "f1Half": np.mean(half), "auc": auc(np.array(untouched), np.array(changed)),
                   "foundAt2": np.mean(np.array(changed) > limit), "markedUntouched": np.mean(marked)}  # fmt: skip
        result[group] = {name: round(float(value), 4) for name, value in numbers.items()}
    return result


def mixed_on(device: torch.device) -> torch.autocast:
    """Mixed precision on a GPU only: many processors have no bfloat16, and are fifty times slower with it."""
    return torch.autocast(device.type, torch.bfloat16, enabled=device.type == "cuda")


def batches(pictures: list[Watched]) -> Iterable[list[Watched]]:
    by = defaultdict(list)
    for one in pictures:
        by[one.rgb.shape].append(one)
    for same in by.values():
        yield from (same[at : at + BATCH] for at in range(0, len(same), BATCH))


def f1_by_level(share: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
    """[LEVELS]: F1 of the pixels at or above level / LEVELS."""
    bins = (share * LEVELS).long().clamp(max=LEVELS - 1).flatten()
    above = torch.bincount(bins, minlength=LEVELS).flip(0).cumsum(0).flip(0).double()
    hit = torch.bincount(bins, mask.flatten().double(), minlength=LEVELS).flip(0).cumsum(0).flip(0)
    return 2 * hit / (above + mask.sum()).clamp(min=1)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--hosts", type=Path, required=True, help="archives of val")
    parser.add_argument("--fonts", type=Path)
    parser.add_argument("--pairs", type=int, default=150)
    parser.add_argument("--out", type=Path, required=True)
    args = parser.parse_args()
    pack(args.data, Hosts(args.hosts), fonts_in(args.fonts), args.pairs, args.out)


if __name__ == "__main__":
    main()
