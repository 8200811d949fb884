"""Refits the transformer's two heads: `backbone-heads --readings FILE.csv... --pictures FOLDER... --kept FILE --model FOLDER --out FOLDER [--version V]`.

Logistic regression of the log odds of the whole model on the features of the view and of the square, with a ridge towards the shipped
weights, so the heads learn what the patches do not see. Readings as for `backbone-limits`: those of calibration, which the transformer has
not seen, teach; those of val test. OUT gets the readings of calibration as the new heads give them, each from the seven eighths of the
sources that do not include its own, for `backbone-limits`. `--version` writes `transformer.onnx` and the manifest, once. Features are cached
in FILE.
"""

from __future__ import annotations

import argparse
import csv
import json
from dataclasses import dataclass
from datetime import datetime, timezone
from pathlib import Path

import numpy as np
from scipy.optimize import minimize

from forensics_training.backbone.kinds import features, shipped_head, write_head
from forensics_training.backbone.limits import log_size_ratios, source_weights
from forensics_training.data.collect import read
from forensics_training.detector.calibrate import write_json
from forensics_training.detector.read import CONDITIONS
from forensics_training.runtime.metrics import auc, sigmoid
from forensics_training.runtime.model_files import describe_file

RIDGE = 0.1  # .3 and .03 are worse in folds
FOLDS = 8
HEAD = "model.generated"  # one column for the view, one for the square


@dataclass(frozen=True)
class Pictures:
    keys: list[str]
    x: np.ndarray  # features of view and square: [pictures, conditions, 2, 2304]; NaN where the picture is smaller than a square
    z: np.ndarray  # log odds of *fake* by the networks: [pictures, conditions]
    size: np.ndarray  # log of the ratio of the picture's size: [pictures, 1]
    fake: np.ndarray
    source: np.ndarray
    taught: np.ndarray  # whether the picture is of calibration

    def chosen(self, which: np.ndarray) -> Pictures:
        return Pictures([key for key, it in zip(self.keys, which) if it], *(getattr(self, name)[which] for name in ("x", "z", "size", "fake", "source", "taught")))


@dataclass(frozen=True)
class Change:
    """`factor` and `offset` of the log odds before, and what to add to weights [2304, 2] and bias [2] of the heads."""

    weight: np.ndarray
    bias: np.ndarray
    factor: float
    offset: float


def log_odds(probability: str) -> float:
    return -float(np.log(1 / float(probability) - 1))


def load(files: list[Path], folders: list[Path], network: Path, kept: Path, manifest: dict) -> Pictures:
    found: dict[str, dict] = {}
    for row in (row for file in files for row in read(file) if row["label"] in ("real", "ai-generated")):
        key = Path(row["file"]).name
        path = next((folder / key for folder in folders if (folder / key).exists()), None)
        if path:
            found.setdefault(key, row | {"key": key, "file": str(path), "z": {}})["z"][row["condition"]] = log_odds(row["fake_probability"])
    rows = [row for row in found.values() if all(name in row["z"] for name in CONDITIONS)]
    size = log_size_ratios(rows, manifest)[:, None]
    return Pictures(
        [row["key"] for row in rows],
        features(rows, network, kept, squares=True),
        np.array([[row["z"][name] for name in CONDITIONS] for row in rows]) - size,
        size,
        np.array([row["label"] == "ai-generated" for row in rows]),
        np.array([row["source"].lower() for row in rows]),
        np.array([row["split"] == "calibration" for row in rows]),
    )


def weights(pictures: Pictures) -> np.ndarray:
    """A source counts by the root of its pictures, and both classes alike; the sum is 1."""
    return source_weights(pictures.source, pictures.fake, np.ones(len(pictures.keys), bool)) / 2


def shares_of(x: np.ndarray, shares: tuple[float, float]) -> np.ndarray:
    """How much each head counts: [..., 2]. Without a square, the view's head counts for both, as in the engine."""
    view, square = shares
    missing = np.isnan(x[..., 1, 0])
    return np.stack([view + square * missing, square * ~missing], -1)


def fit(pictures: Pictures, shares: tuple[float, float], ridge: float = RIDGE) -> Change:
    """`shares` are the weights of view and square in the log odds; the ridge is on the change in units of each feature's deviation."""
    x = pictures.x.reshape(-1, *pictures.x.shape[2:])
    middle, deviation = np.nanmean(x, 0), np.nanstd(x, 0) + 1e-6
    scaled = (np.nan_to_num((x - middle) / deviation) * shares_of(x, shares)[..., None]).reshape(len(x), -1).astype(np.float32)
    z, times = pictures.z.ravel(), pictures.z.shape[1]
    size = np.repeat(pictures.size.ravel(), times)
    sign = np.repeat(np.where(pictures.fake, 1.0, -1.0), times)
    weight = np.repeat(weights(pictures), times) / times

    def loss(flat: np.ndarray) -> tuple[float, np.ndarray]:
        moved, factor, offset = flat[:-2], flat[-2], flat[-1]
        against = -sign * (factor * z + offset + size + scaled @ moved.astype(np.float32))
        slope = -sign * sigmoid(against) * weight
        value = (weight * np.logaddexp(0, against)).sum() + ridge * (moved**2).sum()
        return float(value), np.r_[scaled.T @ slope.astype(np.float32) + 2 * ridge * moved, (slope * z).sum(), slope.sum()].astype(float)

    flat = minimize(loss, np.r_[np.zeros(scaled.shape[1]), 1, 0], jac=True, method="L-BFGS-B", options={"maxiter": 80}).x
    moved = flat[:-2].reshape(middle.shape) / deviation / flat[-2]
    return Change(moved.T.astype(np.float32), -(middle * moved).sum(1), float(flat[-2]), float(flat[-1]))


