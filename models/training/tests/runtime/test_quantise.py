import numpy as np
import onnx
import onnxruntime
import pytest
import torch
from torch import nn

from forensics_training.runtime.quantise import fold_padding


def exported(border: nn.Module, folder) -> onnx.ModelProto:
    torch.manual_seed(1)
    network = nn.Sequential(border, nn.Conv2d(3, 4, 3, stride=2), nn.ReLU(), nn.Conv2d(4, 2, 3, padding=1))
    path = folder / "network.onnx"
    torch.onnx.export(network.eval(), (torch.zeros(1, 3, 8, 6),), str(path), dynamo=False, opset_version=17, input_names=["x"],
                      dynamic_axes={"x": {2: "rows", 3: "columns"}})  # fmt: skip
    return onnx.load(path)


def kinds(model: onnx.ModelProto) -> list[str]:
    return [node.op_type for node in model.graph.node]


def test_zero_padding_is_folded_into_its_convolution(tmp_path):
    model = exported(nn.ZeroPad2d((0, 1, 2, 3)), tmp_path)
    x = {"x": np.random.default_rng(1).normal(size=(1, 3, 12, 9)).astype(np.float32)}
    changed = fold_padding(model, x)

    assert "Pad" in kinds(model) and "Pad" not in kinds(changed)
    answers = [onnxruntime.InferenceSession(one.SerializeToString()).run(None, x)[0] for one in (model, changed)]
    np.testing.assert_allclose(*answers, atol=1e-6)


@pytest.mark.parametrize("border", [nn.ConstantPad2d((0, 1, 0, 1), 5.0), nn.ReplicationPad2d((0, 1, 0, 1))])
def test_any_other_padding_stays(border, tmp_path):
    model = exported(border, tmp_path)

    assert "Pad" in kinds(fold_padding(model, {"x": np.ones((1, 3, 8, 6), np.float32)}))
