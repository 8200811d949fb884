"""Fine-tunes the detector. An interrupted run resumes from its checkpoint."""

from __future__ import annotations

import argparse
import copy
import math
import time
from collections import defaultdict
from pathlib import Path

import cv2
import numpy as np
import torch
from torch.nn import functional
from torch.utils.data import DataLoader, Dataset

from forensics_training import WORK
from forensics_training.data.pictures import Item, Pictures
from forensics_training.degrade.codecs import save_jpeg
from forensics_training.degrade.pipeline import MARGIN, degrade, draw_scale
from forensics_training.detector.export import restore
from forensics_training.detector.network import Detector, freeze_statistics
from forensics_training.edits.drawings import draw_picture, paste_on_page
from forensics_training.runtime.checkpoint import write
from forensics_training.runtime.metrics import auc

SMOOTHING = 0.05
DRAWN, VIEWS = 0.06, 0.35  # share of a batch: graphics of neither class; downscaled whole pictures
SMALLEST = 0.45  # least scale of a native square
PAGES = 0.06  # share of the views that are pasted into a page or screen, and belong to neither class
# Sampled less where the label is inferred or one kind has many sources; more for edited photographs, which are few and were called fake.
SAMPLED = {"lovable-flux-1": 0.6, "lovable-imagegen-2026": 0.6, "google-imagefx": 0.5, "edited camera": 2}


class Batches(Dataset):
    """Batch `step` depends only on the seed and the step, so that a resumed run sees the same batches.

    @returns rgb uint8 [N, side, side, 3] and targets float32 [N, 4]: real, fake, compression, usable trace
    """

    def __init__(self, pictures: Pictures, items: list[Item], args: argparse.Namespace):
        self.pictures, self.args = pictures, args
        self.classes = [Sampler([item for item in items if item.fake == fake and item.label != "neither"]) for fake in (False, True)]
        neither = [item for item in items if item.label == "neither"]
        self.neither = Sampler(neither) if neither else None

    def __len__(self) -> int:
        return self.args.steps

    def __getitem__(self, step: int):
        cv2.setNumThreads(1)
        random = np.random.default_rng([self.args.seed, step])
        side = self.args.side
        rgbs, targets = [], []
        for at in range(self.args.batch):
            drawn = random.random() < DRAWN
            view = random.random() < VIEWS
            scale = draw_scale(SMALLEST, random)
            if drawn and (self.neither is None or random.random() < 0.5):
                size = int(random.integers(side + 32, 2 * side)) if view else side + 96
                rgb, quality, label, view = draw_picture(size, random), 100, "neither", view
            else:
                groups = self.neither if drawn else self.classes[at % 2]
                for _ in range(20):  # the scale is drawn first, without looking at the class; then a picture large enough for it
                    rgb, quality, label, view_now = self.array(groups.draw(random), view, random)
                    if view_now == view and (view or min(rgb.shape[:2]) * scale >= side + MARGIN):
                        break
                view = view_now
                if view and random.random() < PAGES:
                    rgb, label = paste_on_page(rgb, random), "neither"
            scale = 1.0 if view else scale
            scale = max(scale, (side + 1) / min(rgb.shape[:2]))
            patch, history = degrade(rgb, quality, side, random, scale)
            rgbs.append(np.ascontiguousarray(patch))
            usable = history.usable if label != "neither" else 0.0
            targets.append((usable * (label == "real"), usable * (label == "ai-generated"), history.compression, usable))
        return np.stack(rgbs), np.array(targets, np.float32)

    def array(self, item: Item, view: bool, random: np.random.Generator):
        whole = "view" in item.arrays
        if view and whole:
            rgb = self.pictures.array(item, "view")
            height, width = rgb.shape[:2]
            longer = max(height, width)
            factor = min(1.0, float(np.exp(random.uniform(np.log(256), np.log(512)))) / longer)
            factor = max(factor, (self.args.side + 16) / min(height, width))
            size = (max(self.args.side, round(width * factor)), max(self.args.side, round(height * factor)))
            how = cv2.INTER_AREA if factor < 1 else cv2.INTER_CUBIC
            return cv2.resize(rgb, size, interpolation=how), 100, item.label, True
        names = [name for name in item.arrays if name != "view"]
        name = names[int(random.integers(len(names)))]
        quality = item.quality if name.startswith("native") else 100
        return self.pictures.array(item, name), quality, item.label, False


class Sampler:
    """Draws a source by the square root of its size (at most 60), then one of its pictures."""

    def __init__(self, items: list[Item]):
        by = defaultdict(list)
        for item in items:
            by[item.source].append(item)
        self.groups = list(by.values())
        weights = np.array([math.sqrt(min(len(group), 60)) * np.mean([SAMPLED.get(item.generator, 1) for item in group]) for group in self.groups])
        self.upto = np.cumsum(weights / weights.sum())

    def draw(self, random: np.random.Generator) -> Item:
        group = self.groups[min(len(self.groups) - 1, int(np.searchsorted(self.upto, random.random())))]
        return group[int(random.integers(len(group)))]


def loss_of(logits: torch.Tensor, targets: torch.Tensor) -> torch.Tensor:
    """Cross-entropy of each class logit, both low without usable trace; of their difference, which decides; and of compression.

    @param logits [N, 3]
    @param targets [N, 4], as `Batches` gives them
    """
    usable = targets[:, 3]
    smooth = targets[:, :2] * (1 - SMOOTHING) + SMOOTHING / 2
    alone = functional.binary_cross_entropy_with_logits(logits[:, :2], smooth)
    side = (targets[:, 1] > targets[:, 0]).float() * (1 - 2 * SMOOTHING) + SMOOTHING
    between = functional.binary_cross_entropy_with_logits(logits[:, 1] - logits[:, 0], side, reduction="none")
    compression = functional.binary_cross_entropy_with_logits(logits[:, 2], targets[:, 2])
    return alone + (between * usable).sum() / usable.sum().clamp(min=1) + 0.2 * compression


