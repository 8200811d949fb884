"""Exports the two ONNX files of a model folder, the network in 8 bits, and verifies them against PyTorch.

If there are several runs, the mean of their weights is exported (Wortsman et al., "Model soups", ICML 2022).
"""

from __future__ import annotations

import argparse
import warnings
from collections.abc import Iterable, Iterator
from pathlib import Path

import numpy as np
import onnx
import torch
from onnx import numpy_helper
from torch import nn
from torch.nn import functional

from forensics_training import WORK
from forensics_training.data.pictures import Pictures
from forensics_training.degrade.codecs import save_jpeg
from forensics_training.detector.network import CELL_PX, HIDDEN, Detector, Head
from forensics_training.runtime.checkpoint import mean_of
from forensics_training.runtime.model_files import open_session
from forensics_training.runtime.quantise import quantise
from forensics_training.runtime.strips import Section, in_strips

OPSET = 17
# Runs in strips, in rows of 4 px: the layers down to a quarter of the resolution need two thirds of the memory.
FIRST = "_blocks.1/_project_conv/Conv_output_0"
EXACT = ("_conv_stem/", "_blocks.0/")  # layers in fp32: they see single grey levels
SAMPLES = 128  # pictures that set the activation ranges
LEAST_CORRELATION = 0.95  # of the mean features with those in fp32


class Pixels(nn.Module):
    """rgb uint8 [1, H, W, 3] to features [1, C, H / 32, W / 32]."""

    def __init__(self, model: Detector):
        super().__init__()
        self.features = model.features

    def forward(self, rgb: torch.Tensor) -> torch.Tensor:
        return self.features(rgb.permute(0, 3, 1, 2).float())


