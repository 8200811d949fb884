"""Fits the comparison of words on what `npm run evaluate -- --words` read of the files of `locator-document-files`.

Boosted trees give a score for each word, a logistic regression of the strongest ones the log odds that the page was changed; the limit is the
one that a share of the unchanged pages exceeds. First everything is fitted in folds over sources and the rates are printed, then on all pages.
Pages of val are never fitted on: `--tested` prints their rates with what the others fitted, and records how many are wrongly suspected.
"""

from __future__ import annotations

import argparse
import csv
import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timezone
from pathlib import Path

import numpy as np
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score

FALSE_ALARMS = 0.0075
FOLDS = 5
CHANGED, UNCLEAR = 0.3, 0.03  # share of a word's box; words between the two are not fitted on
PER_PAGE = 45  # most unchanged words of a page that are fitted on
HARDEST = 15  # further ones, which stood out most after a first fit
NO_PAGE = -99.0
BEFORE = 6  # columns before the inputs: share, original, left, top, width, height


@dataclass
class Page:
    name: str
    source: str
    history: str
    document: str
    kind: str  # of the change; of the counterpart's change for an untouched page
    changed: bool
    share: np.ndarray  # float32 [N], changed share of each word
    original: np.ndarray  # float32 [N], changed share of the place most similar to it: 1 for what was copied
    inputs: np.ndarray  # float32 [N,M]
    of_page: np.ndarray  # float32 [6]


def read_pages(folder: Path) -> list[Page]:
    lines = list(csv.DictReader((folder / "words.csv").open(newline="")))
    rows = np.fromfile(folder / "words.f32", np.float32).reshape(sum(int(line["words"]) for line in lines), -1)
    index = {}
    for pair in sorted({line["pair"] for line in lines}):
        for row in csv.DictReader((Path(pair) / "index.csv").open(newline="")):
            index |= {(pair, row["changed"]): (row, True), (pair, row["twin"]): (row, False)}
    pages = []
    for line in lines:
        row, changed = index[line["pair"], line["name"]]
        own = rows[int(line["first"]) :][: int(line["words"])]
        of_page = np.array(line["ofPage"].split(), np.float32)
        pages.append(Page(line["name"], row["source"], row["history"], row["document"], row["kind"], changed, own[:, 0], own[:, 1], own[:, BEFORE:], of_page))
    return pages


