"""Fits the fusion of the methods that look for local changes to the results of the engine's own methods.

`--readings` is a folder with two tables of the calibration split, never of test data. Numbers use a decimal point; empty means
that the method was skipped (or gives no map); columns that are not named here are methods.

`pictures.csv`, a row for each picture under each condition:
  picture          name, unique together with `condition`
  pair             shared by a changed picture and its untouched counterpart; empty for a photograph
  source           of a photograph; empty for a pair
  condition        as is, jpeg 75, half
  kind             of the change (splice, copy-move, removal, treatment, writing, repaint), in both rows of a pair;
                   empty for a photograph
  changed          1 or 0
  pixels           width times height
  quality          of the JPEG file, 100 for any other
  <method>         score 0..1 of its finding

`places.csv`, a row for each sampled cell of the pictures of pairs, at most some hundred a picture:
  picture, condition  as above
  changed          1 or 0: whether at least half of the cell was
  pixels           of the picture
  weight           number of cells that the row stands for: cells of its kind in the picture / sampled cells of the kind
  <method>         value 0..1 of its map at this cell, on the engine's common grid

The result `{thresholds, fusion}` is part of the locator's manifest, as `src/engine/localisation.ts` reads it.
"""

from __future__ import annotations

import argparse
import csv
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path

import numpy as np
from scipy.optimize import minimize

from forensics_training.data.collect import LEFT_OUT
from forensics_training.locator.figures import worst_limit
from forensics_training.runtime.metrics import auc, sigmoid

NAMED = ("picture", "pair", "source", "condition", "kind", "changed", "weight", "pixels", "quality")
SHOWN = ("error-level",)  # methods that are only shown, never weighted
MAX_LOG_ODDS = 4.0  # bound of a single method, as in the engine
RIDGE = 0.01  # L2 penalty of the weights, against the mean loss of a row
LEAST_ANSWERED = 15  # a method is weighted only if it answered for at least this many changed pictures
CUT = 0.05  # step between the log odds at which a map is thresholded
CUTS = np.arange(-8, 8.01, CUT)
OFFSETS = np.arange(-2, 2.01, 0.1)
SLOPES = np.arange(0, 0.91, 0.1)
RISE = 0.15  # of the level per doubling of the pixels; fitted, values from 0 to 0.2 are equally good
COUNTED = 0.25  # a picture is weighted by its changed share to this power; by the share itself small regions would count for nothing
PRIOR = 0.2  # share of changed pictures among those examined, which the probability assumes
STRONGEST = 0.99  # quantile of a picture's log odds, as in src/engine/localisation.ts
NEAR = 0.0005  # of the best mean F1
FOLDS = 5
# Allowed share of the untouched pictures of the worst source and condition.
MANIPULATED = {"pedantic": 0.0, "default": 0.01, "relaxed": 0.02}
SUSPECTED = {"pedantic": 0.10, "default": 0.05, "relaxed": 0.03}
DIGITS = 1e6
LEAST_PROBABILITY = 0.5  # never called manipulated below it


@dataclass(frozen=True)
class Table:
    """Columns of a CSV file; `odds` [N,M]: bounded log odds of the methods, NaN where one was skipped."""

    text: Mapping[str, np.ndarray]
    methods: tuple[str, ...]
    odds: np.ndarray

    def number(self, name: str) -> np.ndarray:
        """float64 [N], NaN where the cell is empty."""
        return numbers(self.text[name])

    @property
    def doublings(self) -> np.ndarray:
        """[N]: log2 of the megapixels."""
        return np.log2(self.number("pixels") / 1e6)

    @property
    def covariates(self) -> np.ndarray:
        """[N,2]: size and compression, which shift the log odds of a picture, as in src/engine/localisation.ts."""
        return np.stack([self.doublings, (100 - self.number("quality")) / 100], 1)

    def has(self, name: str, value: str) -> np.ndarray:
        return self.text[name] == value

    def only(self, rows: np.ndarray) -> Table:
        return Table({name: column[rows] for name, column in self.text.items()}, self.methods, self.odds[rows])


