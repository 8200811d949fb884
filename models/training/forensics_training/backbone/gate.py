"""What a picture is, from cached features of its whole view: `backbone-gate --list LIST.csv --features DIR --classes CLASSES.csv`.

A linear head over photograph, generated, drawing, screenshot and page, in folds over sources. Prints what held-out pictures of
`val` were taken for, and how many that are neither photograph nor generated would be let through.
"""

from __future__ import annotations

import argparse
from collections import Counter
from pathlib import Path

import numpy as np
from sklearn.linear_model import LogisticRegression

from forensics_training.backbone.cache import read_store
from forensics_training.backbone.heads import STRENGTH, components, folds_of, gather, read_rows

KINDS = ("photograph", "generated", "drawing", "screenshot", "page")
KIND_OF_CLASS = {
    **dict.fromkeys(("rendering", "cartoon", "line art"), "drawing"),
    **dict.fromkeys(("screen", "game"), "screenshot"),
    **dict.fromkeys(("page", "chart"), "page"),
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--list", type=Path, required=True)
    parser.add_argument("--features", type=Path, required=True)
    parser.add_argument("--classes", type=Path, required=True)
    parser.add_argument("--folds", type=int, default=6)
    given = parser.parse_args()
    examples = gather(read_rows(given.list, given.classes), read_store(given.features), (7, 12), neither=True)["view"]
    report(examples, judge(examples, given.folds))


def kind_of(row: dict[str, str]) -> int:
    if row["label"] == "neither":
        return KINDS.index(KIND_OF_CLASS[row["class"]])
    return KINDS.index("generated" if row["label"] == "ai-generated" else "photograph")


def judge(examples: dict, folds: int) -> np.ndarray:
    """Probability of each kind [N, 5] from a head that saw nothing of the source."""
    kind = np.array([kind_of(row) for row in examples["row"]])
    sources, fold = folds_of(examples, folds)
    size, products = Counter(zip(sources, kind)), examples["x"] @ examples["x"].T
    weight = np.array([size[one] ** -0.5 for one in zip(sources, kind)])
    answer = np.zeros((len(kind), len(KINDS)))
    for at in range(folds):
        teach, asked = fold != at, fold == at
        seen, shown = components(products, teach, asked)
        balance = weight[teach] / np.bincount(kind[teach], weight[teach], len(KINDS))[kind[teach]]
        head = LogisticRegression(C=STRENGTH, max_iter=500).fit(seen, kind[teach], sample_weight=balance * teach.sum() / len(KINDS))
        answer[np.ix_(asked, head.classes_)] = head.predict_proba(shown)
    return answer


def report(examples: dict, answer: np.ndarray) -> None:
    val = np.array([row["part"] == "val" for row in examples["row"]])
    names = np.array([row["class"] if row["label"] == "neither" else KINDS[kind_of(row)] for row in examples["row"]])
    condition, neither = np.array(examples["condition"]), 1 - answer[:, :2].sum(1)
    sources = np.array([row["source"] for row in examples["row"]])
    print("| as is: val pictures of | pictures | sources | " + " | ".join(KINDS) + " | neither > .5 |")
    for name in sorted(set(names)):
        at = val & (names == name) & (condition == "as is")
        if at.any():
            counts = np.bincount(answer[at].argmax(1), minlength=len(KINDS))
            print(f"| {name} | {at.sum()} | {len(set(sources[at]))} | " + " | ".join(map(str, counts)) + f" | {(neither[at] > 0.5).mean():.0%} |")
    for one in ("as is", "jpeg 75", "half, jpeg 80"):
        own, other = (val & (condition == one) & (np.isin(names, KINDS[:2]) == which) for which in (False, True))
        if own.any() and other.any():
            limits = np.quantile(neither[other], (0.95, 0.98))
            shares = ", ".join(f"{(neither[own] > limit).mean():.0%} at {lost} % of photographs and generated ones lost" for limit, lost in zip(limits, (5, 2)))
            print(f"{one}: of {own.sum()} others {shares}")
