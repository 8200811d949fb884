"""Everything that is fitted after training, on the calibration split only, and the two JSON files of a model folder.

Each of its pictures is read with an arm that was fitted without its source (crossed.py).
The embedding's mean, whitening and prototypes come from training pictures: they describe what the network knows.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from datetime import datetime, timezone
from pathlib import Path

import numpy as np

from conditions import CONDITIONS, RUINED
from data import Item, Pictures, draw_weights
from degrade import History, degrade, save_jpeg
from evaluate import Network, trace_of
from metrics import fit_logistic, sigmoid
from network import DROPOUT, EMBEDDING
from reading import CELL, PATCH, READ, STRIDE

PASSES = 32
HALO = 32
# A vote looks 4 cells to each side, and the statistics of the last of them 2 cells further. At the border of a picture it looks
# 9 cells inwards: a tile there has them if its core has 4 cells or more.
VOTES_HALO = 96
SHRINKAGE = 0.1  # towards a multiple of the identity: unit vectors leave directions with almost no variance

# Shares on the calibration split that fix the thresholds; see CARD.md. The second number limits every real source alone.
FALSE_FAKE = {"pedantic": (0.0, 0.0), "default": (0.01, 0.05), "relaxed": (0.05, 0.15)}
FALSE_REAL = {"pedantic": 0.03, "default": 0.10, "relaxed": 0.20}
# As in the engine's decide.ts: a picture nearer to one half than this many deviations of its passes is not decided.
LEAST_DEVIATIONS = {"pedantic": 2.576, "default": 1.282, "relaxed": 0.674}
# From this score of compression on, about JPEG 85, real pictures look more generated than below: it has a `fakeMin` of its own.
COMPRESSED_FROM = 0.2
TRACE_LOST = {"pedantic": 0.05, "default": 0.02, "relaxed": 0.01}
COMPRESSION_LEFT = {"pedantic": 40, "default": 30, "relaxed": 20}
ANOMALY = {"pedantic": 0.98, "default": 0.995, "relaxed": 1.0}


def calibrate(pictures: Pictures, out: Path, judges: Callable[[Item], Network], version: str, training: dict) -> None:
    """Writes statistics.json and manifest.json beside the ONNX files of `out`. The rates that an older manifest held are not
    kept: they were not measured with these limits. @param judges who reads a calibration picture"""
    items = pictures.of("calibration")
    read = {name: read_all(pictures, items, judges, change) for name, change in (CONDITIONS | RUINED).items()}
    statistics = embedding_statistics(pictures, Network(out), training["seed"])
    statistics |= distances(read, statistics["embedding"])
    write_json(out / "statistics.json", statistics)
    calibration = fit_calibration(read, items)
    limits = thresholds(read, items, calibration)
    write_json(out / "manifest.json", manifest(out, version, calibration, limits, training))


def read_all(pictures: Pictures, items: list[Item], judges: Callable[[Item], Network], change: Callable) -> dict:
    """Mean logits [P,3] of each picture, their differences in each Monte Carlo pass [P,T], and the embeddings of its
    patches, a list of [K,E]."""
    networks = [judges(item) for item in items]
    rows = [network.features(change(pictures.read(item))) for network, item in zip(networks, items, strict=True)]
    heads = [network.head(features) for network, features in zip(networks, rows, strict=True)]
    kept = np.random.default_rng(1).random((PASSES, rows[0].shape[1])) >= DROPOUT
    masks = (kept / (1 - DROPOUT)).astype(np.float32)
    passes = [network.passes(features, masks) for network, features in zip(networks, rows, strict=True)]
    return {
        "logits": np.stack([logits.mean(0) for logits, _ in heads]),
        "passes": np.stack([logits[:, 1] - logits[:, 0] for logits in passes]),
        "embeddings": [e for _, e in heads],
    }


def fit_calibration(read: dict, items: list[Item]) -> dict:
    fake = np.array([item.fake for item in items])
    usable = np.concatenate([read[name]["logits"] for name in CONDITIONS])
    ruined = np.concatenate([read[name]["logits"] for name in RUINED])
    labels = np.tile(fake, len(CONDITIONS)).astype(float)
    weight = balanced(labels)
    fitted = {"decision": pair(fit_logistic(usable[:, 1] - usable[:, 0], labels, weight))}
    both = np.concatenate([usable, ruined])
    for index, name in enumerate(("real", "fake")):
        wanted = labels if name == "fake" else 1 - labels
        target = np.concatenate([wanted, np.zeros(len(ruined))])
        fitted[name] = pair(fit_logistic(both[:, index], target, np.concatenate([weight, np.full(len(ruined), 0.5)])))
    seen = {"as is": 100, "jpeg 75": 75, "half, jpeg 80": 80, "jpeg 10": 10}
    logits = np.concatenate([read[name]["logits"][:, 2] for name in seen])
    target = np.concatenate([[History(min(item.quality, q)).compression for item in items] for q in seen.values()])
    fitted["compression"] = pair(fit_logistic(logits, target, np.ones(len(target))))
    # Temperature in its usual sense: the decision margin is divided by it.
    fitted["temperature"] = round(1 / fitted["decision"]["scale"], 4)
    fitted["fittedOn"] = (
        f"calibration split: {len(items)} pictures of {len({item.source for item in items})} sources, each read by arms "
        f"that never saw its source, under {', '.join(CONDITIONS)}"
    )
    return fitted


def pair(fitted: tuple[float, float]) -> dict[str, float]:
    return {"scale": round(fitted[0], 4), "offset": round(fitted[1], 4)}


def balanced(labels: np.ndarray) -> np.ndarray:
    """Weights that give both classes the same say."""
    return np.where(labels > 0.5, 0.5 / labels.mean(), 0.5 / (1 - labels.mean()))


def apply(calibration: dict, name: str, logit: np.ndarray) -> np.ndarray:
    return sigmoid(calibration[name]["scale"] * logit + calibration[name]["offset"])


def thresholds(read: dict, items: list[Item], calibration: dict) -> dict:
    """The manifest's `thresholds` and `compressedRegime`."""
    fake = np.tile([item.fake for item in items], len(CONDITIONS))
    sources = np.tile([item.source for item in items], len(CONDITIONS))
    logits = np.concatenate([read[name]["logits"] for name in CONDITIONS])
    p = apply(calibration, "decision", logits[:, 1] - logits[:, 0])
    spread = apply(calibration, "decision", np.concatenate([read[name]["passes"] for name in CONDITIONS])).std(1)
    compressed = apply(calibration, "compression", logits[:, 2]) >= COMPRESSED_FROM
    # Within its spread of one half a reading is not decided: it counts as one half.
    p = {s: np.where(np.abs(p - 0.5) > least * spread, p, 0.5) for s, least in LEAST_DEVIATIONS.items()}
    real_max = {s: min(0.5, float(np.quantile(p[s][fake], share))) for s, share in FALSE_REAL.items()}
    fake_min = [{s: least_fake(p[s][rows], sources[rows], limits) for s, limits in FALSE_FAKE.items()}
                for rows in (~fake & ~compressed, ~fake & compressed)]  # fmt: skip
    # Where nothing is allowed, the highest of few readings is an accident: the higher one of both regimes counts in both.
    none_allowed = {s: max(limits[s] for limits in fake_min) for s, shares in FALSE_FAKE.items() if shares == (0.0, 0.0)}
    fake_min = [limits | none_allowed for limits in fake_min]
    ruined = np.concatenate([read[name]["logits"] for name in RUINED])
    trace, lost = (trace_of({"calibration": calibration}, rows) for rows in (logits, ruined))
    least = float(np.quantile(lost, 0.95))  # whatever the strategy, what was ruined stays below
    lossy = {s: History(quality).compression for s, quality in COMPRESSION_LEFT.items()}
    return {
        "thresholds": {
            "fakeMin": ordered(fake_min[0]),
            "realMax": rounded(real_max),
            "traceMin": rounded({s: max(least, float(np.quantile(trace, share))) for s, share in TRACE_LOST.items()}),
            "compressionMax": rounded(lossy),
            "anomalyMax": ANOMALY,
        },
        "compressedRegime": {"from": COMPRESSED_FROM, "fakeMin": ordered(fake_min[1])},
    }


