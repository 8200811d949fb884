"""Writes the two ONNX files of a model folder, the network in 8 bits, and proves that they say what PyTorch says:
`python -m detector.export --run NAME --out DIR`

Of several runs it takes the mean of the weights (Wortsman et al., "Model soups", ICML 2022).
"""

from __future__ import annotations

import argparse
import warnings
from collections.abc import Iterable, Iterator
from pathlib import Path

import numpy as np
import onnx
import onnxruntime
import torch
from onnx import numpy_helper
from torch import nn
from torch.nn import functional

from forensics_training import WORK
from forensics_training.data.pictures import Pictures
from forensics_training.degrade.codecs import save_jpeg
from forensics_training.detector.network import CELL_PX, HIDDEN, Detector, Head
from forensics_training.runtime.checkpoint import mean_of
from forensics_training.runtime.quantise import quantise
from forensics_training.runtime.strips import Local, in_strips

OPSET = 17
# In rows of 4 px: the layers down to a quarter of the size hold two thirds of the memory.
FIRST = "_blocks.1/_project_conv/Conv_output_0"
EXACT = ("_conv_stem/", "_blocks.0/")  # layers in 32 bits: they see single steps of brightness
SEEN = 128  # pictures that tell the ranges
LIKE = 0.95  # least correlation of the features with those in 32 bits


class Pixels(nn.Module):
    """uint8 [1, H, W, 3] to features [1, C, H / 32, W / 32]."""

    def __init__(self, model: Detector):
        super().__init__()
        self.features = model.features

    def forward(self, rgb: torch.Tensor) -> torch.Tensor:
        return self.features(rgb.permute(0, 3, 1, 2).float())


