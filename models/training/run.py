"""From a data folder to a model folder: python run.py --data DIR --out ../trace-1

Decodes, makes aligned fakes, trains (resuming where a stopped run left off), exports, calibrates, measures.
"""

from __future__ import annotations

import argparse
import json
import subprocess
from dataclasses import replace
from pathlib import Path

import cv2
import torch

from autoencoder import make_aligned
from calibrate import calibrate
from data import Pictures, open_pictures
from evaluate import evaluate
from export import export_model
from network import Backbone, Head
from train import Plan, plans_of, train

HERE = Path(__file__).parent
ALIGNED = 640


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--data", type=Path, required=True)
    options.add_argument("--out", type=Path, required=True)
    options.add_argument("--work", type=Path, default=HERE / ".work")
    options.add_argument("--steps", type=int, default=Plan.steps)
    options.add_argument("--until", type=int, help="stop at this checkpoint of the plan, so that another plan can go on from it")
    options.add_argument("--seed", type=int, default=Plan.seed)
    options.add_argument("--threads", type=int, default=1)
    asked = options.parse_args()
    torch.set_num_threads(asked.threads)
    cv2.setNumThreads(asked.threads)

    plan = replace(Plan(), steps=asked.steps, seed=asked.seed)
    pictures = open_pictures(asked.data, asked.work)
    make_aligned(asked.data, pictures, asked.work, ALIGNED, plan.seed)
    best = train(pictures, Pictures(asked.work / "aligned"), asked.work / "run", plan, asked.until)
    if asked.until is not None:
        return
    backbone, head = load(best)
    export_model(backbone, head, asked.out)
    calibrate(pictures, asked.out, provenance(plan, plans_of(asked.work / "run")))
    print(json.dumps(evaluate(pictures, asked.out, "val"), indent=2))


def load(weights: Path) -> tuple[Backbone, Head]:
    """The averaged weights of a run, without the classifier of origins."""
    state = torch.load(weights, weights_only=True)
    parts = []
    for name, network in (("backbone", Backbone()), ("head", Head())):
        prefix = name + "."
        network.load_state_dict({key.removeprefix(prefix): value for key, value in state.items() if key.startswith(prefix)})
        parts.append(network)
    return parts[0], parts[1]


def provenance(plan: Plan, plans: list[dict[str, int]]) -> dict:
    """What the manifest says of the training; the command repeats every plan that the weights went through."""
    commit = subprocess.run(["git", "rev-parse", "HEAD"], cwd=HERE, capture_output=True, text=True, check=False)
    until = [f" --until {after['first']}" for after in plans[1:]] + [""]
    commands = [f"python run.py --data DIR --out ../trace-1 --steps {run['steps']} --seed {plan.seed}{stop}"
                for run, stop in zip(plans, until, strict=True)]  # fmt: skip
    return {
        "command": " && ".join(commands),
        "commit": commit.stdout.strip(),
        "data": "3,095 training and 525 calibration crops of data/manifest.csv, 640 aligned fakes (TAEF2), drawings of our own",
        "seed": plan.seed,
        "steps": plan.steps,
    }


if __name__ == "__main__":
    main()
