"""Trains the network: checkpoints to resume from, an average of the weights, the best of them by the calibration split."""

from __future__ import annotations

import copy
import json
import math
import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from torch import nn
from torch.nn import functional

from checkpoint import resume, save, write
from conditions import CONDITIONS
from data import Item, Pictures, draw_weights
from degrade import degrade, save_jpeg
from device import CPU, mixed
from drawings import draw_picture
from metrics import auc
from network import DROPOUT, EMBEDDING, FEATURES, Backbone, Head
from reading import read_picture


@dataclass(frozen=True)
class Plan:
    steps: int = 2200
    pixels: int = 64 * 128 * 128  # a step, in patches of 128 or 96 px, half of each class
    aligned: float = 0.1  # share of a batch: round trips of real patches that are in the same batch
    drawn: float = 0.05  # share of a batch: drawings, of neither class
    rate: float = 2e-3
    warmup: int = 200
    decay: float = 0.1
    average: float = 0.999
    smoothing: float = 0.05
    seed: int = 20
    check_every: int = 250


class Model(nn.Module):
    """Backbone, head, and a classifier of origins that only shapes the embedding and is thrown away."""

    def __init__(self, origins: int):
        super().__init__()
        self.backbone = Backbone()
        self.head = Head()
        self.origin = nn.Linear(EMBEDDING, origins)


class Source:
    """Draws batches; batch `step` depends on the seed and the step alone, so that a resumed run goes on as it would have."""

    def __init__(self, pictures: Pictures, aligned: Pictures, plan: Plan):
        self.pictures, self.aligned, self.plan = pictures, aligned, plan
        train = pictures.of("train")
        self.real = [item for item in train if not item.fake]
        self.fake = [item for item in train if item.fake]
        self.real_weights, self.fake_weights = draw_weights(self.real), draw_weights(self.fake)
        self.by_file = {item.file: item for item in self.real}
        self.origins = sorted({item.generator for item in train}) + ["aligned", "drawing"]

    def batch(self, step: int) -> dict[str, torch.Tensor]:
        random = np.random.default_rng([self.plan.seed, step])
        # Patches of 96 px can be shrunk further than those of 128 px out of crops of 224 px.
        side = 128 if random.random() < 0.5 else 96
        count = self.plan.pixels // side**2
        pairs, drawn = round(count * self.plan.aligned), round(count * self.plan.drawn)
        single = (count - drawn) // 2 - pairs
        rows = []
        for item in random.choice(self.real, single, p=self.real_weights):
            rows.append(self.row(item, self.pictures.read(item), side, random, False, item.generator))
        for item in random.choice(self.fake, single, p=self.fake_weights):
            rows.append(self.row(item, self.pictures.read(item), side, random, True, item.generator))
        for made in random.choice(self.aligned.items, pairs):
            rows += self.pair(made, side, random)
        rows += [(*degrade(draw_picture(224, random), 100, side, random), False, "drawing") for _ in range(drawn)]
        patches, histories, fakes, origins = zip(*rows, strict=True)
        photographic = np.array([origin != "drawing" for origin in origins], np.float32)
        return {
            "rgb": torch.from_numpy(np.stack(patches)),
            "fake": torch.tensor(fakes, dtype=torch.float32),
            "photographic": torch.from_numpy(photographic),
            "usable": torch.tensor([history.usable for history in histories]) * torch.from_numpy(photographic),
            "compression": torch.tensor([history.compression for history in histories]),
            "origin": torch.tensor([self.origins.index(origin) for origin in origins]),
        }

    def row(self, item: Item, rgb: np.ndarray, side: int, random: np.random.Generator, fake: bool, origin: str):
        patch, history = degrade(rgb, item.quality, side, random)
        return patch, history, fake, origin

    def pair(self, made: Item, side: int, random: np.random.Generator) -> list:
        """A real picture and its aligned fake, blended with it in varying strength, saved at its quality, then both
        degraded by the same draws."""
        item = self.by_file[made.file]
        real = self.pictures.read(item)[: made.height, : made.width]
        trip = self.aligned.read(made).astype(np.float32)
        trip = trip - trip.mean((0, 1)) + real.mean((0, 1))  # the autoencoder shifts tones by 2 to 3 levels
        strength = random.uniform(0.4, 1)
        fake = np.clip(real + (trip - real) * strength, 0, 255).round().astype(np.uint8)
        if item.quality < 100:
            fake = save_jpeg(fake, item.quality, bool(random.random() < 0.7))
        seed = int(random.integers(2**31))
        return [
            self.row(item, picture, side, np.random.default_rng(seed), is_fake, origin)
            for picture, is_fake, origin in ((real, False, item.generator), (fake, True, "aligned"))
        ]


def windows(cells: torch.Tensor, random: np.random.Generator) -> list[torch.Tensor]:
    """Box means of [N,C,h,w]: the whole patch and one random window, because heat maps and small pictures read less."""
    side = cells.shape[-1]
    size = int(random.integers(3, side))
    top, left = random.integers(0, side - size + 1, 2)
    return [cells.mean((2, 3)), cells[:, :, top : top + size, left : left + size].mean((2, 3))]


