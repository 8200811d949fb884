"""Low-rank adaptation (Hu et al., 2021, arXiv 2106.09685) of the first blocks of DINOv2, with heads over several of them."""

from __future__ import annotations

import torch
from torch import nn
from torch.nn import functional

from forensics_training.backbone.dinov2 import EPSILON, WIDTH, ViT

BLOCKS_USED = 10  # later blocks lose the traces (experiments/2026-11-27-dinov2-features.md)
READ = (5, 7, 9)  # blocks whose tokens the heads read, counted from zero
RANK = 16
INPUTS = ("view", "square")
KINDS = ("photograph", "drawing", "rendering", "screenshot", "page", "chart")
KIND_OF = {"drawing": "drawing", "cartoon": "drawing", "line art": "drawing", "rendering": "rendering", "game": "rendering",
           "screen": "screenshot", "screenshot": "screenshot", "page": "page", "document": "page", "chart": "chart", "meme": "screenshot"}  # fmt: skip


class LowRank(nn.Module):
    """A frozen linear layer with an additive change of rank `rank`, at first none."""

    def __init__(self, linear: nn.Linear, rank: int):
        super().__init__()
        self.linear = linear
        self.down = nn.Parameter(torch.randn(rank, linear.in_features) / linear.in_features**0.5)
        self.up = nn.Parameter(torch.zeros(linear.out_features, rank))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.linear(x) + functional.linear(functional.linear(x, self.down), self.up)

    def merged(self) -> nn.Linear:
        """One plain layer with the change added to its weights."""
        linear = nn.Linear(self.linear.in_features, self.linear.out_features)
        linear.weight.data = self.linear.weight + self.up @ self.down
        linear.bias.data = self.linear.bias.clone()
        return linear


class Adapted(nn.Module):
    """`forward(rgb, kind)`: rgb [N, 3, 224, 224], 0..255; kind [N], an index into INPUTS.

    Returns the log odds of *generated* [N] and the logits of KINDS [N, 6]; the latter mean something for views only. In training it sees
    the share `patches` of the patches, drawn anew for each picture (Li et al., 2023, arXiv 2212.00794): half of them take a third of the time.
    """

    def __init__(self, vit: ViT, rank: int = RANK, drop_path: float = 0.1, patches: float = 1):
        super().__init__()
        vit.blocks = vit.blocks[:BLOCKS_USED]
        self.vit, self.drop_path, self.patches = vit.requires_grad_(False), drop_path, patches
        for block in vit.blocks:
            for name in ("qkv", "out", "fc1", "fc2"):
                setattr(block, name, LowRank(getattr(block, name), rank))
        self.kind = nn.Parameter(torch.zeros(len(INPUTS), WIDTH))
        self.generated = nn.Linear(self.length, len(INPUTS))
        self.what = nn.Linear(self.length, len(KINDS))
        self.dropout = nn.Dropout(0.2)

    @property
    def length(self) -> int:
        return 2 * len(READ) * WIDTH

    def features(self, rgb: torch.Tensor, kind: torch.Tensor) -> torch.Tensor:
        """[N, length]: CLS and mean patch token of the blocks READ, each normalised by itself."""
        vit = self.vit
        tokens = vit.embed((rgb.float() - vit.mean) / vit.deviation)
        cls, patches = tokens[:, :1] + self.kind[kind][:, None], tokens[:, 1:]
        if self.training and self.patches < 1:
            kept = torch.rand(patches.shape[:2], device=rgb.device).argsort(1)[:, : round(patches.shape[1] * self.patches)]
            patches = patches.gather(1, kept[..., None].expand(-1, -1, WIDTH))
        return self.read(torch.cat([cls, patches], 1))

    def read(self, tokens: torch.Tensor) -> torch.Tensor:
        """Of the tokens before the first block."""
        vit, found = self.vit, []
        for at, block in enumerate(vit.blocks):
            after = block(tokens)
            if self.training and self.drop_path:
                kept = torch.rand(len(tokens), 1, 1, device=tokens.device) >= self.drop_path * at / len(vit.blocks)
                after = torch.where(kept, after, tokens)
            tokens = after
            if at in READ:
                found += [tokens[:, 0], tokens[:, 1:].mean(1)]
        return torch.cat([functional.layer_norm(one.float(), (WIDTH,), eps=EPSILON) for one in found], 1)

    def forward(self, rgb: torch.Tensor, kind: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        features = self.dropout(self.features(rgb, kind))
        return self.generated(features).gather(1, kind[:, None])[:, 0], self.what(features)

    def merge(self) -> Adapted:
        """The same network with plain layers: each change is added to the weights that it changes."""
        for block in self.vit.blocks:
            for name in ("qkv", "out", "fc1", "fc2"):
                setattr(block, name, getattr(block, name).merged())
        return self

    def learned(self) -> dict[str, torch.Tensor]:
        return {name: value for name, value in self.named_parameters() if value.requires_grad}
