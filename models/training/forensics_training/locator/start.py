"""Initial weights: those of a run, or of a released locate-1."""

from __future__ import annotations

from pathlib import Path

import onnx
import torch
from onnx import numpy_helper
from torch import nn

from forensics_training.locator.network import Locator
from forensics_training.runtime.strips import without_strips


def start_from(path: Path, locator: Locator) -> None:
    """Loads `path` into `locator`: a `best.pt`, or the ONNX file of a released network. In the latter, batch norms were folded into the
    convolutions, so those of `locator` become plain biases; inputs of the score that it did not have yet start with weight 0.

    @raises ValueError when the layers differ
    """
    if path.suffix == ".pt":
        locator.load_state_dict(torch.load(path, weights_only=True))
        return
    model = without_strips(onnx.load(path))
    values = stored_values(model)
    learned = [node for node in model.graph.node if node.op_type == "Conv" and len(node.input) == 3]
    modules = convolutions(locator)
    if len(learned) != len(modules):
        raise ValueError(f"{path} has {len(learned)} convolutions, this network {len(modules)}.")
    state = locator.state_dict()
    for name in modules:
        # Strips and 8 bits change the order of the layers, but not that of layers of one shape.
        node = next((one for one in learned if values[one.input[1]].shape == state[f"{name}.weight"].shape), None)
        if node is None:
            raise ValueError(f"{name} has other weights in {path}.")
        learned.remove(node)
        weight, bias = values[node.input[1]], values[node.input[2]]
        state[f"{name}.weight"].copy_(weight)
        if f"{name}.bias" in state:
            state[f"{name}.bias"].copy_(bias)
        else:
            norm = name.removesuffix("0") + "1"
            state[f"{norm}.bias"].copy_(bias)
            set_to_bias(state, norm, torch.ones_like(bias))
    norms = [node for node in model.graph.node if node.op_type == "BatchNormalization"]
    for name, node in zip(("spectrum.0", "rare.0"), norms, strict=True):
        for part, value in zip(("weight", "bias", "running_mean", "running_var"), node.input[1:], strict=True):
            state[f"{name}.{part}"].copy_(values[value])
    for name in ("quality.0", "quality.2", "score.2"):
        for part in ("weight", "bias"):
            state[f"{name}.{part}"].copy_(values[f"locator.{name}.{part}"])
    first = values["locator.score.0.weight"]
    state["score.0.weight"].zero_()[:, : first.shape[1]].copy_(first)
    state["score.0.bias"].copy_(values["locator.score.0.bias"])
    locator.load_state_dict(state)


def set_to_bias(state: dict[str, torch.Tensor], norm: str, one: torch.Tensor) -> None:
    """Makes a batch norm add its bias and nothing else."""
    state[f"{norm}.weight"].copy_(one)
    state[f"{norm}.running_mean"].zero_()
    state[f"{norm}.running_var"].copy_(one - nn.BatchNorm2d(1).eps)


def convolutions(locator: Locator) -> list[str]:
    return [name for name, module in locator.named_modules() if isinstance(module, nn.Conv2d)]


def stored_values(model: onnx.ModelProto) -> dict[str, torch.Tensor]:
    """The constants of a graph by name; those in 8 bits under the name of their value in fp32."""
    values = {one.name: torch.from_numpy(numpy_helper.to_array(one).copy()) for one in model.graph.initializer}
    for node in model.graph.node:
        if node.op_type == "DequantizeLinear" and all(name in values for name in node.input):
            value, scale, zero = (values[name].float() for name in node.input)
            wide = (-1,) + (1,) * (value.ndim - 1)
            values[node.output[0]] = (value - zero.view(wide)) * scale.view(wide)
    return values
