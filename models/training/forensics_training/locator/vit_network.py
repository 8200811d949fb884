"""The network of locate-2: DINOv2 with low-rank adaptation sees the whole picture, the network of locate-1 sees its pixels, and a light
decoder combines the two.

The decoder's output is added to the map of the pixel network, so that training starts from that network. Map, confidence
and score are those of `network.Found`.
"""

from __future__ import annotations

import torch
from torch import nn
from torch.nn import functional

from forensics_training.backbone.dinov2 import PATCH_PX, WIDTH as TOKEN, ViT
from forensics_training.locator import network
from forensics_training.locator.network import Found, Locator, describe_table, pad_to_blocks, pool_features, pool_maps
from forensics_training.runtime.layers import Residual, unit

READ = (2, 5, 8, 11)  # blocks whose tokens the decoder reads, counted from zero
RANK = 32
WIDTH = network.WIDTH
JOINED = 128
VIEW_PX = 518  # default longer side of the view of the whole picture
SCORED = 8 + 2 * WIDTH + 8 + 2 * JOINED + TOKEN + 1


class LowRank(nn.Module):
    """A frozen linear layer with an additive change of low rank, at first none (Hu et al., 2021, arXiv 2106.09685)."""

    def __init__(self, linear: nn.Linear, rank: int):
        super().__init__()
        self.linear = linear
        self.down = nn.Parameter(torch.randn(rank, linear.in_features) / linear.in_features**0.5)
        self.up = nn.Parameter(torch.zeros(linear.out_features, rank))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.linear(x) + functional.linear(functional.linear(x, self.down), self.up)


class Neck(nn.Module):
    """Turns the tokens of several blocks into one map [N,JOINED,h,w] of the view's cells."""

    def __init__(self):
        super().__init__()
        self.norms = nn.ModuleList(nn.LayerNorm(TOKEN) for _ in READ)
        self.lines = nn.ModuleList(nn.Linear(TOKEN, JOINED) for _ in READ)
        self.near = nn.Sequential(nn.BatchNorm2d(JOINED), Residual(JOINED), Residual(JOINED))

    def forward(self, found: list[torch.Tensor], rows: int, columns: int) -> torch.Tensor:
        total = sum(line(norm(tokens[:, 1:])) for tokens, norm, line in zip(found, self.norms, self.lines, strict=True))
        return self.near(total.transpose(1, 2).reshape(len(total), JOINED, rows, columns))


