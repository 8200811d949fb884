"""Recovers the weights of a shipped transformer: `backbone-recover transformer.onnx --weights vit.pt --out FOLDER`.

Writes `vit.pt`, the backbone with its changes merged in, and `start.pt`, the heads with zero changes, for `backbone-adapt --weights
vit.pt --start start.pt`. Weights are stored in 8 bits, so they differ from the trained ones by rounding.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
import onnx
import torch

from forensics_training.backbone.dinov2 import ViT
from forensics_training.backbone.lora import BLOCKS_USED, INPUTS, RANK, Adapted

LAYERS = ("qkv", "out", "fc1", "fc2")


def recovered(path: Path, weights: Path) -> tuple[dict[str, torch.Tensor], dict[str, torch.Tensor]]:
    """The state of the ViT, and that of an `Adapted` on top of it."""
    graph = onnx.load(str(path)).graph
    stored = {one.name: onnx.numpy_helper.to_array(one) for one in graph.initializer}
    state = {name: value.float() for name, value in torch.load(weights).items()}
    for name, value in stored.items():
        if name.startswith("model.vit.") and (plain := name.removeprefix("model.vit.")) in state:
            state[plain] = torch.from_numpy(value.copy())
    matrices = [whole(stored, node.input[1]) for node in graph.node if node.op_type == "MatMulInteger"]
    expected = [(at, layer) for at in range(BLOCKS_USED) for layer in LAYERS] + ["generated", "what"]
    if len(matrices) != len(expected):
        raise ValueError(f"{path} has {len(matrices)} layers in 8 bits where {len(expected)} were expected")
    heads = {}
    for place, matrix in zip(expected, matrices, strict=True):
        if isinstance(place, str):
            heads[f"{place}.weight"] = matrix.T
            heads[f"{place}.bias"] = torch.from_numpy(stored[f"model.{place}.bias"].copy())
        else:
            state[f"blocks.{place[0]}.{place[1]}.weight"] = matrix.T
    folded = sorted({name for node in graph.node if node.op_type == "Mul" for name in node.input if name.startswith("onnx::Mul")})
    heads["kind"] = torch.from_numpy(np.stack([stored[name] for name in folded[: len(INPUTS)]]))  # exported before the scales of any block
    vit = ViT()
    vit.load_state_dict(state)
    torch.manual_seed(0)
    learned = {name: value.detach().clone() for name, value in Adapted(vit, RANK).learned().items()}
    return state, {**learned, **heads}


def whole(stored: dict[str, np.ndarray], name: str) -> torch.Tensor:
    """Dequantises a matrix stored in 8 bits: [inputs, outputs]."""
    base = name.removesuffix("_quantized")
    scale, zero = stored[f"{base}_scale"], stored[f"{base}_zero_point"]
    return torch.from_numpy((stored[name].astype(np.float32) - zero) * scale)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("transformer", type=Path)
    parser.add_argument("--weights", type=Path, required=True, help="of the published backbone, by backbone-check")
    parser.add_argument("--out", type=Path, required=True)
    given = parser.parse_args()
    given.out.mkdir(parents=True, exist_ok=True)
    state, learned = recovered(given.transformer, given.weights)
    torch.save(state, given.out / "vit.pt")
    torch.save({"average": learned, "rank": RANK, "step": 0}, given.out / "start.pt")


if __name__ == "__main__":
    main()
