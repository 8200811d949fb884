"""From a data folder to a model folder: python run.py --data DIR --out ../trace-1

Decodes, makes aligned fakes, trains the network (resuming where a stopped run left off) or takes one that was exported
before, fits the ensemble on the hand-made statistics, joins both, calibrates, measures.
"""

from __future__ import annotations

import argparse
import json
import subprocess
from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np
import torch

from arms import fit_groups, training_sample
from autoencoder import make_aligned, published
from calibrate import calibrate
from combine import MEMBERS, Votes, combine
from crossed import crossed
from data import Pictures, open_pictures
from device import add_device
from discriminant import ensemble
from evaluate import evaluate
from export import export_model
from family import STEPS, open_family
from network import Backbone, Head
from tables import Reader, make_draws
from train import Plan, plans_of, train

HERE = Path(__file__).parent
ALIGNED, DRAWS = 640, 6


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--data", type=Path, required=True)
    options.add_argument("--out", type=Path, required=True)
    options.add_argument("--work", type=Path, default=HERE / ".work")
    options.add_argument("--steps", type=int, default=Plan.steps)
    options.add_argument("--until", type=int, help="stop at this checkpoint of the plan, so that another plan can go on from it")
    options.add_argument("--network", type=Path, help="folder of an exported plain network to keep instead of training one")
    options.add_argument("--version", default="0.0.0-dev", help="of the model, as its manifest says it")
    options.add_argument("--seed", type=int, default=Plan.seed)
    options.add_argument("--threads", type=int, default=1)
    add_device(options)
    asked = options.parse_args()
    torch.set_num_threads(asked.threads)
    cv2.setNumThreads(asked.threads)

    plan = replace(Plan(), steps=asked.steps, seed=asked.seed)
    pictures = open_pictures(asked.data, asked.work)
    network, device = asked.network or asked.work / "network", asked.device
    if not asked.network:
        trips = [published(asked.data).to(device), *open_family(pictures, asked.work, STEPS, plan.seed, device)]
        make_aligned(pictures, trips, asked.work / "aligned", ALIGNED, plan.seed, device)
        best = train(pictures, Pictures(asked.work / "aligned"), asked.work / "run", plan, asked.until, device)
        if asked.until is not None:
            return
        export_model(*load(best), network)
    make_draws(pictures, Reader(network), asked.work / "tables", DRAWS, plan.seed)
    scale, groups = fit_groups(training_sample(pictures, asked.work / "tables", DRAWS))
    votes = Votes(scale, *ensemble(groups, MEMBERS, np.random.default_rng(plan.seed)))
    combine(network, votes, asked.out)
    judges = crossed(pictures.of("calibration"), asked.out, scale, groups, asked.work / "crossed", plan.seed)
    if asked.network:
        told = provenance_with(network, plan.seed)
    else:
        told = provenance(plan, plans_of(asked.work / "run"), pictures, Pictures(asked.work / "aligned"))
    calibrate(pictures, asked.out, judges, asked.version, told)
    print(json.dumps(evaluate(pictures, asked.out, "val"), indent=2))


def load(weights: Path) -> tuple[Backbone, Head]:
    """The averaged weights of a run, without the classifier of origins."""
    state = torch.load(weights, map_location="cpu", weights_only=True)
    parts = []
    for name, network in (("backbone", Backbone()), ("head", Head())):
        prefix = name + "."
        network.load_state_dict({key.removeprefix(prefix): value for key, value in state.items() if key.startswith(prefix)})
        parts.append(network)
    return parts[0], parts[1]


def provenance(plan: Plan, plans: list[dict[str, int]], pictures: Pictures, aligned: Pictures) -> dict:
    """What the manifest says of the training; the command repeats every plan that the weights went through."""
    until = [f" --until {after['first']}" for after in plans[1:]] + [""]
    commands = [f"python run.py --data DIR --out ../trace-1 --steps {run['steps']} --seed {plan.seed}{stop}"
                for run, stop in zip(plans, until, strict=True)]  # fmt: skip
    return {
        "command": " && ".join(commands),
        "commit": commit(),
        "data": f"{len(pictures.of('train')):,} training and {len(pictures.of('calibration')):,} calibration crops of "
        f"data/manifest.csv, {len(aligned.items):,} aligned fakes (TAEF2 and a family of our own), drawings of our own",
        "seed": plan.seed,
        "steps": plan.steps,
    }


def provenance_with(network: Path, seed: int) -> dict:
    """The same of a network that was kept, as its own manifest tells it, and of the arm that was added to it."""
    kept = json.loads((network / "manifest.json").read_text())["training"]
    added = f"python run.py --data DIR --out ../trace-1 --network NETWORK --seed {seed}"
    return kept | {"command": f"{kept['command']} && {added}", "networkCommit": kept["commit"], "commit": commit()}


def commit() -> str:
    return subprocess.run(["git", "rev-parse", "HEAD"], cwd=HERE, capture_output=True, text=True, check=True).stdout.strip()


if __name__ == "__main__":
    main()
