"""Calibration, thresholds and statistics, fitted on the calibration split, and the two JSON files of a model folder.

--calibration is the output of `detector-read --ruined` for the calibration split, --train that for training pictures, which only describe
the distribution of embeddings.
"""

from __future__ import annotations

import argparse
import json
import pickle
from datetime import datetime, timezone
from pathlib import Path

import numpy as np

from forensics_training.data.collect import LEFT_OUT
from forensics_training.degrade.pipeline import History
from forensics_training.detector.network import CELL_PX, HIDDEN
from forensics_training.detector.read import CONDITIONS, DROPPED, MAX_PIXELS, PASSES, PATCH, RUINED, STRIDE, TILES, TILE_PX, WHOLE_PX
from forensics_training.runtime.metrics import auc, fit_logistic, sigmoid
from forensics_training.runtime.model_files import describe_file

SHARES = {"patches": 0.5, "tiles": 0.25, "whole": 0.25}  # chosen on the calibration split, see experiments/2026-11-22-published-backbone.md
PATCHES_READ = 400  # all of a picture of MAX_PIXELS
SHRINKAGE = 0.1  # of the covariance towards a multiple of the identity

# Error rates on the calibration split that set the thresholds. FALSE_FAKE: of all photographs, and of any single source.
FALSE_FAKE = {"pedantic": (0.0, 0.0), "default": (0.01, 0.2), "relaxed": (0.03, 0.3)}
FALSE_REAL = {"pedantic": 0.02, "default": 0.05, "relaxed": 0.10}
SMALL_PIXELS = 500_000  # smaller photographs look more generated and get a *fake* threshold of their own
SMALLEST = 448  # px, longer side; halves of smaller pictures set no thresholds
# As in the engine's decide.ts: a picture closer to 0.5 than this many standard deviations of the passes is left undecided.
LEAST_DEVIATIONS = {"pedantic": 2.576, "default": 1.282, "relaxed": 0.674}
TRACE_LOST = {"pedantic": 0.03, "default": 0.015, "relaxed": 0.005}
COMPRESSION_LEFT = {"pedantic": 40, "default": 30, "relaxed": 20}
ANOMALY = {"pedantic": 0.98, "default": 0.995, "relaxed": 1.0}


def weighted_logits(said: dict) -> tuple[np.ndarray, np.ndarray]:
    """Logits [3] of one reading, and [T, 3] of its passes, weighted by SHARES; patches stand in for missing tiles."""
    groups = dict(SHARES)
    if "tiles" not in said:
        groups["patches"] += groups.pop("tiles")
    logits = sum(share * said[name] for name, share in groups.items())
    passes = sum(share * said[f"{name} passes"] for name, share in groups.items())
    return logits, passes


class Readings:
    """All readings under some conditions, one row each."""

    def __init__(self, rows: list[dict], conditions):
        kept = [
            (row, row["said"][name], name)
            for name in conditions
            for row in rows
            if name in row["said"] and row["source"] not in LEFT_OUT and (max(row["size"]) >= SMALLEST or "half" not in name)
        ]
        both = [weighted_logits(said) for _, said, _ in kept]
        self.logits = np.stack([logits for logits, _ in both])
        self.passes = np.stack([passes for _, passes in both])
        self.embeddings = [said["embeddings"] for _, said, _ in kept]
        self.fake = np.array([row["label"] == "ai-generated" for row, _, _ in kept])
        self.sources = np.array([row["source"] for row, _, _ in kept])
        self.quality = np.array([row["quality"] for row, _, _ in kept])
        self.condition = np.array([name for _, _, name in kept])
        self.whole = np.array([max(row["size"]) >= SMALLEST for row, _, _ in kept])
        self.small = np.array([row["size"][0] * row["size"][1] / (4 if "half" in name else 1) < SMALL_PIXELS for row, _, name in kept])

    @property
    def weights(self) -> np.ndarray:
        """[N]: both classes equal, sources within a class by the square root of their size."""
        weights = np.ones(len(self.fake))
        for fake in (False, True):
            for source in np.unique(self.sources[self.fake == fake]):
                mine = (self.sources == source) & (self.fake == fake)
                weights[mine] = mine.sum() ** -0.5
            weights[self.fake == fake] /= weights[self.fake == fake].sum()
        return weights * len(weights)