@dataclass(frozen=True)
class Model:
    """Log odds: offset + sum of weight * (odds - rest) over the methods that answered + slopes * covariates."""

    offset: float
    weights: np.ndarray
    rests: np.ndarray
    slopes: np.ndarray | None = None

    def __call__(self, odds: np.ndarray, covariates: np.ndarray | None = None) -> np.ndarray:
        moved = 0 if self.slopes is None or covariates is None else covariates @ self.slopes
        return self.offset + np.nan_to_num(odds - self.rests) @ self.weights + moved


@dataclass(frozen=True)
class Level:
    """The sum of log odds at which a place is marked: offset + middle * median + strongest * 99 % quantile of the picture + rise * log2 of
    its megapixels."""

    offset: float
    middle: float
    strongest: float
    rise: float = RISE

    def __call__(self, cells: Cells, sums: np.ndarray) -> np.ndarray:
        """@returns [pictures]"""
        return self.of(cells.quantile(sums, 0.5), cells.quantile(sums, STRONGEST), cells.doublings)

    def of(self, middle: np.ndarray, strongest: np.ndarray, doublings: np.ndarray) -> np.ndarray:
        return self.offset + self.middle * middle + self.strongest * strongest + self.rise * doublings


def read_table(path: Path) -> Table:
    with open(path, newline="") as rows:
        names, *lines = csv.reader(rows)
    text = dict(zip(names, np.array(lines).T, strict=True))
    methods = tuple(name for name in names if name not in (*NAMED, *SHOWN))
    odds = np.stack([numbers(text[name]) for name in methods], 1)
    with np.errstate(divide="ignore"):
        odds = np.log(odds / (1 - odds))
    return Table(text, methods, np.clip(odds, -MAX_LOG_ODDS, MAX_LOG_ODDS))


def numbers(column: np.ndarray) -> np.ndarray:
    return np.array([float(value) if value else np.nan for value in column])


def fit(odds: np.ndarray, changed: np.ndarray, weight: np.ndarray, rests: np.ndarray, covariates: np.ndarray | None = None) -> Model:
    """Ridge logistic regression. Weights of methods are not negative; covariates may have either sign."""
    given, target, share = np.nan_to_num(odds - rests), changed.astype(float), weight / weight.sum()
    methods = given.shape[1]
    if covariates is not None:
        given = np.concatenate([given, covariates], 1)

    def loss(values: np.ndarray) -> tuple[float, np.ndarray]:
        total = values[0] + given @ values[1:]
        wrong = share * (sigmoid(total) - target)
        cost = share @ (np.logaddexp(0, total) - target * total) + RIDGE / 2 * values[1:] @ values[1:]
        return float(cost), np.concatenate([[wrong.sum()], given.T @ wrong + RIDGE * values[1:]])

    bounds = [(None, None)] + [(0, None)] * methods + [(None, None)] * (given.shape[1] - methods)
    found = minimize(loss, np.zeros(1 + given.shape[1]), jac=True, method="L-BFGS-B", bounds=bounds).x
    return Model(round(float(found[0]), 4), found[1 : 1 + methods].round(4), rests.round(4), found[1 + methods :].round(4) if covariates is not None else None)


def balanced(changed: np.ndarray, weight: np.ndarray, share: float = 0.5) -> np.ndarray:
    """Weights rescaled so that the changed rows have `share` of the total, which is 1."""
    answer = weight.astype(float).copy()
    for label, whole in ((False, 1 - share), (True, share)):
        answer[changed == label] *= whole / answer[changed == label].sum()
    return answer


def mean_odds(odds: np.ndarray, weight: np.ndarray) -> np.ndarray:
    """[M]: weighted mean log odds of each method where it answered, so that a skipped method counts as average."""
    answered = ~np.isnan(odds) * weight[:, None]
    return (np.nan_to_num(odds) * answered).sum(0) / np.maximum(answered.sum(0), 1e-12)


