"""Trains the localisation network on stored pairs. An interrupted run resumes from its last checkpoint.

The learning rate is constant until the last part of the plan, so a run can be shortened or extended, and variants can be compared at
equal steps. Only the calibration split chooses among checkpoints.
"""

from __future__ import annotations

import argparse
import copy
import json
import time
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import torch
from torch import nn
from torch.nn import functional

from forensics_training import WORK
from forensics_training.degrade.codecs import Save, encode
from forensics_training.degrade.histories import draw_jpeg
from forensics_training.locator.figures import figures_of
from forensics_training.locator.network import Found, Locator
from forensics_training.locator.pairs import Pairs, Reading, reading
from forensics_training.locator.reading import CELL, Map, to_map
from forensics_training.locator.start import start_from
from forensics_training.runtime.checkpoint import resume, save, write
from forensics_training.runtime.device import CPU, mixed


@dataclass(frozen=True)
class Plan:
    steps: int = 5000
    pairs: int = 16_000
    sides: tuple[tuple[int, float], ...] = ((128, 0.2), (192, 0.4), (256, 0.4))  # crop side in px of a batch, and probability
    pixels: int = 16 * 192 * 192  # per step, both pictures of a pair counted
    rate: float = 1.5e-3
    warmup: int = 100
    fall: float = 0.3  # last part of the plan, in which the rate decays to 0
    decay: float = 0.05
    average: float = 0.998  # decay of the exponential moving average of the weights
    resaved: float = 0.0  # share of the pairs that are saved once more, at a quality of RESAVED
    without_table: float = 0.25  # share of the pairs without quantisation table, as in screenshots
    seed: int = 4
    check_every: int = 400
    save_every: int = 100
    checked: int = 200  # calibration pairs
    frozen_norms: bool = False  # batch norms keep their statistics, as after --start


RESAVED = (60, 93)  # JPEG qualities
# Fine-tuning of a released network on squares of whole photographs.
FINE_TUNING = Plan(sides=((256, 0.25), (384, 0.4), (512, 0.35)), pixels=5 * 2 * 384 * 384, rate=4e-4, fall=0.5, average=0.995, resaved=0.2, check_every=1300, checked=40, frozen_norms=True)
DOCUMENT_SIDES = ((384, 0.35), (512, 0.35), (640, 0.3))


