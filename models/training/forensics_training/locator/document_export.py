"""Exports the network for documents as ONNX, with level and score calibrated on documents that it did not learn from.

A document is read in squares, as the engine does, and its score is the highest of any. It becomes the log odds, at even priors, that words
were replaced: a logistic fit on whole real documents with replaced words and on their untouched counterparts, under all conditions.
"""

from __future__ import annotations

import argparse
import csv
import json
from pathlib import Path

import cv2
import numpy as np
import torch

from forensics_training import WORK
from forensics_training.locator.export import Calibration, export
from forensics_training.locator.level import best_level, open_cells
from forensics_training.locator.network import Locator
from forensics_training.locator.pairs import Pairs, Reading, reading
from forensics_training.locator.reading import CONDITIONS, Read, half, open_reader
from forensics_training.runtime.metrics import auc, fit_logistic

MAX_PIXELS = 3_100_000  # as the engine: a larger picture is halved until it fits
FALSE_ALARMS = 0.02
SIDE, OVERLAP = 768, 128  # px, of the squares that the engine reads


def scores_of(read: Read, folder: Path, count: int) -> np.ndarray:
    """[documents, conditions, 2]: scores of the changed and the untouched file of the first `count` pairs in `folder`."""
    with (folder / "index.csv").open() as file:
        rows = list(csv.DictReader(file))
    return np.array([[[score_of(read, fitting(change(reading((folder / row[name]).read_bytes())))) for name in ("changed", "twin")]
                      for change in CONDITIONS.values()] for row in rows[:count]])  # fmt: skip


def score_of(read: Read, one: Reading) -> float:
    return max(read(Reading(np.ascontiguousarray(one.rgb[top:bottom, left:right]), one.table, one.share[top:bottom, left:right])).score
               for top, bottom in stretches(one.rgb.shape[0]) for left, right in stretches(one.rgb.shape[1]))  # fmt: skip


def stretches(length: int) -> list[tuple[int, int]]:
    """Where squares begin and end along a side; the last one reaches the edge."""
    last = max(0, (length - SIDE) // 8 * 8)
    starts = [min(last, at) for at in range(0, last + SIDE - OVERLAP, SIDE - OVERLAP)]
    return [(start, length if length - start < SIDE + 8 else start + SIDE) for start in sorted(set(starts))]


def fitting(one: Reading) -> Reading:
    while one.rgb.shape[0] * one.rgb.shape[1] > MAX_PIXELS:
        one = half(one)
    return one


def claims(scores: np.ndarray) -> dict[str, list[float]]:
    """For some odds: shares of the changed and of the untouched files whose score reaches them."""
    return {str(odds): [round(float((scores[..., at] >= np.log(odds)).mean()), 4) for at in (0, 1)] for odds in (2, 5, 10, 20, 50)}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--work", type=Path, default=WORK / "locate")
    parser.add_argument("--run", default="documents", help="folder of the run, in --work")
    parser.add_argument("--count", type=int, default=100, help="whole documents to calibrate on")
    parser.add_argument("--out", type=Path, default=WORK / "locate" / "documents-model")
    args = parser.parse_args()
    torch.set_num_threads(1)
    cv2.setNumThreads(1)
    locator, path = Locator(), args.out / "locate.onnx"
    locator.load_state_dict(torch.load(args.work / args.run / "best.pt", weights_only=True))
    export(locator, Calibration(), path)
    level, f1 = best_level(open_cells(path), Pairs(args.work / "pairs-real-documents-calibration", min(args.count, 60)))
    raw = scores_of(open_reader(path), args.work / "documents-calibration", args.count)
    flat, target = raw.reshape(-1), np.tile([1.0, 0.0], raw.size // 2)
    calibration = Calibration(level, *fit_logistic(flat, target, np.ones(len(flat))))
    export(locator, calibration, path)
    scores = calibration.score(raw)
    figures = {"level": vars(level), "scale": calibration.scale, "offset": calibration.offset, "f1AtHalf": f1, "pictures": len(raw), "claims": claims(scores)}
    for at, name in enumerate(CONDITIONS):
        changed, untouched = scores[:, at, 0], scores[:, at, 1]
        limit = float(np.quantile(untouched, 1 - FALSE_ALARMS, method="higher"))
        figures[name] = {"auc": round(float(auc(untouched, changed)), 3), "limit": round(limit, 3), "found": round(float((changed > limit).mean()), 3)}
    (args.out / "limits.json").write_text(json.dumps(figures, indent=2) + "\n")
    print(json.dumps(figures, indent=2))