def fit_calibration(usable: Readings, ruined: Readings) -> dict:
    labels, weights = usable.fake.astype(float), usable.weights
    fitted = {"decision": pair(fit_logistic(usable.logits[:, 1] - usable.logits[:, 0], labels, weights))}
    both = np.concatenate([usable.logits, ruined.logits])
    for index, name in enumerate(("real", "fake")):
        wanted = labels if name == "fake" else 1 - labels
        target = np.concatenate([wanted, np.zeros(len(ruined.fake))])
        counted = np.concatenate([weights, np.full(len(ruined.fake), 0.5)])
        fitted[name] = pair(fit_logistic(both[:, index], target, counted))
    saved = {"as is": 100, "jpeg 75": 75, "half, jpeg 80": 80, "jpeg 10": 10}
    logits = np.concatenate([one.logits[:, 2] for one in (usable, ruined)])
    least = np.concatenate([[min(q, saved.get(c, 100)) for q, c in zip(one.quality, one.condition)] for one in (usable, ruined)])
    target = np.array([History(quality).compression for quality in least])
    fitted["compression"] = pair(fit_logistic(logits, target, np.ones(len(target))))
    return fitted


def pair(fitted: tuple[float, float]) -> dict[str, float]:
    return {"scale": round(float(fitted[0]), 4), "offset": round(float(fitted[1]), 4)}


def apply(calibration: dict, name: str, logit: np.ndarray) -> np.ndarray:
    return sigmoid(calibration[name]["scale"] * logit + calibration[name]["offset"])


def trace_of(calibration: dict, logits: np.ndarray) -> np.ndarray:
    level = logits[:, :2].mean(1)
    return apply(calibration, "real", level) + apply(calibration, "fake", level)


def thresholds(usable: Readings, ruined: Readings, calibration: dict) -> dict:
    p = apply(calibration, "decision", usable.logits[:, 1] - usable.logits[:, 0])
    spread = apply(calibration, "decision", usable.passes[..., 1] - usable.passes[..., 0]).std(1)
    # Readings that are not decided count as 0.5.
    clear = {s: np.where(np.abs(p - 0.5) > least * spread, p, 0.5) for s, least in LEAST_DEVIATIONS.items()}
    real_max = {s: least_real(clear[s], usable, share) for s, share in FALSE_REAL.items()}
    fake_min = {small: limits_of_fake(clear, usable, usable.small == small) for small in (False, True)}
    trace, lost = trace_of(calibration, usable.logits), trace_of(calibration, ruined.logits)
    least = min(float(np.quantile(lost, 0.9)), float(np.quantile(trace, 0.02)))
    return {
        "fakeMin": fake_min[False],
        "smallFakeMin": {s: max(value, fake_min[False][s]) for s, value in fake_min[True].items()},
        "realMax": increasing({s: min(0.5, value) for s, value in real_max.items()}),
        "traceMin": decreasing({s: max(least, float(np.quantile(trace, share))) for s, share in TRACE_LOST.items()}),
        "compressionMax": rounded({s: History(quality).compression for s, quality in COMPRESSION_LEFT.items()}),
        "anomalyMax": ANOMALY,
    }


def limits_of_fake(clear: dict[str, np.ndarray], usable: Readings, of_size: np.ndarray) -> dict[str, float]:
    """*fake* thresholds by strategy, from whole photographs of this size under the worst condition."""
    groups = [~usable.fake & usable.whole & of_size & (usable.condition == c) for c in np.unique(usable.condition)]
    limits = {s: max((least_fake(clear[s][mine], usable.sources[mine], share) for mine in groups if mine.any()), default=0.5) for s, share in FALSE_FAKE.items()}
    return decreasing(limits)