class Batches:
    """Batch `step` depends only on the seed and the step, so that a resumed run sees the same batches."""

    def __init__(self, pairs: Pairs, plan: Plan):
        self.pairs, self.plan = pairs, plan
        self.large = {side: np.flatnonzero(pairs.sides >= side) for side, _ in plan.sides}

    def batch(self, step: int) -> dict[str, torch.Tensor]:
        random = np.random.default_rng([self.plan.seed, step])
        sides, chances = zip(*self.plan.sides, strict=True)
        side = int(random.choice(sides, p=chances))
        rows: list[Reading] = []
        for number in random.choice(self.large[side], self.plan.pixels // side**2 // 2, replace=False):
            changed, counterpart = self.pairs.read(int(number))
            place = draw_crop(changed, side, random)
            turn, bare = random.random(3) < 0.5, random.random() < self.plan.without_table
            resave = draw_jpeg(RESAVED, random) if random.random() < self.plan.resaved else None
            rows += [crop(one, place, side, turn, bare, resave) for one in (changed, counterpart)]
        return {
            "rgb": torch.from_numpy(np.stack([row.rgb for row in rows])),
            "table": torch.from_numpy(np.stack([row.table for row in rows])),
            "share": torch.from_numpy(np.stack([row.share for row in rows])),
        }


class Alternating:
    """Batches of several data sets in turn, so that one is not forgotten while another is learned."""

    def __init__(self, *sources: Batches):
        self.sources = sources

    def batch(self, step: int) -> dict[str, torch.Tensor]:
        return self.sources[step % len(self.sources)].batch(step)


def draw_crop(one: Reading, side: int, random: np.random.Generator) -> tuple[int, int]:
    """Top and left, aligned to the block grid; the one of two draws that contains more of the change."""
    rooms = [(length - side) // 8 + 1 for length in one.share.shape]
    places = [(int(random.integers(rooms[0])) * 8, int(random.integers(rooms[1])) * 8) for _ in range(2)]
    return max(places, key=lambda p: int((one.share[p[0] : p[0] + side, p[1] : p[1] + side] > 127).sum()))


def crop(
    one: Reading, place: tuple[int, int], side: int, turn: np.ndarray, bare: bool, resave: Save | None = None
) -> Reading:
    """A square aligned to the block grid, flipped and transposed; the table is transposed with it.

    @param turn bool [3]: flip x, flip y, transpose
    @param bare drop the table
    @param resave save the square once more; its table is then that of this save
    """
    table = one.table.reshape(8, 8)
    flip_x, flip_y, swap = turn
    layers = []
    for layer in (one.rgb, one.share):
        layer = layer[place[0] : place[0] + side, place[1] : place[1] + side]
        layer = layer[:, ::-1] if flip_x else layer
        layer = layer[::-1] if flip_y else layer
        layers.append(np.ascontiguousarray(layer.swapaxes(0, 1) if swap else layer))
    square = Reading(layers[0], np.ascontiguousarray(table.T if swap else table).reshape(64), layers[1])
    square = square if resave is None else reading(encode(square.rgb, resave), square.share)
    return replace(square, table=np.zeros(64, np.float32)) if bare else square


def loss_of(found: Found, share: torch.Tensor) -> torch.Tensor:
    """Cross-entropy and Dice on the map, cross-entropy on first guess, trust and score. Trust has no gradient into the map.

    @param share uint8 [N,H,W], 0 untouched .. 255 new
    """
    target, clear = targets(share, CELL)
    changed = found.changed.float()
    total = cross_entropy(changed, target, clear) + 0.7 * dice(torch.sigmoid(changed) * clear, target * clear)
    total = total + 0.4 * cross_entropy(found.first.float(), *targets(share, 2 * CELL))
    right = torch.where(target > 0.5, torch.sigmoid(changed), torch.sigmoid(-changed)).detach()
    cross = functional.binary_cross_entropy_with_logits
    trust = (cross(found.trust.float(), right, reduction="none") * clear * (1 + 4 * target)).mean()
    edited = ((share > 127).float().mean((1, 2)) > 0.002).float()
    return total + 0.5 * trust + 0.3 * cross(found.score.float(), edited)


def targets(share: torch.Tensor, cell: int) -> tuple[torch.Tensor, torch.Tensor]:
    """[N,1,H/cell,W/cell] each: changed share of a cell, and share of the cell outside of soft edges."""
    clear = ((share == 0) | (share == 255)).float()[:, None]
    part = functional.avg_pool2d(clear, cell)
    return functional.avg_pool2d((share == 255).float()[:, None], cell) / part.clamp(min=1e-3), part


def cross_entropy(logits: torch.Tensor, target: torch.Tensor, clear: torch.Tensor) -> torch.Tensor:
    """Weighted mean in which changed places, which are few, count three times."""
    weight = clear * (1 + 2 * target)
    return (functional.binary_cross_entropy_with_logits(logits, target, reduction="none") * weight).sum() / weight.sum()


def dice(share: torch.Tensor, target: torch.Tensor) -> torch.Tensor:
    """Soft Dice loss: mean of 1 - F1 over the changed pictures."""
    share, target = share.flatten(1), target.flatten(1)
    has = target.sum(1) > 4
    f1 = (2 * (share * target).sum(1) + 1) / (share.sum(1) + target.sum(1) + 1)
    return ((1 - f1) * has).sum() / has.sum().clamp(min=1)


def rate_at(step: int, plan: Plan) -> float:
    left = (plan.steps - step) / (plan.fall * plan.steps)
    return plan.rate * min(1.0, (step + 1) / plan.warmup, max(left, 0.0))


def train(
    source: Batches | Alternating, calibration: Pairs, folder: Path, plan: Plan, until: int | None = None, start: Path | None = None
) -> None:
    """Runs or resumes the plan in `folder`.

    @param until step to stop at, the end of the plan when None
    @param start weights to begin with
    """
    folder.mkdir(parents=True, exist_ok=True)
    torch.manual_seed(plan.seed)
    model = Locator()
    if start:
        start_from(start, model)
    average = copy.deepcopy(model)
    optimiser = torch.optim.AdamW(groups(model, plan.decay), lr=plan.rate, betas=(0.9, 0.99))
    first, best = resume(folder, model, average, optimiser)
    model.train(not plan.frozen_norms).to(memory_format=torch.channels_last)
    began, losses = time.time(), []
    for step in range(first, plan.steps if until is None else until):
        for group in optimiser.param_groups:
            group["lr"] = rate_at(step, plan)
        losses.append(learn(model, optimiser, source.batch(step)))
        update_average(average, model, min(plan.average, (1 + step) / (10 + step)))
        done = step + 1
        if done % 50 == 0:
            print(f"step {done} loss {np.mean(losses[-50:]):.4f} {time.time() - began:.0f} s", flush=True)
        if done % plan.check_every == 0 or done == plan.steps:
            figures = check(average, calibration)
            print(f"step {done} calibration {json.dumps(figures)}", flush=True)
            if figures["worth"] > best:
                best = figures["worth"]
                write(average.state_dict(), folder / "best.pt")
        if done % plan.save_every == 0 or done == plan.steps:
            save(folder, model, average, optimiser, done, best)


@torch.no_grad()
def update_average(average: nn.Module, model: nn.Module, decay: float) -> None:
    for mine, theirs in zip(average.state_dict().values(), model.state_dict().values(), strict=True):
        if mine.dtype.is_floating_point:
            mine.lerp_(theirs, 1 - decay)
        else:
            mine.copy_(theirs)


def groups(model: nn.Module, decay: float) -> list[dict]:
    """Parameter groups: weight decay for matrices and kernels only."""
    wide = [p for p in model.parameters() if p.ndim > 1]
    thin = [p for p in model.parameters() if p.ndim <= 1]
    return [{"params": wide, "weight_decay": decay}, {"params": thin, "weight_decay": 0.0}]


def learn(model: Locator, optimiser: torch.optim.Optimizer, batch: dict[str, torch.Tensor]) -> float:
    with mixed(CPU):
        found = model(batch["rgb"], batch["table"])
    loss = loss_of(found, batch["share"])
    optimiser.zero_grad()
    loss.backward()
    nn.utils.clip_grad_norm_(model.parameters(), 2.0)
    optimiser.step()
    return loss.item()


@torch.no_grad()
def check(model: Locator, pairs: Pairs) -> dict[str, float]:
    model.eval()

    def read(one: Reading) -> Map:
        with mixed(CPU):
            found = model(torch.from_numpy(one.rgb.copy())[None], torch.from_numpy(one.table)[None])
        changed, trust = (maps[0, 0].float().numpy() for maps in (found.changed, found.trust))
        return to_map(changed, trust, float(found.score), one.rgb)

    return figures_of(read, pairs)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--work", type=Path, default=WORK / "locate")
    parser.add_argument("--name", default="main", help="folder of the run, in --work")
    parser.add_argument("--steps", type=int, default=Plan.steps)
    parser.add_argument("--until", type=int, help="stop at this step of the plan")
    parser.add_argument("--start", type=Path, help="fine-tune on squares of whole photographs: best.pt of a run, or ONNX file of a released network")
    parser.add_argument("--documents", action="store_true", help="train on documents with replaced words instead, drawn and real in turn")
    parser.add_argument("--pairs", type=int, default=Plan.pairs)
    parser.add_argument("--seed", type=int, default=Plan.seed)
    parser.add_argument("--resaved", type=float, help="share of the pairs that are saved once more")
    args = parser.parse_args()
    torch.set_num_threads(1)
    plan = replace(FINE_TUNING if args.start else Plan(), steps=args.steps, pairs=args.pairs, seed=args.seed)
    if args.documents:
        plan = replace(plan, sides=DOCUMENT_SIDES)
    plan = replace(plan, resaved=plan.resaved if args.resaved is None else args.resaved)
    made = "pairs-drawn-documents" if args.documents else "pairs-squares" if args.start else "pairs"
    source = Batches(Pairs(args.work / f"{made}-train", plan.pairs), plan)
    real = args.work / "pairs-real-documents-train"
    if args.documents and real.exists():
        source = Alternating(source, Batches(Pairs(real, plan.pairs), plan))
    elif args.start and not args.documents:
        source = Alternating(source, Batches(Pairs(args.work / "pairs-train", plan.pairs // 2), replace(plan, sides=Plan.sides)))
    calibration = Pairs(args.work / f"{made}-calibration", plan.checked)
    train(source, calibration, args.work / args.name, plan, args.until, args.start)