class ExportedHead(nn.Module):
    """features [N, C] and masks [T, C] to logits [T, N, 3] and unit embedding [N, D]."""

    def __init__(self, model: Detector):
        super().__init__()
        self.embed, self.judge = model.head.embed, model.head.judge

    def forward(self, features: torch.Tensor, masks: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        hidden = functional.relu(self.embed(features[None] * masks[:, None]))
        return self.judge(hidden), functional.normalize(self.embed(features)[:, :HIDDEN], dim=1)


def load(runs: list[str], backbone: str) -> Detector:
    """The mean of several networks.

    @param runs names of runs, or model folders
    @param backbone the backbone of the model folders
    """
    members = [load_one(run, backbone) for run in runs]
    members[0].load_state_dict(mean_of([one.state_dict() for one in members]))
    return members[0].eval()


def load_one(run: str, backbone: str) -> Detector:
    if Path(run).is_dir():
        return restore(Path(run), backbone)
    kept = torch.load(WORK / "runs" / run / "checkpoint.pt", weights_only=False)
    model = Detector(kept["given"]["backbone"])
    model.load_state_dict(kept["average"])
    return model


def export(model: Detector, samples: Iterable[np.ndarray], out: Path) -> None:
    """@param samples uint8 [H, W, 3], sides multiples of `CELL_PX`; they set the activation ranges"""
    out.mkdir(parents=True, exist_ok=True)
    model = model.float().to(memory_format=torch.contiguous_format).eval()
    pixels, head = Pixels(model).eval(), ExportedHead(model).eval()  # otherwise the exporter would switch the model back to training mode
    channels = model.features.channels
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the old TorchScript exporter folds batch norms and writes a plain graph
        torch.onnx.export(
            pixels, (torch.zeros(1, 128, 160, 3, dtype=torch.uint8),), str(out / "model.onnx"), dynamo=False,
            opset_version=OPSET, input_names=["rgb"], output_names=["features"],
            dynamic_axes={"rgb": {1: "height", 2: "width"}, "features": {2: "rows", 3: "columns"}},
        )  # fmt: skip
        torch.onnx.export(
            head, (torch.rand(5, channels), torch.ones(2, channels)), str(out / "head.onnx"), dynamo=False,
            opset_version=OPSET, input_names=["features", "masks"], output_names=["logits", "embedding"],
            dynamic_axes={"features": {0: "patches"}, "masks": {0: "passes"},
                          "logits": {0: "passes", 1: "patches"}, "embedding": {0: "patches"}},
        )  # fmt: skip
    samples = list(samples)
    store(out / "model.onnx", samples)
    compare(pixels, head, samples[:8], out)


def store(path: Path, samples: list[np.ndarray]) -> None:
    """Rewrites the file in 8 bits, and in strips to need less memory."""
    model = onnx.load(path)
    made = [name for node in model.graph.node for name in node.output]
    exact = [name for name in made if any(layer in name for layer in EXACT)]
    ends = {name: 1 for name in made if name.endswith(FIRST)}
    model = quantise(model, ({"rgb": rgb[None]} for rgb in samples), exact)
    onnx.save(in_strips(model, Section("first", {"rgb": (1, 4)}, ends, rows=64, halo=4)), path)


@torch.no_grad()
def compare(pixels: Pixels, head: ExportedHead, samples: list[np.ndarray], out: Path) -> None:
    session = open_session(out / "model.onnx")
    features = [pixels(torch.from_numpy(rgb[None])).numpy() for rgb in samples]
    features_in_8_bits = [session.run(None, {"rgb": rgb[None]})[0] for rgb in samples]
    expected_means, means = (np.concatenate([one[0].mean((1, 2)) for one in maps]) for maps in (features, features_in_8_bits))
    if (correlation := float(np.corrcoef(expected_means, means)[0, 1])) < LEAST_CORRELATION:
        raise ValueError(f"The features of the quantised network correlate with those of PyTorch by only {correlation:.4f}.")
    pooled = features[0].reshape(features[0].shape[1], -1).T.copy()
    masks = np.ones((3, pooled.shape[1]), np.float32)
    answers = open_session(out / "head.onnx").run(None, {"features": pooled, "masks": masks})
    for answer, expected in zip(answers, head(torch.from_numpy(pooled), torch.from_numpy(masks)), strict=True):
        np.testing.assert_allclose(answer, expected.numpy(), atol=2e-3)


def restore(folder: Path, name: str) -> Detector:
    """The detector that `export` wrote, to fine-tune further; equal up to the quantisation of its weights.

    Batch norms were folded into the preceding convolutions. Here they get the statistics and scales of the published weights, which training
    does not change; changes of a scale are absorbed by the weights of its convolution.
    """
    model, arrays, convolutions = Detector(name), {}, []
    collect_weights(onnx.load(folder / "model.onnx").graph, arrays, convolutions)
    net = model.features.net
    layers = [one for one in net.modules() if isinstance(one, nn.Conv2d)]
    norms = [one for one in net.modules() if isinstance(one, nn.BatchNorm2d)]
    with torch.no_grad():
        for layer, norm, names in zip(layers, norms, convolutions, strict=True):
            weight, bias = (torch.from_numpy(arrays[one].astype(np.float32)) for one in names)
            factor = norm.weight / (norm.running_var + norm.eps).sqrt()
            layer.weight.copy_(weight / factor[:, None, None, None])
            norm.bias.copy_(bias + norm.running_mean * factor)
    model.head = restore_head(folder)
    return model


def restore_head(folder: Path) -> Head:
    stored = {one.name: torch.tensor(numpy_helper.to_array(one)) for one in onnx.load(folder / "head.onnx").graph.initializer}
    head = Head(stored["embed.weight"].shape[1])
    judge = next(value for value in stored.values() if value.shape == head.judge.weight.T.shape).T
    head.load_state_dict({name: stored.get(name, judge) for name in head.state_dict()})
    return head


def collect_weights(graph: onnx.GraphProto, arrays: dict[str, np.ndarray], convolutions: list[list[str]]) -> None:
    """Collects weights by tensor name, dequantised, and the names of weight and bias of each convolution in order, loops included."""
    arrays |= {one.name: numpy_helper.to_array(one) for one in graph.initializer}
    for node in graph.node:
        for attribute in node.attribute:
            if attribute.HasField("g"):
                collect_weights(attribute.g, arrays, convolutions)
        if node.op_type in ("Cast", "Identity") and node.input[0] in arrays:
            arrays[node.output[0]] = arrays[node.input[0]]
        if node.op_type == "DequantizeLinear" and node.input[0] in arrays:
            values, scale = arrays[node.input[0]].astype(np.float32), arrays[node.input[1]]
            arrays[node.output[0]] = values * scale.reshape(-1, *[1] * (values.ndim - 1))
        if node.op_type == "Conv":
            convolutions.append(list(node.input[1:3]))


def samples_of(folder: Path) -> Iterator[np.ndarray]:
    """Training crops, one in three saved once more."""
    pictures = Pictures(folder)
    items = [item for item in pictures.items if item.part == "train" and item.key.startswith("crop")]
    for at, index in enumerate(np.random.default_rng(1).permutation(len(items))[:SAMPLES]):
        rgb = np.array(pictures.array(items[index], "native-0"))
        height, width = (length // CELL_PX * CELL_PX for length in rgb.shape[:2])
        yield save_jpeg(rgb[:height, :width], 75, True) if at % 3 == 0 else rgb[:height, :width]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--run", nargs="+", required=True, help="names of runs, or model folders")
    parser.add_argument("--backbone", default="lite2", help="backbone of the model folders")
    parser.add_argument("--pictures", type=Path, default=WORK / "pictures")
    parser.add_argument("--out", type=Path, required=True)
    args = parser.parse_args()
    export(load(args.run, args.backbone), samples_of(args.pictures), args.out)