def ordered(limits: dict[str, float]) -> dict[str, float]:
    """Falling from pedantic to relaxed, also where a stricter margin left nothing to limit."""
    falling = np.maximum.accumulate(list(limits.values())[::-1])[::-1]
    return rounded(dict(zip(limits, falling.tolist(), strict=True)))


def least_fake(p: np.ndarray, sources: np.ndarray, limits: tuple[float, float]) -> float:
    """@param p of real pictures. The lowest threshold, from 0.5 up, above which at most `limits[0]` of the real pictures and at most `limits[1]`
    of any real source with 20 readings or more would be called fake."""
    groups = [np.sort(p)] + [np.sort(p[sources == s]) for s in np.unique(sources) if (sources == s).sum() >= 20]
    allowed = [limits[0]] + [limits[1]] * (len(groups) - 1)
    # One step above the last allowed score, so that `p >= threshold` spares it.
    return max([0.5] + [float(np.quantile(g, 1 - share, method="higher")) + 1e-4
                        for g, share in zip(groups, allowed, strict=True)])  # fmt: skip


def rounded(values: dict[str, float]) -> dict[str, float]:
    return {name: round(value, 4) for name, value in values.items()}


def embedding_statistics(pictures: Pictures, network: Network, seed: int, count: int = 3000) -> dict:
    """Mean, whitening and prototypes from `count` degraded training patches, drawn as in training."""
    random = np.random.default_rng([seed, 7])
    train = pictures.of("train")
    embedded, prototypes = [], {}
    for fake in (False, True):
        mine = [item for item in train if item.fake == fake]
        drawn = [mine[i] for i in random.choice(len(mine), count // 2, p=draw_weights(mine))]
        patches = [degrade(pictures.read(item), item.quality, 128, random)[0] for item in drawn]
        embedded += [embed(patch, network) for patch in patches]
        lossy = [save_jpeg(pictures.read(item), int(random.integers(60, 90)), True) for item in drawn[: count // 6]]
        means = np.stack([network.read(rgb)[1].mean(0) for rgb in lossy])
        prototypes["fakeCompressed" if fake else "realCompressed"] = unit(means.mean(0)).round(6).tolist()
    vectors = np.stack(embedded).astype(np.float64)
    covariance = np.cov(vectors.T)
    shrunk = (1 - SHRINKAGE) * covariance + SHRINKAGE * np.trace(covariance) / EMBEDDING * np.eye(EMBEDDING)
    whitening = np.linalg.cholesky(np.linalg.inv(shrunk)).T
    return {
        "embedding": {"dimension": EMBEDDING, "mean": vectors.mean(0).round(6).tolist(),
                      "whitening": whitening.reshape(-1).round(5).tolist()},
        "prototypes": prototypes,
    }  # fmt: skip


def embed(patch: np.ndarray, network: Network) -> np.ndarray:
    features = network.backbone(np.ascontiguousarray(patch)[None]).mean((1, 2))
    return network.head(features[None])[1][0]


def unit(vector: np.ndarray) -> np.ndarray:
    return vector / np.linalg.norm(vector)


def distances(read: dict, embedding: dict) -> dict:
    """Quantiles 0..100 % of patch distances and of their mean over a picture, calibration split, usable conditions."""
    mean = np.array(embedding["mean"])
    whitening = np.array(embedding["whitening"]).reshape(EMBEDDING, EMBEDDING)
    by_picture = [np.linalg.norm((e - mean) @ whitening.T, axis=1) for name in CONDITIONS for e in read[name]["embeddings"]]
    levels = np.linspace(0, 1, 101)
    return {
        "distanceQuantiles": np.quantile(np.concatenate(by_picture), levels).round(5).tolist(),
        "pictureDistanceQuantiles": np.quantile([d.mean() for d in by_picture], levels).round(5).tolist(),
    }


def manifest(out: Path, version: str, calibration: dict, limits: dict, training: dict) -> dict:
    files = {name: describe(out / name) for name in ("model.onnx", "votes.onnx", "head.onnx", "statistics.json")}
    return {
        "id": out.resolve().name,
        "version": version,
        "type": "image",
        "created": datetime.now(timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ"),
        "files": files,
        "input": {"name": "rgb", "layout": "NHWC", "dtype": "uint8", "cellPx": CELL, "haloPx": HALO,
                  "patchCells": PATCH, "patchStrideCells": STRIDE, "patchesRead": READ},
        "votes": {"haloPx": VOTES_HALO},
        "outputs": {"model": ["features"], "votes": ["votes"], "head": ["logits", "embedding"], "logits": ["real", "fake", "compression"]},
        "dropout": {"rate": DROPOUT, "passes": PASSES},
        "calibration": calibration,
        **limits,
        "training": training,
    }  # fmt: skip


def describe(path: Path) -> dict:
    data = path.read_bytes()
    return {"sha256": hashlib.sha256(data).hexdigest(), "bytes": len(data)}


def write_json(path: Path, value: dict) -> None:
    path.write_text(json.dumps(value, indent=1) + "\n")
