"""The trace network: a backbone that reads pixels once, and a small head that is asked many times.

Backbone: uint8 picture -> one feature vector per 16 px cell. Three fixed front-ends feed it (colours, high-pass
residuals, DCT magnitudes at full and half scale), because residuals carry most in untouched files and die first under
JPEG, while middle frequencies live on. Receptive field: 28 px beyond a cell on each side.
"""

from __future__ import annotations

import numpy as np
import torch
from torch import nn
from torch.nn import functional

CELL = 16
FEATURES = 96
EMBEDDING = 32
DROPOUT = 0.2
RESIDUAL_LIMIT = 12 / 255  # residuals beyond 12 grey levels are edges of the motif, not traces


class Backbone(nn.Module):
    """rgb uint8 [N,H,W,3], H and W multiples of 16 -> features float32 [N,96,H/16,W/16], all >= 0."""

    def __init__(self, drop_path: float = 0.12):
        super().__init__()
        self.drop_path = drop_path
        self.register_buffer("residual_kernels", residual_kernels(), persistent=False)
        self.register_buffer("dct_kernels", dct_kernels(), persistent=False)
        self.register_buffer("to_ycc", ycc_matrix(), persistent=False)
        self.scale1 = unit(9, 16)
        self.scale2 = nn.Sequential(unit(16, 32, stride=2), unit(32, 32))
        self.scale4 = nn.Sequential(unit(32, 48, stride=2), Residual(48))
        self.scale8 = unit(48, 96, stride=2)
        self.spectrum = nn.Sequential(nn.BatchNorm2d(256), unit(256, 64, size=1))
        self.mix = nn.Sequential(unit(160, 96, size=1), Residual(96), unit(96, FEATURES, size=1))

    def forward(self, rgb: torch.Tensor) -> torch.Tensor:
        # Full precision here also in mixed training: eight bits of mantissa would round the traces away.
        with torch.autocast(rgb.device.type, enabled=False):
            colour, residual, spectrum = self.front_ends(rgb)
        if self.training and self.drop_path:
            residual, spectrum = (some_paths_dropped(path, self.drop_path) for path in (residual, spectrum))
        pixels = self.scale8(self.scale4(self.scale2(self.scale1(torch.cat([colour, residual], 1)))))
        return functional.avg_pool2d(self.mix(torch.cat([pixels, self.spectrum(spectrum)], 1)), 2)

    def front_ends(self, rgb: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        """Colours [N,3,H,W] in -0.5..0.5, residuals [N,6,H,W] in -1..1, log spectra [N,256,H/8,W/8]."""
        colour = rgb.permute(0, 3, 1, 2).float() / 255 - 0.5
        residual = functional.conv2d(replicate(colour, 1), self.residual_kernels)
        residual = residual.clamp(-RESIDUAL_LIMIT, RESIDUAL_LIMIT) / RESIDUAL_LIMIT
        return colour, residual, self.spectra(colour)

    def spectra(self, colour: torch.Tensor) -> torch.Tensor:
        """Log magnitudes of 8x8 DCTs on the 8 px grid: luma, luma at half size, both chroma at half size: 256 maps."""
        ycc = functional.conv2d(colour, self.to_ycc)
        half = replicate(functional.avg_pool2d(ycc, 2), 2)
        luma, *halves = ycc[:, :1], *half.split(1, 1)
        maps = [functional.conv2d(luma, self.dct_kernels, stride=8)]
        maps += [functional.conv2d(plane, self.dct_kernels, stride=4) for plane in halves]
        return torch.log1p(torch.cat(maps, 1).abs() * 510)  # knee at half a grey level


class Head(nn.Module):
    """features [N,96] (box means) -> logits [N,3] (real, fake, compression) and a unit embedding [N,32]."""

    def __init__(self):
        super().__init__()
        self.logits = nn.Sequential(nn.Linear(FEATURES, 64), nn.ReLU(), nn.Linear(64, 3))
        self.embedding = nn.Sequential(nn.Linear(FEATURES, 64), nn.ReLU(), nn.Linear(64, EMBEDDING))

    def forward(self, features: torch.Tensor, masks: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """masks [T,96]: 0 or 1 / (1 - rate); logits come as [T,N,3], the embedding knows no mask."""
        logits = self.logits(features[None] * masks[:, None])
        return logits, self.embed(features)

    def embed(self, features: torch.Tensor) -> torch.Tensor:
        raw = self.embedding(features)
        return raw / (raw.square().sum(1, keepdim=True) + 1e-12).sqrt()


class Residual(nn.Module):
    def __init__(self, channels: int):
        super().__init__()
        self.first = unit(channels, channels)
        self.second = nn.Sequential(nn.Conv2d(channels, channels, 3, 1, 1, bias=False), nn.BatchNorm2d(channels))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return torch.relu(x + self.second(self.first(x)))


def unit(inputs: int, outputs: int, size: int = 3, stride: int = 1) -> nn.Sequential:
    convolution = nn.Conv2d(inputs, outputs, size, stride, size // 2, bias=False)
    return nn.Sequential(convolution, nn.BatchNorm2d(outputs), nn.ReLU(inplace=True))


def replicate(x: torch.Tensor, border: int) -> torch.Tensor:
    """Edge pixels repeated: zeros would draw a false edge along every tile."""
    return functional.pad(x, (border,) * 4, mode="replicate")


def some_paths_dropped(path: torch.Tensor, rate: float) -> torch.Tensor:
    kept = torch.rand(path.shape[0], 1, 1, 1, device=path.device) >= rate
    return path * kept


def residual_kernels() -> torch.Tensor:
    """[6,3,3,3]: second difference in both directions on each colour, and along x, y and one diagonal on luma."""
    both = np.outer([-1, 2, -1], [-1, 2, -1]) / 4
    row = np.zeros((3, 3))
    row[1] = np.array([1, -2, 1]) / 2
    diagonal = np.diag([1, -2, 1]) / 2
    kernels = np.zeros((6, 3, 3, 3))
    for channel in range(3):
        kernels[channel, channel] = both
    for index, kernel in enumerate((row, row.T, diagonal)):
        kernels[3 + index] = np.array([0.299, 0.587, 0.114])[:, None, None] * kernel
    return torch.from_numpy(kernels).float()


def dct_kernels() -> torch.Tensor:
    """[64,1,8,8]: the orthonormal two-dimensional DCT-II that JPEG uses (ITU-T T.81, A.3.3)."""
    place = np.arange(8)
    basis = np.sqrt(2 / 8) * np.cos((2 * place[None] + 1) * place[:, None] * np.pi / 16)
    basis[0] /= np.sqrt(2)
    return torch.from_numpy(np.einsum("ux,vy->uvxy", basis, basis).reshape(64, 1, 8, 8)).float()


def ycc_matrix() -> torch.Tensor:
    """[3,3,1,1]: JFIF luma and chroma from RGB (ITU-T T.871)."""
    rows = [[0.299, 0.587, 0.114], [-0.168736, -0.331264, 0.5], [0.5, -0.418688, -0.081312]]
    return torch.tensor(rows)[:, :, None, None]
