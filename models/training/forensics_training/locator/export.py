"""Exports the localisation network as ONNX, verifies it against PyTorch, and calibrates it on the calibration split.

If there are several runs, the mean of their weights is exported (Wortsman et al., "Model soups", ICML 2022).
"""

from __future__ import annotations

import argparse
import json
import warnings
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import nn

from forensics_training import WORK
from forensics_training.data.crops import open_crops
from forensics_training.locator.figures import worst_limit
from forensics_training.locator.level import Level, best_level, open_cells
from forensics_training.locator.network import Locator
from forensics_training.locator.pairs import Pairs, Reading, photographs
from forensics_training.locator.reading import CONDITIONS, Read, open_reader
from forensics_training.runtime.checkpoint import mean_of
from forensics_training.runtime.metrics import fit_logistic
from forensics_training.runtime.model_files import open_session

OPSET = 17
FALSE_ALARMS = 0.05  # share of untouched pictures at the limit of the score
PAIRS_FOR_LEVEL = 250  # at most; the level has two parameters


@dataclass(frozen=True)
class Calibration:
    """The level of the map, and the score in log odds: `scale * score + offset`."""

    level: Level = Level()
    scale: float = 1.0
    offset: float = 0.0

    def score(self, logits: Any) -> Any:
        return self.scale * logits + self.offset


class Exported(nn.Module):
    """The network with the three outputs that the engine reads."""

    def __init__(self, locator: Locator, calibration: Calibration):
        super().__init__()
        self.locator, self.calibration = locator, calibration

    def forward(self, rgb: torch.Tensor, table: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        found = self.locator(rgb, table)
        return self.calibration.level.applied(found.changed[:, 0]), found.trust[:, 0], self.calibration.score(found.score)


def export(locator: Locator, calibration: Calibration, path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    answers = Exported(locator.float().to(memory_format=torch.contiguous_format), calibration).eval()
    size = {1: "rows", 2: "columns"}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the old TorchScript exporter folds batch norms and writes a plain graph
        torch.onnx.export(
            answers, (torch.zeros(1, 99, 131, 3, dtype=torch.uint8), torch.ones(1, 64)), str(path), dynamo=False,
            opset_version=OPSET, input_names=["rgb", "table"], output_names=["changed", "trust", "score"],
            dynamic_axes={"rgb": {1: "height", 2: "width"}, "changed": size, "trust": size},
        )  # fmt: skip
    compare(answers, path)


@torch.no_grad()
def compare(answers: Exported, path: Path) -> None:
    """Compares both on sizes that are multiples of 8 and on others, with a table and without."""
    random, session = np.random.default_rng(1), open_session(path)
    for height, width, table in ((65, 65, 0), (128, 200, 7), (203, 161, 3)):
        rgb = random.integers(0, 256, (1, height, width, 3), dtype=np.uint8)
        steps = np.full((1, 64), table, np.float32)
        expected = answers(torch.from_numpy(rgb), torch.from_numpy(steps))
        for answer, wanted in zip(session.run(None, {"rgb": rgb, "table": steps}), expected, strict=True):
            np.testing.assert_allclose(answer, wanted.numpy(), atol=5e-3)


@dataclass(frozen=True)
class Scores:
    """Scores of whole pictures. `untouched`: by condition, and "twins" for the counterparts, each with the source of every picture."""

    changed: np.ndarray
    untouched: dict[str, tuple[np.ndarray, np.ndarray]]

    def applied(self, calibration: Calibration) -> Scores:
        return Scores(calibration.score(self.changed), {name: (calibration.score(scores), of) for name, (scores, of) in self.untouched.items()})


def scores_of(read: Read, pairs: Pairs, sources: dict[str, list[Reading]]) -> Scores:
    read_pairs = [[read(one).score for one in pairs.read(number)] for number in range(len(pairs))]
    changed, counterparts = np.array(read_pairs).T
    crops = [one for source in sources.values() for one in source]
    of = np.array([name for name, source in sources.items() for _ in source])
    untouched = {"twins": (counterparts, np.full(len(counterparts), "twins"))}
    for name, change in CONDITIONS.items():
        untouched[name] = (np.array([read(change(one)).score for one in crops]), of)
    return Scores(changed, untouched)


def platt(scores: Scores) -> tuple[float, float]:
    """Platt scaling to log odds at even priors; counterparts and photographs have half of the untouched weight each."""
    groups = [scores.changed, *(group for group, _ in scores.untouched.values())]
    share = [1 / 2, 1 / 4, *[1 / 4 / len(CONDITIONS)] * len(CONDITIONS)]
    weight = np.concatenate([np.full(len(group), part / len(group)) for group, part in zip(groups, share, strict=True)])
    target = np.concatenate([np.full(len(group), float(at == 0)) for at, group in enumerate(groups)])
    return fit_logistic(np.concatenate(groups), target, weight)


def limits_of(scores: Scores) -> dict[str, float]:
    """By condition, the limit that FALSE_ALARMS of the untouched pictures of the worst source exceed."""
    return {name: worst_limit(group, of, FALSE_ALARMS) for name, (group, of) in scores.untouched.items()}


def shares_above(scores: Scores) -> dict[str, list[float]]:
    """For some likelihood ratios: share of the changed pictures, counterparts and photographs whose score reaches them."""
    of_photographs = np.concatenate([group for name, (group, _) in scores.untouched.items() if name != "twins"])
    groups = (scores.changed, scores.untouched["twins"][0], of_photographs)
    return {str(ratio): [round(float((group >= np.log(ratio)).mean()), 4) for group in groups] for ratio in (2, 5, 10, 20, 50, 100)}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--work", type=Path, default=WORK)
    parser.add_argument("--run", nargs="+", default=["main"], help="folders of runs in .work/locate")
    parser.add_argument("--pairs", default="pairs-calibration", help="folder in .work/locate; pairs-squares-calibration after fine-tuning")
    parser.add_argument("--count", type=int, default=500, help="number of pairs to read")
    parser.add_argument("--out", type=Path, default=WORK / "locate" / "model")
    args = parser.parse_args()
    torch.set_num_threads(1)
    folder, locator = args.work / "locate", Locator()
    locator.load_state_dict(mean_of([torch.load(folder / name / "best.pt", weights_only=True) for name in args.run]))
    path, pairs = args.out / "locate.onnx", Pairs(folder / args.pairs, args.count)
    export(locator, Calibration(), path)
    read = open_reader(path)
    level, f1 = best_level(open_cells(path), Pairs(folder / args.pairs, min(PAIRS_FOR_LEVEL, args.count)))
    sources = photographs(args.data, open_crops(args.data, args.work).of("calibration"))
    scores = scores_of(read, pairs, sources)
    calibration = Calibration(level, *platt(scores))
    export(locator, calibration, path)
    limits = limits_of(scores.applied(calibration))
    limits_file = {**asdict(calibration), "f1AtHalf": f1, "scoreMin": max(limits.values()), "scoreMinBy": limits,
            "sharesAbove": shares_above(scores.applied(calibration))}  # fmt: skip
    (args.out / "limits.json").write_text(json.dumps(limits_file, indent=2) + "\n")
    print(json.dumps(limits_file, indent=2))