def least_real(p: np.ndarray, usable: Readings, share: float) -> float:
    """The highest threshold with at most `share` of the whole generated pictures at or below it under the worst condition. Sources count
    by the square root of their size, because the next generator will be a new one."""
    limits = []
    for condition in np.unique(usable.condition):
        mine = usable.fake & usable.whole & (usable.condition == condition)
        order = np.argsort(p[mine])
        upto = np.cumsum(usable.weights[mine][order])
        # Just below the first score too many, because `p <= threshold` is called real.
        limits.append(float(p[mine][order][np.searchsorted(upto / upto[-1], share, side="right")]) - 1e-4)
    return max(0.0, min(limits))


def least_fake(p: np.ndarray, sources: np.ndarray, limits: tuple[float, float]) -> float:
    """The lowest threshold >= 0.5 at which at most `limits[0]` of the photographs, and `limits[1]` of any source with 12 readings or more,
    would be called fake."""
    groups = [np.sort(p)] + [np.sort(p[sources == s]) for s in np.unique(sources) if (sources == s).sum() >= 12]
    allowed = [limits[0]] + [limits[1]] * (len(groups) - 1)
    # Just above the last allowed score, because `p >= threshold` is called fake.
    tops = [float(np.quantile(g, 1 - share, method="higher")) + 1e-4 for g, share in zip(groups, allowed, strict=True)]
    return min(0.999, max([0.5, *tops]))


def decreasing(limits: dict[str, float]) -> dict[str, float]:
    """Made stricter where needed, so that limits fall from pedantic to relaxed."""
    falling = np.maximum.accumulate(list(limits.values())[::-1])[::-1]
    return rounded(dict(zip(limits, falling.tolist(), strict=True)))


def increasing(limits: dict[str, float]) -> dict[str, float]:
    """Made stricter where needed, so that limits rise from pedantic to relaxed."""
    least = np.minimum.accumulate(list(limits.values())[::-1])[::-1]
    return rounded(dict(zip(limits, least.tolist(), strict=True)))


def rounded(values: dict[str, float]) -> dict[str, float]:
    return {name: round(float(value), 4) for name, value in values.items()}


def statistics(train: Readings, usable: Readings) -> dict:
    vectors = np.concatenate(train.embeddings).astype(np.float64)
    covariance = np.cov(vectors.T)
    shrunk = (1 - SHRINKAGE) * covariance + SHRINKAGE * np.trace(covariance) / HIDDEN * np.eye(HIDDEN)
    mean, whitening = vectors.mean(0), np.linalg.cholesky(np.linalg.inv(shrunk)).T
    pooled = np.stack([embeddings.mean(0) for embeddings in train.embeddings])
    compressed = train.condition == "jpeg 75"
    prototypes = {
        name: unit(pooled[compressed & (train.fake == fake)].mean(0)).round(6).tolist()
        for name, fake in (("realCompressed", False), ("fakeCompressed", True))
    }
    by_picture = [np.linalg.norm((e - mean) @ whitening.T, axis=1) for e in usable.embeddings]
    quantiles = lambda values: np.maximum.accumulate(np.quantile(values, np.linspace(0, 1, 101))).round(5).tolist()
    return {
        "embedding": {
            "dimension": HIDDEN,
            "mean": mean.round(6).tolist(),
            "whitening": whitening.reshape(-1).round(4).tolist(),
        },
        "prototypes": prototypes,
        "distanceQuantiles": quantiles(np.concatenate(by_picture)),
        "pictureDistanceQuantiles": quantiles([d.mean() for d in by_picture]),
    }


def unit(vector: np.ndarray) -> np.ndarray:
    return vector / np.linalg.norm(vector)


