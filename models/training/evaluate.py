"""Figures of a model folder on one split of the data: python evaluate.py --data DIR --model ../trace-1 --split val"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable
from pathlib import Path

import numpy as np

from conditions import CONDITIONS, GRADED
from data import Item, Pictures, open_pictures
from drawings import draw_picture
from export import open_session
from metrics import auc, auc_interval, recall_at, sigmoid, worst_source
from reading import read_both_sizes, read_picture


class Network:
    """The ONNX files of a model folder, as the service runs them, without dropout."""

    def __init__(self, folder: Path):
        self.backbone_session = open_session(folder / "model.onnx")
        self.head_session = open_session(folder / "head.onnx")
        votes = folder / "votes.onnx"
        self.votes_session = open_session(votes) if votes.exists() else None

    def backbone(self, rgb: np.ndarray) -> np.ndarray:
        return self.backbone_session.run(None, {"rgb": rgb})[0][0]

    def votes(self, rgb: np.ndarray) -> np.ndarray:
        return self.votes_session.run(None, {"rgb": rgb})[0][0]

    def head(self, features: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """[N,C] -> logits [N,3], embedding [N,E]. Votes that are not given are none for either side."""
        width = self.head_session.get_inputs()[0].shape[1]
        features = np.pad(features, ((0, 0), (0, width - features.shape[1])))
        masks = np.ones((1, width), np.float32)
        logits, embedding = self.head_session.run(None, {"features": features, "masks": masks})
        return logits[0], embedding

    def features(self, rgb: np.ndarray) -> np.ndarray:
        """What the head is shown of the patches that speak for a picture, [K,C]."""
        if self.votes_session is None:
            return read_picture(rgb, self.backbone).features
        return read_both_sizes(rgb, self.backbone, self.votes).features

    def read(self, rgb: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Logits [K,3] and embeddings [K,E] of those patches."""
        return self.head(self.features(rgb))

    def passes(self, features: np.ndarray, masks: np.ndarray) -> np.ndarray:
        """Mean logits of a picture in each Monte Carlo pass, [T,3]. @param masks [T,C]"""
        return self.head_session.run(["logits"], {"features": features, "masks": masks})[0].mean(1)


def mean_logits(pictures: Pictures, items: list[Item], network: Network, change: Callable) -> np.ndarray:
    """[pictures, 3]: real, fake, compression, averaged over the patches that speak for each picture."""
    return np.stack([network.read(change(pictures.read(item)))[0].mean(0) for item in items])


def decisions(pictures: Pictures, items: list[Item], network: Network, change: Callable) -> np.ndarray:
    """[pictures]: what `decision` is calibrated on, the logit of fake less that of real."""
    logits = mean_logits(pictures, items, network, change)
    return logits[:, 1] - logits[:, 0]


def figures(scores: np.ndarray, items: list[Item], limits: tuple[float, float], seed: int = 1) -> dict:
    """@param scores calibrated probability of `fake`, one a picture.
    @param limits called real up to the first, fake from the second on, undecided between."""
    fake = np.array([item.fake for item in items])
    sources = np.array([item.source for item in items])
    generators = np.array([item.generator for item in items])
    real, (real_max, fake_min) = scores[~fake], limits
    name, alarms = worst_source(real >= fake_min, sources[~fake])
    return {
        "auc": auc(real, scores[fake]),
        "interval95": auc_interval(scores, fake, sources, seed),
        "recallAt5PercentFalseAlarms": recall_at(real, scores[fake], 0.05),
        "balancedAccuracyAtHalf": float(((real < 0.5).mean() + (scores[fake] >= 0.5).mean()) / 2),
        "real": shares(real, limits),
        "generated": shares(scores[fake], limits),
        "worstRealSource": {"source": name, "calledFake": alarms},
        "aucByGenerator": {g: [auc(real, scores[fake & (generators == g)]), int((generators == g).sum())]
                           for g in np.unique(generators[fake])},
        "meanRealBySource": {s: [float(scores[sources == s].mean()), int((sources == s).sum())]
                             for s in np.unique(sources[~fake])},
    }  # fmt: skip


def shares(scores: np.ndarray, limits: tuple[float, float]) -> dict[str, float]:
    called_real, called_fake = float((scores <= limits[0]).mean()), float((scores >= limits[1]).mean())
    return {"calledReal": called_real, "calledFake": called_fake, "undecided": 1 - called_real - called_fake}


