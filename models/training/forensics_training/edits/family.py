"""A family of small autoencoders of our own, so that aligned fakes do not all come out of one decoder:
python family.py --data DIR (about five minutes on one core)

Each learns to give real training crops back. They differ in how far they shrink, how many numbers they keep, how they grow back
to full size (what leaves the trace), and whether their loss also asks for as much fine detail as the original has.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from torch import nn
from torch.nn import functional

from forensics_training import WORK
from forensics_training.data.crops import Item, Pictures, draw_weights, open_pictures
from forensics_training.edits.fingerprint import fingerprint, keep
from forensics_training.runtime.device import CPU, add_device, mixed
from forensics_training.runtime.layers import dct_kernels, ycc_matrix

WIDTHS = (16, 32, 48, 64, 64)  # channels at full size, half, quarter, ...
SIDE, BATCH, STEPS = 96, 8, 300
CODE = ("edits/family", "runtime/layers", "data/crops", "runtime/device")  # what the weights depend on
GROWING = ("transposed", "nearest", "shuffle", "bilinear")


@dataclass(frozen=True)
class Design:
    halvings: int  # 2: a latent pixel stands for 4 x 4 px; 3: 8 x 8; 4: 16 x 16
    channels: int  # of the latent, beside three mean colours
    growing: str  # one of GROWING
    detailed: bool  # the loss compares spectra too: crisp, not blurred

    @property
    def name(self) -> str:
        return f"{2**self.halvings}x-{self.channels}-{self.growing}" + ("-detailed" if self.detailed else "")


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


def twice_as_large(growing: str, inputs: int, outputs: int) -> nn.Module:
    if growing == "transposed":
        return nn.ConvTranspose2d(inputs, outputs, 4, 2, 1)
    if growing == "shuffle":
        return nn.Sequential(nn.Conv2d(inputs, 4 * outputs, 3, 1, 1), nn.PixelShuffle(2))
    return nn.Sequential(nn.Upsample(scale_factor=2, mode=growing), nn.Conv2d(inputs, outputs, 3, 1, 1))


class Autoencoder(nn.Module):
    """RGB 0..1 [N,3,H,W], sides multiples of 16 -> the same, through a latent; `noise`: its deviation, in that of the latent.

    Three numbers of the latent are the mean colours, and what is decoded is added to them: training is a matter of minutes.
    """

    def __init__(self, design: Design):
        super().__init__()
        self.scale, self.mode = 2**design.halvings, "nearest" if design.growing == "nearest" else "bilinear"
        widths = WIDTHS[: design.halvings + 1]
        down: list[nn.Module] = [nn.Conv2d(3, widths[0], 3, 1, 1), nn.ReLU()]
        for before, after in zip(widths, widths[1:]):
            down += [nn.Conv2d(before, after, 4, 2, 1), nn.ReLU(), Block(after)]
        up: list[nn.Module] = [nn.Conv2d(3 + design.channels, widths[-1], 3, 1, 1), Block(widths[-1])]
        for before, after in zip(widths[::-1], widths[-2::-1]):
            up += [twice_as_large(design.growing, before, after), nn.ReLU(), Block(after)]
        self.encode = nn.Sequential(*down, nn.Conv2d(widths[-1], design.channels, 3, 1, 1))
        self.decode = nn.Sequential(*up, nn.Conv2d(widths[0], 3, 3, 1, 1))

    def forward(self, rgb: torch.Tensor, noise: float = 0.0) -> torch.Tensor:
        colours = functional.avg_pool2d(rgb, self.scale)
        latent = torch.cat([colours * 2 - 1, torch.tanh(self.encode(rgb * 2 - 1) / 3) * 3], 1)
        detail = self.decode(latent + torch.randn_like(latent) * latent.detach().std() * noise) / 4
        return functional.interpolate(colours, scale_factor=self.scale, mode=self.mode) + detail


class Loss:
    """Colours, their steps to the neighbours, and if asked the size of each frequency of luma, wherever it lies."""

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


def crops(pictures: Pictures, items: list[Item], random: np.random.Generator) -> torch.Tensor:
    """Every second one at half size: what is coarse in one picture is fine in another."""
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


def open_family(pictures: Pictures, work: Path, steps: int, seed: int, device: torch.device = CPU) -> list[Autoencoder]:
    """Those in `work/family`, trained first in `steps` steps each, where they are missing or were trained otherwise."""
    real = [item for item in pictures.of("train") if not item.fake and min(item.width, item.height) >= SIDE]
    family = []
    for number, design in enumerate(DESIGNS):
        path, network = work / "family" / f"{design.name}.pt", Autoencoder(design)

        def make(unfinished: Path) -> None:
            trained = train(design, lambda random: crops(pictures, real, random), steps, seed + number, device)
            torch.save(trained.state_dict(), unfinished)

        keep(path, fingerprint(pictures, CODE, steps=steps, seed=seed + number), make)
        network.load_state_dict(torch.load(path, map_location="cpu", weights_only=True))
        family.append(network.eval().to(device))
    return family


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--data", type=Path, required=True)
    options.add_argument("--work", type=Path, default=WORK)
    options.add_argument("--steps", type=int, default=STEPS, help="of training for each")
    options.add_argument("--seed", type=int, default=20)
    add_device(options)
    asked = options.parse_args()
    torch.set_num_threads(1)
    open_family(open_pictures(asked.data, asked.work), asked.work, asked.steps, asked.seed, asked.device)


if __name__ == "__main__":
    main()