class Model:
    """@param pages that have words"""

    def __init__(self, pages: Sequence[Page], seed: int = 0):
        random = np.random.default_rng(seed)
        chosen = [sample(page, random) for page in pages]
        first = fit_trees(chosen, seed)
        self.trees = fit_trees([*chosen, *(hardest(page, first) for page in pages)], seed)

    def strongest(self, page: Page) -> np.ndarray:
        """What the log odds of the page are computed from, as `scorePage` does."""
        scores = np.sort(self.trees.decision_function(page.inputs))[::-1]
        first, second, third = (scores[min(at, len(scores) - 1)] for at in range(3))
        return np.array([first, second, third, first - scores[len(scores) // 20], first - scores[len(scores) // 2], *page.of_page[:-1]])

    def finds_the_word(self, page: Page) -> bool:
        """A copy and its original look the same."""
        strongest = np.argmax(self.trees.decision_function(page.inputs))
        return bool(max(page.share[strongest], page.original[strongest]) > UNCLEAR)


Rows = tuple[np.ndarray, np.ndarray, np.ndarray]  # inputs float32 [N,M], changed bool [N], weights float [N]


def fit_trees(rows: Sequence[Rows], seed: int) -> HistGradientBoostingClassifier:
    inputs, changed, weights = (np.concatenate(one) for one in zip(*rows, strict=True))
    trees = HistGradientBoostingClassifier(max_iter=120, learning_rate=0.09, max_leaf_nodes=10, min_samples_leaf=30, l2_regularization=5, random_state=seed)
    return trees.fit(inputs, changed, sample_weight=weights)


def unchanged_words(page: Page) -> np.ndarray:
    """Without the originals of copies, which look the same."""
    return np.flatnonzero(np.maximum(page.share, page.original) <= UNCLEAR)


def hardest(page: Page, trees: HistGradientBoostingClassifier) -> Rows:
    """The unchanged words that stand out most: one of hundreds decides about an untouched page."""
    same = unchanged_words(page)
    rows = same[np.argsort(-trees.decision_function(page.inputs[same]))[:HARDEST]] if len(same) else same
    return page.inputs[rows], np.zeros(len(rows), bool), np.ones(len(rows))


def sample(page: Page, random: np.random.Generator) -> Rows:
    changed, same = np.flatnonzero(page.share > CHANGED), unchanged_words(page)
    same = random.choice(same, min(len(same), PER_PAGE), replace=False)
    rows = np.concatenate([changed, same])
    weights = np.concatenate([np.full(len(changed), 3 / max(1, len(changed)) ** 0.5), np.ones(len(same))])
    return page.inputs[rows], page.share[rows] > CHANGED, weights


@dataclass
class PageModel:
    weights: np.ndarray
    offset: float

    @staticmethod
    def fit(strongest: np.ndarray, changed: np.ndarray) -> PageModel:
        mean, deviation = strongest.mean(0), strongest.std(0) + 1e-9
        fitted = LogisticRegression(C=0.3).fit((strongest - mean) / deviation, changed)
        weights = fitted.coef_[0] / deviation
        return PageModel(weights, float(fitted.intercept_[0] - weights @ mean))

    def log_odds(self, strongest: np.ndarray) -> np.ndarray:
        return strongest @ self.weights + self.offset


def draw_folds(pages: Sequence[Page]) -> np.ndarray:
    sources = sorted({page.source for page in pages})
    np.random.default_rng(1).shuffle(sources)
    fold = {source: at % FOLDS for at, source in enumerate(sources)}
    return np.array([fold[page.source] for page in pages])


def in_folds(pages: Sequence[Page]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """@returns what each page's log odds are computed from, by trees that never saw its source; its log odds; whether the strongest word is changed"""
    folds, changed = draw_folds(pages), np.array([page.changed for page in pages])
    strongest, right = [None] * len(pages), np.zeros(len(pages), bool)
    for fold in range(FOLDS):
        model = Model([page for page, at in zip(pages, folds, strict=True) if at != fold])
        for at in np.flatnonzero(folds == fold):
            strongest[at], right[at] = model.strongest(pages[at]), model.finds_the_word(pages[at])
    strongest = np.array(strongest)
    log_odds = np.zeros(len(pages))
    for fold in range(FOLDS):
        others = folds != fold
        log_odds[~others] = PageModel.fit(strongest[others], changed[others]).log_odds(strongest[~others])
    return strongest, log_odds, right


def limit_for(log_odds: np.ndarray, alarms: float) -> float:
    """@param log_odds of unchanged pages"""
    return float(np.quantile(log_odds, 1 - alarms, method="higher"))


def found_by_others(log_odds: np.ndarray, changed: np.ndarray, folds: np.ndarray, alarms: float) -> np.ndarray:
    """Which pages exceed the limit that the other folds set."""
    found = np.zeros(len(log_odds), bool)
    for fold in np.unique(folds):
        found[folds == fold] = log_odds[folds == fold] > limit_for(log_odds[(folds != fold) & ~changed], alarms)
    return found


def print_rates(title: str, pages: Sequence[Page], found: np.ndarray, right: np.ndarray, read: np.ndarray) -> None:
    changed = np.array([page.changed for page in pages])
    print(f"{title}: {rate(found, changed)} of the changed files, {rate(found, ~changed)} of the unchanged ones; "
          f"of those read as pages {rate(found, changed & read)} and {rate(found, ~changed & read)}; "
          f"the word is right in {rate(right, found & changed)}")  # fmt: skip
    for name in ("history", "document", "kind"):
        for value in sorted({getattr(page, name) for page in pages}):
            of = np.array([getattr(page, name) == value for page in pages]) & read
            print(f"  {name} {value}: {rate(found, of & changed)}, unchanged {rate(found, of & ~changed)}")
    wrong = [page.source for page, one in zip(pages, found & ~changed, strict=True) if one]
    print(f"  false alarms by source: {({one: wrong.count(one) for one in sorted(set(wrong))})}")


def rate(some: np.ndarray, of: np.ndarray) -> str:
    return f"{(some & of).sum()} of {of.sum()} ({100 * (some & of).sum() / max(1, of.sum()):.1f} %)"


def print_interval(pages: Sequence[Page], found: np.ndarray) -> None:
    """90 % interval over sources."""
    changed, sources = np.array([page.changed for page in pages]), np.array([page.source for page in pages])
    rows, random = {one: np.flatnonzero(sources == one) for one in np.unique(sources)}, np.random.default_rng(0)
    drawn = [np.concatenate([rows[one] for one in random.choice(list(rows), len(rows))]) for _ in range(1000)]
    for name, of in (("changed", changed), ("unchanged", ~changed)):
        low, high = np.quantile([found[at][of[at]].mean() for at in drawn], [0.05, 0.95])
        print(f"  {name}: 90 % interval over {len(rows)} sources {100 * low:.1f} to {100 * high:.1f} %")


def trees_of(model: HistGradientBoostingClassifier) -> list[list[list[float]]]:
    """A node is [value], or [input, limit, below, above, missing], as `readTree` reads it."""
    trees = []
    for (predictor,) in model._predictors:
        trees.append([[round(float(node["value"]), 5)] if node["is_leaf"] else
                      [int(node["feature_idx"]), float(np.float32(node["num_threshold"])), int(node["left"]), int(node["right"]),
                       int(node["left"] if node["missing_go_to_left"] else node["right"])] for node in predictor.nodes])  # fmt: skip
    return trees


def with_words(text: str, version: str, words: dict) -> str:
    """The manifest with this section, as a new version; a line for each tree."""
    created = datetime.now(timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
    placeholders = {**words, "trees": [f"<{at}>" for at in range(len(words["trees"]))]}
    manifest = json.loads(text) | {"version": version, "created": created, "words": placeholders}
    trees = [json.dumps(tree, separators=(",", ":")) for tree in words["trees"]]
    return re.sub(r'"<(\d+)>"', lambda found: trees[int(found[1])], json.dumps(manifest, indent=1)) + "\n"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--read", type=Path, nargs="+", required=True, help="folders that `npm run evaluate -- --words` wrote, of train and calibration")
    parser.add_argument("--tested", type=Path, nargs="*", default=[], help="the same of val")
    parser.add_argument("--ratio", type=float, default=12, help="how many times as frequent a suspicion is on changed pages, at most")
    parser.add_argument("--out", type=Path, help="folder of the locator, whose manifest gets the weights")
    parser.add_argument("--version", help="of the locator, with --out")
    args = parser.parse_args()
    if args.out and not args.version:
        parser.error("--out needs --version")
    everything = [page for folder in args.read for page in read_pages(folder)]
    pages = [page for page in everything if len(page.share)]
    changed, folds = np.array([page.changed for page in pages]), draw_folds(pages)
    strongest, log_odds, right = in_folds(pages)
    print(f"{len(pages)} of {len(everything)} files are read as pages; AUC {roc_auc_score(changed, log_odds):.3f}")
    for alarms in (FALSE_ALARMS, 0.02):
        found = found_by_others(log_odds, changed, folds, alarms)
        print_rates(f"In folds, limit for {100 * alarms:g} %", pages, found, right, np.ones(len(pages), bool))
        print_interval(pages, found)
    limit, model, page_model = limit_for(log_odds[~changed], FALSE_ALARMS), Model(pages), PageModel.fit(strongest, changed)
    words = {
        "floors": json.loads((args.read[0] / "floors.json").read_text()),
        "offset": round(float(model.trees._baseline_prediction.ravel()[0]), 5),
        "page": [round(float(one), 6) for one in page_model.weights],
        "pageOffset": round(page_model.offset, 5),
        "suspectedFrom": round(limit, 3),
        "ratio": args.ratio,
    }
    if args.tested:
        tested = [page for folder in args.tested for page in read_pages(folder)]
        read = np.array([len(page.share) > 0 for page in tested])
        odds = np.array([page_model.log_odds(model.strongest(page)) if len(page.share) else NO_PAGE for page in tested])
        found, untouched = odds > limit, np.array([not page.changed for page in tested])
        print_rates("Val", tested, found, np.array([len(page.share) > 0 and model.finds_the_word(page) for page in tested]), read)
        print_interval(tested, found)
        words["tested"] = {"unchanged": int(untouched.sum()), "wrongly": int((found & untouched).sum())}
    if args.out:
        path = args.out / "manifest.json"
        path.write_text(with_words(path.read_text(), args.version, {**words, "trees": trees_of(model.trees)}))


if __name__ == "__main__":
    main()
