"""Combines patches, view and squares into one decision, fits the limits and writes the manifest of trace-3.

`backbone-fuse --list LIST.csv --read FOLDER --backbone transformer.onnx --kept SCORES [--out MODEL]`. FOLDER is what `backbone-read` wrote. A
logistic regression weights the log odds of the three, counting sources by the square root of their size; limits follow the rules of
`detector.calibrate`. Both are fitted on calibration; the figures printed for val come from pictures that neither weights nor limits have seen.
"""

from __future__ import annotations

import argparse
import csv
import io
import json
import pickle
from collections import defaultdict
from datetime import datetime, timezone
from pathlib import Path

import numpy as np
from PIL import Image
from scipy.optimize import minimize

from forensics_training.backbone.inputs import SIDE, SQUARES, STEP
from forensics_training.backbone.lora import KIND_OF, KINDS
from forensics_training.detector.calibrate import LEAST_DEVIATIONS, decreasing, increasing, weighted_logits, write_json
from forensics_training.detector.read import CONDITIONS
from forensics_training.runtime.metrics import auc, sigmoid
from forensics_training.runtime.model_files import describe_file, open_session


PHOTOGRAPH_MIN = 0.5  # chosen with the head of backbone-kinds; experiments/2026-11-28-kinds-of-pictures.md


def scores(read: Path, network: Path, kept: Path, squares: int) -> list[dict]:
    """The backbone's scores for every input, cached in a file so that only new pictures are read."""
    known = pickle.loads(kept.read_bytes()) if kept.exists() else {}
    session = open_session(network)
    for path in sorted(read.glob("*.npz")):
        if path.stem in known:
            continue
        with np.load(path) as file:
            row, said = json.loads(str(file["row"])), pickle.loads(file["said"].tobytes())
            for name in CONDITIONS:
                wanted = [f"{name}|view", *(f"{name}|square {at}" for at in range(squares))]
                inputs = {one.split("|")[1]: np.asarray(Image.open(io.BytesIO(file[one].tobytes()))) for one in file.files if one in wanted}
                answers = {kind: session.run(None, {"rgb": rgb[None], "square": np.array([kind != "view"], np.float32)}) for kind, rgb in inputs.items()}
                logits, passes = weighted_logits(said[name])
                said[name] = {
                    "logits": logits, "passes": passes, "kinds": answers["view"][1][0],
                    "view": float(answers["view"][0][0]), "squares": [float(answers[kind][0][0]) for kind in sorted(answers) if kind != "view"],
                }  # fmt: skip
        known[path.stem] = {**row, "said": said}
        if len(known) % 40 == 0:
            kept.write_bytes(pickle.dumps(known))
    kept.write_bytes(pickle.dumps(known))
    return list(known.values())


class Table:
    """One row for each real or generated picture under each condition."""

    def __init__(self, rows: list[dict], squares: int, smallest: int = 448):
        rows = [(row, name) for row in rows if row["label"] != "neither" for name in CONDITIONS if "half" not in name or max(row["size"]) >= smallest]
        said = [row["said"][name] for row, name in rows]
        difference = lambda one: one["logits"][1] - one["logits"][0]
        native = lambda one: float(np.mean(one["squares"][:squares])) if one["squares"] else one["view"]
        self.x = np.array([[difference(one), one["view"], native(one)] for one in said])
        self.fake = np.array([row["label"] == "ai-generated" for row, _ in rows])
        self.source = np.array([row["source"].lower() for row, _ in rows])
        self.condition = np.array([name for _, name in rows])
        self.passes = np.stack([one["passes"][:, 1] - one["passes"][:, 0] for one in said])
        pixels = np.array([row["size"][0] * row["size"][1] / (4 if "half" in name else 1) for row, name in rows])
        self.halvings = np.clip(np.log2(BELOW_PIXELS / pixels), 0, np.log2(BELOW_PIXELS / DOWN_TO_PIXELS))
        self.rows = [row for row, _ in rows]

    def weights(self) -> np.ndarray:
        counts = defaultdict(int)
        for pair in zip(self.source, self.fake):
            counts[pair] += 1
        weight = np.array([counts[pair] ** -0.5 for pair in zip(self.source, self.fake)])
        for side in (False, True):
            weight[self.fake == side] /= weight[self.fake == side].sum()
        return weight / 2


def fit(x: np.ndarray, fake: np.ndarray, weight: np.ndarray) -> np.ndarray:
    """Non-negative weights of the columns, and an offset, that minimise the weighted cross-entropy with a weak ridge."""
    def loss(w):
        z = x @ w[:-1] + w[-1]
        return (weight * np.logaddexp(0, np.where(fake, -z, z))).sum() + 1e-3 * (w[:-1] ** 2).sum()
    start = np.r_[np.full(x.shape[1], 0.3), 0.0]
    return minimize(loss, start, method="L-BFGS-B", bounds=[(0, None)] * x.shape[1] + [(None, None)]).x


