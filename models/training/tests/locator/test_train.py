from dataclasses import replace

import numpy as np
import pytest
import torch

from forensics_training.edits.simulator import Simulator
from forensics_training.locator.network import Found
from forensics_training.locator.pairs import Pairs, Reading, store
from forensics_training.locator.traces import Blocks
from forensics_training.locator.train import Alternating, Batches, Plan, crop, cross_entropy, dice, loss_of, rate_at, targets, train
from tests.helpers import Watched, textured

PLAN = Plan(steps=4, pairs=8, sides=((128, 1.0),), pixels=4 * 128 * 128, warmup=1, check_every=2, save_every=2, checked=2)


@pytest.fixture(scope="module")
def pairs(tmp_path_factory):
    folder = tmp_path_factory.mktemp("pairs")
    store(Simulator(Watched(), []), folder, 0, 8)
    return Pairs(folder, 8)


@pytest.mark.parametrize("turn", [(0, 0, 0), (1, 0, 0), (0, 1, 1), (1, 1, 1)])
def test_transposing_a_crop_transposes_its_coefficients_and_its_table(turn):
    one = Reading(textured(1, 160), np.arange(64, dtype=np.float32) + 1, np.zeros((160, 160), np.uint8))
    blocks = Blocks()

    def steps(turned: Reading) -> torch.Tensor:
        rgb = torch.from_numpy(turned.rgb).permute(2, 0, 1)[None].float()
        return blocks(rgb, torch.from_numpy(turned.table)[None])[1]

    straight, turned = (steps(crop(one, (8, 24), 128, np.array(how, bool), False)) for how in ((0, 0, 0), turn))

    coefficients = straight.reshape(8, 8, 16, 16)
    coefficients = coefficients.flip(3) if turn[0] else coefficients
    coefficients = coefficients.flip(2) if turn[1] else coefficients
    coefficients = coefficients.permute(1, 0, 3, 2) if turn[2] else coefficients
    assert torch.allclose(turned.reshape(8, 8, 16, 16), coefficients, atol=1e-3)


def test_a_batch_holds_both_pictures_of_each_pair_and_some_pairs_without_a_table(pairs):
    source = Batches(pairs, replace(PLAN, without_table=0.5))

    batches = [source.batch(step) for step in range(12)]

    shares = torch.cat([(batch["share"] > 127).float().mean((1, 2)) for batch in batches])
    bare = torch.cat([batch["table"].amax(1) == 0 for batch in batches])
    assert (shares[::2] > 0).float().mean() > 0.8 and (shares[1::2] == 0).all()
    assert torch.equal(bare[::2], bare[1::2]) and 0.3 < bare.float().mean() < 1


def test_soft_edges_are_left_out_of_the_target():
    share = torch.zeros(1, 8, 8, dtype=torch.uint8)
    share[:, :4, :4], share[:, :4, 4:], share[:, 4:, 6:] = 255, 90, 200

    target, clear = targets(share, 4)

    assert torch.equal(target[0, 0], torch.tensor([[1.0, 0], [0, 0]]))
    assert torch.equal(clear[0, 0], torch.tensor([[1.0, 0], [1, 0.5]]))


def test_dice_is_zero_for_a_perfect_map_and_ignores_untouched_pictures():
    target = torch.zeros(2, 1, 16, 16)
    target[0, :, :8] = 1

    assert dice(target, target) == 0
    assert dice(torch.ones_like(target), target) > 0.3
    assert dice(torch.ones(1, 1, 16, 16), target[1:]) == 0


def test_a_missed_change_costs_three_times_a_false_alarm():
    target, clear = torch.tensor([[[[1.0], [0.0]]]]), torch.ones(1, 1, 2, 1)

    missed, alarm = (cross_entropy(torch.full_like(target, logit), target, clear) for logit in (-4.0, 4.0))

    assert missed > 2.9 * alarm


def test_the_loss_is_lower_for_right_maps_than_for_wrong_ones():
    share = torch.zeros(2, 32, 32, dtype=torch.uint8)
    share[0, :16, :16] = 255
    truth = targets(share, 4)[0] * 8 - 4

    def cost(sign: int) -> float:
        coarse = torch.nn.functional.avg_pool2d(truth, 2)
        return float(loss_of(Found(sign * truth, truth * 0 + 2, torch.tensor([4.0, -4.0]) * sign, sign * coarse), share))

    assert cost(1) < 0.5 < cost(-1)


def test_the_rate_stays_level_until_the_last_part():
    plan = Plan(steps=1000, warmup=100, fall=0.3, rate=1.0)

    rates = [rate_at(step, plan) for step in range(plan.steps)]

    assert rates[99:700] == [1.0] * 601
    assert rates[700:] == sorted(rates[700:], reverse=True) and rates[-1] < 0.01


def test_a_resumed_run_ends_where_an_unbroken_one_does(pairs, tmp_path):
    for name, stops in (("whole", (4,)), ("broken", (2, 4))):
        for stop in stops:
            train(Batches(pairs, PLAN), pairs, tmp_path / name, PLAN, stop)

    whole, broken = (torch.load(tmp_path / name / "last.pt", weights_only=True) for name in ("whole", "broken"))
    assert whole["step"] == broken["step"] == 4
    for key, value in whole["average"].items():
        assert torch.allclose(value, broken["average"][key], atol=1e-4), key


class Named:
    def __init__(self, name: str):
        self.name = name

    def batch(self, step: int) -> tuple[str, int]:
        return self.name, step


def test_alternating_batches_depend_only_on_the_step():
    turns = Alternating(Named("squares"), Named("crops"))

    assert [turns.batch(step) for step in (0, 1, 2, 5)] == [("squares", 0), ("crops", 1), ("squares", 2), ("crops", 5)]
