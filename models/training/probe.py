"""Does the data leak? Predicts the label from file facts alone: python probe.py --data DIR --model ../trace-1

Before the common history: facts of each file (size, format, quantisation, bytes). After it: what the law of degradation left
of them in a training patch. Fitted on train, measured on the sources of val. Above 60 % balanced accuracy the facts leak, and
whoever learns them looks good here and fails outside. With `--model` also: does its score follow the facts within a class, do the
facts add anything to it, and does it still tell the classes apart where the facts are equal?
"""

from __future__ import annotations

import argparse
import csv
import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
from PIL import Image
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.linear_model import LogisticRegression

from conditions import CONDITIONS
from data import Item, Pictures, draw_weights, jpeg_quality, open_pictures
from degrade import degrade
from evaluate import Network, decisions
from metrics import auc, auc_interval, drawn_sources, interval, weighted_auc

SIDE = 128
CROP_SIZE = 2  # the first of the file facts
LEAST_IN_STRATUM = 5  # of each class


def file_facts(path: Path, row: dict[str, str]) -> list[float]:
    """Size, shape, format, quantisation and bytes of one file, and the size and format of the original it was cut from."""
    with Image.open(path) as image:
        tables = getattr(image, "quantization", None) or {}
        sums = [float(np.sum(tables.get(index, [0]))) for index in (0, 1)]
        subsampled = float(image.layer[0][1]) if tables else 0.0  # luma samples across for each chroma sample
        size, format_, quality = image.size, image.format, jpeg_quality(image)
    original = float(row["original_width"] or 0), float(row["original_height"] or 0)
    formats = [float(format_ == "JPEG"), *(float(row["original_format"] == name) for name in ("JPEG", "PNG", "WEBP"))]
    return [*size, path.stat().st_size / (size[0] * size[1]), quality, *sums, subsampled, *formats,
            *original, original[0] * original[1], original[0] / max(1, original[1]),
            float(original[0] % 64 == 0 and original[1] % 64 == 0)]  # fmt: skip


def patch_facts(rgb: np.ndarray, quality: int, random: np.random.Generator) -> list[float]:
    """What is left of a file's history in one training patch: what the law noted, and the strength of a block grid."""
    patch, history = degrade(rgb, quality, SIDE, random)
    return [history.quality, history.blur, history.scale, *grid_strength(patch)]


def grid_strength(patch: np.ndarray) -> list[float]:
    """Mean luma step across the borders of 8 px blocks over the mean step elsewhere, along x and along y, 1 = no grid."""
    luma = patch.astype(np.float64) @ (0.299, 0.587, 0.114)
    strengths = []
    for steps in (np.abs(np.diff(luma, axis=1)).mean(0), np.abs(np.diff(luma, axis=0)).mean(1)):
        border = np.arange(len(steps)) % 8 == 7
        strengths.append(float((steps[border].mean() + 0.01) / (steps[~border].mean() + 0.01)))
    return strengths


def collect(pictures: Pictures, data: Path, seed: int, draws: int = 3) -> dict[str, np.ndarray]:
    """`before` [P,F], `after` [draws,P,F], both in the order of `pictures.items`."""
    with open(data / "manifest.csv", newline="") as rows:
        by_file = {row["file"]: row for row in csv.DictReader(rows)}
    items = pictures.items
    after = [[patch_facts(pictures.read(item), item.quality, np.random.default_rng([seed, number, index]))
              for index, item in enumerate(items)] for number in range(draws)]  # fmt: skip
    return {"before": np.array([file_facts(data / item.file, by_file[item.file]) for item in items]), "after": np.array(after)}