class Judge(nn.Module):
    """features [N, C] and masks [T, C] to logits [T, N, 3] and embedding [N, D]."""

    def __init__(self, model: Detector):
        super().__init__()
        self.embed, self.judge = model.head.embed, model.head.judge

    def forward(self, features: torch.Tensor, masks: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        hidden = functional.relu(self.embed(features[None] * masks[:, None]))
        return self.judge(hidden), functional.normalize(self.embed(features)[:, :HIDDEN], dim=1)


def load(runs: list[str], backbone: str) -> Detector:
    """@param runs names of runs, or model folders; @param backbone that of the model folders."""
    members = [load_one(run, backbone) for run in runs]
    members[0].load_state_dict(mean_of([one.state_dict() for one in members]))
    return members[0].eval()


def load_one(run: str, backbone: str) -> Detector:
    if Path(run).is_dir():
        return restore(Path(run), backbone)
    kept = torch.load(WORK / "runs" / run / "checkpoint.pt", weights_only=False)
    model = Detector(kept["given"]["backbone"], tuple(kept["given"]["taps"]), kept["given"]["stride"])
    model.load_state_dict(kept["average"])
    return model


def export(model: Detector, seen: Iterable[np.ndarray], out: Path) -> None:
    """@param seen pictures, uint8 [H, W, 3], sides multiples of `CELL_PX`: what flows in the network stays within what they show."""
    out.mkdir(parents=True, exist_ok=True)
    model = model.float().to(memory_format=torch.contiguous_format).eval()
    pixels, judge = Pixels(model).eval(), Judge(model).eval()  # else the exporter would turn the model back to training
    channels = model.features.channels
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the TorchScript exporter is old but folds batch norms and writes a plain graph
        torch.onnx.export(
            pixels, (torch.zeros(1, 128, 160, 3, dtype=torch.uint8),), str(out / "model.onnx"), dynamo=False,
            opset_version=OPSET, input_names=["rgb"], output_names=["features"],
            dynamic_axes={"rgb": {1: "height", 2: "width"}, "features": {2: "rows", 3: "columns"}},
        )  # fmt: skip
        torch.onnx.export(
            judge, (torch.rand(5, channels), torch.ones(2, channels)), str(out / "head.onnx"), dynamo=False,
            opset_version=OPSET, input_names=["features", "masks"], output_names=["logits", "embedding"],
            dynamic_axes={"features": {0: "patches"}, "masks": {0: "passes"},
                          "logits": {0: "passes", 1: "patches"}, "embedding": {0: "patches"}},
        )  # fmt: skip
    seen = list(seen)
    store(out / "model.onnx", seen)
    compare(pixels, judge, seen[:8], out)


def store(path: Path, seen: list[np.ndarray]) -> None:
    """In 8 bits, and in strips, to need less memory."""
    model = onnx.load(path)
    made = [name for node in model.graph.node for name in node.output]
    exact = [name for name in made if any(layer in name for layer in EXACT)]
    ends = {name: 1 for name in made if name.endswith(FIRST)}
    model = quantise(model, ({"rgb": rgb[None]} for rgb in seen), exact)
    onnx.save(in_strips(model, Local("first", {"rgb": (1, 4)}, ends, rows=64, halo=4)), path)


@torch.no_grad()
def compare(pixels: Pixels, judge: Judge, seen: list[np.ndarray], out: Path) -> None:
    session = open_session(out / "model.onnx")
    features = [pixels(torch.from_numpy(rgb[None])).numpy() for rgb in seen]
    said = [session.run(None, {"rgb": rgb[None]})[0] for rgb in seen]
    means, said_means = (np.concatenate([one[0].mean((1, 2)) for one in maps]) for maps in (features, said))
    if (likeness := float(np.corrcoef(means, said_means)[0, 1])) < LIKE:
        raise ValueError(f"In 8 bits the network says something else: its features correlate with those of PyTorch by {likeness:.4f}.")
    pooled = features[0].reshape(features[0].shape[1], -1).T.copy()
    masks = np.ones((3, pooled.shape[1]), np.float32)
    answers = open_session(out / "head.onnx").run(None, {"features": pooled, "masks": masks})
    for answer, expected in zip(answers, judge(torch.from_numpy(pooled), torch.from_numpy(masks)), strict=True):
        np.testing.assert_allclose(answer, expected.numpy(), atol=2e-3)


def restore(folder: Path, name: str) -> Detector:
    """The detector that `export` wrote, to train on from: the same answers but for the 8 bits of its weights.

    Batch norms were folded into the convolutions before them. Their statistics are those of the published weights, which training keeps, and
    so are their scales here; what training changed in a scale goes into the weights of its convolution.
    """
    model, arrays, convolutions = Detector(name), {}, []
    gather(onnx.load(folder / "model.onnx").graph, arrays, convolutions)
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


def gather(graph: onnx.GraphProto, arrays: dict[str, np.ndarray], convolutions: list[list[str]]) -> None:
    """Weights by the names that convolutions know them by, and the names of weight and bias of each convolution, in order, loops included."""
    arrays |= {one.name: numpy_helper.to_array(one) for one in graph.initializer}
    for node in graph.node:
        for attribute in node.attribute:
            if attribute.HasField("g"):
                gather(attribute.g, arrays, convolutions)
        if node.op_type in ("Cast", "Identity") and node.input[0] in arrays:
            arrays[node.output[0]] = arrays[node.input[0]]
        if node.op_type == "DequantizeLinear" and node.input[0] in arrays:
            values, scale = arrays[node.input[0]].astype(np.float32), arrays[node.input[1]]
            arrays[node.output[0]] = values * scale.reshape(-1, *[1] * (values.ndim - 1))
        if node.op_type == "Conv":
            convolutions.append(list(node.input[1:3]))


def open_session(path: Path) -> onnxruntime.InferenceSession:
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    return onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])


def seen_in(folder: Path) -> Iterator[np.ndarray]:
    """Squares of training pictures as they are, and one in three saved once more."""
    pictures = Pictures(folder)
    items = [item for item in pictures.items if item.part == "train" and item.key.startswith("crop")]
    for at, index in enumerate(np.random.default_rng(1).permutation(len(items))[:SEEN]):
        rgb = np.array(pictures.array(items[index], "native-0"))
        height, width = (length // CELL_PX * CELL_PX for length in rgb.shape[:2])
        yield save_jpeg(rgb[:height, :width], 75, True) if at % 3 == 0 else rgb[:height, :width]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--run", nargs="+", required=True, help="names of runs, or model folders")
    parser.add_argument("--backbone", default="lite2", help="that of the model folders")
    parser.add_argument("--pictures", type=Path, default=WORK / "pictures")
    parser.add_argument("--out", type=Path, required=True)
    given = parser.parse_args()
    export(load(given.run, given.backbone), seen_in(given.pictures), given.out)
