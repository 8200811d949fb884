"""The second arm on sources that it was not fitted on, for all it is fitted on: python folds.py (after tables.py)

Eight folds of whole sources of train and calibration; the discriminants of the other seven judge each: many more sources than
val has. Prints the picture AUC by condition, sources weighted as in training, then that of each generated source against all photographs.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import numpy as np

from arms import by_picture, fit_groups, open_table, training_sample
from conditions import CONDITIONS
from data import Item, Pictures, draw_weights, fold_of_sources
from discriminant import discriminant
from metrics import weighted_auc

FOLDS, SPLITS = 8, ("train", "calibration")


def weights_of(items: list[Item]) -> np.ndarray:
    """Each class sums to 1."""
    weights, fake = np.zeros(len(items)), np.array([item.fake for item in items])
    for label in (False, True):
        weights[fake == label] = draw_weights([item for item in items if item.fake == label])
    return weights


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--draws", type=int, default=6)
    options.add_argument("--work", type=Path, default=Path(__file__).parent / ".work")
    asked = options.parse_args()
    pictures, folder = Pictures(asked.work / "cache"), asked.work / "tables"
    items = [item for split in SPLITS for item in pictures.of(split)]
    folds, weights = fold_of_sources(items, FOLDS), weights_of(items)
    mine = np.array([folds[item.source, item.fake] for item in items])
    fake, sources = np.array([item.fake for item in items]), np.array([item.source for item in items])
    scale, groups = fit_groups(training_sample(pictures, folder, asked.draws))
    outside = [np.array([folds[group.source, group.fake] != fold for group in groups], float) for fold in range(FOLDS)]
    fitted = [discriminant(groups, counts) for counts in outside]
    directions, offsets = np.stack([direction for direction, _ in fitted], 1), np.array([offset for _, offset in fitted])
    for name in CONDITIONS:
        tables = [open_table(folder / f"{split}-{name}.npz") for split in SPLITS]
        owner = np.concatenate([tables[0].owner, tables[1].owner + len(pictures.of(SPLITS[0]))])
        votes = scale(np.concatenate([table.numbers for table in tables])) @ directions + offsets
        score = by_picture(owner, votes[np.arange(len(votes)), mine[owner]])
        told = {"all": weighted_auc(score, fake, weights)}
        for source in np.unique(sources[fake]):
            those = ~fake | (sources == source)
            told[str(source)] = weighted_auc(score[those], fake[those], weights[those])
        print(json.dumps({"condition": name} | {key: round(value, 3) for key, value in told.items()}), flush=True)


if __name__ == "__main__":
    main()