def predict(facts: np.ndarray, items: list[Item], seed: int) -> np.ndarray:
    """Chance of `generated` of every picture (mean over draws), by trees fitted on train with the weights of training."""
    draws = facts if facts.ndim == 3 else facts[None]
    fake = labels(items)
    weights = np.zeros(len(items))
    for label in (False, True):
        mine = [index for index, item in enumerate(items) if item.split == "train" and item.fake == label]
        weights[mine] = draw_weights([items[index] for index in mine])
    train = np.flatnonzero(weights)
    trees = HistGradientBoostingClassifier(max_iter=150, learning_rate=0.05, max_leaf_nodes=15, random_state=seed)
    trees.fit(np.concatenate([draw[train] for draw in draws]), np.tile(fake[train], len(draws)),
              sample_weight=np.tile(weights[train], len(draws)) * len(train))  # fmt: skip
    return np.mean([trees.predict_proba(draw)[:, 1] for draw in draws], axis=0)


def judge(scores: np.ndarray, items: list[Item], split: str, seed: int = 1) -> dict:
    """@param scores chances of `generated`."""
    mine, fake = of_split(items, split), labels(items)
    right = (scores[mine & fake] >= 0.5).mean() + (scores[mine & ~fake] < 0.5).mean()
    return {"balancedAccuracy": float(right / 2)} | rank(scores, items, split, seed)


def rank(scores: np.ndarray, items: list[Item], split: str, seed: int = 1) -> dict:
    mine, fake = of_split(items, split), labels(items)
    return {
        "auc": auc(scores[mine & ~fake], scores[mine & fake]),
        "interval95": auc_interval(scores[mine], fake[mine], sources(items)[mine], seed),
    }


def labels(items: list[Item]) -> np.ndarray:
    return np.array([item.fake for item in items])


def sources(items: list[Item]) -> np.ndarray:
    return np.array([item.source for item in items])


def of_split(items: list[Item], split: str) -> np.ndarray:
    return np.array([item.split == split for item in items])


def rank_correlation(one: np.ndarray, other: np.ndarray) -> float:
    """Spearman's; ties share their mean rank."""
    ranks = []
    for values in (one, other):
        _, inverse, counts = np.unique(values, return_inverse=True, return_counts=True)
        ranks.append((np.cumsum(counts) - (counts - 1) / 2)[inverse])
    return float(np.corrcoef(*ranks)[0, 1])


def follows_facts(scores: np.ndarray, probe: np.ndarray, items: list[Item]) -> dict:
    """Rank correlation of a model's score with the probe's on val, inside each class: 0 = the model does not read the facts."""
    fake, mine = labels(items), of_split(items, "val")
    return {label: rank_correlation(scores[mine & of], probe[mine & of]) for label, of in (("real", ~fake), ("generated", fake))}


def facts_add(scores: np.ndarray, probe: np.ndarray, items: list[Item], seed: int = 1) -> dict:
    """AUC on val of the probe and of both together, and what both gain over the model's score alone: nothing, if the facts add
    nothing. The gain is taken over the same drawn sources of both."""
    mine = of_split(items, "val")
    fake, alone, both = labels(items)[mine], scores[mine], joined(scores, probe, items)[mine]
    drawn = [weighted_auc(both, fake, times) - weighted_auc(alone, fake, times)
             for times in drawn_sources(sources(items)[mine], fake, seed)]  # fmt: skip
    return {
        "facts": auc(probe[mine][~fake], probe[mine][fake]),
        "both": auc(both[~fake], both[fake]),
        "gain": auc(both[~fake], both[fake]) - auc(alone[~fake], alone[fake]),
        "interval95": interval(drawn),
    }


def joined(scores: np.ndarray, probe: np.ndarray, items: list[Item]) -> np.ndarray:
    """Log odds of `generated` by a model's score and the probe's chance together: logistic regression fitted on calibration.
    NaN where the score is."""
    chance = probe.clip(1e-6, 1 - 1e-6)
    both = np.column_stack([scores, np.log(chance / (1 - chance))])
    known = of_split(items, "calibration")
    both = (both - both[known].mean(0)) / both[known].std(0)
    fitted = LogisticRegression(class_weight="balanced").fit(both[known], labels(items)[known])
    return both @ fitted.coef_[0] + fitted.intercept_[0]


