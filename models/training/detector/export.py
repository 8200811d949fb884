"""Writes the two ONNX files of a model folder and proves that they say what PyTorch says. Weights are stored in 16 bits."""

from __future__ import annotations

import warnings
from pathlib import Path

import numpy as np
import onnx
import onnxruntime
import torch
from onnx import helper, numpy_helper
from torch import nn
from torch.nn import functional

from detector.network import CELL_PX, HIDDEN, Detector, Ensemble
from strips import Local, in_strips

OPSET = 17
# In rows of 4 px: the layers down to a quarter of the size hold two thirds of the memory.
FIRST = "_blocks.1/_project_conv/Conv_output_0"
SMALL = 1024  # values; smaller weights stay as they are


class Pixels(nn.Module):
    """uint8 [1, H, W, 3] to features [1, C, H / 32, W / 32]."""

    def __init__(self, model: Detector | Ensemble):
        super().__init__()
        self.features = model.features

    def forward(self, rgb: torch.Tensor) -> torch.Tensor:
        return self.features(rgb.permute(0, 3, 1, 2).float())


class Judge(nn.Module):
    """features [N, C] and masks [T, C] to logits [T, N, 3] and embedding [N, D]."""

    def __init__(self, model: Detector | Ensemble):
        super().__init__()
        self.embed, self.judge = model.head.embed, model.head.judge

    def forward(self, features: torch.Tensor, masks: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        hidden = functional.relu(self.embed(features[None] * masks[:, None]))
        return self.judge(hidden), functional.normalize(self.embed(features)[:, :HIDDEN], dim=1)


def export(model: Detector | Ensemble, out: Path) -> None:
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
    store_in_16_bits(out / "model.onnx")
    compare(pixels, judge, out)


def store_in_16_bits(path: Path) -> None:
    """Half the size; they are cast to 32 bits when the model is loaded, so every sum is as before. And in strips, to need less memory."""
    model = onnx.load(path)
    graph = model.graph
    casts = []
    for at, weights in enumerate(graph.initializer):
        values = numpy_helper.to_array(weights)
        if values.dtype != np.float32 or values.size < SMALL:
            continue
        name = weights.name
        graph.initializer[at].CopyFrom(numpy_helper.from_array(values.astype(np.float16), f"{name}.half"))
        casts.append(helper.make_node("Cast", [f"{name}.half"], [name], to=onnx.TensorProto.FLOAT))
    nodes = [*casts, *graph.node]
    del graph.node[:]
    graph.node.extend(nodes)
    ends = {name: 1 for node in graph.node for name in node.output if name.endswith(FIRST)}  # one for each backbone
    onnx.save(in_strips(model, Local("first", {"rgb": (1, 4)}, ends, rows=64, halo=4)), path)


@torch.no_grad()
def compare(pixels: Pixels, judge: Judge, out: Path) -> None:
    random = np.random.default_rng(1)
    rgb = random.integers(0, 256, (1, 5 * CELL_PX, 8 * CELL_PX, 3), dtype=np.uint8)
    features = pixels(torch.from_numpy(rgb)).numpy()
    said = open_session(out / "model.onnx").run(None, {"rgb": rgb})[0]
    np.testing.assert_allclose(said, features, atol=0.02 * float(np.abs(features).max()))
    pooled = features[0].reshape(features.shape[1], -1).T.copy()
    masks = np.ones((3, pooled.shape[1]), np.float32)
    answers = open_session(out / "head.onnx").run(None, {"features": pooled, "masks": masks})
    for answer, expected in zip(answers, judge(torch.from_numpy(pooled), torch.from_numpy(masks)), strict=True):
        np.testing.assert_allclose(answer, expected.numpy(), atol=2e-3)


def restore(folder: Path, name: str) -> Detector:
    """The detector that `export` wrote, to train on from: the same answers but for the 16 bits of its weights.

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
        head = {one.name: torch.tensor(numpy_helper.to_array(one)) for one in onnx.load(folder / "head.onnx").graph.initializer}
        judge = next(value for value in head.values() if value.shape == model.head.judge.weight.T.shape).T
        model.head.load_state_dict({name: head.get(name, judge) for name in model.head.state_dict()})
    return model


def gather(graph: onnx.GraphProto, arrays: dict[str, np.ndarray], convolutions: list[list[str]]) -> None:
    """Weights by the names that convolutions know them by, and the names of weight and bias of each convolution, in order, loops included."""
    arrays |= {one.name: numpy_helper.to_array(one) for one in graph.initializer}
    for node in graph.node:
        for attribute in node.attribute:
            if attribute.HasField("g"):
                gather(attribute.g, arrays, convolutions)
        if node.op_type in ("Cast", "Identity") and node.input[0] in arrays:
            arrays[node.output[0]] = arrays[node.input[0]]
        if node.op_type == "Conv":
            convolutions.append(list(node.input[1:3]))


def open_session(path: Path) -> onnxruntime.InferenceSession:
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    return onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
