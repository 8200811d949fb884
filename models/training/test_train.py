from dataclasses import replace

from run import provenance
from train import Plan, note_plan, plans_of, rate_at


def test_the_command_in_the_manifest_repeats_every_plan_that_the_weights_went_through(tmp_path):
    note_plan(tmp_path, 0, 4200)
    note_plan(tmp_path, 1000, 4200)  # resumed: the same plan goes on
    note_plan(tmp_path, 1500, 2200)

    told = provenance(replace(Plan(), steps=2200, seed=20), plans_of(tmp_path))

    assert told["command"] == (
        "python run.py --data DIR --out ../trace-1 --steps 4200 --seed 20 --until 1500 && "
        "python run.py --data DIR --out ../trace-1 --steps 2200 --seed 20"
    )


def test_the_learning_rate_rises_then_falls_to_almost_nothing():
    plan = Plan(steps=1000, warmup=100, rate=1.0)

    rates = [rate_at(step, plan) for step in range(plan.steps)]

    assert max(rates) == rates[99] == 1.0
    assert rates[100:] == sorted(rates[100:], reverse=True)
    assert rates[-1] == 0.01