def fit_places(places: Table, kept: Mapping[str, float] | None = None) -> tuple[Model, Level]:
    """Weights of the places by regression, each picture counting the same; the level replaces the offset.

    @param kept use these weights by method instead
    """
    cells = Cells(places)
    weight = balanced(cells.changed, cells.weight)
    rests = mean_odds(places.odds, weight)
    if kept is None:
        model = fit(places.odds, cells.changed, weight, rests)
        model = Model(0, model.weights, model.rests)
    else:
        model = Model(0, np.array([kept.get(method, 0) for method in places.methods]), rests.round(4))
    return model, fit_level(cells, model(places.odds))


def fit_level(cells: Cells, sums: np.ndarray) -> Level:
    """The level with the highest weighted mean F1; among those within NEAR of it, the one that marks the least of untouched pictures."""
    f1, marked = cells.curves(sums)
    middle, strongest = cells.quantile(sums, 0.5), cells.quantile(sums, STRONGEST)
    untouched = cells.wanted == 0
    counted = np.where(untouched, 0, cells.wanted**COUNTED)
    tried = [Level(*values, RISE) for values in product(OFFSETS, SLOPES, SLOPES)]
    cuts = [cut_of(level.of(middle, strongest, cells.doublings)) for level in tried]
    worth = np.array([counted @ f1[cells.each, cut] / counted.sum() for cut in cuts])
    near = np.flatnonzero(worth >= worth.max() - NEAR)
    return tried[min(near, key=lambda at: marked[cells.each, cuts[at]][untouched].mean())]


def cut_of(level: np.ndarray) -> np.ndarray:
    """Index of the nearest of CUTS."""
    return np.clip(np.round((level - CUTS[0]) / CUT), 0, len(CUTS) - 1).astype(int)


