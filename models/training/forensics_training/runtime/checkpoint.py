"""Checkpoints of training runs, from which they resume."""

from __future__ import annotations

from pathlib import Path

import torch
from torch import nn


def save(folder: Path, model: nn.Module, average: nn.Module, optimiser: torch.optim.Optimizer, step: int, best: float) -> None:
    write({"model": model.state_dict(), "average": average.state_dict(), "optimiser": optimiser.state_dict(),
           "step": step, "best": best}, folder / "last.pt")  # fmt: skip


def write(state: dict, path: Path) -> None:
    """Writes atomically: a run interrupted while writing must not lose the previous checkpoint."""
    unfinished = path.with_suffix(".part")
    torch.save(state, unfinished)
    unfinished.rename(path)


def resume(folder: Path, model: nn.Module, average: nn.Module, optimiser: torch.optim.Optimizer) -> tuple[int, float]:
    """Loads the checkpoint in `folder`.

    @returns its step and best figure, both 0 when there is none
    """
    if not (folder / "last.pt").exists():
        return 0, 0.0
    state = torch.load(folder / "last.pt", map_location="cpu", weights_only=True)
    model.load_state_dict(state["model"])
    average.load_state_dict(state["average"])
    optimiser.load_state_dict(state["optimiser"])
    return state["step"], state["best"]


def mean_of(states: list[dict[str, torch.Tensor]]) -> dict[str, torch.Tensor]:
    """Mean weights of networks fine-tuned from the same start; integer buffers are taken from the first.

    @see Wortsman et al., "Model soups", ICML 2022
    """
    first = states[0]
    return {name: torch.stack([state[name] for state in states]).mean(0) if value.is_floating_point() else value for name, value in first.items()}
