"""Inference on pictures of any size; the engine (patch-scores.ts, views.ts) follows the same rules.

A picture above MAX_PIXELS is scaled down to that many. Patches of PATCH x PATCH cells are STRIDE cells apart, with a last one at each edge.
If a picture was scaled down, its most textured native tiles are read as well; every picture is also read as one small view.

The command reads the whole pictures and the crops of one part under each condition, with the 8-bit network that `detector-export` wrote.
"""

from __future__ import annotations

import argparse
import pickle
import time
from pathlib import Path

import cv2
import numpy as np
import torch
from PIL import Image

from forensics_training import WORK
from forensics_training.data.collect import blob, git_folder
from forensics_training.data.pictures import Item, Pictures, decode
from forensics_training.degrade.codecs import save_jpeg
from forensics_training.detector.export import restore_head
from forensics_training.detector.network import CELL_PX, HIDDEN, Detector
from forensics_training.runtime.model_files import open_session

MAX_PIXELS = 1_200_000
PATCH, STRIDE = 4, 2  # cells of CELL_PX
TILE_PX, TILES = 256, 8
TEXTURE_CLIP = 32  # grey levels; a single hard edge must not count as texture (engine/patches.ts)
WHOLE_PX = 384  # longer side of the view of the whole picture
PASSES, DROPPED = 32, 0.2  # Monte Carlo dropout
EMBEDDINGS = 24  # patches per picture whose embeddings are kept


def half_of(rgb: np.ndarray) -> np.ndarray:
    return cv2.resize(rgb, None, fx=0.5, fy=0.5, interpolation=cv2.INTER_AREA)


CONDITIONS = {
    "as is": lambda rgb: rgb,
    "jpeg 75": lambda rgb: save_jpeg(rgb, 75, True),
    "half, jpeg 80": lambda rgb: save_jpeg(half_of(rgb), 80, True),
}
RUINED = {
    "jpeg 10": lambda rgb: save_jpeg(rgb, 10, True),
    "blur 4": lambda rgb: cv2.GaussianBlur(rgb, (0, 0), 4),
}


class Exported:
    """The detector of a model folder, its network in 8 bits."""

    def __init__(self, folder: Path):
        self.session, self.head = open_session(folder / "model.onnx"), restore_head(folder)

    def features(self, rgb: torch.Tensor) -> torch.Tensor:
        pixels = rgb.permute(0, 2, 3, 1).to(torch.uint8).contiguous().numpy()
        return torch.from_numpy(self.session.run(["features"], {"rgb": pixels})[0])


def scaled(rgb: np.ndarray, factor: float) -> np.ndarray:
    """Bicubic, antialiased when shrinking, as in libvips."""
    if factor == 1:
        return rgb
    size = (max(1, round(rgb.shape[1] * factor)), max(1, round(rgb.shape[0] * factor)))
    return np.asarray(Image.fromarray(rgb).resize(size, Image.Resampling.BICUBIC))


@torch.no_grad()
def cells_of(model: Detector | Exported, rgb: np.ndarray) -> np.ndarray:
    """Features [C, rows, columns]; edge pixels are repeated to complete the last cells."""
    height, width = rgb.shape[:2]
    rgb = np.pad(rgb, ((0, -height % CELL_PX), (0, -width % CELL_PX), (0, 0)), mode="edge")
    shown = torch.from_numpy(rgb).permute(2, 0, 1)[None].float().contiguous(memory_format=torch.channels_last)
    return model.features(shown)[0].numpy()


def patches_of(cells: np.ndarray) -> np.ndarray:
    """Mean features [N, C] of each patch, from features [C, rows, columns]."""
    rows, columns = cells.shape[1:]
    starts = lambda length: [*range(0, max(0, length - PATCH), STRIDE), max(0, length - PATCH)]
    sums = np.pad(cells.astype(np.float64).cumsum(1).cumsum(2), ((0, 0), (1, 0), (1, 0)))
    tall, wide = min(PATCH, rows), min(PATCH, columns)
    means = [
        (sums[:, y + tall, x + wide] - sums[:, y, x + wide] - sums[:, y + tall, x] + sums[:, y, x]) / (tall * wide)
        for y in starts(rows)
        for x in starts(columns)
    ]
    return np.stack(means).astype(np.float32)


def gradients(rgb: np.ndarray) -> np.ndarray:
    """int16 [H, W]: |luma - right neighbour| + |luma - lower neighbour|, at most TEXTURE_CLIP a pixel."""
    luma = cv2.cvtColor(rgb, cv2.COLOR_RGB2GRAY).astype(np.int16)
    change = np.zeros(luma.shape, np.int16)
    change[:, :-1] += np.abs(np.diff(luma, axis=1))
    change[:-1] += np.abs(np.diff(luma, axis=0))
    return change.clip(0, TEXTURE_CLIP)


