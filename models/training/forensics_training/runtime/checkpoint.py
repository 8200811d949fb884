"""Where a training run stands, on disk: it goes on from there after it was stopped."""

from __future__ import annotations

from pathlib import Path

import torch
from torch import nn


def save(folder: Path, model: nn.Module, average: nn.Module, optimiser: torch.optim.Optimizer, step: int, best: float) -> None:
    write({"model": model.state_dict(), "average": average.state_dict(), "optimiser": optimiser.state_dict(),
           "step": step, "best": best}, folder / "last.pt")  # fmt: skip


def write(state: dict, path: Path) -> None:
    """In one step: a run that is cut off while it writes must not lose the checkpoint before."""
    unfinished = path.with_suffix(".part")
    torch.save(state, unfinished)
    unfinished.rename(path)


def resume(folder: Path, model: nn.Module, average: nn.Module, optimiser: torch.optim.Optimizer) -> tuple[int, float]:
    """Step and best figure of the checkpoint in `folder`, whose state goes to wherever the networks are; 0 where there is none."""
    if not (folder / "last.pt").exists():
        return 0, 0.0
    state = torch.load(folder / "last.pt", map_location="cpu", weights_only=True)
    model.load_state_dict(state["model"])
    average.load_state_dict(state["average"])
    optimiser.load_state_dict(state["optimiser"])
    return state["step"], state["best"]


def mean_of(states: list[dict[str, torch.Tensor]]) -> dict[str, torch.Tensor]:
    """Weights of networks that went on from the same ones; of whole numbers the first's.

    @see Wortsman et al., "Model soups" (ICML 2022)
    """
    first = states[0]
    return {name: torch.stack([state[name] for state in states]).mean(0) if value.is_floating_point() else value for name, value in first.items()}
