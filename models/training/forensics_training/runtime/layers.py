"""Fixed kernels and small layers that the locator and the autoencoders share."""

from __future__ import annotations

import numpy as np
import torch
from torch import nn
from torch.nn import functional


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
    """Replication padding: zeros would create a false edge along the border."""
    return functional.pad(x, (border,) * 4, mode="replicate")


def residual_kernels() -> torch.Tensor:
    """[6,3,3,3]: mixed second difference of each colour; second differences of luma along x, y and a diagonal."""
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


def luma_kernels() -> torch.Tensor:
    """[7,1,5,5]: mixed second difference, first and second differences along x and y, one along a diagonal, and a 5 x 5 high-pass."""
    kernels = np.zeros((7, 5, 5))
    kernels[0, 1:4, 1:4] = np.outer([-1, 2, -1], [-1, 2, -1]) / 4
    kernels[1, 2, 2:4] = kernels[2, 2:4, 2] = (-1, 1)
    kernels[3, 2, 1:4] = kernels[4, 1:4, 2] = (0.5, -1, 0.5)
    kernels[5, 1:4, 1:4] = np.diag([0.5, -1, 0.5])
    kernels[6] = np.outer([-1, 2, -2, 2, -1], [-1, 2, -2, 2, -1]) / 12
    return torch.from_numpy(kernels).float()[:, None]


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
