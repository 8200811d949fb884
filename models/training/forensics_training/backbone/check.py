"""Compares every block of our ViT with the ONNX file that its weights came from: `backbone-check FILE.onnx`."""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
import torch

from forensics_training.backbone.dinov2 import BLOCKS, DEVIATION, MEAN, load

TOLERANCE = 1e-4  # relative to the largest value of a block: some channels of DINOv2 reach several tens
SIDES = (224, 182)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("onnx", type=Path)
    parser.add_argument("--save", type=Path, help="writes the weights as a state of dinov2.ViT, in 16 bits")
    given = parser.parse_args()
    worst = max(difference for side in SIDES for difference in differences(given.onnx, side))
    print(f"worst of {BLOCKS} blocks at {' and '.join(map(str, SIDES))} px: {worst:.2e}")
    if given.save and worst <= TOLERANCE:
        torch.save({name: value.half() for name, value in load(given.onnx).state_dict().items()}, given.save)
    raise SystemExit(worst > TOLERANCE)


def differences(path: Path, side: int) -> list[float]:
    """For each block, the largest absolute difference as a share of the largest absolute value."""
    rgb = np.random.default_rng(side).integers(0, 256, (2, 3, side, side)).astype(np.float32)
    normalised = (rgb - 255 * np.float32(MEAN)[:, None, None]) / (255 * np.float32(DEVIATION)[:, None, None])
    expected = session(path, side).run(None, {"input_image": normalised.astype(np.float32)})
    with torch.no_grad():
        found = load(path)(torch.from_numpy(rgb))
    return [float(np.abs(ours.numpy() - theirs).max() / np.abs(theirs).max()) for ours, theirs in zip(found, expected, strict=True)]


def session(path: Path, side: int):
    """The original file, with the output of every block exposed, and accepting squares of any side."""
    import onnx
    import onnxruntime

    model = onnx.load(str(path))
    shape = model.graph.input[0].type.tensor_type.shape.dim
    shape[2].dim_value = shape[3].dim_value = side
    del model.graph.output[:]
    for at in range(BLOCKS):
        model.graph.output.append(onnx.helper.make_tensor_value_info(f"/backbone/encoder/layer.{at}/Add_1_output_0", onnx.TensorProto.FLOAT, None))
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    return onnxruntime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])
