"""Refits the probability of *fake* and the limits from readings by the engine: `backbone-limits --model ../trace-3 --readings FILE.csv... --version VERSION`.

Readings: `npm run evaluate -- --traces --split calibration --readings FILE.csv`. The probability is refitted by logistic regression on
the files that contain both classes (Platt 1999). The limits of *fake* are where the fitted tail leaves the share in `FALSE_FAKE` of all
photographs, those of *real* where it leaves the share in `FALSE_REAL` of all generated pictures. Both move apart as pictures get smaller,
because small ones look more alike.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from dataclasses import dataclass
from datetime import datetime, timezone
from pathlib import Path

import numpy as np
from scipy.optimize import minimize

from forensics_training.backbone.fuse import BELOW_PIXELS, DOWN_TO_PIXELS, FALSE_FAKE, FALSE_REAL, tail_limit
from forensics_training.backbone.sizes import Group
from forensics_training.data.collect import read
from forensics_training.detector.calibrate import decreasing, increasing, write_json
from forensics_training.runtime.metrics import sigmoid

# Shares of generated pictures beyond the limit are then about the same for all sizes and conditions (see the experiment).
REAL_PER_HALVING = 0.2
# Nine in ten pictures at JPEG 10, or blurred by 4 px, have less of either trace; above, the other limits err no more often than elsewhere.
TRACE_MIN = {"pedantic": 0.5, "default": 0.3, "relaxed": 0.2}
CONDITIONS = ("as is", "jpeg 75", "half", "half, jpeg 80")


@dataclass(frozen=True)
class Readings:
    z: np.ndarray  # log odds of *fake* by the networks alone
    size: np.ndarray  # log of the ratio of the picture's size
    fake: np.ndarray
    halvings: np.ndarray
    source: np.ndarray
    condition: np.ndarray
    paired: np.ndarray  # whether the file has pictures of both classes

    def weights(self, chosen: np.ndarray) -> np.ndarray:
        return source_weights(self.source, self.fake, chosen)


def source_weights(source: np.ndarray, fake: np.ndarray, chosen: np.ndarray) -> np.ndarray:
    """A source counts by the root of its chosen readings; those of each class add up to 1, and others count 0."""
    count = Counter(zip(source[chosen], fake[chosen]))
    weight = np.array([max(1, count[pair]) ** -0.5 for pair in zip(source, fake)], float) * chosen
    for side in (False, True):
        weight[fake == side] /= max(1e-9, weight[fake == side].sum())
    return weight


def sides_of(rows: list[dict]) -> list[tuple[int, ...]]:
    """The longer and the shorter side of each, in pixels."""
    return [tuple(sorted((int(row["width"]), int(row["height"])), reverse=True)) for row in rows]


def log_size_ratios(rows: list[dict], manifest: dict) -> np.ndarray:
    groups = [Group(group["ratio"], frozenset(tuple(map(int, size.split("x"))) for size in group["sizes"]), "leastSide" in group) for group in manifest["generatorSizes"]]
    return np.log([next((group.ratio for group in groups if group.holds(side)), 1) for side in sides_of(rows)])


def load(files: list[Path], manifest: dict) -> Readings:
    rows, paired = [], []
    for path in files:
        mine = [row for row in read(path) if row["label"] in ("real", "ai-generated") and row["condition"] in CONDITIONS]
        paired += [len({row["label"] for row in mine}) == 2] * len(mine)
        rows += mine
    sides, size = sides_of(rows), log_size_ratios(rows, manifest)
    pixels = np.array([longer * shorter for longer, shorter in sides], float)
    return Readings(
        z=np.array([-np.log(1 / float(row["fake_probability"]) - 1) for row in rows]) - size,
        size=size,
        fake=np.array([row["label"] == "ai-generated" for row in rows]),
        halvings=np.maximum(0, np.log2(BELOW_PIXELS / np.maximum(pixels, DOWN_TO_PIXELS))),
        source=np.array([row["source"].lower() for row in rows]),
        condition=np.array([row["condition"] for row in rows]),
        paired=np.array(paired),
    )


def refit(readings: Readings) -> tuple[float, float]:
    """Factor and offset of the log odds that minimise the weighted cross-entropy, with the size added afterwards."""
    weight = readings.weights(readings.paired)

    def loss(w: np.ndarray) -> float:
        z = w[0] * readings.z + w[1] + readings.size
        return (weight * np.logaddexp(0, np.where(readings.fake, -z, z))).sum()

    factor, offset = minimize(loss, [1.0, 0.0]).x
    return float(factor), float(offset)


def fitted_limits(readings: Readings, level: np.ndarray, wrong: np.ndarray, shares: dict[str, float]) -> dict[str, float]:
    """For each strategy, the level that its share of the readings in `wrong` exceeds; prints how steady the default limit is."""
    weight, halvings = readings.weights(wrong), np.floor(readings.halvings)
    found = {name: tail_limit(level[wrong], weight[wrong], share) for name, share in shares.items()}
    print(f"{wrong.sum()} readings of {len(set(readings.source[wrong]))} sources: log odds of {found} at {BELOW_PIXELS} pixels")
    beyond = lambda limit, chosen: round(float(np.average(level[chosen] >= limit, weights=weight[chosen])), 4)
    for name, values in (("condition", readings.condition), ("halvings", halvings)):
        print(f"beyond the default limit, by {name}: { {str(one): beyond(found['default'], wrong & (values == one)) for one in sorted(set(values[wrong]))} }")
    random = np.random.default_rng(0)
    halves = [np.isin(readings.source, random.permutation(sorted(set(readings.source[wrong])))[::2]) for _ in range(200)]
    rates = [
        [beyond(tail_limit(level[wrong & own], weight[wrong & own], shares["default"]), wrong & ~own & (readings.condition == one)) for one in CONDITIONS if one in readings.condition]
        for own in halves
    ]
    print(f"fitted on half of the sources, beyond the default limit in the other half: {np.mean(rates, 0).round(4)}")
    return found


def real_max(readings: Readings, z: np.ndarray) -> dict[str, float]:
    found = fitted_limits(readings, -(z + REAL_PER_HALVING * readings.halvings), readings.fake, FALSE_REAL)
    return increasing({name: float(sigmoid(-max(0, value))) for name, value in found.items()})


def fake_min(readings: Readings, z: np.ndarray, per_halving: float) -> dict[str, float]:
    found = fitted_limits(readings, z - per_halving * readings.halvings, ~readings.fake, FALSE_FAKE)
    return decreasing({name: float(sigmoid(max(0, value))) for name, value in found.items()})


def judge(files: list[Path], classes: Path) -> None:
    """Verdicts on photographs of each class of the list, as they are."""
    kinds = {row["blob_sha"]: row["class"] for row in read(classes)}
    found: dict[str, Counter[str]] = {}
    for row in (row for path in files for row in read(path) if (row["label"], row["condition"]) == ("real", "as is")):
        if kind := kinds.get(Path(row["file"]).stem):
            found.setdefault(kind, Counter())[row["default"]] += 1
    for kind, verdicts in sorted(found.items()):
        print(f"{kind}: {dict(verdicts)}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", type=Path, required=True)
    parser.add_argument("--readings", type=Path, nargs="+", required=True)
    parser.add_argument("--classes", type=Path, help="list of classes: prints the verdicts on photographs of each, and refits nothing")
    parser.add_argument("--version", help="writes the model as this version")
    given = parser.parse_args()
    if given.classes:
        return judge(given.readings, given.classes)
    path = given.model / "manifest.json"
    manifest = json.loads(path.read_text())
    readings = load(given.readings, manifest)
    factor, offset = refit(readings)
    print(f"log odds times {factor:.4f}, plus {offset:.4f}")
    decision = manifest["calibration"]["decision"]
    manifest["calibration"]["decision"] = {"scale": round(factor * decision["scale"], 4), "offset": round(factor * decision["offset"] + offset, 4)}
    z = factor * readings.z + offset + readings.size
    regime = manifest["sizeRegime"] | {"perHalving": round(factor * manifest["sizeRegime"]["perHalving"], 4), "realPerHalving": REAL_PER_HALVING}
    manifest["thresholds"] |= {"traceMin": TRACE_MIN, "fakeMin": fake_min(readings, z, regime["perHalving"]), "realMax": real_max(readings, z)}
    manifest["sizeRegime"] = regime
    pictures = {row["file"] for path in given.readings for row in read(path) if row["label"] in ("real", "ai-generated")}
    manifest["training"] |= {"calibrationPictures": len(pictures), "calibrationSources": len(set(readings.source))}
    if given.version:
        write_json(path, manifest | {"version": given.version, "created": datetime.now(timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")})


if __name__ == "__main__":
    main()
