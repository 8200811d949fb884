"""Who judges the calibration pictures: the network with a second arm that was fitted without their sources.

The second arm that is shipped was fitted on those sources too; its own word on them would be too good, and limits taken from that
too bold. So the calibration sources are parted into folds, and each fold is read with an arm that all other sources gave.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import numpy as np

from combine import MEMBERS, Votes, export_votes
from data import Item, fold_of_sources
from discriminant import Group, Scale, ensemble
from evaluate import Network

FOLDS = 8


def crossed(items: list[Item], model: Path, scale: Scale, groups: list[Group], work: Path, seed: int) -> Callable[[Item], Network]:
    """@param items the calibration pictures
    @param model folder whose network and head all folds share
    @param work a folder for each fold is made here
    @returns who judges a picture of `items`"""
    folds = fold_of_sources(items, FOLDS)
    networks = []
    for fold in range(FOLDS):
        others = [group for group in groups if folds.get((group.source, group.fake)) != fold]
        votes = Votes(scale, *ensemble(others, MEMBERS, np.random.default_rng(seed)))
        folder = work / str(fold)
        folder.mkdir(parents=True, exist_ok=True)
        export_votes(votes, folder / "votes.onnx")
        for name in ("model.onnx", "head.onnx"):
            shutil.copyfile(model / name, folder / name)
        networks.append(Network(folder))
    return lambda item: networks[folds[item.source, item.fake]]
