"""Real documents with replaced words, each with its untouched counterpart, as files for `npm run evaluate -- --manipulated --pairs` and
`-- --words`.

Every document of a split in `sources/documents.csv` is changed `--draws` times. Both files then get the same later history. `index.csv` lists
them; `source` is the repository, and a mask is 255 where a pixel is new. An interrupted run continues where it stopped.
"""

from __future__ import annotations

import argparse
import csv
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np
from PIL import Image

from forensics_training import WORK
from forensics_training.data.collect import SOURCES, blob, git_folder, read
from forensics_training.degrade.codecs import FILTERS, Save, decode, encode, saved
from forensics_training.degrade.histories import draw_jpeg
from forensics_training.edits.documents import fonts_in, replace_found_words
from forensics_training.edits.paste import Edited
from forensics_training.locator.document_pairs import is_visible

FIELDS = ("number", "kind", "changed", "twin", "mask", "source", "history", "document")
HISTORIES = {"lossless": 0.15, "saved": 0.25, "saved well": 0.1, "messenger": 0.25, "scaled": 0.15, "saved twice": 0.1}
MAX_PER_SOURCE = 12
MAX_PIXELS = 4e6  # larger ones are cropped at native size
TRIES = 12


@dataclass(frozen=True)
class Document:
    source: str
    git: Path
    blob: str
    kind: str

    def read(self) -> np.ndarray:
        rgb = decode(blob(self.git, self.blob))
        height, width = rgb.shape[:2]
        factor = (MAX_PIXELS / (height * width)) ** 0.5
        if factor >= 1:
            return rgb
        high, wide = (int(length * factor) // 8 * 8 for length in (height, width))
        top, left = (height - high) // 3 // 8 * 8, (width - wide) // 2 // 8 * 8
        return np.ascontiguousarray(rgb[top : top + high, left : left + wide])


def list_documents(mirror: Path, split: str, listed: Path = SOURCES.with_name("documents.csv")) -> Iterator[Document]:
    """@param mirror folder of repositories, each at owner+name/repo; missing ones are skipped"""
    taken = defaultdict(int)
    for row in read(listed):
        git = git_folder(mirror, row["repo"])
        if row["split"] == split and git.exists() and taken[row["repo"]] < MAX_PER_SOURCE:
            taken[row["repo"]] += 1
            yield Document(row["repo"], git, row["blob_sha"], row["kind"])


def change(rgb: np.ndarray, fonts: tuple[str, ...], random: np.random.Generator) -> Edited | None:
    for _ in range(TRIES):
        piece = replace_found_words(rgb, fonts, random)
        if piece is None:
            return None
        if is_visible(rgb, piece):
            return piece
    return None


def apply_history(name: str, pictures: list[np.ndarray], share: np.ndarray, random: np.random.Generator) -> tuple[list[bytes], np.ndarray, str]:
    """@returns the files, `share` in register with them, and the ending of their names"""
    height, width = share.shape
    factor = min(1.0, 1600 / max(height, width)) if name == "messenger" else random.uniform(0.35, 0.9) if name == "scaled" else 1.0
    if factor < 1:
        size = (round(width * factor), round(height * factor))
        how = FILTERS[int(random.integers(len(FILTERS)))]
        pictures = [np.asarray(Image.fromarray(one).resize(size, how)) for one in pictures]
        share = cv2.resize(share, size, interpolation=cv2.INTER_AREA)
    if name == "saved twice":
        earlier = draw_jpeg((70, 96), random)
        pictures = [saved(one, earlier) for one in pictures]
    qualities = {"lossless": None, "saved well": (90, 100), "messenger": (75, 91)}.get(name, (70, 97))
    last = draw_jpeg(qualities, random) if qualities else Save("png")
    return [encode(one, last) for one in pictures], share, "jpg" if qualities else "png"


def make(document: Document, draw: int, fonts: tuple[str, ...], out: Path) -> dict[str, str] | None:
    """Writes a pair; None if no try makes a visible change. @returns its row of the index, without the number"""
    random = np.random.default_rng([int(document.blob[:8], 16), draw])
    rgb = document.read()
    if random.random() < 0.2:
        rgb = saved(rgb, draw_jpeg((70, 99), random))
    piece = change(rgb, fonts, random)
    if piece is None:
        return None
    history = str(random.choice(list(HISTORIES), p=list(HISTORIES.values())))
    files, share, ending = apply_history(history, [piece.rgb, rgb], piece.share, random)
    names = [f"{document.blob[:12]}-{draw}-{one}" for one in (f"changed.{ending}", f"twin.{ending}", "mask.png")]
    for name, data in zip(names, [*files, encode(np.repeat(share[..., None], 3, 2), Save("png"))], strict=True):
        (out / name).write_bytes(data)
    hows = sorted({one.strip() for one in piece.how.removeprefix("document: ").split(",")})
    return dict(zip(FIELDS[1:], ("+".join(hows), *names, document.source, history, document.kind), strict=True))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--mirror", type=Path, required=True, help="folder of repositories, owner+name/repo each")
    parser.add_argument("--fonts", type=Path, required=True, help="folder of fonts")
    parser.add_argument("--split", choices=("train", "calibration", "val"), default="train")
    parser.add_argument("--draws", type=int, default=1)
    parser.add_argument("--out", type=Path, help="default: .work/locate/documents-SPLIT")
    args = parser.parse_args()
    cv2.setNumThreads(1)
    out, fonts = args.out or WORK / "locate" / f"documents-{args.split}", fonts_in(args.fonts)
    out.mkdir(parents=True, exist_ok=True)
    index = out / "index.csv"
    rows = list(csv.DictReader(index.open(newline=""))) if index.exists() else []
    written, tried = {row["twin"].rsplit("-", 1)[0] for row in rows}, out / "unchanged.txt"
    written |= set(tried.read_text().split()) if tried.exists() else set()
    for draw in range(args.draws):
        for document in list_documents(args.mirror, args.split):
            if (name := f"{document.blob[:12]}-{draw}") in written:
                continue
            row = make(document, draw, fonts, out)
            if row is None:
                with tried.open("a") as file:
                    file.write(f"{name}\n")
                continue
            rows.append({"number": len(rows), **row})
            with index.open("w", newline="") as file:
                table = csv.DictWriter(file, FIELDS, lineterminator="\n")
                table.writeheader()
                table.writerows(rows)
    print(f"{len(rows)} pairs in {out}")


if __name__ == "__main__":
    main()
