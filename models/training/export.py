"""Writes the two ONNX files of a model folder and proves that they say what PyTorch says."""

from __future__ import annotations

import warnings
from pathlib import Path

import numpy as np
import onnxruntime
import torch

from network import CELL, FEATURES, Backbone, Head

OPSET = 17


def export_model(backbone: Backbone, head: Head, out: Path) -> None:
    out.mkdir(parents=True, exist_ok=True)
    backbone = backbone.float().to(memory_format=torch.contiguous_format).eval()
    head = head.float().eval()
    with warnings.catch_warnings():
        # The TorchScript exporter is old but folds batch norms and writes a plain graph without extra packages.
        warnings.simplefilter("ignore")
        torch.onnx.export(
            backbone, (torch.zeros(1, 64, 96, 3, dtype=torch.uint8),), str(out / "model.onnx"), dynamo=False,
            opset_version=OPSET, input_names=["rgb"], output_names=["features"],
            dynamic_axes={"rgb": {1: "height", 2: "width"}, "features": {2: "rows", 3: "columns"}},
        )  # fmt: skip
        torch.onnx.export(
            head, (torch.rand(5, FEATURES), torch.ones(2, FEATURES)), str(out / "head.onnx"), dynamo=False,
            opset_version=OPSET, input_names=["features", "masks"], output_names=["logits", "embedding"],
            dynamic_axes={"features": {0: "patches"}, "masks": {0: "passes"},
                          "logits": {0: "passes", 1: "patches"}, "embedding": {0: "patches"}},
        )  # fmt: skip
    compare(backbone, head, out)


@torch.no_grad()
def compare(backbone: Backbone, head: Head, out: Path) -> None:
    random = np.random.default_rng(1)
    rgb = random.integers(0, 256, (1, 5 * CELL, 8 * CELL, 3), dtype=np.uint8)
    features = backbone(torch.from_numpy(rgb)).numpy()
    np.testing.assert_allclose(open_session(out / "model.onnx").run(None, {"rgb": rgb})[0], features, atol=2e-3)
    pooled = features[0].reshape(FEATURES, -1).T.copy()
    masks = np.ones((3, FEATURES), np.float32)
    answers = open_session(out / "head.onnx").run(None, {"features": pooled, "masks": masks})
    for answer, expected in zip(answers, head(torch.from_numpy(pooled), torch.from_numpy(masks)), strict=True):
        np.testing.assert_allclose(answer, expected.numpy(), atol=2e-3)


def open_session(path: Path) -> onnxruntime.InferenceSession:
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    return onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