def evaluate(pictures: Pictures, folder: Path, split: str) -> dict:
    manifest = json.loads((folder / "manifest.json").read_text())
    limits = (manifest["thresholds"]["realMax"]["default"], manifest["thresholds"]["fakeMin"]["default"])
    network, items = Network(folder), pictures.of(split)
    answer = {}
    for name, change in CONDITIONS.items():
        answer[name] = figures(calibrated(manifest, "decision", decisions(pictures, items, network, change)), items, limits)
    return answer


def evaluate_drawings(folder: Path, count: int = 120, seed: int = 9001) -> dict:
    """Drawings and window layouts of our own, 384 px, seeds that training never used: how many would be decided?

    They come from the generator that training draws from, so this shows that it was learned, not that every drawing
    in the world makes the service abstain.
    """
    manifest = json.loads((folder / "manifest.json").read_text())
    network, random = Network(folder), np.random.default_rng(seed)
    pictures = [draw_picture(384, random) for _ in range(count)]
    answer = {}
    for name in ("as is", "jpeg 75"):
        logits = np.stack([network.read(CONDITIONS[name](rgb))[0].mean(0) for rgb in pictures])
        decision = calibrated(manifest, "decision", logits[:, 1] - logits[:, 0])
        trace = trace_of(manifest, logits)
        left = trace >= manifest["thresholds"]["traceMin"]["default"]
        fake = left & (decision >= manifest["thresholds"]["fakeMin"]["default"])
        answer[name] = {"drawings": count, "enoughTrace": float(left.mean()), "calledFake": float(fake.mean())}
    return answer


def evaluate_graded(pictures: Pictures, folder: Path, split: str) -> dict:
    """How far the answer follows the look of a picture: pictures with another grading against themselves as they are.

    `both`: AUC where both classes were graded; `real`, `generated`: where one class alone was, which is what a shortcut by tones
    would show; shares of photographs above the `default` limit; median shift of the log odds of photographs.
    """
    manifest = json.loads((folder / "manifest.json").read_text())
    network, items = Network(folder), pictures.of(split)
    fake = np.array([item.fake for item in items])
    limit = manifest["thresholds"]["fakeMin"]["default"]
    plain = decisions(pictures, items, network, CONDITIONS["as is"])
    answer = {}
    for name, change in GRADED.items():
        graded = decisions(pictures, items, network, change)
        called = (calibrated(manifest, "decision", score[~fake]) >= limit for score in (plain, graded))
        answer[name] = {
            "both": auc(graded[~fake], graded[fake]),
            "real": auc(graded[~fake], plain[fake]),
            "generated": auc(plain[~fake], graded[fake]),
            "photographsAboveLimit": [float(share.mean()) for share in called],
            "shiftOfPhotographs": float(np.median((graded - plain)[~fake])),
        }
    return {"as is": auc(plain[~fake], plain[fake])} | answer


def calibrated(manifest: dict, name: str, logit: np.ndarray) -> np.ndarray:
    line = manifest["calibration"][name]
    return sigmoid(line["scale"] * logit + line["offset"])


def trace_of(manifest: dict, logits: np.ndarray) -> np.ndarray:
    """How much trace there is, 0..2, whichever side it speaks for: both scores with the two logits levelled, as in the engine."""
    level = logits[:, :2].mean(1)
    return calibrated(manifest, "real", level) + calibrated(manifest, "fake", level)


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--data", type=Path, required=True)
    options.add_argument("--model", type=Path, required=True)
    options.add_argument("--work", type=Path, default=Path(__file__).parent / ".work")
    options.add_argument("--split", choices=("calibration", "val"), default="val")
    options.add_argument("--graded", action="store_true", help="only how far the answer follows contrast, saturation and brightness")
    asked = options.parse_args()
    if asked.graded:
        print(json.dumps(evaluate_graded(open_pictures(asked.data, asked.work), asked.model, asked.split), indent=2))
        return
    answer = evaluate(open_pictures(asked.data, asked.work), asked.model, asked.split)
    print(json.dumps(answer | {"drawings": evaluate_drawings(asked.model)}, indent=2))


if __name__ == "__main__":
    main()
