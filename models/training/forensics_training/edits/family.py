"""Small autoencoders of our own, so that aligned fakes do not all come from one decoder. Training takes five minutes of one core.

Each learns to reconstruct real training crops. They differ in downscaling factor, latent channels, upsampling (which leaves the
trace), and whether their loss also compares spectra.
"""

from __future__ import annotations

import argparse
import hashlib
import json
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
import torch
from torch import nn
from torch.nn import functional

from forensics_training import TRAINING, WORK
from forensics_training.data.crops import Crop, Crops, draw_weights, open_crops
from forensics_training.runtime import checkpoint
from forensics_training.runtime.device import CPU, add_device, mixed
from forensics_training.runtime.layers import dct_kernels, ycc_matrix

WIDTHS = (16, 32, 48, 64, 64)  # channels at full, half, quarter, ... resolution
SIDE, BATCH, STEPS = 96, 8, 300
CODE = ("edits/family.py", "runtime/layers.py", "data/crops.py", "runtime/device.py")  # what the weights depend on
UPSAMPLING = ("transposed", "nearest", "shuffle", "bilinear")


@dataclass(frozen=True)
class Design:
    halvings: int  # 2: one latent cell covers 4 x 4 px; 3: 8 x 8; 4: 16 x 16
    channels: int  # of the latent, beside three for the mean colour
    upsampling: str  # one of UPSAMPLING
    detailed: bool  # the loss compares spectra too, which keeps the output crisp

    @property
    def name(self) -> str:
        return f"{2**self.halvings}x-{self.channels}-{self.upsampling}" + ("-detailed" if self.detailed else "")


DESIGNS = (
    Design(3, 4, "transposed", True), Design(3, 16, "nearest", True), Design(3, 8, "shuffle", True),
    Design(2, 4, "bilinear", False), Design(2, 8, "transposed", True), Design(4, 32, "nearest", True),
    Design(3, 16, "bilinear", True), Design(4, 16, "shuffle", False),
)  # fmt: skip


class Block(nn.Module):
    def __init__(self, width: int):
        super().__init__()
        self.layers = nn.Sequential(nn.Conv2d(width, width, 3, 1, 1), nn.ReLU(), nn.Conv2d(width, width, 3, 1, 1))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return torch.relu(x + self.layers(x))


def upsample(upsampling: str, inputs: int, outputs: int) -> nn.Module:
    if upsampling == "transposed":
        return nn.ConvTranspose2d(inputs, outputs, 4, 2, 1)
    if upsampling == "shuffle":
        return nn.Sequential(nn.Conv2d(inputs, 4 * outputs, 3, 1, 1), nn.PixelShuffle(2))
    return nn.Sequential(nn.Upsample(scale_factor=2, mode=upsampling), nn.Conv2d(inputs, outputs, 3, 1, 1))


class Autoencoder(nn.Module):
    """A `RoundTrip`: RGB 0..1 [N,3,H,W], sides multiples of 16, through a latent with `noise` standard deviations of noise.

    Three latent channels hold the mean colours, and the decoder only adds detail to them, so that minutes of training suffice.
    """

    def __init__(self, design: Design):
        super().__init__()
        self.scale, self.mode = 2**design.halvings, "nearest" if design.upsampling == "nearest" else "bilinear"
        widths = WIDTHS[: design.halvings + 1]
        down: list[nn.Module] = [nn.Conv2d(3, widths[0], 3, 1, 1), nn.ReLU()]
        for before, after in zip(widths, widths[1:]):
            down += [nn.Conv2d(before, after, 4, 2, 1), nn.ReLU(), Block(after)]
        up: list[nn.Module] = [nn.Conv2d(3 + design.channels, widths[-1], 3, 1, 1), Block(widths[-1])]
        for before, after in zip(widths[::-1], widths[-2::-1]):
            up += [upsample(design.upsampling, before, after), nn.ReLU(), Block(after)]
        self.encode = nn.Sequential(*down, nn.Conv2d(widths[-1], design.channels, 3, 1, 1))
        self.decode = nn.Sequential(*up, nn.Conv2d(widths[0], 3, 3, 1, 1))

    def forward(self, rgb: torch.Tensor, noise: float = 0.0) -> torch.Tensor:
        colours = functional.avg_pool2d(rgb, self.scale)
        latent = torch.cat([colours * 2 - 1, torch.tanh(self.encode(rgb * 2 - 1) / 3) * 3], 1)
        detail = self.decode(latent + torch.randn_like(latent) * latent.detach().std() * noise) / 4
        return functional.interpolate(colours, scale_factor=self.scale, mode=self.mode) + detail