def val_crops(pictures: Pictures, most: int):
    """Crops of val, spread over the sources, for a quick evaluation during training."""
    by = defaultdict(list)
    for item in pictures.items:
        if item.split == "val" and item.key.startswith("crop"):
            by[item.source].append(item)
    order = sorted(((at, source, item) for source, items in by.items() for at, item in enumerate(sorted(items, key=lambda one: one.key))), key=lambda row: row[:2])
    return [item for _, _, item in order[:most]]


@torch.no_grad()
def evaluate(model: Detector, pictures: Pictures, items: list[Item]) -> dict[str, float]:
    model.eval()
    scores, labels = defaultdict(list), []
    for item in items:
        rgb = np.array(pictures.array(item, "native-0"))[:256, :256]
        labels.append(item.fake)
        for name, picture in conditions(rgb).items():
            height, width = (length // 32 * 32 for length in picture.shape[:2])
            shown = torch.from_numpy(picture[:height, :width].copy()).permute(2, 0, 1)[None].float()
            logits = model(shown.contiguous(memory_format=torch.channels_last))
            scores[name].append(float(logits[0, 1] - logits[0, 0]))
    fake = np.array(labels)
    return {name: auc(np.array(values)[~fake], np.array(values)[fake]) for name, values in scores.items()}


def conditions(rgb: np.ndarray) -> dict[str, np.ndarray]:
    half = cv2.resize(rgb, None, fx=0.5, fy=0.5, interpolation=cv2.INTER_AREA)
    return {"as is": rgb, "jpeg 75": save_jpeg(rgb, 75, True), "half": half, "half 80": save_jpeg(half, 80, True)}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--name", required=True)
    parser.add_argument("--backbone", default="lite2", choices=("lite0", "lite2"))
    parser.add_argument("--pictures", type=Path, default=WORK / "pictures")
    parser.add_argument("--start", type=Path, help="initial weights: the checkpoint of an earlier run, or a model folder")
    parser.add_argument("--steps", type=int, default=600)
    parser.add_argument("--batch", type=int, default=24)
    parser.add_argument("--side", type=int, default=192)
    parser.add_argument("--rate", type=float, default=3e-4)
    parser.add_argument("--ema", type=float, default=0.995)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--evaluate-every", type=int, default=300)
    parser.add_argument("--evaluate-on", type=int, default=300)
    args = parser.parse_args()
    torch.set_num_threads(args.threads)
    torch.manual_seed(args.seed)

    pictures = Pictures(args.pictures)
    items = [item for item in pictures.items if item.part == "train"]
    model = Detector(args.backbone).to(memory_format=torch.channels_last)
    average = copy.deepcopy(model)
    heads = list(model.head.parameters())
    optimiser = torch.optim.AdamW(
        [{"params": model.features.parameters(), "lr": args.rate}, {"params": heads, "lr": 5 * args.rate}], weight_decay=0.02
    )
    rates = [group["lr"] for group in optimiser.param_groups]
    folder = WORK / "runs" / args.name
    folder.mkdir(parents=True, exist_ok=True)
    done, checkpoint = 0, folder / "checkpoint.pt"
    if checkpoint.exists():
        kept = torch.load(checkpoint, weights_only=False)
        model.load_state_dict(kept["model"]), average.load_state_dict(kept["average"]), optimiser.load_state_dict(kept["optimiser"])
        done = kept["step"]
    elif args.start:
        weights = restore(args.start, args.backbone).state_dict() if args.start.is_dir() else torch.load(args.start, weights_only=False)["average"]
        model.load_state_dict(weights), average.load_state_dict(weights)

    crops = val_crops(pictures, args.evaluate_on)
    batches = Batches(pictures, items, args)
    loader = DataLoader(batches, batch_size=None, sampler=range(done, args.steps), num_workers=1, prefetch_factor=4)
    began, losses = time.time(), []
    for step, (rgb, targets) in enumerate(loader, done):
        share = min(1, (step + 1) / 100) * 0.5 * (1 + math.cos(math.pi * step / args.steps))
        for group, rate in zip(optimiser.param_groups, rates):
            group["lr"] = rate * share
        model.train()
        freeze_statistics(model)
        shown = rgb.permute(0, 3, 1, 2).float().contiguous(memory_format=torch.channels_last)
        loss = loss_of(model(shown), targets)
        optimiser.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 5.0)
        optimiser.step()
        losses.append(loss.item())
        with torch.no_grad():
            pull = 1 - min(args.ema, (step + 1) / (step + 10))
            for mine, theirs in zip(average.parameters(), model.parameters()):
                mine.lerp_(theirs, pull)
        if (step + 1) % args.evaluate_every == 0 or step + 1 == args.steps:
            figures = evaluate(average, pictures, crops)
            scores = " / ".join(f"{value:.3f}" for value in figures.values())
            print(f"{args.name} step {step + 1} loss {np.mean(losses[-100:]):.3f} val {scores} {time.time() - began:.0f} s", flush=True)
            state = {"model": model.state_dict(), "average": average.state_dict(), "optimiser": optimiser.state_dict(), "step": step + 1, "given": vars(args)}
            write(state, checkpoint)
