"""Where a training computes: the processor, whose results the shipped weights come from, or a CUDA device."""

from __future__ import annotations

import argparse

import torch

CPU = torch.device("cpu")


def add_device(options: argparse.ArgumentParser) -> None:
    options.add_argument("--device", type=pick_device, default="auto", help="auto (CUDA where there is a device), cpu or cuda")


def pick_device(name: str) -> torch.device:
    """@throws ArgumentTypeError when `name` is none of the three, or asks for CUDA where there is none."""
    if name not in ("auto", "cpu", "cuda"):
        raise argparse.ArgumentTypeError(f"{name} is none of auto, cpu and cuda")
    if name == "cuda" and not torch.cuda.is_available():
        raise argparse.ArgumentTypeError(
            "there is no CUDA device, or this build of torch cannot use it; install a CUDA build of torch, or ask for cpu"
        )
    if name == "cpu" or not torch.cuda.is_available():
        return CPU
    # Outside `mixed` every bit counts: TF32, which cuDNN takes by itself, would round traces away.
    torch.backends.cudnn.allow_tf32 = False
    return torch.device("cuda")


def mixed(device: torch.device) -> torch.autocast:
    """Half the bits where they are enough; bfloat16 on both, because its range needs no scaled loss."""
    return torch.autocast(device.type, dtype=torch.bfloat16)