def compare(table: Table, folds: int = 8) -> None:
    """AUC of each input alone and of combinations, cross-validated with folds over sources."""
    fold = np.array([sum(name.encode()) * 7919 % folds for name in table.source])
    for columns, name in (((0,), "patches"), ((1,), "view"), ((2,), "squares"), ((1, 2), "view + squares"), ((0, 1), "patches + view"), ((0, 2), "patches + squares"), ((0, 1, 2), "all")):
        z = np.zeros(len(table.fake))
        x = table.x[:, columns]
        for at in range(folds):
            w = fit(x[fold != at], table.fake[fold != at], table.weights()[fold != at])
            z[fold == at] = x[fold == at] @ w[:-1] + w[-1]
        p = sigmoid(z)
        cells = []
        for condition in CONDITIONS:
            mine = table.condition == condition
            cllr = (np.log2(1 + np.exp(-z[mine & table.fake])).mean() + np.log2(1 + np.exp(z[mine & ~table.fake])).mean()) / 2
            cells.append(f"{auc(z[mine & ~table.fake], z[mine & table.fake]):.3f} (Cllr {cllr:.2f})")
        print(f"| {name} | " + " | ".join(cells) + " |")


TAIL = 0.03  # share of the scores to which the tail is fitted
FALSE_FAKE = {"pedantic": 0.001, "default": 0.004, "relaxed": 0.015}  # of photographs
FALSE_REAL = {"pedantic": 0.015, "default": 0.035, "relaxed": 0.08}  # of generated pictures
# Small photographs look more generated: quantile regression on calibration gives .41 at 97 %, .47 at 95 %.
PER_HALVING, BELOW_PIXELS, DOWN_TO_PIXELS = 0.4, 2_000_000, 50_000


def tail_limit(z: np.ndarray, weight: np.ndarray, share: float) -> float:
    """The score exceeded by `share` of all, from an exponential tail fitted to the top TAIL, or to twice the share (Pickands 1975, with shape 0).

    Fitted over all sources: the single highest score could come from one odd photograph.
    """
    tail = max(TAIL, 2 * share)
    order = np.argsort(z)
    upto = np.cumsum(weight[order]) / weight.sum()
    start = z[order][np.searchsorted(upto, 1 - tail)]
    above = z > start
    scale = np.average(z[above] - start, weights=weight[above])
    return float(start + scale * np.log(tail / share))


def limits(table: Table, z: np.ndarray) -> dict:
    """Thresholds of P by strategy, over all conditions; `fakeMin` is for pictures of BELOW_PIXELS or more."""
    weight, fake = table.weights(), table.fake
    level = z - PER_HALVING * table.halvings
    return {
        "fakeMin": decreasing({name: float(sigmoid(max(0, tail_limit(level[~fake], weight[~fake], share)))) for name, share in FALSE_FAKE.items()}),
        "realMax": increasing({name: float(sigmoid(-max(0, tail_limit(-z[fake], weight[fake], share)))) for name, share in FALSE_REAL.items()}),
    }


def fake_min(table: Table, found: dict, strategy: str) -> np.ndarray:
    """The *fake* limit of each row, which rises as pictures get smaller (as `applicableLimits` in the engine)."""
    least = found["fakeMin"][strategy]
    return sigmoid(np.log(least / (1 - least)) + PER_HALVING * table.halvings)


