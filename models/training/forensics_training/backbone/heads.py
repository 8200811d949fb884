"""Linear heads on cached features, in folds over sources: `backbone-heads --list LIST.csv --features DIR [--classes CLASSES.csv]`.

Prints AUC for the whole view, the native square and both, under each condition, then by generator, by class and for the worst source.
Pictures of `val` are judged by heads that saw no picture of their source; everything else that has features teaches.
"""

from __future__ import annotations

import argparse
import csv
import hashlib
from collections import defaultdict
from pathlib import Path

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score

from forensics_training.backbone.cache import BLOCKS_KEPT, CONDITIONS, read_store

INPUTS = ("view", "square")
COMPONENTS, STRENGTH = 192, 0.003  # of the principal components, and of the penalty (as C of scikit-learn)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--list", type=Path, required=True)
    parser.add_argument("--features", type=Path, required=True)
    parser.add_argument("--classes", type=Path, help="blob_sha,class")
    parser.add_argument("--blocks", type=int, nargs=2, default=(7, 12), help="first and last, from 5 to 12")
    parser.add_argument("--folds", type=int, default=6)
    given = parser.parse_args()
    rows = read_rows(given.list, given.classes)
    examples = gather(rows, read_store(given.features), given.blocks)
    for kind in INPUTS:
        judge(examples[kind], given.folds)
    report(examples, rows)


def read_rows(listed: Path, classes: Path | None) -> dict[str, dict[str, str]]:
    kinds = {row["blob_sha"]: row["class"] for row in csv.DictReader(open(classes))} if classes else {}
    return {row["key"]: {**row, "class": kinds.get(row["key"], "")} for row in csv.DictReader(open(listed))}


def gather(rows: dict, store: dict[str, np.ndarray], blocks: tuple[int, int], neither: bool = False) -> dict[str, dict]:
    """For each input: `x` [N, D], `row` and `condition` of each example, `score` to be filled."""
    wanted = slice(blocks[0] - 1 - BLOCKS_KEPT[0], blocks[1] - BLOCKS_KEPT[0])
    found = {kind: defaultdict(list) for kind in INPUTS}
    for name, values in store.items():
        key, kind, condition = name.split("|")
        row = rows.get(key)
        if row is None or (row["label"] == "neither" and not neither):
            continue
        tokens = values[wanted].astype(np.float32)
        # Each token is normalised by itself: some channels of DINOv2 are a hundred times larger than others.
        tokens = (tokens - tokens.mean(-1, keepdims=True)) / (tokens.std(-1, keepdims=True) + 1e-6)
        found[kind]["x"].append(tokens.ravel())
        found[kind]["row"].append(row)
        found[kind]["condition"].append(condition)
    return {kind: {**one, "x": np.stack(one["x"]), "score": np.full(len(one["row"]), np.nan)} for kind, one in found.items()}


def judge(examples: dict, folds: int) -> None:
    fake = np.array([row["label"] == "ai-generated" for row in examples["row"]])
    sources, fold = folds_of(examples, folds)
    val = np.array([row["part"] == "val" for row in examples["row"]])
    counts = defaultdict(int)
    for source, label in zip(sources, fake):
        counts[source, label] += 1
    weight = np.array([counts[source, label] ** -0.5 for source, label in zip(sources, fake)])
    products = examples["x"] @ examples["x"].T  # far fewer examples than values: principal components by way of their products
    for at in range(folds):
        teach, asked = fold != at, (fold == at) & val
        if not asked.any():
            continue
        seen, shown = components(products, teach, asked)
        balance = np.where(fake[teach], weight[teach] / weight[teach & fake].sum(), weight[teach] / weight[teach & ~fake].sum())
        head = LogisticRegression(C=STRENGTH, max_iter=500)
        head.fit(seen, fake[teach], sample_weight=balance * teach.sum() / 2)
        examples["score"][asked] = head.decision_function(shown)


def folds_of(examples: dict, folds: int) -> tuple[list[str], np.ndarray]:
    """The source of each example, and a fold that is the same for all of a source."""
    sources = [row["source"].lower() for row in examples["row"]]
    return sources, np.array([int(hashlib.sha256(source.encode()).hexdigest()[:8], 16) % folds for source in sources])


