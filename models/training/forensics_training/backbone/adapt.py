"""Adapts DINOv2 to tell generated pictures from photographs: `backbone-adapt --weights vit.pt --pictures FOLDER --out FOLDER --steps 2400`.

FOLDER holds the archives of `backbone-pack`; archives added during a run are picked up. Each batch has native squares and views of
whole pictures, degraded as in `degrade.batches` regardless of class. With `--data`, some photographs pass through the autoencoder TAEF2
first and count as generated (Rajan et al., ICLR 2025; DDA, NeurIPS 2025). The mean of the weights is monitored on `check.zip`: the best
on calibration is kept as `best.pt`, the latest as `last.pt`. Run again, the command continues from `last.pt`. On a CPU use
`--group 16 --groups 1 3 --patches 0.4`: about 4 s a step on two cores.
"""

from __future__ import annotations

import argparse
import json
import math
import threading
import time
import zipfile
from collections import defaultdict
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import cv2
import numpy as np
import torch
from torch.nn import functional

from forensics_training.backbone.inputs import SIDE
from forensics_training.backbone.dinov2 import ViT
from forensics_training.backbone.lora import INPUTS, KIND_OF, KINDS, Adapted
from forensics_training.degrade.batches import degrade_squares, degrade_views
from forensics_training.degrade.pipeline import draw_scale
from forensics_training.edits.autoencoder import Published, load as load_autoencoder
from forensics_training.runtime.metrics import auc

SMOOTHING = 0.05
NEITHER = 0.2  # share of a group of views
THROUGH_AUTOENCODER = 0.12  # share of the photographs' squares
GENERATED_IS_PHOTOGRAPH = 0.3  # weight of "looks like a photograph" for generated pictures, some of which are drawings
# Sampled less where the label is inferred or one kind has many sources; more for edited photographs, which are few.
SAMPLED = {"lovable-flux-1": 0.6, "lovable-imagegen-2026": 0.6, "google-imagefx": 0.5, "edited camera": 2}


class Pool:
    """Pictures on the device, by input and label, drawn by source."""

    def __init__(self, folder: Path, device: str):
        self.folder, self.device, self.seen = folder, device, set()
        self.items: dict[tuple[str, str], dict[str, list[dict]]] = defaultdict(lambda: defaultdict(list))
        self.upto: dict[tuple[str, str], np.ndarray] = {}
        self.waiting: list[list] = []
        self.check: list[dict] = []

    def watch(self) -> None:
        while True:
            self.read_new()
            time.sleep(2)

    def read_new(self) -> None:
        for path in sorted(self.folder.glob("*.zip")):
            if path.name in self.seen:
                continue
            self.seen.add(path.name)
            found = read_archive(path)
            if path.name == "check.zip":
                self.check = found
            else:
                self.waiting.append(found)
            print(f"{path.name}: {len(found)} pictures", flush=True)

    def take_up(self) -> bool:
        if not self.waiting:
            return False
        for entry in self.waiting.pop(0):
            group = "square" if entry["input"] in ("square", "small") else "view"
            self.items[group, entry["label"]][entry["source"].lower()].append(entry)
        for kind, sources in self.items.items():
            weights = [math.sqrt(min(len(one), 60)) * np.mean([SAMPLED.get(entry["generator"], 1) for entry in one]) for one in sources.values()]
            self.upto[kind] = np.cumsum(weights) / np.sum(weights)
        return True

    def draw(self, kind: tuple[str, str], random: np.random.Generator, least: int = 0) -> dict | None:
        """The entry of a picture whose shorter side has at least `least` px, if one of twenty draws has."""
        sources = list(self.items[kind].values())
        for _ in range(20):
            source = sources[min(len(sources) - 1, int(np.searchsorted(self.upto[kind], random.random())))]
            entry = source[int(random.integers(len(source)))]
            if entry["side"] >= least:
                return entry
        return None

    def pixels(self, entries: list[dict]) -> list[torch.Tensor]:
        """uint8 [3, height, width] of each, on the device."""
        return [torch.from_numpy(rgb).permute(2, 0, 1).to(self.device) for rgb in DECODERS.map(decoded, entries)]