class VitLocator(nn.Module):
    """rgb uint8 [N,H,W,3]; table float32 [N,64] as for `network.Locator`."""

    def __init__(self, rank: int = RANK):
        super().__init__()
        self.vit, self.pixels = ViT().requires_grad_(False), Locator()
        for block in self.vit.blocks:
            for name in ("qkv", "out", "fc1", "fc2"):
                setattr(block, name, LowRank(getattr(block, name), rank))
        self.neck = Neck()
        self.join = nn.Sequential(unit(JOINED + WIDTH, JOINED, size=1), Residual(JOINED), Residual(JOINED))
        self.fine = nn.Sequential(unit(JOINED + 64 + 48, 64, size=1), Residual(64))
        self.changed, self.trust = nn.Conv2d(64, 1, 1), nn.Sequential(unit(64, 16), nn.Conv2d(16, 1, 1))
        self.first = nn.Conv2d(JOINED, 1, 1)
        self.score = nn.Sequential(nn.Linear(SCORED, 64), nn.ReLU(), nn.Dropout(0.2), nn.Linear(64, 1))
        for layer in (self.changed, self.first):
            nn.init.zeros_(layer.weight), nn.init.zeros_(layer.bias)

    def forward(self, rgb: torch.Tensor, table: torch.Tensor, longer: int = VIEW_PX) -> Found:
        """@param longer px, longer side of the view that the transformer reads"""
        with torch.autocast(rgb.device.type, enabled=False):
            planes = rgb.permute(0, 3, 1, 2).float()
            whole = view(planes, longer)
            residuals, small = self.pixels.traces(pad_to_blocks(planes), table)
        coarse, quarter, fine, guess = self.see_pixels(residuals, small, table)
        tokens = self.see_whole(whole)
        cells = self.neck(tokens, whole.shape[2] // PATCH_PX, whole.shape[3] // PATCH_PX)
        cells = functional.interpolate(cells, size=coarse.shape[2:], mode="bilinear", align_corners=False)
        joined = self.join(torch.cat([cells, coarse], 1))
        first = guess + self.first(joined)
        wide = functional.interpolate(joined, scale_factor=2.0, mode="bilinear", align_corners=False)
        last = self.fine(torch.cat([wide, quarter, fine], 1))
        before = self.pixels.changed(fine)
        changed, trust = before + self.changed(last), self.trust(last.detach())
        with torch.autocast(rgb.device.type, enabled=False):
            scored = [pool_maps(before, trust.detach()), pool_features(coarse, before), pool_maps(changed, trust.detach()), pool_features(joined, changed),
                      functional.layer_norm(tokens[-1][:, 0].float(), (TOKEN,)), share(changed)]  # fmt: skip
            score = self.score(torch.cat(scored, 1))[:, 0]
        return Found(changed, trust, score, first)

    def see_pixels(self, residuals: torch.Tensor, small: list[torch.Tensor], table: torch.Tensor) -> tuple[torch.Tensor, ...]:
        """As `Locator.forward` up to its map: features at 1/8, two sets at 1/4, and the first guess at 1/8."""
        it = self.pixels
        quarter = it.scale4(it.scale2(it.scale1(residuals)))
        x = it.mix(torch.cat([it.scale8(quarter), *it.read(small)], 1))
        x = it.near(x + it.quality(describe_table(table))[:, :, None, None])
        x = it.far(it.against(x, torch.ones_like(x[:, :1])))
        guess = it.guess(x)
        x = it.last(it.again(x, torch.sigmoid(-guess)))
        wide = functional.interpolate(x, scale_factor=2.0, mode="bilinear", align_corners=False)
        return x, quarter, it.fine(torch.cat([wide, quarter], 1)), guess

    def see_whole(self, whole: torch.Tensor) -> list[torch.Tensor]:
        tokens, found = self.vit.embed((whole - self.vit.mean) / self.vit.deviation), []
        for at, block in enumerate(self.vit.blocks):
            tokens = block(tokens)
            if at in READ:
                found.append(tokens)
        return found

    def learned(self) -> dict[str, torch.Tensor]:
        """What training changes: everything except the frozen weights of the transformer."""
        return {name: value for name, value in self.state_dict().items() if not name.startswith("vit.") or name.endswith((".down", ".up"))}

    def train(self, on: bool = True) -> VitLocator:
        """Batch norms of the pixel network keep their statistics: they were folded into its convolutions."""
        super().train(on)
        self.pixels.eval()
        return self


def view(planes: torch.Tensor, longer: int) -> torch.Tensor:
    """The picture with its longer side at about `longer` px, both sides multiples of PATCH_PX. A small picture is enlarged."""
    height, width = planes.shape[2:]
    size = [max(PATCH_PX, round(side * longer / max(height, width) / PATCH_PX) * PATCH_PX) for side in (height, width)]
    return functional.interpolate(planes, size=size, mode="bilinear", align_corners=False, antialias=True)


def share(changed: torch.Tensor) -> torch.Tensor:
    """[N,1]: log of the mean probability of a change."""
    return (torch.sigmoid(changed.float()).mean((1, 2, 3))[:, None] + 1e-4).log() / 4


def load_start(model: VitLocator, vit: dict[str, torch.Tensor], pixels: dict[str, torch.Tensor]) -> None:
    """Loads the published weights of the transformer, and those of a pixel network (`start_from` on a released locate-1)."""
    names = {name.replace(".linear.", "."): name for name in model.vit.state_dict() if not name.endswith((".down", ".up"))}
    model.vit.load_state_dict({names[name]: value.float() for name, value in vit.items()}, strict=False)
    model.pixels.load_state_dict({name: value.float() if value.is_floating_point() else value for name, value in pixels.items()})