def components(products: np.ndarray, teach: np.ndarray, asked: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Principal components of `teach`, for `teach` itself and for `asked`."""
    own, other = products[np.ix_(teach, teach)], products[np.ix_(asked, teach)]
    column, mean = own.mean(0), own.mean()
    values, vectors = np.linalg.eigh(own - column - column[:, None] + mean)
    values, vectors = values[-COMPONENTS:], vectors[:, -COMPONENTS:] / np.sqrt(values[-COMPONENTS:])
    return (own - column - column[:, None] + mean) @ vectors, (other - column - other.mean(1, keepdims=True) + mean) @ vectors


def report(examples: dict, rows: dict) -> None:
    scores = {kind: {(row["key"], condition): score for row, condition, score in zip(one["row"], one["condition"], one["score"]) if np.isfinite(score)} for kind, one in examples.items()}
    scores["both"] = {name: scores["view"][name] + scores["square"][name] for name in scores["view"].keys() & scores["square"].keys()}
    whole = {key for key, _ in scores["view"]}
    print("| input | pictures (real / generated) | " + " | ".join(CONDITIONS) + " |")
    for kind, said in [*scores.items(), ("square, whole pictures", {name: score for name, score in scores["square"].items() if name[0] in whole})]:
        cells = [interval(said, rows, condition) for condition in CONDITIONS]
        names = {key for key, _ in said}
        real = sum(rows[key]["label"] == "real" for key in names)
        print(f"| {kind} | {real} / {len(names) - real} | " + " | ".join(cells) + " |")
    said = scores["both"]
    groups("generator", {key: rows[key]["generator"] for key, _ in said if rows[key]["label"] != "real"}, said, rows)
    groups("class", {key: rows[key]["class"] for key, _ in said if rows[key]["label"] == "real" and rows[key]["class"]}, said, rows)
    groups("source", {key: rows[key]["source"] for key, _ in said}, said, rows, least=3, most=8)


def interval(said: dict, rows: dict, condition: str, draws: int = 300) -> str:
    """AUC, and its 95 % interval from draws of whole sources."""
    by_source = defaultdict(list)
    for (key, one), score in said.items():
        if one == condition:
            by_source[rows[key]["source"]].append((rows[key]["label"] == "ai-generated", score))
    value = lambda pairs: roc_auc_score(*zip(*pairs)) if len({fake for fake, _ in pairs}) == 2 else np.nan
    random, sources = np.random.default_rng(1), list(by_source.values())
    drawn = [value([pair for at in random.integers(len(sources), size=len(sources)) for pair in sources[at]]) for _ in range(draws)]
    low, high = np.nanquantile(drawn, (0.025, 0.975))
    return f"{value([pair for source in sources for pair in source]):.3f} ({low:.3f}-{high:.3f})"


def groups(title: str, group_of: dict[str, str], said: dict, rows: dict, least: int = 1, most: int = 40) -> None:
    """Each group against all pictures of the other label: generators against photographs, classes of photographs against generated ones."""
    found = defaultdict(list)
    for key, name in group_of.items():
        found[name].append(key)
    table = []
    for name, keys in found.items():
        fake = rows[keys[0]]["label"] != "real"
        if len(keys) < least:
            continue
        cells = []
        for condition in CONDITIONS:
            own = [said[key, condition] for key in keys if (key, condition) in said]
            others = [score for (key, one), score in said.items() if one == condition and (rows[key]["label"] != "real") != fake]
            cells.append(np.nan if not own else roc_auc_score([fake] * len(own) + [not fake] * len(others), own + others))
        table.append((cells[0], name, len(keys), len({rows[key]["source"] for key in keys}), cells))
    print(f"\n| {title} | pictures | sources | " + " | ".join(CONDITIONS) + " |")
    for _, name, count, sources, cells in sorted(table, key=lambda one: one[0])[:most]:
        print(f"| {name} | {count} | {sources} | " + " | ".join(f"{cell:.2f}" for cell in cells) + " |")
