"""Which further numbers of a patch help the discriminants, and how to weigh the pictures that they are fitted on
(experiments 34 and 35): python candidates.py make, then python candidates.py study --numbers stat,tone,lbp,grad

Kept in the history only. All splits are cut alike: of the middle 224 px of each picture two patches of 128 px, as is and after
JPEG 75, and the whole at half size, as is and after JPEG 80; the log odds of full and half size are added. Fitted on six degraded
draws of each picture, by the law of degradation as it is and, every other one, as it was when the network was trained.
Printed are mean picture AUCs of the four conditions:
cv57: ten folds of whole sources of train and calibration (57 sources of photographs and generators), sources weighted as in training;
cal37, val37: fitted on train alone, judged on calibration and val; val57: fitted on train and calibration, judged on val;
cv81: ten folds of whole sources of all splits. new57, new81: those folds without generated pictures of early generators.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np
import torch

import degrade
from arms import by_picture
from candidate_families import Before, Numbers, Random, Scatter, Textons, cooc, from_history, grad, lbp, lbp2, tone, tone2
from conditions import CONDITIONS
from data import EARLY, Item, Pictures, draw_weights, fold_of_sources
from discriminant import SHRINKAGE, discriminant, fit_scale, group_by_source
from fingerprint import fingerprint, keep
from folds import weights_of
from metrics import auc, weighted_auc

HERE, DRAWS, SEED, SIDE, MIDDLE, FOLDS = Path(__file__).parent, 6, 20, 128, 224, 10
SITE = "dcsan/imagen"
CODE = ("candidates", "candidate_families", "degrade", "processing", "conditions", "handmade", "filters", "network")

Family = Callable[[torch.Tensor], Numbers]  # of grey levels [N,3,H,W]


def families(textons: torch.Tensor) -> dict[str, Family]:
    random = Random()
    return {"stat": Before().eval().numbers, "bank": random.numbers, "scatter": Scatter().numbers, "gram": random.gram,
            "textons": Textons(textons).numbers, "lbp": lbp, "tone": tone, "lbp2": lbp2, "cooc": cooc, "tone2": tone2, "grad": grad}  # fmt: skip


def texton_patches(pictures: Pictures) -> torch.Tensor:
    """1,400 degraded training patches, both classes alike."""
    random, found, items = np.random.default_rng(5), [], pictures.of("train")
    for label in (False, True):
        mine = [item for item in items if item.fake == label]
        for at in random.choice(len(mine), 700, p=draw_weights(mine)):
            found.append(degrade.degrade(pictures.read(mine[at]), mine[at].quality, SIDE, random)[0])
    return torch.from_numpy(np.stack(found)).permute(0, 3, 1, 2).float()


Shown = Callable[[int], list[tuple[np.ndarray, float]]]  # row -> patches, and how much trace their history left


def draw(pictures: Pictures, number: int) -> Shown:
    law = degrade if number % 2 else from_history("e35af77", "degrade")

    def shown(row: int) -> list[tuple[np.ndarray, float]]:
        item = pictures.items[row]
        patch, history = law.degrade(pictures.read(item), item.quality, SIDE, np.random.default_rng([SEED, number, row]))
        return [(patch, history.usable)]

    return shown


def reading(pictures: Pictures, change: Callable[[np.ndarray], np.ndarray]) -> Shown:
    def shown(row: int) -> list[tuple[np.ndarray, float]]:
        rgb = pictures.read(pictures.items[row])
        top, left = ((length - MIDDLE) // 2 // 8 * 8 for length in rgb.shape[:2])
        changed = change(np.ascontiguousarray(rgb[top : top + MIDDLE, left : left + MIDDLE]))
        whole = len(changed) == MIDDLE
        return [(part, 1.0) for part in ((changed[:SIDE, :SIDE], changed[-SIDE:, -SIDE:]) if whole else (changed,))]

    return shown


def table(rows: range, shown: Shown, of_patches: dict[str, Family]) -> dict[str, np.ndarray]:
    def batches() -> Iterator[list[tuple[int, np.ndarray, float]]]:
        waiting = []
        for row in rows:
            waiting += [(row, patch, usable) for patch, usable in shown(row)]
            if len(waiting) >= 16 or row == rows[-1]:
                yield waiting
                waiting = []

    parts: dict[str, list[np.ndarray]] = {}
    for batch in batches():
        row, patches, usable = zip(*batch, strict=True)
        rgb = torch.from_numpy(np.stack(patches)).permute(0, 3, 1, 2).float()
        numbers = {f"{name}.{key}".rstrip("."): part.numpy() for name, family in of_patches.items() for key, part in family(rgb).items()}
        for key, value in ({"row": np.array(row), "usable": np.array(usable, np.float32)} | numbers).items():
            parts.setdefault(key, []).append(value)
    return {key: np.concatenate(values) for key, values in parts.items()}


@torch.no_grad()
def make(asked: argparse.Namespace) -> None:
    torch.set_num_threads(1)
    cv2.setNumThreads(1)
    part, parts = map(int, asked.part.split("/"))
    pictures = Pictures(asked.work / "cache")
    rows = range(0, len(pictures.items), asked.every)[part - 1 :: parts]
    of_patches = families(texton_patches(pictures))
    shown = {f"draw {number}": draw(pictures, number) for number in range(DRAWS)}
    shown |= {name: reading(pictures, change) for name, change in CONDITIONS.items()}
    for name, source in shown.items():
        made_from = fingerprint(pictures, CODE, name=name, every=asked.every, part=asked.part)
        path = folder_of(asked) / f"{name} {part} of {parts}.npz"
        keep(path, made_from, lambda path, source=source: np.savez(path, **table(rows, source, of_patches)))


def folder_of(asked: argparse.Namespace) -> Path:
    return asked.work / "candidates" / f"every {asked.every}"


@dataclass(frozen=True)
class Weighing:
    """What a generated picture counts beside data.draw_weights: factors of early generators and of one large site of them,
    powers of how many pictures and how many generators its source has. `photographs`: the power of the source is theirs too."""

    early: float = 1.0
    site: float = 1.0
    pictures: float = 0.0
    generators: float = 0.0
    photographs: bool = False

    def __call__(self, items: list[Item], everything: list[Item]) -> np.ndarray:
        sources = [item.source for item in everything]
        count = {source: sources.count(source) for source in set(sources)}
        makers = {source: len({item.generator for item in everything if item.source == source}) for source in count}
        factors = np.ones(len(items))
        for at, item in enumerate(items):
            if item.fake or self.photographs:
                factors[at] *= count[item.source] ** self.pictures
            if item.fake:
                factors[at] *= makers[item.source] ** self.generators
                factors[at] *= (self.early if item.generator in EARLY else 1) * (self.site if item.source == SITE else 1)
        return weights_of(items) * factors


WEIGHINGS = {
    "as-is": Weighing(), "old-half": Weighing(early=0.5), "site-third": Weighing(site=0.3), "sources": Weighing(pictures=-0.25),
    "old-half-sources": Weighing(early=0.5, pictures=-0.25),  # shipped
    "generators": Weighing(generators=-0.5), "generators-sources": Weighing(pictures=-0.25, generators=-0.5),
    "old-generators": Weighing(early=0.5**0.5, generators=-0.5), "all-sources": Weighing(pictures=-0.25, photographs=True),
}  # fmt: skip


def parts_of(wanted: str, names: list[str]) -> list[str]:
    found = [name for name in names if name == wanted or name.startswith(f"{wanted}.")]
    if not found:
        raise SystemExit(f"there are no numbers '{wanted}', but {', '.join(names)}")
    return found


class Study:
    """Scores of all pictures by discriminants on some numbers: [4 fits, 4 conditions, pictures]."""

    def __init__(self, folder: Path, items: list[Item], every: int, weighing: Weighing):
        self.folder, self.items, self.every, self.weighing = folder, items, every, weighing
        self.fake, split = np.array([item.fake for item in items]), np.array([item.split for item in items])
        self.early = np.array([item.generator in EARLY for item in items])
        self.train, self.calibration, self.val = (split == name for name in ("train", "calibration", "val"))
        self.known, self.all = ~self.val, np.ones(len(items), bool)

    def those(self, mine: np.ndarray) -> list[Item]:
        return [self.items[at] for at in np.flatnonzero(mine)]

    def read(self, name: str, wanted: list[str]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Numbers [P,D], whose they are, how much trace was left."""
        parts = []
        for path in sorted(self.folder.glob(f"{name} [0-9]* of *.npz")):
            with np.load(path) as kept:
                keys = [key for want in wanted for key in parts_of(want, kept.files)]
                parts.append((np.concatenate([kept[key] for key in keys], 1), kept["row"] // self.every, kept["usable"]))
        if not parts:
            raise SystemExit(f"{self.folder} has no tables of '{name}': run `make` first")
        numbers, owner, usable = (np.concatenate(column) for column in zip(*parts, strict=True))
        if len(numbers) != len(self.items) * (2 if name in ("as is", "jpeg 75") else 1) or len(set(owner)) != len(self.items):
            raise SystemExit(f"{self.folder} does not hold each picture once: finish `make` with one division into parts, delete others")
        return numbers, owner, usable

    def scores(self, wanted: list[str], shrinkage: float) -> np.ndarray:
        drawn = [self.read(f"draw {number}", wanted) for number in range(DRAWS)]
        numbers, owner, usable = (np.concatenate(column) for column in zip(*drawn, strict=True))
        scale = fit_scale(numbers)
        numbers, trust = scale(numbers), 0.1 + 0.9 * usable
        shown = [(scale(found), whose) for found, whose, _ in (self.read(name, wanted) for name in CONDITIONS)]

        def groups(pool: np.ndarray, fold: np.ndarray) -> list:
            weights = np.zeros(len(self.items))
            weights[pool] = self.weighing(self.those(pool), self.items)
            mine = pool[owner]
            whose = owner[mine]
            return group_by_source(numbers[mine], self.fake[whose], fold[whose].astype(str), weights[whose] * trust[mine])

        def fitted(moments: list, without: int | None = None) -> np.ndarray:
            counts = np.array([group.source != str(without) for group in moments], float)
            direction, offset = discriminant(moments, counts, shrinkage)
            return np.stack([by_picture(whose, found @ direction + offset) for found, whose in shown])

        def in_folds(moments: list, fold: np.ndarray) -> np.ndarray:
            return sum(fitted(moments, number) * (fold == number) for number in range(FOLDS))

        known, everything = self.folds(self.known), self.folds(self.all)
        of_known = groups(self.known, known)
        return np.stack([in_folds(of_known, known), fitted(groups(self.train, known)), fitted(of_known),
                         in_folds(groups(self.all, everything), everything)])  # fmt: skip

    def folds(self, pool: np.ndarray) -> np.ndarray:
        """-1 outside `pool`."""
        chosen = fold_of_sources(self.those(pool), FOLDS)
        return np.array([chosen[item.source, item.fake] if inside else -1 for item, inside in zip(self.items, pool, strict=True)])

    def figures(self, scores: np.ndarray) -> str:
        scores = scores.copy()
        scores[:, :2] += scores[:, 2:]  # full and half size
        known, on_train, on_known, everything = scores

        def plain(score: np.ndarray, mine: np.ndarray) -> float:
            return float(np.mean([auc(line[mine & ~self.fake], line[mine & self.fake]) for line in score]))

        def weighted(score: np.ndarray, mine: np.ndarray) -> float:
            weights = weights_of(self.those(mine))
            return float(np.mean([weighted_auc(line[mine], self.fake[mine], weights) for line in score]))

        told = {"cv57": weighted(known, self.known), "cal37": plain(on_train, self.calibration), "val37": plain(on_train, self.val),
                "val57": plain(on_known, self.val), "cv81": weighted(everything, self.all),
                "new57": weighted(known, self.known & ~self.early), "new81": weighted(everything, ~self.early)}  # fmt: skip
        return " ".join(f"{name} {value:.4f}" for name, value in told.items())


def study(asked: argparse.Namespace) -> None:
    items = Pictures(asked.work / "cache").items[:: asked.every]
    judge = Study(folder_of(asked), items, asked.every, WEIGHINGS[asked.weights])
    wanted = asked.numbers.split(",")
    scores = judge.scores(wanted, asked.shrinkage)
    print(f"{asked.numbers}: {judge.figures(scores)}", flush=True)
    for share, others in (added.split(":") for added in asked.add):
        scores = scores + float(share) * judge.scores(others.split(","), asked.shrinkage)
        print(f"and {share} times the log odds of {others}: {judge.figures(scores)}", flush=True)
    for further in asked.each.split(",") if asked.each else ():
        print(f"with {further}: {judge.figures(judge.scores([*wanted, further], asked.shrinkage))}", flush=True)


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = options.add_subparsers(required=True)
    making, studying = commands.add_parser("make", help="the tables; goes on where it was stopped"), commands.add_parser("study")
    for command, does in ((making, make), (studying, study)):
        command.set_defaults(does=does)
        command.add_argument("--work", type=Path, default=HERE / ".work", help="holds the cache of decoded pictures")
        command.add_argument("--every", type=int, default=1, help="only each so many-th picture, to try it out")
    making.add_argument("--part", default="1/1", metavar="I/N", help="the I-th (from 1) of N processes that share the work")
    studying.add_argument("--numbers", required=True, help="families or parts of them (lbp2.y1n2), in one discriminant")
    studying.add_argument("--weights", choices=WEIGHINGS, default="as-is")
    studying.add_argument("--shrinkage", type=float, default=SHRINKAGE)
    studying.add_argument("--add", action="append", default=[], metavar="SHARE:NUMBERS", help="another discriminant, log odds added")
    studying.add_argument("--each", metavar="NUMBERS", help="what each of these adds to the numbers by itself")
    asked = options.parse_args()
    asked.does(asked)


if __name__ == "__main__":
    main()
