"""Trains the network of locate-2 for a given time, on pairs made by worker processes at the same time.

`locator-train-vit --vit FILE --pixels FILE --hosts FOLDER --out FOLDER --minutes 13`. Archives of hosts that appear later are used too.
Every two minutes the mean of the weights is written as `weights.f16.pt` (without the transformer's frozen ones) and tested on
`--check`; `state.pt` lets a run resume. The learning rate depends on the elapsed share of the time, so a run may have any length.
"""

from __future__ import annotations

import argparse
import copy
import json
import math
import multiprocessing
import os
import queue
import threading
import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from torch import nn
from torch.nn import functional

from forensics_training.edits.autoencoder import Published, published
from forensics_training.edits.documents import fonts_in
from forensics_training.locator.network import Found
from forensics_training.locator.reading import CELL
from forensics_training.locator.train import cross_entropy, dice, targets
from forensics_training.locator.vit_check import Watched, figures, mixed_on, read
from forensics_training.locator.vit_examples import Hosts, Pool, again_path, work
from forensics_training.locator.vit_network import VitLocator, load_start
from forensics_training.runtime.checkpoint import write
from forensics_training.runtime.device import pick_device

VIEWS = (392, 448, 518, 574, 630)  # longer side of the view in training; one for each batch
HARDEST = 0.01  # share of an untouched picture's cells that are counted again
AVERAGE = 0.998
EVERY = 120  # s between checkpoints


@dataclass(frozen=True)
class Plan:
    minutes: float
    pixels: float = 9e6  # per step
    lora: float = 5e-4  # learning rates
    new: float = 1e-3
    old: float = 1.5e-4  # of the pixel network, which is already trained
    warmup: float = 0.03
    seed: int = 45
    steps: int | None = None  # stops after this many, for experiments


def loss_of(found: Found, share: torch.Tensor) -> torch.Tensor:
    """@param share uint8 [N,H,W] of the N changed pictures, which come first in `found`; N untouched ones follow"""
    share = torch.cat([share, torch.zeros_like(share)])
    target, clear = targets(share, CELL)
    changed, count = found.changed.float(), len(share) // 2
    total = cross_entropy(changed, target, clear) + 0.7 * dice(torch.sigmoid(changed) * clear, target * clear)
    total = total + 0.4 * cross_entropy(found.first.float(), *targets(share, 2 * CELL))
    dark = changed[count:].flatten(1)
    total = total + 0.1 * functional.softplus(dark.topk(max(1, int(dark.shape[1] * HARDEST)), 1).values).mean()
    right = torch.where(target > 0.5, torch.sigmoid(changed), torch.sigmoid(-changed)).detach()
    cross = functional.binary_cross_entropy_with_logits
    trust = (cross(found.trust.float(), right, reduction="none") * clear * (1 + 4 * target)).mean()
    edited = torch.cat([torch.full((count,), 0.97), torch.full((count,), 0.03)]).to(changed)
    return total + 0.5 * trust + 0.5 * cross(found.score.float(), edited)


def groups(model: VitLocator, plan: Plan) -> list[dict]:
    found = {"lora": [], "old": [], "new": []}
    for name, value in model.named_parameters():
        if value.requires_grad:
            found["lora" if name.startswith("vit.") else "old" if name.startswith("pixels.") else "new"].append(value)
    rates = {"lora": plan.lora, "old": plan.old, "new": plan.new}
    return [{"params": [p for p in values if (p.ndim > 1) == wide], "base": rates[name], "weight_decay": 0.03 if wide else 0.0}
            for name, values in found.items() for wide in (True, False)]  # fmt: skip


def rate_at(part: float, warmup: float) -> float:
    """@param part elapsed share of the time, 0..1"""
    return part / warmup if part < warmup else 0.5 * (1 + math.cos(math.pi * min(1.0, (part - warmup) / (1 - warmup)))) + 0.005