DECODERS = ThreadPoolExecutor(14)


def read_archive(path: Path) -> list[dict]:
    """The entries of the index, each with its file as `data` and its shorter side as `side`; decoded, they would fill the memory."""
    with zipfile.ZipFile(path) as file:
        index = json.loads(file.read("index.json"))
        for at, entry in enumerate(index):
            entry["data"] = file.read(str(at))
    for entry, rgb in zip(index, DECODERS.map(decoded, index), strict=True):
        entry["side"] = min(rgb.shape[:2])
    return index


def decoded(entry: dict) -> np.ndarray:
    return cv2.imdecode(np.frombuffer(entry["data"], np.uint8), cv2.IMREAD_COLOR_RGB | cv2.IMREAD_IGNORE_ORIENTATION)


def square_group(pool: Pool, count: int, autoencoder: Published | None, random: np.random.Generator) -> tuple[torch.Tensor, ...]:
    """Half photographs, half generated, of one scale: rgb [count, 3, SIDE, SIDE], generated [count]."""
    scale = draw_scale(0.58, random)
    room = 16 * math.ceil((SIDE + 8) / scale / 16)
    entries = [pool.draw(("square", ("real", "ai-generated")[at % 2]), random, room) for at in range(count)]
    if None in entries:  # at this scale there is none large enough: another scale
        return square_group(pool, count, autoencoder, random)
    cuts = []
    for picture in pool.pixels(entries):
        top, left = (int(random.integers((length - room) // 8 + 1)) * 8 for length in picture.shape[1:])
        cuts.append(picture[:, top : top + room, left : left + room])
    rgb, generated = torch.stack(cuts).float(), torch.arange(count, device=pool.device) % 2
    if autoencoder is not None:
        rgb, generated = regenerated(rgb, generated, autoencoder, random)
    lossless = torch.tensor([entry["quality"] > 99 for entry in entries], device=pool.device)
    return degrade_squares(rgb, lossless, scale, SIDE, random), generated


def regenerated(rgb: torch.Tensor, generated: torch.Tensor, autoencoder: Published, random: np.random.Generator):
    """Passes some of the photographs through the autoencoder and mixes the result with the original; they count as generated."""
    drawn = ((generated == 0) & (torch.rand(len(rgb), device=rgb.device) < THROUGH_AUTOENCODER)).nonzero().flatten()
    if not len(drawn):
        return rgb, generated
    with torch.no_grad(), torch.autocast(rgb.device.type, torch.bfloat16):
        again = autoencoder(rgb[drawn] / 255, random.uniform(0, 0.1)).float().clamp(0, 1) * 255
    share = torch.rand(len(drawn), 1, 1, 1, device=rgb.device) * 0.6 + 0.4
    rgb = rgb.index_copy(0, drawn, (share * again + (1 - share) * rgb[drawn]).round())
    return rgb, generated.index_fill(0, drawn, 1)


def view_group(pool: Pool, count: int, random: np.random.Generator) -> tuple[torch.Tensor, ...]:
    """rgb, generated (-1 for neither), index into KINDS, and the weight of the latter."""
    entries, fake, kinds, weights = [], [], [], []
    for at in range(count):
        label = "neither" if random.random() < NEITHER and ("view", "neither") in pool.upto else ("real", "ai-generated")[at % 2]
        entry = pool.draw(("view", label), random)
        entries.append(entry)
        fake.append({"real": 0, "ai-generated": 1, "neither": -1}[label])
        kinds.append(KINDS.index(KIND_OF.get(entry["class"], "rendering") if label == "neither" else "photograph"))
        weights.append(GENERATED_IS_PHOTOGRAPH if label == "ai-generated" else 1)
    as_tensor = lambda values: torch.tensor(values, device=pool.device)
    return degrade_views(torch.stack(pool.pixels(entries)).float(), SIDE, random), as_tensor(fake), as_tensor(kinds), as_tensor(weights)


def loss_of(model: Adapted, squares: list, views: list) -> torch.Tensor:
    rgb = torch.cat([one[0] for one in squares + views])
    generated = torch.cat([one[1] for one in squares + views])
    count = sum(len(one[0]) for one in squares)
    kind = torch.full((len(rgb),), INPUTS.index("view"), device=rgb.device)
    kind[:count] = INPUTS.index("square")
    with torch.autocast(rgb.device.type, torch.bfloat16):
        said, what = model(rgb, kind)
    known = generated >= 0
    target = generated.clamp(0).float() * (1 - SMOOTHING) + SMOOTHING / 2
    loss = functional.binary_cross_entropy_with_logits(said.float()[known], target[known])
    kinds, weights = (torch.cat([one[at] for one in views]) for at in (2, 3))
    named = functional.cross_entropy(what[count:].float(), kinds, reduction="none", label_smoothing=0.05)
    return loss + 0.3 * (named * weights).sum() / weights.sum()


@torch.no_grad()
def scores(model: Adapted, pool: Pool) -> dict[tuple[str, str, str], tuple[float, np.ndarray]]:
    """(key, input, condition) -> log odds and logits of KINDS."""
    model.eval()
    answer = {}
    for start in range(0, len(pool.check), 64):
        some = pool.check[start : start + 64]
        kind = torch.tensor([INPUTS.index(entry["input"]) for entry in some], device=pool.device)
        with torch.autocast(pool.device, torch.bfloat16):
            said, what = model(torch.stack(pool.pixels(some)), kind)
        for entry, one, logits in zip(some, said.float().tolist(), what.float().cpu().numpy()):
            answer[entry["key"], entry["input"], entry["condition"]] = one, logits
    return answer


def report(model: Adapted, pool: Pool) -> tuple[str, float]:
    """A line of AUCs, and the mean of those on calibration."""
    said = scores(model, pool)
    entries = {entry["key"]: entry for entry in pool.check}
    cells, watched = [], []
    for part in ("calibration", "val"):
        for condition in ("as is", "jpeg 75", "half, jpeg 80"):
            groups = {name: {key: value[0] for (key, kind, one), value in said.items() if kind == name and one == condition and entries[key]["part"] == part} for name in INPUTS}
            groups["both"] = {key: groups["view"][key] + groups["square"][key] for key in groups["view"].keys() & groups["square"].keys()}
            for name, values in groups.items():
                real, fake = (np.array([score for key, score in values.items() if entries[key]["label"] == label]) for label in ("real", "ai-generated"))
                if not len(real) or not len(fake):
                    continue
                value = auc(real, fake)
                cells.append(f"{part[:3]} {condition[:4]} {name[:2]} {value:.3f}")
                if part == "calibration" and name != "both":
                    watched.append(value)
    views = [(entries[key]["label"] == "neither", value[1].argmax() != 0) for (key, kind, one), value in said.items() if kind == "view" and one == "as is"]
    caught, lost = (np.mean([named for neither, named in views if neither == wanted]) for wanted in (True, False))
    return " | ".join(cells) + f" | gate {caught:.2f} lost {lost:.2f}", float(np.mean(watched))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--weights", type=Path, required=True, help="state of dinov2.ViT")
    parser.add_argument("--pictures", type=Path, required=True)
    parser.add_argument("--data", type=Path, help="the data folder with the autoencoder; none: no regenerated photographs")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--steps", type=int, required=True)
    parser.add_argument("--start", type=Path, help="last.pt of another run, whose mean of weights this one begins with")
    parser.add_argument("--group", type=int, default=32, help="pictures that share a scale, a kernel and a filter")
    parser.add_argument("--groups", type=int, nargs=2, default=(7, 5), help="of squares and of views a step")
    parser.add_argument("--rate", type=float, default=6e-4)
    parser.add_argument("--average", type=float, default=0.998)
    parser.add_argument("--rank", type=int, default=16)
    parser.add_argument("--patches", type=float, default=1, help="share of a picture's patches that a step sees")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--check-steps", type=int, default=100)
    given = parser.parse_args()
    device = "cuda" if torch.cuda.is_available() else "cpu"
    torch.manual_seed(given.seed)
    torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = True
    random = np.random.default_rng(given.seed)
    given.out.mkdir(parents=True, exist_ok=True)
    vit = ViT()
    vit.load_state_dict({name: value.float() for name, value in torch.load(given.weights).items()})
    model = Adapted(vit, given.rank, patches=given.patches).to(device)
    learned = model.learned()
    if given.start:
        swap(learned, torch.load(given.start)["average"])
    heads = [value for name, value in learned.items() if name.startswith(("generated", "what"))]
    others = [value for name, value in learned.items() if not name.startswith(("generated", "what"))]
    optimiser = torch.optim.AdamW([{"params": others, "lr": given.rate, "weight_decay": 0.02}, {"params": heads, "lr": 2 * given.rate, "weight_decay": 0.05}])
    rates = [group["lr"] for group in optimiser.param_groups]
    average = {name: value.detach().clone() for name, value in learned.items()}
    first, best = 0, 0.0
    if (given.out / "last.pt").exists():
        state = torch.load(given.out / "last.pt")
        swap(learned, state["learned"])
        swap(average, state["average"])
        optimiser.load_state_dict(state["optimiser"])
        first, best = state["step"], state["best"]
        random = np.random.default_rng([given.seed, first])
    autoencoder = Published(*load_autoencoder(given.data)).eval().to(device) if given.data else None
    pool = Pool(given.pictures, device)
    pool.read_new()
    threading.Thread(target=pool.watch, daemon=True).start()

    began, losses = time.time(), []
    for step in range(first + 1, given.steps + 1):
        pool.take_up()
        share = step / given.steps
        for group, rate in zip(optimiser.param_groups, rates):
            group["lr"] = rate * min(1, 20 * share) * 0.5 * (1 + math.cos(math.pi * share))
        squares = [square_group(pool, given.group, autoencoder, random) for _ in range(given.groups[0])]
        views = [view_group(pool, given.group, random) for _ in range(given.groups[1])]
        model.train()
        loss = loss_of(model, squares, views)
        optimiser.zero_grad(set_to_none=True)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(learned.values(), 1.0)
        optimiser.step()
        losses.append(loss.detach())
        with torch.no_grad():
            pull = 1 - min(given.average, step / (step + 10))
            torch._foreach_lerp_(list(average.values()), [value.detach() for value in learned.values()], pull)
        if step % given.check_steps == 0 or step == given.steps:
            kept = {name: value.detach().clone() for name, value in learned.items()}
            swap(learned, average)
            line, watched = report(model, pool)
            swap(learned, kept)
            print(f"step {step} {time.time() - began:.0f} s loss {torch.stack(losses[-200:]).mean():.3f} | {line}", flush=True)
            chosen = {"average": {name: value.cpu() for name, value in average.items()}, "rank": given.rank, "step": step, "watched": watched}
            if watched > best:
                best = watched
                torch.save(chosen, given.out / "best.pt")
            torch.save(chosen | {"learned": kept, "optimiser": optimiser.state_dict(), "best": best}, given.out / "next.pt")
            (given.out / "next.pt").replace(given.out / "last.pt")


@torch.no_grad()
def swap(learned: dict, values: dict) -> None:
    for name, value in learned.items():
        value.copy_(values[name])


if __name__ == "__main__":
    main()
