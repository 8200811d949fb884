from contextlib import nullcontext
from dataclasses import replace

import numpy as np
import pytest
import torch

from autoencoder import make_aligned
from data import Pictures
from run import load, provenance
from test_autoencoder import Darker
from train import Model, Plan, Source, loss_of, note_plan, plans_of, rate_at, train

PLAN = Plan(steps=4, pixels=6 * 128 * 128, warmup=1, check_every=2)


@pytest.fixture(scope="module")
def aligned(pictures, tmp_path_factory) -> Pictures:
    folder = tmp_path_factory.mktemp("aligned")
    make_aligned(pictures, [Darker(0.9)], folder, 2, seed=3)
    return Pictures(folder)


def test_the_manifest_repeats_every_plan_that_the_weights_went_through_and_counts_their_data(pictures, aligned, tmp_path):
    note_plan(tmp_path, 0, 4200)
    note_plan(tmp_path, 1000, 4200)  # resumed: the same plan goes on
    note_plan(tmp_path, 1500, 2200)

    told = provenance(replace(Plan(), steps=2200, seed=20), plans_of(tmp_path), pictures, aligned)

    assert told["command"] == (
        "python run.py --data DIR --out ../trace-1 --steps 4200 --seed 20 --until 1500 && "
        "python run.py --data DIR --out ../trace-1 --steps 2200 --seed 20"
    )
    assert told["data"].startswith("6 training and 4 calibration crops of data/manifest.csv, 2 aligned fakes")


def test_the_learning_rate_rises_then_falls_to_almost_nothing():
    plan = Plan(steps=1000, warmup=100, rate=1.0)

    rates = [rate_at(step, plan) for step in range(plan.steps)]

    assert max(rates) == rates[99] == 1.0
    assert rates[100:] == sorted(rates[100:], reverse=True)
    assert rates[-1] == 0.01


def test_the_loss_is_computed_on_the_device_of_the_batch(pictures, aligned, monkeypatch):
    source, asked = Source(pictures, aligned, PLAN), []
    # Tensors of the device `meta` know their shapes alone, but refuse to be mixed with others, as those of a graphics card do.
    monkeypatch.setattr(torch, "autocast", lambda device, **_: asked.append(device) or nullcontext())
    batch = {name: values.to("meta") for name, values in source.batch(0).items()}
    model = Model(len(source.origins)).to("meta")

    loss = loss_of(model, batch, PLAN, np.random.default_rng(1))
    loss.backward()

    assert loss.device.type == "meta"
    assert asked == ["meta", "meta"]


def test_a_resumed_run_ends_where_an_unbroken_one_does(pictures, aligned, tmp_path):
    for name, stops in (("whole", (4,)), ("broken", (2, 4))):
        for stop in stops:
            best = train(pictures, aligned, tmp_path / name, PLAN, stop)

    whole, broken = (torch.load(tmp_path / name / "last.pt", weights_only=True) for name in ("whole", "broken"))
    assert (whole["step"], whole["best"]) == (broken["step"], broken["best"])
    for part in ("model", "average"):
        for key, value in whole[part].items():
            assert torch.allclose(value, broken[part][key], atol=1e-6), key
    assert load(best)[0].scale1[0].weight.shape == (16, 9, 3, 3)
    assert not list(tmp_path.rglob("*.part"))


@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a CUDA device")
def test_a_run_that_began_on_a_cuda_device_goes_on_on_the_processor(pictures, aligned, tmp_path):
    train(pictures, aligned, tmp_path, PLAN, 2, torch.device("cuda"))
    train(pictures, aligned, tmp_path, PLAN, 4)

    state = torch.load(tmp_path / "last.pt", map_location="cpu", weights_only=True)
    assert state["step"] == 4
    assert all(values.isfinite().all() for values in state["model"].values())