class Cells:
    """The sampled cells, grouped by picture; the weights of each picture sum to 1."""

    def __init__(self, places: Table):
        _, self.group = np.unique(reading_names(places), return_inverse=True)
        self.each = np.arange(self.group.max() + 1)
        self.changed, weight = places.number("changed") > 0, places.number("weight")
        self.weight = weight / np.bincount(self.group, weight)[self.group]
        self.wanted = np.bincount(self.group, self.weight * self.changed)
        self.doublings = np.zeros(len(self.each))
        self.doublings[self.group] = places.doublings

    def curves(self, sums: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """@returns estimated F1 [pictures, CUTS], 0 for an untouched picture; and the share of the picture that each cut marks"""
        step = np.searchsorted(CUTS, sums, side="right")
        marked, found = (self.above(step, chosen) for chosen in (np.ones(len(sums)), self.changed))
        return 2 * found / np.maximum(marked + self.wanted[:, None], 1e-12), marked

    def above(self, step: np.ndarray, chosen: np.ndarray) -> np.ndarray:
        size = len(CUTS) + 1
        counts = np.bincount(self.group * size + step, self.weight * chosen, len(self.each) * size)
        return counts.reshape(-1, size)[:, :0:-1].cumsum(1)[:, ::-1]

    def quantile(self, values: np.ndarray, share: float) -> np.ndarray:
        """[pictures]: weighted quantile of each picture."""
        order = np.lexsort((values, self.group))
        upto = self.weight[order].cumsum()
        return values[order][np.searchsorted(upto, self.each + share - 1e-9)]


def f1_of(model: Model, level: Level, places: Table) -> np.ndarray:
    """[changed pictures]: F1 at 0.5."""
    cells, sums = Cells(places), model(places.odds)
    return cells.curves(sums)[0][cells.each, cut_of(level(cells, sums))][cells.wanted > 0]


def reading_names(table: Table) -> np.ndarray:
    """[N]: a unique name for each picture under each condition."""
    return np.char.add(np.char.add(table.text["picture"], "|"), table.text["condition"])


def fit_pictures(pictures: Table) -> Model:
    """Fitted on pairs alone: photographs would teach what distinguishes pairs from photographs. A score of 0.5 is neutral."""
    pairs = pictures.only(pictures.has("source", ""))
    changed = pairs.number("changed") > 0
    weight = balanced(changed, np.ones(len(changed)), PRIOR)
    return fit(pairs.odds, changed, weight, np.zeros(len(pairs.methods)), pairs.covariates)


def answering(table: Table) -> np.ndarray:
    """bool [M]: which methods answered often enough to be weighted."""
    changed = table.number("changed") > 0
    return np.array([len(set(table.text["picture"][changed & ~np.isnan(odds)])) >= LEAST_ANSWERED for odds in table.odds.T])


def open_readings(folder: Path) -> tuple[Table, Table]:
    """Pictures and places; a method that answered too rarely counts as skipped throughout. LEFT_OUT sources set no limits."""
    pictures, places = (read_table(folder / f"{name}.csv") for name in ("pictures", "places"))
    names, counts = np.unique(reading_names(pictures), return_counts=True)
    if counts.max() > 1:
        raise ValueError(f"{folder / 'pictures.csv'}: {names[counts.argmax()]} appears {counts.max()} times, so its places would be mixed up.")
    return without_rare_methods(pictures.only(~np.isin(pictures.text["source"], list(LEFT_OUT)))), without_rare_methods(places)


def without_rare_methods(table: Table) -> Table:
    return Table(table.text, table.methods, np.where(answering(table), table.odds, np.nan))


def without(table: Table, methods: Sequence[str]) -> Table:
    """The table as if these methods were always skipped."""
    return Table(table.text, table.methods, np.where(np.isin(table.methods, methods), np.nan, table.odds))


def thresholds_of(probability: np.ndarray, pictures: Table) -> dict[str, dict[str, float]]:
    """Thresholds by strategy, from the untouched pictures under each condition.

    @param probability [N], of each row of `pictures`
    """
    limits = {}
    for strategy in MANIPULATED:
        manipulated, suspected = (alarm_limit(probability, pictures, alarms[strategy]) for alarms in (MANIPULATED, SUSPECTED))
        limits[strategy] = {"manipulatedMin": max(manipulated, LEAST_PROBABILITY), "suspectedMin": suspected}
    names = ("manipulatedMin", "suspectedMin")
    return {name: {strategy: limit[name] for strategy, limit in limits.items()} for name in names}


def alarm_limit(probability: np.ndarray, pictures: Table, share: float) -> float:
    """The threshold that at most `share` of the untouched pictures of any source reach under any condition; counterparts of pairs are one
    source."""
    untouched, limits = pictures.number("changed") == 0, []
    for condition in np.unique(pictures.text["condition"]):
        mine = untouched & pictures.has("condition", condition)
        limits.append(worst_limit(probability[mine], pictures.text["source"][mine], share))
    return float(np.ceil(max(limits) * DIGITS + 0.5) / DIGITS)  # just above: the engine counts what reaches it


def folds_of(pictures: Table) -> np.ndarray:
    """[N]: fold of each row; pairs and sources stay together."""
    names = np.where(pictures.text["source"] == "", pictures.text["pair"], pictures.text["source"])
    distinct, group = np.unique(names, return_inverse=True)
    return np.random.default_rng(1).permutation(len(distinct))[group] % FOLDS


def held_out(pictures: Table, places: Table, kept: Mapping[str, float] | None = None) -> dict[str, dict[str, float]]:
    """Metrics by condition, of folds left out of the fit."""
    fold = folds_of(pictures)
    fold_of_reading = dict(zip(reading_names(pictures), fold, strict=True))
    place_fold = np.array([fold_of_reading[name] for name in reading_names(places)])
    probability, f1 = np.zeros(len(fold)), {}
    for number in range(FOLDS):
        model = fit_pictures(pictures.only(fold != number))
        probability[fold == number] = model(pictures.odds[fold == number], pictures.covariates[fold == number])
        placed, apart = fit_places(places.only(place_fold != number), kept), places.only(place_fold == number)
        for condition in np.unique(apart.text["condition"]):
            f1.setdefault(condition, []).extend(f1_of(*placed, apart.only(apart.has("condition", condition))))
    changed, paired = pictures.number("changed") > 0, pictures.text["source"] == ""
    figures = {}
    for condition, values in f1.items():
        mine = paired & pictures.has("condition", condition)
        scores = [probability[mine & (changed == label)] for label in (False, True)]
        figures[condition] = {"f1Half": round(float(np.mean(values)), 3), "pictureAuc": round(auc(*scores), 3)}
    return figures


def weights_of(model: Model, methods: Sequence[str]) -> dict[str, dict[str, float]]:
    """The methods with a weight, as the manifest stores them."""
    rows = zip(methods, model.weights, sigmoid(model.rests), strict=True)
    return {method: {"weight": float(weight), "rest": round(float(rest), 4)}
            for method, weight, rest in rows if weight > 0}  # fmt: skip


def fuse(pictures: Table, places: Table, given: Mapping[str, float], kept: Mapping[str, float] | None = None) -> dict:
    """@param given weights by method for methods that simulated pairs cannot show; added to the fitted ones
    @param kept as `fit_places` takes them"""
    scores, (maps, level) = fit_pictures(pictures), fit_places(places, kept)
    in_pictures = {method: row["weight"] for method, row in weights_of(scores, pictures.methods).items()}
    in_places = weights_of(maps, places.methods)
    return {
        "thresholds": thresholds_of(sigmoid(scores(pictures.odds, pictures.covariates)), pictures),
        "fusion": {
            "places": {"offset": round(-level.offset, 4) + 0.0,  # no -0.0
                       "level": {"middle": round(level.middle, 4), "strongest": round(level.strongest, 4), "perDoubling": round(level.rise, 4)},
                       "weights": in_places | {method: {"weight": weight, "rest": 0.5} for method, weight in given.items()}},
            "picture": {"offset": scores.offset, "perDoubling": float(scores.slopes[0]), "compression": float(scores.slopes[1]),
                        "weights": in_pictures | dict(given),
                        # It was never more than weak in 147 genuine photographs; double quantisation was in two.
                        "suspectAlone": ["copy-move"]},
        },
    }  # fmt: skip


def weights_of_places(manifest: Path) -> dict[str, float]:
    rows = json.loads(manifest.read_text())["fusion"]["places"]["weights"]
    return {method: row["weight"] for method, row in rows.items()}


def pair_of(text: str) -> tuple[str, float]:
    method, weight = text.split("=")
    return method, float(weight)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--readings", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--given", type=pair_of, nargs="*", default=[], metavar="METHOD=WEIGHT")
    parser.add_argument("--places", type=Path, help="manifest.json whose weights of places are kept: fitted on pairs of the simulator that trained the network, they trust it too much")
    parser.add_argument("--without", nargs="*", default=[], metavar="METHOD", help="methods to leave out")
    args = parser.parse_args()
    pictures, places = open_readings(args.readings)
    if unknown := set(args.without) - set(pictures.methods):
        parser.error(f"--without {' '.join(sorted(unknown))}: the readings have {', '.join(pictures.methods)}.")
    pictures, places = without(pictures, args.without), without(places, args.without)
    kept = weights_of_places(args.places) if args.places else None
    if kept is not None:
        kept = {method: weight for method, weight in kept.items() if method not in args.without}
    args.out.write_text(json.dumps(fuse(pictures, places, dict(args.given), kept), indent=2) + "\n")
    print(args.out.read_text())
    for condition, figures in held_out(pictures, places, kept).items():
        print("held out |", condition, "|", json.dumps(figures), flush=True)