class Feeder(threading.Thread):
    """Draws batches from the pool and moves them to the device."""

    def __init__(self, pool: Pool, plan: Plan, device: torch.device):
        super().__init__(daemon=True)
        self.pool, self.plan, self.device = pool, plan, device
        self.ready: queue.Queue = queue.Queue(3)

    def run(self) -> None:
        random = np.random.default_rng(self.plan.seed)
        while True:
            drawn = self.pool.draw(self.plan.pixels, random)
            if drawn is None:
                time.sleep(0.05)
                continue
            batch = [torch.from_numpy(np.ascontiguousarray(one)) for one in drawn]
            if self.device.type == "cuda":
                batch = [one.pin_memory().to(self.device, non_blocking=True) for one in batch]
            if random.random() < 0.5:
                batch[0], batch[1] = batch[0].flip(2), batch[1].flip(2)
            self.ready.put((*batch, int(random.choice(VIEWS))))


class Again(threading.Thread):
    """Passes half of the hosts through the autoencoder, as material for regenerated regions."""

    def __init__(self, folder: Path, autoencoder: Published, device: torch.device):
        super().__init__(daemon=True)
        self.folder, self.device = folder, device
        self.autoencoder = autoencoder.to(device)

    @torch.no_grad()
    def run(self) -> None:
        hosts, done, random = Hosts(self.folder), set(), np.random.default_rng(3)
        (self.folder / "again").mkdir(exist_ok=True)
        while True:
            hosts.look()
            for item in [one for group in hosts.sources["real"] for one in group[::2] if one not in done]:
                done.add(item)
                path = again_path(self.folder, item[1])
                if path.exists():
                    continue
                rgb = hosts.read(item)
                padded = np.pad(rgb, [(0, -length % 16) for length in rgb.shape[:2]] + [(0, 0)], mode="edge")
                planes = torch.from_numpy(padded).to(self.device).permute(2, 0, 1)[None].float() / 255
                with mixed_on(self.device):
                    back = self.autoencoder(planes, float(random.uniform(0.05, 0.25)) if random.random() < 0.5 else 0.0)
                value = (back[0].float().permute(1, 2, 0) * 255).clamp(0, 255).round().byte().cpu().numpy()[: rgb.shape[0], : rgb.shape[1]]
                unfinished = path.with_suffix(".part")
                with open(unfinished, "wb") as out:
                    np.save(out, value)
                unfinished.rename(path)
            time.sleep(5)