def textured_tiles(rgb: np.ndarray) -> list[np.ndarray]:
    """The TILES most textured tiles of TILE_PX x TILE_PX, by sums of clipped gradients of luma."""
    change = gradients(rgb)
    rows, columns = (length // TILE_PX for length in change.shape)
    blocks = change[: rows * TILE_PX, : columns * TILE_PX].reshape(rows, TILE_PX, columns, TILE_PX)
    order = np.argsort(-blocks.sum((1, 3), dtype=np.int64).ravel(), kind="stable")[:TILES]
    places = [divmod(int(place), columns) for place in order]
    return [rgb[y * TILE_PX : (y + 1) * TILE_PX, x * TILE_PX : (x + 1) * TILE_PX] for y, x in places]


class NumpyHead:
    """The head in numpy; `masks` [T, C] are those of the Monte Carlo passes."""

    def __init__(self, model: Detector | Exported):
        head = model.head
        self.one, self.bias = head.embed.weight.detach().numpy().T, head.embed.bias.detach().numpy()
        self.two, self.bias2 = head.judge.weight.detach().numpy().T, head.judge.bias.detach().numpy()
        kept = np.random.default_rng(1).random((PASSES, self.one.shape[0])) >= DROPPED
        self.masks = (kept / (1 - DROPPED)).astype(np.float32)

    def logits(self, features: np.ndarray) -> np.ndarray:
        return np.maximum(features @ self.one + self.bias, 0) @ self.two + self.bias2

    def embeddings(self, features: np.ndarray) -> np.ndarray:
        hidden = (features @ self.one + self.bias)[:, :HIDDEN]
        return hidden / np.linalg.norm(hidden, axis=1, keepdims=True)

    def passes(self, features: np.ndarray) -> np.ndarray:
        """Logits [T, 3] of each pass, mean over the rows of features [N, C]."""
        return np.stack([self.logits(features * mask).mean(0) for mask in self.masks])


def read_picture(model: Detector | Exported, head: NumpyHead, rgb: np.ndarray) -> dict[str, np.ndarray]:
    """For `patches`, `tiles` (only of a picture that was scaled down) and `whole`: mean logits [3], and `... passes` [T, 3]; `embeddings` [n, D]."""
    height, width = rgb.shape[:2]
    size = scaled(rgb, min(1.0, (MAX_PIXELS / (height * width)) ** 0.5))
    groups = {"patches": patches_of(cells_of(model, size))}
    if size is not rgb and (tiles := textured_tiles(rgb)):
        groups["tiles"] = np.stack([cells_of(model, tile).mean((1, 2)) for tile in tiles])
    view = scaled(rgb, min(1.0, WHOLE_PX / max(height, width)))
    groups["whole"] = cells_of(model, view).mean((1, 2))[None]
    answer = {name: head.logits(features).mean(0) for name, features in groups.items()}
    answer |= {f"{name} passes": head.passes(features) for name, features in groups.items()}
    patches = groups["patches"]
    drawn = np.random.default_rng(len(patches)).permutation(len(patches))[:EMBEDDINGS]
    answer["embeddings"] = head.embeddings(patches[drawn])
    return answer


def pixels_of(item: Item, pictures: Pictures, mirror: Path) -> np.ndarray:
    if "view" not in item.arrays:  # a crop
        return np.array(pictures.array(item, "native-0"))
    return decode(blob(git_folder(mirror, item.source), item.key))[0]


def chosen(pictures: Pictures, part: str, whole: int, crops: int) -> list[Item]:
    """At most `whole` whole pictures and `crops` crops of each source and class."""
    taken: dict[tuple, int] = {}
    items = []
    for item in pictures.items:
        kind = (item.source, item.label, "view" in item.arrays)
        if item.part != part or taken.get(kind, 0) >= (whole if kind[2] else crops):
            continue
        taken[kind] = taken.get(kind, 0) + 1
        items.append(item)
    return items


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--exported", type=Path, required=True, help="the model folder")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--pictures", type=Path, default=WORK / "pictures")
    parser.add_argument("--mirror", type=Path, required=True)
    parser.add_argument("--part", default="val")
    parser.add_argument("--whole", type=int, default=8, help="whole pictures per source")
    parser.add_argument("--crops", type=int, default=0, help="crops per source")
    parser.add_argument("--ruined", action="store_true")
    parser.add_argument("--threads", type=int, default=1)
    args = parser.parse_args()
    torch.set_num_threads(args.threads), cv2.setNumThreads(1)
    pictures, model = Pictures(args.pictures), Exported(args.exported)
    head, rows, began = NumpyHead(model), [], time.time()
    for item in chosen(pictures, args.part, args.whole, args.crops):
        rgb = pixels_of(item, pictures, args.mirror)
        changes = CONDITIONS | (RUINED if args.ruined and len(rows) % 3 == 0 else {})
        said = {name: read_picture(model, head, change(rgb)) for name, change in changes.items()}
        rows.append({**vars(item), "size": rgb.shape[:2], "said": said})
        if len(rows) % 50 == 0:
            print(len(rows), f"{time.time() - began:.0f} s", flush=True)
            args.out.write_bytes(pickle.dumps(rows))
    args.out.write_bytes(pickle.dumps(rows))