class Loss:
    """L1 on colours and on their gradients; when `detailed`, also on local DCT magnitudes of luma."""

    def __init__(self, detailed: bool, device: torch.device = CPU):
        self.detailed = detailed
        self.kernels, self.to_luma = dct_kernels().to(device), ycc_matrix()[:1].to(device)

    def __call__(self, out: torch.Tensor, rgb: torch.Tensor) -> torch.Tensor:
        total = (out - rgb).abs().mean()
        for axis in (2, 3):
            total = total + (out.diff(dim=axis) - rgb.diff(dim=axis)).abs().mean()
        if self.detailed:
            total = total + 0.05 * (self.spectrum(out) - self.spectrum(rgb)).abs().mean()
        return total

    def spectrum(self, rgb: torch.Tensor) -> torch.Tensor:
        size = functional.conv2d(functional.conv2d(rgb, self.to_luma), self.kernels, stride=4).abs()
        return torch.log1p(functional.avg_pool2d(size, 2) * 128)


def crops(pictures: Crops, items: list[Crop], random: np.random.Generator) -> torch.Tensor:
    """A batch of random crops [BATCH,3,SIDE,SIDE], every second one at half size."""
    made = []
    for index, item in enumerate(random.choice(items, BATCH, p=draw_weights(items))):
        rgb = pictures.read(item)
        side = SIDE * 2 if index % 2 and min(rgb.shape[:2]) >= SIDE * 2 else SIDE
        top, left = (int(random.integers(0, room - side + 1)) for room in rgb.shape[:2])
        crop = torch.from_numpy(rgb[top : top + side, left : left + side].copy()).permute(2, 0, 1)[None].float() / 255
        made.append(functional.avg_pool2d(crop, side // SIDE))
    return torch.cat(made)


def train(
    design: Design, draw: Callable[[np.random.Generator], torch.Tensor], steps: int, seed: int, device: torch.device = CPU
) -> Autoencoder:
    torch.manual_seed(seed)
    random, network, loss_of = np.random.default_rng(seed), Autoencoder(design).to(device), Loss(design.detailed, device)
    network.to(memory_format=torch.channels_last)
    optimiser = torch.optim.AdamW(network.parameters(), lr=3e-3, betas=(0.9, 0.98))
    error = 0.0
    for step in range(steps):
        for group in optimiser.param_groups:
            group["lr"] = 3e-3 * min(1, (step + 1) / 50) * (1 - 0.97 * step / steps)
        rgb = draw(random).to(device)
        with mixed(device):
            out = network(rgb, noise=0.03)
        loss = loss_of(out.float(), rgb)
        optimiser.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(network.parameters(), 1.0)
        optimiser.step()
        error += (float((out.detach().float() - rgb).square().mean()) - error) / min(50, step + 1)
    print(f"{design.name}: {-10 * np.log10(error):.1f} dB", flush=True)
    return network.eval()


def open_family(pictures: Crops, work: Path, steps: int, seed: int, device: torch.device = CPU) -> list[Autoencoder]:
    """The autoencoders in `work/family`; those that are missing or were trained on other settings, crops or code are trained first."""
    real = [item for item in pictures.of("train") if not item.fake and min(item.width, item.height) >= SIDE]
    code = hashed(*((TRAINING / "forensics_training" / name).read_bytes() for name in CODE))
    listed = hashed(json.dumps([asdict(item) for item in pictures.items]).encode())
    family = []
    for number, design in enumerate(DESIGNS):
        path, network = work / "family" / f"{design.name}.pt", Autoencoder(design)

        note = {"steps": steps, "seed": seed + number, "code": code, "crops": listed}
        if not is_current(path, note):
            trained = train(design, lambda random: crops(pictures, real, random), steps, seed + number, device)
            keep(trained, path, note)
        network.load_state_dict(torch.load(path, map_location="cpu", weights_only=True))
        family.append(network.eval().to(device))
    return family


def is_current(path: Path, note: dict) -> bool:
    """Whether the weights at `path` were trained on the same; says so where they were not."""
    if not path.exists():
        return False
    stored = note_of(path)
    before = json.loads(stored.read_text()) if stored.exists() else {}
    changed = [key for key in note if note[key] != before.get(key)]
    if changed:
        print(f"{path.name} is trained again; changed: {', '.join(changed)}", flush=True)
    return not changed


def keep(network: nn.Module, path: Path, note: dict) -> None:
    """Removes the note first: an interrupted run must not leave new weights beside an old note."""
    path.parent.mkdir(parents=True, exist_ok=True)
    note_of(path).unlink(missing_ok=True)
    checkpoint.write(network.state_dict(), path)
    note_of(path).write_text(json.dumps(note, indent=1) + "\n")


def note_of(weights: Path) -> Path:
    return weights.with_suffix(".made-from.json")


def hashed(*parts: bytes) -> str:
    return hashlib.sha256(b"".join(parts)).hexdigest()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--work", type=Path, default=WORK)
    parser.add_argument("--steps", type=int, default=STEPS, help="training steps of each")
    parser.add_argument("--seed", type=int, default=20)
    add_device(parser)
    args = parser.parse_args()
    torch.set_num_threads(1)
    open_family(open_crops(args.data, args.work), args.work, args.steps, args.seed, args.device)
