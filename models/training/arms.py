"""Arms on the tables of tables.py, each fitted on train and judged on whole pictures of other sources:
python arms.py --arm discriminant --network DIR --split calibration

Prints the picture AUC under the four conditions, of the arm alone and of its sum with the network's logit difference.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch

from conditions import CONDITIONS
from data import Item, Pictures, draw_weights
from discriminant import discriminant, ensemble, fit_scale, group_by_source
from evaluate import Network
from handmade import Statistics
from metrics import auc, auc_interval

Score = Callable[[np.ndarray], np.ndarray]  # described statistics [N,D] -> logit of `fake` [N]


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
    width = sum(statistics.widths.values())
    with np.load(path) as kept, torch.no_grad():
        means, is_draw = kept["means"], "row" in kept.files
        owner, usable = (kept["row"], kept["history"][:, 1]) if is_draw else (kept["picture"], np.ones(len(means)))
    described = [statistics.describe(part) for part in torch.from_numpy(means[:, :width]).split(4096)]
    return Table(torch.cat(described).numpy().astype(np.float64), means[:, width:], owner, usable)


@dataclass(frozen=True)
class Sample:
    """What an arm is fitted on."""

    numbers: np.ndarray
    fake: np.ndarray
    sources: np.ndarray
    weights: np.ndarray


def training_sample(pictures: Pictures, folder: Path, draws: int, pairs: int) -> Sample:
    """Degraded patches of the train split, weighted as in training: by source and generator, and less where little trace is
    left. Aligned fakes are one more source, their real twins more patches of their own sources."""
    weight = np.zeros(len(pictures.items))
    for label in (False, True):
        mine = [row for row, item in enumerate(pictures.items) if item.split == "train" and item.fake == label]
        weight[mine] = draw_weights([pictures.items[row] for row in mine]) * len(mine)
    names = np.array([item.source for item in pictures.items])
    fakes = np.array([item.fake for item in pictures.items])
    parts = []
    for number in range(draws):
        table = open_table(folder / f"draw-{number}.npz")
        mine = weight[table.owner] > 0
        owner = table.owner[mine]
        parts.append((table.numbers[mine], fakes[owner], names[owner], weight[owner] * trust(table.usable[mine])))
    for number in range(pairs):
        table = open_table(folder / f"pairs-{number}.npz")
        fake = np.arange(len(table.owner)) % 2 == 1
        parts.append((table.numbers, fake, np.where(fake, "aligned", names[table.owner]), trust(table.usable) / 2))
    return Sample(*(np.concatenate(column) for column in zip(*parts, strict=True)))


def trust(usable: np.ndarray) -> np.ndarray:
    return 0.1 + 0.9 * usable  # as in the network's loss


def fit_discriminant(sample: Sample) -> Score:
    scale = fit_scale(sample.numbers)
    groups = group_by_source(scale(sample.numbers), sample.fake, sample.sources, sample.weights)
    direction, offset = discriminant(groups, np.ones(len(groups)))
    return lambda numbers: scale(numbers) @ direction + offset


def fit_ensemble(sample: Sample, members: int = 16, seed: int = 20) -> Score:
    scale = fit_scale(sample.numbers)
    groups = group_by_source(scale(sample.numbers), sample.fake, sample.sources, sample.weights)
    directions, offsets = ensemble(groups, members, np.random.default_rng(seed))
    return lambda numbers: (scale(numbers) @ directions + offsets).mean(1)


def fit_trees(sample: Sample) -> Score:
    import lightgbm

    plan = {"objective": "binary", "num_leaves": 15, "learning_rate": 0.03, "min_child_samples": 40, "feature_fraction": 0.15,
            "bagging_fraction": 0.7, "bagging_freq": 1, "lambda_l2": 5, "verbosity": -1, "num_threads": 1, "seed": 1}  # fmt: skip
    trees = lightgbm.train(plan, lightgbm.Dataset(sample.numbers, sample.fake.astype(float), weight=sample.weights), 900)
    return lambda numbers: trees.predict(numbers, raw_score=True)


def fit_logistic(sample: Sample) -> Score:
    from sklearn.linear_model import LogisticRegression

    scale = fit_scale(sample.numbers)
    line = LogisticRegression(C=0.05, max_iter=2000).fit(scale(sample.numbers), sample.fake, sample_weight=sample.weights)
    return lambda numbers: line.decision_function(scale(numbers))


def fit_perceptron(sample: Sample, members: int = 4, epochs: int = 20, batch: int = 256) -> Score:
    """Two hidden layers of 128 and 32, dropout of inputs and hidden values, label smoothing, noise on the inputs."""
    scale = fit_scale(sample.numbers)
    x, y = (torch.from_numpy(np.asarray(value, np.float32)) for value in (scale(sample.numbers), sample.fake * 0.9 + 0.05))
    chance, nets = torch.from_numpy(sample.weights), []
    for member in range(members):
        torch.manual_seed(member)
        net = torch.nn.Sequential(
            torch.nn.Dropout(0.3), torch.nn.Linear(x.shape[1], 128), torch.nn.SiLU(), torch.nn.Dropout(0.4),
            torch.nn.Linear(128, 32), torch.nn.SiLU(), torch.nn.Dropout(0.4), torch.nn.Linear(32, 1))  # fmt: skip
        optimiser = torch.optim.AdamW(net.parameters(), lr=1e-3, weight_decay=0.05)
        steps = epochs * len(x) // batch
        schedule = torch.optim.lr_scheduler.OneCycleLR(optimiser, 1e-3, total_steps=steps)
        for _ in range(steps):
            drawn = torch.multinomial(chance, batch, True)
            logit = net(x[drawn] + 0.2 * torch.randn(batch, x.shape[1]))[:, 0]
            optimiser.zero_grad()
            torch.nn.functional.binary_cross_entropy_with_logits(logit, y[drawn]).backward()
            optimiser.step()
            schedule.step()
        nets.append(net.eval())

    def score(numbers: np.ndarray) -> np.ndarray:
        with torch.no_grad():
            return torch.stack([net(torch.from_numpy(scale(numbers).astype(np.float32))) for net in nets]).mean(0)[:, 0].numpy()

    return score


ARMS = {"discriminant": fit_discriminant, "ensemble": fit_ensemble, "trees": fit_trees, "logistic": fit_logistic,
        "perceptron": fit_perceptron}  # fmt: skip


def by_picture(owner: np.ndarray, values: np.ndarray) -> np.ndarray:
    return np.bincount(owner, values) / np.bincount(owner)


def judge(score: np.ndarray, items: list[Item]) -> list:
    fake = np.array([item.fake for item in items])
    interval = auc_interval(score, fake, np.array([item.source for item in items]), seed=1)
    return [round(value, 3) for value in (auc(score[~fake], score[fake]), *interval)]


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--arm", choices=ARMS, required=True)
    options.add_argument("--network", type=Path, required=True, help="folder of the plain network that the tables were made with")
    options.add_argument("--split", choices=("calibration", "val"), default="calibration")
    options.add_argument("--draws", type=int, default=6)
    options.add_argument("--pairs", type=int, default=0)
    options.add_argument("--work", type=Path, default=Path(__file__).parent / ".work")
    asked = options.parse_args()
    torch.set_num_threads(1)
    pictures, folder = Pictures(asked.work / "cache"), asked.work / "tables"
    arm = ARMS[asked.arm](training_sample(pictures, folder, asked.draws, asked.pairs))
    network, items = Network(asked.network), pictures.of(asked.split)
    for name in CONDITIONS:
        table = open_table(folder / f"{asked.split}-{name}.npz")
        logits = network.head(table.features)[0]
        alone, other = by_picture(table.owner, arm(table.numbers)), by_picture(table.owner, logits[:, 1] - logits[:, 0])
        both = alone / alone.std() + other / other.std()
        print(json.dumps({"condition": name, "arm": judge(alone, items), "network": judge(other, items), "both": judge(both, items)}))


if __name__ == "__main__":
    main()
