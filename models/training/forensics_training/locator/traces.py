"""Inputs of the localisation network: traces of processing, never the colours themselves.

Three fixed front-ends in fp32: high-pass residuals at full resolution, statistics of the 8 x 8 blocks, and blocking artefacts by column
and row modulo 8.
"""

from __future__ import annotations

import torch
from torch import nn
from torch.nn import functional

from forensics_training.runtime.layers import dct_kernels, luma_kernels, replicate, residual_kernels, ycc_matrix

LIMIT = 12.0  # grey levels; larger differences are edges of the content
BINS = 9  # quantised values 0 .. 7, and 8 for everything above
RARE = 2e-3  # added to frequencies before the logarithm


class Residuals(nn.Module):
    """rgb 0..255 [N,3,H,W] -> 13 maps in -1..1: fixed high-pass filters on each colour and on luma.

    Learned filters (Bayar and Stamm, IEEE TIFS 2018) would double the time of a training step on a CPU.
    """

    channels = 13

    def __init__(self):
        super().__init__()
        self.register_buffer("colours", residual_kernels(), persistent=False)
        self.register_buffer("lumas", luma_kernels(), persistent=False)
        self.register_buffer("to_luma", ycc_matrix()[:1], persistent=False)

    def forward(self, rgb: torch.Tensor) -> torch.Tensor:
        wide = replicate(rgb, 2)
        luma = functional.conv2d(wide, self.to_luma)
        maps = [functional.conv2d(wide[:, :, 1:-1, 1:-1], self.colours), functional.conv2d(luma, self.lumas)]
        return torch.cat(maps, 1).clamp(-LIMIT, LIMIT) / LIMIT


class Blocks(nn.Module):
    """8 x 8 DCT of luma on the grid of the file and shifted by half a block, and of both chroma planes at half resolution.

    @returns log magnitudes [N,256,H/8,W/8], and coefficient magnitudes in quantisation steps [N,64,H/8,W/8], clipped to BINS - 1
    """

    channels = 256

    def __init__(self):
        super().__init__()
        self.register_buffer("kernels", dct_kernels(), persistent=False)
        self.register_buffer("to_ycc", ycc_matrix(), persistent=False)

    def forward(self, rgb: torch.Tensor, table: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        ycc = functional.conv2d(rgb, self.to_ycc)
        luma, half = ycc[:, :1], replicate(functional.avg_pool2d(ycc[:, 1:], 2), 2)
        on = functional.conv2d(luma - 128, self.kernels, stride=8).abs()
        shifted = functional.pad(luma, (0, 4, 0, 4), mode="replicate")[:, :, 4:, 4:]
        between = functional.conv2d(shifted, self.kernels, stride=8)
        chroma = [functional.conv2d(half[:, i : i + 1], self.kernels, stride=4) for i in (0, 1)]
        log = torch.log1p(torch.cat([on, between.abs(), *(plane.abs() for plane in chroma)], 1) * 2)
        steps = on / table.clamp(min=1)[:, :, None, None]
        return log, steps.clamp(max=BINS - 1)


class Histogram(nn.Module):
    """Log frequency, in the whole picture, of the quantised value that each coefficient has here: [N,128,h,w].

    A region compressed less often than the rest lacks the gaps and peaks of double quantisation (Lin et al., Pattern Recognition
    2009; CAT-Net learns from such histograms: Kwon et al., IJCV 2022).
    """

    channels = 128

    def forward(self, steps: torch.Tensor, known: torch.Tensor) -> torch.Tensor:
        """@param known [N], 1 where the file has a table; where it has none (0) all maps are 0"""
        height, width = steps.shape[-2:]
        seen, smooth = torch.zeros_like(steps), torch.zeros_like(steps)
        levels = [functional.relu(1 - (steps - level).abs()) for level in range(BINS)]
        shares = [level.mean((2, 3), keepdim=True) for level in levels]
        for level, here in enumerate(levels):
            near = [shares[index] for index in (level - 1, level, level + 1) if 0 <= index < BINS]
            seen = seen + here * (shares[level] + RARE).log()
            smooth = smooth + here * (sum(near) / len(near) + RARE).log()
        return torch.cat([seen - smooth, seen], 1) * known[:, None, None, None]


class Grid(nn.Module):
    """Blocking artefacts: log strength of luma steps by column and row modulo 8, in windows of 5 x 5 blocks, relative to their mean:
    [N,16,H/8,W/8]. Both the file's own grid and a foreign one appear as a phase that stands out (compare ZERO, Nikoukhah et
    al., IPOL 2021).
    """

    channels = 16

    def __init__(self):
        super().__init__()
        kernels = torch.zeros(8, 1, 8, 8)
        for phase in range(8):
            kernels[phase, 0, :, phase] = 1 / 8
        self.register_buffer("columns", kernels, persistent=False)
        self.register_buffer("rows", kernels.transpose(2, 3).contiguous(), persistent=False)
        self.register_buffer("to_luma", ycc_matrix()[:1], persistent=False)

    def forward(self, rgb: torch.Tensor) -> torch.Tensor:
        luma = functional.conv2d(rgb, self.to_luma)
        x = functional.pad(luma, (1, 2, 0, 0), mode="replicate")
        y = functional.pad(luma, (0, 0, 1, 2), mode="replicate")
        # The step between neighbouring pixels beyond the local slope.
        across = (x[..., 1:-2] - x[..., 2:-1] + (x[..., 3:] - x[..., :-3]) / 3).abs().clamp(max=LIMIT)
        down = (y[:, :, 1:-2] - y[:, :, 2:-1] + (y[:, :, 3:] - y[:, :, :-3]) / 3).abs().clamp(max=LIMIT)
        phases = [windows(functional.conv2d(steps, kernels, stride=8))
                  for steps, kernels in ((across, self.columns), (down, self.rows))]  # fmt: skip
        return torch.cat([torch.log((part + 0.05) / (part.mean(1, keepdim=True) + 0.05)) for part in phases], 1) * 3


def windows(maps: torch.Tensor) -> torch.Tensor:
    return functional.avg_pool2d(replicate(maps, 2), 5, 1)