def within_strata(scores: np.ndarray, items: list[Item], seed: int = 1) -> dict:
    """AUC of a model's score on val between pictures whose files are alike in size and quality."""
    mine = of_split(items, "val")
    fake, scores = labels(items)[mine], scores[mine]
    strata = np.array([stratum(item) for item in items])[mine]
    counts = {name: min((fake[strata == name]).sum(), (~fake[strata == name]).sum()) for name in np.unique(strata)}
    names = [name for name, count in counts.items() if count >= LEAST_IN_STRATUM]
    if not names:
        return {"strata": {}}
    parts = [strata == name for name in names]
    drawn = [stratified_auc(scores, fake, parts, times) for times in drawn_sources(sources(items)[mine], fake, seed)]
    return {
        "auc": stratified_auc(scores, fake, parts, np.ones(len(fake))),
        "interval95": interval(drawn),
        "strata": {str(name): [int((~fake[of]).sum()), int(fake[of].sum())] for name, of in zip(names, parts, strict=True)},
    }


def stratum(item: Item) -> str:
    side, quality = min(item.width, item.height), item.quality
    size = "below 256 px" if side < 256 else "256 to 383 px" if side < 384 else "384 px or more"
    if not item.file.endswith(".jpg"):
        return f"{size}, lossless"
    return f"{size}, " + ("JPEG below 75" if quality < 75 else "JPEG 75 to 89" if quality < 90 else "JPEG 90 or more")


def stratified_auc(scores: np.ndarray, fake: np.ndarray, parts: list[np.ndarray], times: np.ndarray) -> float:
    """Mean of the AUC of each part, weighed by pairs over pictures as Mantel and Haenszel (1959) weigh tables.

    @param times how often each picture counts. NaN where no part has both classes."""
    total, weights = 0.0, 0.0
    for of in parts:
        real, generated = times[of & ~fake].sum(), times[of & fake].sum()
        if real and generated:
            weight = real * generated / (real + generated)
            total, weights = total + weight * weighted_auc(scores[of], fake[of], times[of]), weights + weight
    return total / weights if weights else float("nan")


def read_scores(pictures: Pictures, network: Network, change: Callable) -> np.ndarray:
    """Log odds of `generated` of every picture, read in both sizes as the service does; NaN for those of train."""
    scores = np.full(len(pictures.items), np.nan)
    for split in ("calibration", "val"):
        scores[of_split(pictures.items, split)] = decisions(pictures, pictures.of(split), network, change)
    return scores


def beside_model(pictures: Pictures, model: Path, probes: dict[str, np.ndarray], seed: int) -> dict:
    """@param probes chance of `generated` of every picture by file facts; `all facts` among them."""
    items, network, answer = pictures.items, Network(model), {}
    for name, change in CONDITIONS.items():
        scores = read_scores(pictures, network, change)
        answer[name] = {
            "score": rank(scores, items, "val"),
            "withFacts": {facts: facts_add(scores, probe, items, seed) for facts, probe in probes.items()},
            "withinStrata": within_strata(scores, items, seed),
            "followsFacts": follows_facts(scores, probes["all facts"], items),
        }
    return answer


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--data", type=Path, required=True)
    options.add_argument("--model", type=Path)
    options.add_argument("--work", type=Path, default=Path(__file__).parent / ".work")
    options.add_argument("--seed", type=int, default=20)
    asked = options.parse_args()
    pictures = open_pictures(asked.data, asked.work)
    facts = collect(pictures, asked.data, asked.seed)
    scores = {name: predict(values, pictures.items, asked.seed) for name, values in facts.items()}
    answer: dict = {name: {split: judge(score, pictures.items, split) for split in ("calibration", "val")}
                    for name, score in scores.items()}  # fmt: skip
    if asked.model:
        sizeless = predict(facts["before"][:, CROP_SIZE:], pictures.items, asked.seed)
        probes = {"all facts": scores["before"], "without the size of the crop": sizeless}
        answer["model"] = beside_model(pictures, asked.model, probes, asked.seed)
    print(json.dumps(answer, indent=2))


if __name__ == "__main__":
    main()