class Run:
    def __init__(self, model: VitLocator, out: Path, plan: Plan, device: torch.device, check: Path | None = None):
        self.model, self.out, self.plan, self.device, self.check = model.to(device), out, plan, device, check
        self.watched: list[Watched] = []
        self.average = copy.deepcopy(model)
        self.optimiser = torch.optim.AdamW(groups(model, plan), betas=(0.9, 0.99))
        self.step, self.spent = 0, 0.0
        if (out / "state.pt").exists():
            state = torch.load(out / "state.pt", map_location="cpu", weights_only=True)
            self.model.load_state_dict(state["model"], strict=False)
            self.average.load_state_dict(state["average"], strict=False)
            self.optimiser.load_state_dict(state["optimiser"])
            self.step, self.spent = state["step"], state["spent"]

    def train(self, feeder: Feeder) -> None:
        pairs = zip(self.average.learned().values(), self.model.learned().values(), strict=True)
        mine, theirs = zip(*[pair for pair in pairs if pair[0].is_floating_point()], strict=True)
        self.model.train()
        batch, before, losses = feeder.ready.get(), time.time(), []
        saved = before
        while not self.over:
            part = self.spent / (60 * self.plan.minutes)
            for group in self.optimiser.param_groups:
                group["lr"] = group["base"] * rate_at(part, self.plan.warmup)
            losses.append(self.learn(*batch))
            self.step += 1
            with torch.no_grad():
                torch._foreach_lerp_(list(mine), list(theirs), 1 - min(AVERAGE, (1 + self.step) / (10 + self.step)))
            if self.step % 50 == 0 or self.step <= 3:
                print(f"step {self.step} of {self.spent / 60:.1f} min, loss {torch.stack(losses[-50:]).mean():.4f}, {int(feeder.pool.made.sum())} pairs made", flush=True)
            now = time.time()
            self.spent, before = self.spent + now - before, now
            if now - saved > EVERY:
                self.keep()
                saved = time.time()
            batch = feeder.ready.get()
        self.keep()

    @property
    def over(self) -> bool:
        return self.spent >= 60 * self.plan.minutes or (self.plan.steps is not None and self.step >= self.plan.steps)

    def learn(self, rgb: torch.Tensor, share: torch.Tensor, table: torch.Tensor, longer: int) -> torch.Tensor:
        with mixed_on(self.device):
            found = self.model(rgb, table, longer)
        loss = loss_of(found, share)
        self.optimiser.zero_grad(set_to_none=True)
        loss.backward()
        nn.utils.clip_grad_norm_([p for p in self.model.parameters() if p.requires_grad], 1.0)
        self.optimiser.step()
        return loss.detach()

    def keep(self) -> None:
        weights = {name: value.half() if value.is_floating_point() else value for name, value in self.average.learned().items()}
        write(weights, self.out / "weights.f16.pt")
        write({"model": self.model.learned(), "average": self.average.learned(), "optimiser": self.optimiser.state_dict(), "step": self.step, "spent": self.spent}, self.out / "state.pt")
        if self.check and not self.watched and self.check.exists():  # it may arrive later
            self.watched = read(self.check)
        if self.watched:
            began = time.time()
            found = figures(self.average, self.watched, self.device)
            print(f"step {self.step}, watched in {time.time() - began:.0f} s:", flush=True)
            for group, numbers in found.items():
                print(f"  {group}: {json.dumps(numbers)}", flush=True)
            with open(self.out / "figures.jsonl", "a") as out:
                out.write(json.dumps({"step": self.step, "minutes": round(self.spent / 60, 2), **found}) + "\n")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--vit", type=Path, required=True, help="state of dinov2.ViT")
    parser.add_argument("--pixels", type=Path, required=True, help="state of network.Locator, see start.py")
    parser.add_argument("--hosts", type=Path, required=True, help="folder of the archives")
    parser.add_argument("--fonts", type=Path, help="folder of fonts for documents")
    parser.add_argument("--check", type=Path, help="archive of locator-pack-check")
    parser.add_argument("--autoencoder", type=Path, metavar="DATA", help="folder that holds autoencoder/")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--minutes", type=float, required=True)
    parser.add_argument("--steps", type=int)
    parser.add_argument("--workers", type=int, default=15)
    parser.add_argument("--megabytes", type=int, default=12_000, help="memory for finished pairs")
    parser.add_argument("--per-step", type=float, default=Plan.pixels, metavar="PIXELS")
    parser.add_argument("--device", default="auto")
    args = parser.parse_args()
    args.out.mkdir(parents=True, exist_ok=True)
    plan, fonts = Plan(args.minutes, pixels=args.per_step, steps=args.steps), fonts_in(args.fonts)
    pool = Pool(args.megabytes, args.workers)
    seed = int(time.time())  # a resumed run must not see the same pairs again
    # Before anything touches the GPU, which a forked process could not use afterwards.
    forked = multiprocessing.get_context("fork")
    for number in range(args.workers):
        forked.Process(target=work, args=(pool, args.hosts, fonts, number, seed), daemon=True).start()
    device = pick_device(args.device)
    if device.type == "cpu":
        torch.set_num_threads(1)
    torch.manual_seed(plan.seed)
    model = VitLocator()
    load_start(model, *(torch.load(path, map_location="cpu", weights_only=True) for path in (args.vit, args.pixels)))
    if device.type == "cuda":
        model.to(memory_format=torch.channels_last)
    run = Run(model, args.out, plan, device, args.check)
    if args.autoencoder:
        Again(args.hosts, published(args.autoencoder), device).start()
    feeder = Feeder(pool, plan, device)
    feeder.start()
    print(f"{sum(p.numel() for p in model.parameters() if p.requires_grad) / 1e6:.1f} M weights on {device}, {len(fonts)} fonts", flush=True)
    run.train(feeder)
    print("done", flush=True)
    os._exit(0)  # the feeding threads never end by themselves; the workers end with their parent


if __name__ == "__main__":
    main()