def manifest(out: Path, version: str, calibration: dict, limits: dict, training: dict) -> dict:
    return {
        "id": "trace-2",
        "version": version,
        "type": "image",
        "created": datetime.now(timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ"),
        "files": {name: describe_file(out / name) for name in ("model.onnx", "head.onnx", "statistics.json")},
        "input": {"name": "rgb", "layout": "NHWC", "dtype": "uint8", "cellPx": CELL_PX, "haloPx": 64,
                  "patchCells": PATCH, "patchStrideCells": STRIDE, "patchesRead": PATCHES_READ},
        "views": {"mostPixels": MAX_PIXELS, "tilePx": TILE_PX, "tiles": TILES, "wholePx": WHOLE_PX, "weights": SHARES},
        "outputs": {"model": ["features"], "head": ["logits", "embedding"], "logits": ["real", "fake", "compression"]},
        "dropout": {"rate": DROPPED, "passes": PASSES},
        "calibration": calibration,
        "thresholds": {name: value for name, value in limits.items() if name != "smallFakeMin"},
        "smallRegime": {"below": SMALL_PIXELS, "fakeMin": limits["smallFakeMin"]},
        "training": training,
    }  # fmt: skip


def write_json(path: Path, value: dict) -> None:
    path.write_text(json.dumps(value, indent=1) + "\n")


def report(name: str, rows: list[dict], calibration: dict, limits: dict) -> None:
    """Prints preliminary rates; the published ones come from `npm run evaluate`."""
    for condition in CONDITIONS:
        one = Readings(rows, [condition])
        d = one.logits[:, 1] - one.logits[:, 0]
        p = apply(calibration, "decision", d)
        spread = apply(calibration, "decision", one.passes[..., 1] - one.passes[..., 0]).std(1)
        parts = [f"{name} {condition}: AUC {auc(d[~one.fake], d[one.fake]):.3f}"]
        for strategy, least in LEAST_DEVIATIONS.items():
            clear = (np.abs(p - 0.5) > least * spread) & (trace_of(calibration, one.logits) >= limits["traceMin"][strategy])
            least_fake = np.where(one.small, limits["smallFakeMin"][strategy], limits["fakeMin"][strategy])
            fake, real = clear & (p >= least_fake), clear & (p <= limits["realMax"][strategy])
            worst = max((fake[(one.sources == s) & ~one.fake].mean(), s) for s in np.unique(one.sources[~one.fake]))
            decided = fake | real
            error = abs(p[decided].mean() - one.fake[decided].mean()) if decided.any() else 0
            parts.append(
                f"{strategy}: generated fake {fake[one.fake].mean():.2f} real {real[one.fake].mean():.3f}, "
                f"photographs fake {fake[~one.fake].mean():.3f} (worst {worst[0]:.2f} {worst[1]}) real {real[~one.fake].mean():.2f}, gap {error:.3f}"
            )
        print("\n  ".join(parts))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--run", required=True)
    parser.add_argument("--calibration", type=Path, required=True)
    parser.add_argument("--train", type=Path, required=True)
    parser.add_argument("--val", type=Path)
    parser.add_argument("--version", default="0.0.0-dev")
    parser.add_argument("--out", type=Path, required=True)
    args = parser.parse_args()
    rows = pickle.loads(args.calibration.read_bytes())
    usable, ruined = Readings(rows, CONDITIONS), Readings(rows, RUINED)
    calibration = fit_calibration(usable, ruined)
    limits = thresholds(usable, ruined, calibration)
    report("calibration", rows, calibration, limits)
    if args.val:
        report("val", pickle.loads(args.val.read_bytes()), calibration, limits)
    write_json(args.out / "statistics.json", statistics(Readings(pickle.loads(args.train.read_bytes()), CONDITIONS), usable))
    training = {"run": args.run, "calibrationPictures": len(rows), "calibrationSources": len(np.unique(usable.sources))}
    write_json(args.out / "manifest.json", manifest(args.out, args.version, calibration, limits, training))