def changed(pictures: Pictures, change: Change, shares: tuple[float, float]) -> np.ndarray:
    """The log odds with the changed heads, before `factor` and `offset`, which `backbone-limits` refits."""
    added = np.einsum("pcif,fi->pci", np.nan_to_num(pictures.x), change.weight) + change.bias
    return pictures.z + (added * shares_of(pictures.x, shares)).sum(-1)


def cross_fitted(pictures: Pictures, shares: tuple[float, float]) -> np.ndarray:
    sources = sorted(set(pictures.source))
    fold = dict(zip(np.random.default_rng(0).permutation(sources).tolist(), np.arange(len(sources)) % FOLDS))
    folds = np.array([fold[source] for source in pictures.source])
    z = np.zeros_like(pictures.z)
    for number in range(FOLDS):
        test = folds == number
        change = fit(pictures.chosen(~test), shares)
        # Factor and offset of this fold alone, so that folds can be compared; the mean of both is close to that of all.
        z[test] = change.factor * changed(pictures.chosen(test), change, shares) + change.offset
    return z


def judge(name: str, pictures: Pictures, z: np.ndarray) -> None:
    weight, z = weights(pictures), z + pictures.size
    cost = [float((weight * np.logaddexp(0, np.where(pictures.fake, -one, one))).sum() / np.log(2)) for one in z.T]
    aucs = [auc(one[~pictures.fake], one[pictures.fake]) for one in z.T]
    count = f"{(~pictures.fake).sum()} photographs and {pictures.fake.sum()} generated pictures of {len(set(pictures.source))} sources"
    print(f"{name}: AUC {' / '.join(f'{one:.4f}' for one in aucs)}, cost {' / '.join(f'{one:.3f}' for one in cost)} ({count})")


def write_readings(files: list[Path], out: Path, moved: dict[tuple[str, str], float]) -> None:
    """Copies with what the new heads add to the log odds. Pictures at half size without JPEG move as those saved again."""
    for file in files:
        rows = read(file)
        with open(out / file.name, "x", newline="") as target:  # never over readings, which may be the input
            writer = csv.DictWriter(target, list(rows[0]), lineterminator="\n")
            writer.writeheader()
            for row in rows:
                condition = row["condition"] if row["condition"] in CONDITIONS else "half, jpeg 80"
                by = moved.get((Path(row["file"]).name, condition))
                if by is not None:
                    writer.writerow(row | {"fake_probability": float(sigmoid(log_odds(row["fake_probability"]) + by))})


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--readings", type=Path, nargs="+", required=True)
    parser.add_argument("--pictures", type=Path, nargs="+", required=True, help="folders of pictures named by their blob hash, by backbone-list")
    parser.add_argument("--kept", type=Path, required=True, help="file of features")
    parser.add_argument("--model", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True, help="folder for readings with the new heads")
    parser.add_argument("--version", help="writes the model as this version")
    given = parser.parse_args()
    network, path = given.model / "transformer.onnx", given.model / "manifest.json"
    manifest = json.loads(path.read_text())
    if manifest["version"] == given.version:
        parser.error(f"The model has version {given.version}: its heads have been refitted, and the readings are of the one before.")
    shares = tuple(manifest["calibration"]["decision"]["scale"] * manifest["transformer"]["weights"][name] for name in ("view", "squares"))
    pictures = load(given.readings, given.pictures, network, given.kept, manifest)
    own, other = pictures.chosen(pictures.taught), pictures.chosen(~pictures.taught)
    change = fit(own, shares)
    crossed = cross_fitted(own, shares)
    judge("calibration before", own, own.z)
    judge("calibration in folds", own, crossed)
    judge("val before", other, other.z)
    judge("val after", other, change.factor * changed(other, change, shares) + change.offset)
    print(f"log odds times {change.factor:.3f}, plus {change.offset:.3f}")
    given.out.mkdir(parents=True, exist_ok=True)
    after = (crossed - change.offset) / change.factor
    moved = {(key, name): after[at, i] - own.z[at, i] for at, key in enumerate(own.keys) for i, name in enumerate(CONDITIONS)}
    write_readings(given.readings, given.out, moved)
    if given.version:
        weight, bias = shipped_head(network, HEAD)
        write_head(network, weight + change.weight, bias + change.bias, HEAD)
        manifest["files"]["transformer.onnx"] = describe_file(network)
        write_json(path, manifest | {"version": given.version, "created": datetime.now(timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")})


if __name__ == "__main__":
    main()
