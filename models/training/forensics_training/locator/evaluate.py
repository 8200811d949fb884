"""Figures of the exported network on the manipulated pictures of the data, which nothing was trained or chosen on:
python locate_evaluate.py --data DIR [--model .work/locate/model]

Pixel figures are means over changed pictures. Picture scores are compared after both classes were saved alike.
"""

from __future__ import annotations

import argparse
import csv
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np

from forensics_training import WORK
from forensics_training.data.crops import open_crops
from forensics_training.locator.figures import Judged, auc_interval, interval, judge
from forensics_training.locator.pairs import Reading, photographs, reading
from forensics_training.locator.reading import ALIKE, CONDITIONS, Read, open_reader
from forensics_training.runtime.metrics import auc


@dataclass(frozen=True)
class Case:
    dataset: str
    type: str  # empty for an untouched picture
    file: Reading


def open_cases(data: Path) -> list[Case]:
    with open(data / "manipulated" / "manifest.csv", newline="") as rows:
        return [case(data, row) for row in csv.DictReader(rows)]


def case(data: Path, row: dict[str, str]) -> Case:
    marks = cv2.imread(str(data / row["mask"]), cv2.IMREAD_GRAYSCALE) if row["mask"] else None
    kind = row["type"] + (" jpeg" if row["type"] == "splice" and row["file"].endswith(".jpg") else "")
    return Case(row["dataset"], kind, reading((data / row["file"]).read_bytes(), marks))


def rows_of(cases: Sequence[Case]) -> dict[str, Callable[[Case], bool]]:
    """What a line of the table is about: each data set, each type, everything."""
    sets, types = sorted({one.dataset for one in cases}), sorted({one.type for one in cases} - {""})
    rows = {f"set {name}": (lambda one, name=name: one.dataset == name) for name in sets}
    rows |= {f"type {name}": (lambda one, name=name: one.type == name) for name in types}
    return rows | {"all": lambda one: True}


def evaluate(read: Read, cases: Sequence[Case], condition: str, limit: float) -> dict[str, dict]:
    judged = [judged_under(read, one, condition) for one in cases]
    scores = [read(ALIKE[condition](one.file)).score for one in cases]
    table = {}
    for name, belongs in rows_of(cases).items():
        chosen = [number for number, one in enumerate(cases) if belongs(one)]
        table[name] = pixel_figures([judged[number] for number in chosen if judged[number]])
        untouched, changed = (np.array([scores[n] for n in chosen if bool(cases[n].type) is is_changed])
                              for is_changed in (False, True))  # fmt: skip
        table[name]["called_changed"] = round(float((changed > limit).mean()), 3)
        if len(untouched):
            table[name]["picture_auc"] = rounded(auc(untouched, changed), *auc_interval(untouched, changed))
    return table


def judged_under(read: Read, one: Case, condition: str) -> Judged | None:
    if not one.type:
        return None
    file = CONDITIONS[condition](one.file)
    return judge(read(file).changed, file.share > 127)


def pixel_figures(judged: Sequence[Judged]) -> dict:
    names = ("f1_best", "f1_half", "auc")
    values = {name: [getattr(one, name) for one in judged] for name in names}
    means = {name: rounded(float(np.mean(values[name])), *interval(values[name])) for name in names}
    return {"pictures": len(judged), "f1_chance": round(float(np.mean([one.f1_chance for one in judged])), 3)} | means


def rounded(value: float, low: float, high: float) -> list[float]:
    return [round(number, 3) for number in (value, low, high)]


def false_alarms(read: Read, files: Sequence[Reading], limit: float) -> dict[str, list[float]]:
    """Share of untouched pictures above the limit, with its interval, under each condition."""
    answer = {}
    for name, change in CONDITIONS.items():
        alarms = [float(read(change(one)).score > limit) for one in files]
        answer[name] = rounded(float(np.mean(alarms)), *interval(alarms))
    return answer


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--data", type=Path, required=True)
    options.add_argument("--work", type=Path, default=WORK)
    options.add_argument("--model", type=Path, default=WORK / "locate" / "model")
    asked = options.parse_args()
    read, cases = open_reader(asked.model / "locate.onnx"), open_cases(asked.data)
    limit = json.loads((asked.model / "limits.json").read_text())["scoreMin"]
    sources = photographs(asked.data, open_crops(asked.data, asked.work).of("val"))
    real = [one for crops in sources.values() for one in crops]
    others = [one.file for one in cases if not one.type]
    for name, files in (("photographs of val", real), ("untouched pictures of the sets", others)):
        print("false alarms |", name, "|", json.dumps(false_alarms(read, files, limit)), flush=True)
    for condition in CONDITIONS:
        for name, figures in evaluate(read, cases, condition, limit).items():
            print(condition, "|", name, "|", json.dumps(figures), flush=True)