def loss_of(model: Model, batch: dict[str, torch.Tensor], plan: Plan, random: np.random.Generator) -> torch.Tensor:
    with mixed(batch["rgb"].device):
        cells = model.backbone(batch["rgb"])
    fake, usable = batch["fake"], batch["usable"]
    smooth = fake * (1 - plan.smoothing) + (1 - fake) * plan.smoothing
    weights = batch["photographic"] * (0.1 + 0.9 * usable)
    total = torch.zeros((), device=cells.device)
    for weight, pooled in zip((1.0, 0.5), windows(cells.float(), random), strict=True):
        real_logit, fake_logit, lossy = model.head.logits(functional.dropout(pooled, DROPOUT)).unbind(1)
        # The difference decides; each head alone also has to fall when little trace is left.
        cross = functional.binary_cross_entropy_with_logits
        decision = (cross(fake_logit - real_logit, smooth, reduction="none") * weights).mean()
        heads = cross(real_logit, (1 - smooth) * usable) + cross(fake_logit, smooth * usable)
        total = total + weight * (decision + 0.5 * heads + 0.3 * cross(lossy, batch["compression"]))
        # Detached: the origin of a picture may shape the embedding, not the features that decide.
        origin = model.origin(model.head.embed(pooled.detach()) * 8)
        total = total + weight * 0.2 * functional.cross_entropy(origin, batch["origin"])
    return total


def rate_at(step: int, plan: Plan) -> float:
    if step < plan.warmup:
        return plan.rate * (step + 1) / plan.warmup
    done = (step - plan.warmup) / max(1, plan.steps - plan.warmup)
    return plan.rate * max(0.01, 0.5 * (1 + math.cos(math.pi * done)))


@torch.no_grad()
def follow(average: nn.Module, model: nn.Module, decay: float) -> None:
    for mine, theirs in zip(average.state_dict().values(), model.state_dict().values(), strict=True):
        if mine.dtype.is_floating_point:
            mine.lerp_(theirs, 1 - decay)
        else:
            mine.copy_(theirs)


def train(
    pictures: Pictures, aligned: Pictures, folder: Path, plan: Plan, until: int | None = None, device: torch.device = CPU
) -> Path:
    """Runs or resumes the plan in `folder`, to its end or to the checkpoint at step `until`, whatever device it began on.

    @returns the path of the best averaged weights.
    """
    folder.mkdir(parents=True, exist_ok=True)
    torch.manual_seed(plan.seed)
    source = Source(pictures, aligned, plan)
    model = Model(len(source.origins)).to(device)
    average = copy.deepcopy(model)
    optimiser = torch.optim.AdamW(groups(model, plan.decay), lr=plan.rate, betas=(0.9, 0.99))
    first, best = resume(folder, model, average, optimiser)
    note_plan(folder, first, plan.steps)
    model.train().to(memory_format=torch.channels_last)
    began, losses = time.time(), []
    for step in range(first, plan.steps if until is None else until):
        torch.manual_seed(plan.seed * 1_000_003 + step)
        for group in optimiser.param_groups:
            group["lr"] = rate_at(step, plan)
        batch = {name: values.to(device) for name, values in source.batch(step).items()}
        loss = loss_of(model, batch, plan, np.random.default_rng([plan.seed, step, 1]))
        optimiser.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 2.0)
        optimiser.step()
        follow(average, model, min(plan.average, (1 + step) / (10 + step)))
        losses.append(loss.item())
        if (step + 1) % 50 == 0:
            print(f"step {step + 1} loss {np.mean(losses[-50:]):.4f} {time.time() - began:.0f} s", flush=True)
        if (step + 1) % plan.check_every == 0 or step + 1 == plan.steps:
            figures = check(average, pictures, device)
            worth = float(np.mean(list(figures.values())))
            print(f"step {step + 1} calibration AUC {json.dumps(figures)} mean {worth:.4f}", flush=True)
            if worth > best:
                best = worth
                write(average.state_dict(), folder / "best.pt")
            save(folder, model, average, optimiser, step + 1, best)
    return folder / "best.pt"


def plans_of(folder: Path) -> list[dict[str, int]]:
    """The plans that the checkpoint of `folder` went through: the step each began at, the steps it was laid out for."""
    path = folder / "plans.json"
    return json.loads(path.read_text()) if path.exists() else []


def note_plan(folder: Path, first: int, steps: int) -> None:
    plans = [plan for plan in plans_of(folder) if plan["first"] < first]
    if not plans or plans[-1]["steps"] != steps:
        plans.append({"first": first, "steps": steps})
    (folder / "plans.json").write_text(json.dumps(plans))


def groups(model: nn.Module, decay: float) -> list[dict]:
    """Weight decay for matrices and kernels only."""
    wide = [p for p in model.parameters() if p.ndim > 1]
    thin = [p for p in model.parameters() if p.ndim <= 1]
    return [{"params": wide, "weight_decay": decay}, {"params": thin, "weight_decay": 0.0}]


@torch.no_grad()
def check(model: Model, pictures: Pictures, device: torch.device) -> dict[str, float]:
    """Picture AUC on the calibration split, as is and after the two common histories."""
    model.eval()

    def backbone(rgb: np.ndarray) -> np.ndarray:
        with mixed(device):
            return model.backbone(torch.from_numpy(rgb).to(device))[0].float().cpu().numpy()

    items, figures = pictures.of("calibration"), {}
    fakes = np.array([item.fake for item in items])
    for name in ("as is", "jpeg 75", "half, jpeg 80"):
        scores = []
        for item in items:
            features = torch.from_numpy(read_picture(CONDITIONS[name](pictures.read(item)), backbone).features)
            logits = model.head.logits(features.to(device))
            scores.append(float((logits[:, 1] - logits[:, 0]).mean()))
        values = np.array(scores)
        figures[name] = round(auc(values[~fakes], values[fakes]), 4)
    return figures