def rates(table: Table, z: np.ndarray, spread: np.ndarray, found: dict, strategy: str, chosen: np.ndarray) -> str:
    p = sigmoid(z)
    clear = np.abs(p - 0.5) > LEAST_DEVIATIONS[strategy] * spread
    fake, real = clear & (p >= fake_min(table, found, strategy)), clear & (p <= found["realMax"][strategy])
    g, r = chosen & table.fake, chosen & ~table.fake
    between = clear & ~fake & ~real & chosen
    return (
        f"generated fake {fake[g].mean():.2f} real {real[g].mean():.3f} of {g.sum()}; photographs real {real[r].mean():.2f} fake {fake[r].mean():.4f} of {r.sum()}; "
        f"decided {(fake | real)[chosen].mean():.2f}, between the limits {between.sum() / chosen.sum():.2f}"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--list", type=Path, required=True, help="says which part a picture belongs to")
    parser.add_argument("--read", type=Path, required=True)
    parser.add_argument("--backbone", type=Path, required=True)
    parser.add_argument("--kept", type=Path, required=True, help="file of scores")
    parser.add_argument("--squares", type=int, default=SQUARES)
    parser.add_argument("--out", type=Path, help="model folder whose manifest gets the weights and limits")
    given = parser.parse_args()
    parts = {row["key"]: row["part"] for row in csv.DictReader(open(given.list))}
    rows = [row | {"part": parts.get(row["key"], row["part"])} for row in scores(given.read, given.backbone, given.kept, given.squares)]
    everything = Table(rows, given.squares)
    print(f"{(~everything.fake).sum() // 3} photographs, {everything.fake.sum() // 3} generated, {len(set(everything.source))} sources")
    compare(everything)
    own, other = (Table([row for row in rows if (row["part"] == "val") == judged], given.squares) for judged in (False, True))
    w = fit(own.x, own.fake, own.weights())
    found = limits(own, own.x @ w[:3] + w[3])
    print("weights", w.round(3), found)
    z = other.x @ w[:3] + w[3]
    spread = sigmoid(w[0] * other.passes + (z - w[0] * other.x[:, 0])[:, None]).std(1)
    for strategy in FALSE_FAKE:
        for name in CONDITIONS:
            print(strategy, name, rates(other, z, spread, found, strategy, other.condition == name))
    by_class = defaultdict(list)
    for at, row in enumerate(other.rows):
        if row["class"] and not other.fake[at]:
            by_class[row["class"]].append(at)
    for name, places in sorted(by_class.items()):
        chosen = np.zeros(len(z), bool)
        chosen[places] = True
        print(name, rates(other, z, spread, found, "default", chosen))
    judge_families(rows, given.squares)
    judge_kinds([row for row in rows if row["part"] == "val"])
    if given.out:
        release(given.out, w, found)


FAMILIES = {"Google": ("gemini", "imagen", "google"), "OpenAI": ("gpt-image", "dall-e"), "Flux": ("flux",), "Midjourney": ("midjourney",),
            "Stable Diffusion": ("stable-diffusion", "sdxl", "lcm")}  # fmt: skip


def judge_families(rows: list[dict], squares: int) -> None:
    """Leaves one family of generators at a time out of the fit, and tests on it and the photographs of val."""
    for family, words in FAMILIES.items():
        is_member = lambda row: row["label"] == "ai-generated" and any(word in row["generator"] for word in words)
        own = Table([row for row in rows if row["part"] != "val" and not is_member(row)], squares)
        other = Table([row for row in rows if is_member(row) or row["part"] == "val" and row["label"] == "real"], squares)
        w = fit(own.x, own.fake, own.weights())
        found, z = limits(own, own.x @ w[:3] + w[3]), other.x @ w[:3] + w[3]
        least = fake_min(other, found, "default")
        cells = []
        for name in CONDITIONS:
            mine = other.condition == name
            fake, real = z[mine & other.fake], z[mine & ~other.fake]
            cells.append(f"{auc(real, fake):.3f}, fake {(sigmoid(z) >= least)[mine & other.fake].mean():.2f}")
        print(f"without {family}, {len({row['key'] for row in other.rows if row['label'] != 'real'})} pictures: " + " | ".join(cells))


def judge_kinds(rows: list[dict]) -> None:
    """For each class of pictures: how many pass for photographs, and how many are recognised as what they are."""
    said = defaultdict(list)
    for row in rows:
        one = shares(row["said"]["as is"]["kinds"])
        kind = "photograph" if one[0] >= PHOTOGRAPH_MIN else KINDS[1 + int(one[1:].argmax())]
        said[row["class"] if row["label"] == "neither" else row["label"]].append((kind, KIND_OF.get(row["class"], "photograph")))
    for name, pairs in sorted(said.items()):
        passed, right = np.mean([kind == "photograph" for kind, _ in pairs]), np.mean([kind == wanted for kind, wanted in pairs])
        print(f"{name}: {len(pairs)} pictures, taken for photographs {passed:.2f}, named as what they are {right:.2f}")


def shares(logits: np.ndarray) -> np.ndarray:
    values = np.exp(logits - logits.max())
    return values / values.sum()


def release(folder: Path, w: np.ndarray, found: dict) -> None:
    path = folder / "manifest.json"
    manifest = json.loads(path.read_text())
    manifest["calibration"]["decision"] = {"scale": round(float(w[0]), 4), "offset": round(float(w[3]), 4)}
    manifest["transformer"] = {
        "sidePx": SIDE, "stepPx": STEP, "squares": SQUARES,
        "weights": {"view": round(float(w[1] / w[0]), 4), "squares": round(float(w[2] / w[0]), 4)},
        "photographMin": PHOTOGRAPH_MIN,
    }  # fmt: skip
    manifest["thresholds"] |= {name: found[name] for name in ("fakeMin", "realMax")}
    manifest["smallRegime"] = None
    manifest["sizeRegime"] = {"perHalving": PER_HALVING, "below": BELOW_PIXELS, "downTo": DOWN_TO_PIXELS}
    manifest["created"] = datetime.now(timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
    manifest["measured"] = []
    manifest["files"] = {name: describe_file(folder / name) for name in ("model.onnx", "head.onnx", "transformer.onnx", "statistics.json")}
    write_json(path, manifest)


if __name__ == "__main__":
    main()
