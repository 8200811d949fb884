"""The arm on hand-made statistics: what it is fitted on, and its figures beside the network's on whole pictures of other sources:
python arms.py --network DIR --split calibration

Prints the picture AUC under the four conditions with its interval, of the statistics, the network, and the sum of both.
"""

from __future__ import annotations

import argparse
import json
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch

from conditions import CONDITIONS
from data import EARLY, Item, Pictures, draw_weights
from discriminant import Group, Scale, discriminant, fit_scale, group_by_source
from evaluate import Network
from handmade import Statistics
from metrics import auc, auc_interval


@dataclass(frozen=True)
class Table:
    """Described statistics [N,D] of patches, the network's features [N,96], whose they are, and, for draws, how much trace
    their history left, 0..1."""

    numbers: np.ndarray
    features: np.ndarray
    owner: np.ndarray
    usable: np.ndarray


def open_table(path: Path) -> Table:
    statistics = Statistics()
    width = sum(statistics.widths)
    with np.load(path) as kept, torch.no_grad():
        means, is_draw = kept["means"], "row" in kept.files
        owner, usable = (kept["row"], kept["history"][:, 1]) if is_draw else (kept["picture"], np.ones(len(means)))
    described = [statistics.describe(part) for part in torch.from_numpy(means[:, :width]).split(4096)]
    return Table(torch.cat(described).numpy().astype(np.float64), means[:, width:], owner, usable)


@dataclass(frozen=True)
class Sample:
    """Described statistics [N,D] of patches, and what is known of them, [N] each."""

    numbers: np.ndarray
    fake: np.ndarray
    sources: np.ndarray
    weights: np.ndarray


def training_sample(pictures: Pictures, folder: Path, draws: int) -> Sample:
    """Degraded patches of all pictures but those of val, less weight where little trace is left."""
    weight = np.zeros(len(pictures.items))
    for label in (False, True):
        mine = [row for row, item in enumerate(pictures.items) if item.split != "val" and item.fake == label]
        weight[mine] = fit_weights([pictures.items[row] for row in mine]) * len(mine)
    names = np.array([item.source for item in pictures.items])
    fakes = np.array([item.fake for item in pictures.items])
    parts = []
    for number in range(draws):
        table = open_table(folder / f"draw-{number}.npz")
        trust = 0.1 + 0.9 * table.usable  # as in the network's loss
        parts.append((table.numbers, fakes[table.owner], names[table.owner], weight[table.owner] * trust))
    return Sample(*(np.concatenate(column) for column in zip(*parts, strict=True)))


def fit_weights(items: list[Item]) -> np.ndarray:
    """As pictures are drawn in training, but a site with many generators counts for less than as many sites with one, and a
    generator of 2022 or before for half (experiment 35). @param items of one class. @returns sum 1."""
    weights = draw_weights(items)
    if items[0].fake:
        sources = [item.source for item in items]
        sizes = {source: sources.count(source) for source in set(sources)}
        weights = weights * [sizes[item.source] ** -0.25 * (0.5 if item.generator in EARLY else 1) for item in items]
    return weights / weights.sum()


def fit_groups(sample: Sample) -> tuple[Scale, list[Group]]:
    """The scale of the statistics, and their moments in it by source."""
    scale = fit_scale(sample.numbers)
    return scale, group_by_source(scale(sample.numbers), sample.fake, sample.sources, sample.weights)


def by_picture(owner: np.ndarray, values: np.ndarray) -> np.ndarray:
    return np.bincount(owner, values) / np.bincount(owner)


def judge(score: np.ndarray, items: list[Item]) -> list:
    fake = np.array([item.fake for item in items])
    interval = auc_interval(score, fake, np.array([item.source for item in items]), seed=1)
    return [round(value, 3) for value in (auc(score[~fake], score[fake]), *interval)]


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--network", type=Path, required=True, help="folder of the plain network that the tables were made with")
    options.add_argument("--split", choices=("calibration", "val"), default="calibration")
    options.add_argument("--draws", type=int, default=6)
    options.add_argument("--work", type=Path, default=Path(__file__).parent / ".work")
    asked = options.parse_args()
    torch.set_num_threads(1)
    pictures, folder = Pictures(asked.work / "cache"), asked.work / "tables"
    scale, groups = fit_groups(training_sample(pictures, folder, asked.draws))
    direction, offset = discriminant(groups, np.ones(len(groups)))
    network, items = Network(asked.network), pictures.of(asked.split)
    for name in CONDITIONS:
        table = open_table(folder / f"{asked.split}-{name}.npz")
        logits = network.head(table.features)[0]
        statistics = by_picture(table.owner, scale(table.numbers) @ direction + offset)
        traces = by_picture(table.owner, logits[:, 1] - logits[:, 0])
        scores = {"statistics": statistics, "network": traces, "both": statistics + traces}
        print(json.dumps({"condition": name} | {arm: judge(score, items) for arm, score in scores.items()}))


if __name__ == "__main__":
    main()
