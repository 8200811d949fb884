"""Does the data leak? Predicts the label from file facts alone: python probe.py --data DIR --model ../trace-1

Before the common history: facts of each file (size, format, quantisation, bytes). After it: what the law of degradation left
of them in a training patch. Fitted on train, measured on the sources of val. Above 60 % balanced accuracy the facts leak, and
whoever learns them looks good here and fails outside. With `--model` also: does its score follow the facts within a class?
"""

from __future__ import annotations

import argparse
import csv
import json
from pathlib import Path

import numpy as np
from PIL import Image
from sklearn.ensemble import HistGradientBoostingClassifier

from conditions import CONDITIONS
from data import Pictures, draw_weights, jpeg_quality, open_pictures
from degrade import degrade
from evaluate import Network, mean_logits
from metrics import auc, auc_interval

SIDE = 128


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


def predict(facts: np.ndarray, items: list, seed: int) -> np.ndarray:
    """Chance of `generated` of every picture (mean over draws), by trees fitted on train with the weights of training."""
    draws = facts if facts.ndim == 3 else facts[None]
    fake = np.array([item.fake for item in items])
    weights = np.zeros(len(items))
    for label in (False, True):
        mine = [index for index, item in enumerate(items) if item.split == "train" and item.fake == label]
        weights[mine] = draw_weights([items[index] for index in mine])
    train = np.flatnonzero(weights)
    trees = HistGradientBoostingClassifier(max_iter=150, learning_rate=0.05, max_leaf_nodes=15, random_state=seed)
    trees.fit(np.concatenate([draw[train] for draw in draws]), np.tile(fake[train], len(draws)),
              sample_weight=np.tile(weights[train], len(draws)) * len(train))  # fmt: skip
    return np.mean([trees.predict_proba(draw)[:, 1] for draw in draws], axis=0)


def judge(scores: np.ndarray, items: list, split: str, seed: int = 1) -> dict:
    mine = np.array([item.split == split for item in items])
    fake = np.array([item.fake for item in items])[mine]
    sources, scores = np.array([item.source for item in items])[mine], scores[mine]
    return {
        "balancedAccuracy": float(((scores[fake] >= 0.5).mean() + (scores[~fake] < 0.5).mean()) / 2),
        "auc": auc(scores[~fake], scores[fake]),
        "interval95": auc_interval(scores, fake, sources, seed),
    }


def rank_correlation(one: np.ndarray, other: np.ndarray) -> float:
    """Spearman's; ties share their mean rank."""
    ranks = []
    for values in (one, other):
        _, inverse, counts = np.unique(values, return_inverse=True, return_counts=True)
        ranks.append((np.cumsum(counts) - (counts - 1) / 2)[inverse])
    return float(np.corrcoef(*ranks)[0, 1])


def follows_facts(pictures: Pictures, model: Path, probe: np.ndarray) -> dict:
    """Rank correlation of a model's score with the probe's on val, inside each class: 0 = the model does not read the facts."""
    items = pictures.of("val")
    mine = np.array([item.split == "val" for item in pictures.items])
    fake = np.array([item.fake for item in items])
    answer = {}
    for name in ("as is", "jpeg 75"):
        logits = mean_logits(pictures, items, Network(model), CONDITIONS[name])
        score = logits[:, 1] - logits[:, 0]
        answer[name] = {label: rank_correlation(score[of], probe[mine][of]) for label, of in (("real", ~fake), ("generated", fake))}
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
        answer["modelFollowsFileFacts"] = follows_facts(pictures, asked.model, scores["before"])
    print(json.dumps(answer, indent=2))


if __name__ == "__main__":
    main()
