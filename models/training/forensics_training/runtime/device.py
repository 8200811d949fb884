"""The device of a training run: the CPU, which the shipped weights come from, or CUDA."""

from __future__ import annotations

import argparse

import torch

CPU = torch.device("cpu")


def add_device(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--device", type=pick_device, default="auto", help="auto (CUDA where available), cpu or cuda")


def pick_device(name: str) -> torch.device:
    """@raises ArgumentTypeError when `name` is unknown, or CUDA is not available"""
    if name not in ("auto", "cpu", "cuda"):
        raise argparse.ArgumentTypeError(f"{name} is none of auto, cpu and cuda")
    if name == "cuda" and not torch.cuda.is_available():
        raise argparse.ArgumentTypeError(
            "there is no CUDA device, or this build of torch cannot use it; install a CUDA build of torch, or ask for cpu"
        )
    if name == "cpu" or not torch.cuda.is_available():
        return CPU
    # Outside `mixed` full precision matters: TF32, the default of cuDNN, would round the traces away.
    torch.backends.cudnn.allow_tf32 = False
    return torch.device("cuda")


def mixed(device: torch.device) -> torch.autocast:
    """Mixed precision; bfloat16 on both devices, because its range needs no loss scaling."""
    return torch.autocast(device.type, dtype=torch.bfloat16)
