import numpy as np
import onnx
import onnxruntime
import pytest
import torch
from torch import nn

from forensics_training.runtime.quantise import quantise
from forensics_training.runtime.strips import Section, in_strips, without_strips

CUT = Section("cut", {"first": (2, 2)}, {"half": 1, "whole": 2}, rows=8, halo=2)


class Network(nn.Module):
    """Two outputs of layers that see 3 px around, and one that sees all of both."""

    def __init__(self):
        super().__init__()
        self.one, self.two, self.three = nn.Conv2d(3, 4, 3, padding=1), nn.Conv2d(4, 5, 3, 2, 1), nn.Conv2d(4, 2, 3, padding=1)

    def forward(self, x):
        first = torch.relu(self.one(x * 2))
        half, whole = torch.relu(self.two(first)), torch.sigmoid(self.three(first))
        return half, whole, half.mean((2, 3)) + whole.mean()


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    path = tmp_path_factory.mktemp("network") / "network.onnx"
    torch.manual_seed(1)
    size = {2: "rows", 3: "columns"}
    torch.onnx.export(Network().eval(), (torch.zeros(1, 3, 8, 6),), str(path), dynamo=False, opset_version=17, input_names=["x"],
                      output_names=["half", "whole", "mean"], dynamic_axes={"x": size, "half": size, "whole": size})  # fmt: skip
    loaded = onnx.load(path)
    doubled = next(node for node in loaded.graph.node if node.op_type == "Mul").output
    for node in loaded.graph.node:
        node.input[:] = ["first" if name == doubled[0] else name for name in node.input]
    doubled[0] = "first"
    return loaded


def answers(model, x):
    session = onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
    return session.run(None, {"x": x})


@pytest.mark.parametrize("rows", [2, 16, 18, 64, 70])
def test_strips_give_the_same_output_as_the_whole_picture(model, rows):
    x = np.random.default_rng(rows).normal(size=(1, 3, rows, 20)).astype(np.float32)

    for told, expected in zip(answers(in_strips(model, CUT), x), answers(model, x), strict=True):
        assert told.shape == expected.shape
        np.testing.assert_allclose(told, expected, atol=1e-6)


def test_too_narrow_a_halo_changes_the_output(model):
    x = np.random.default_rng(1).normal(size=(1, 3, 64, 20)).astype(np.float32)
    narrow = Section(CUT.name, CUT.sources, CUT.outputs, CUT.rows, halo=0)

    assert np.abs(answers(in_strips(model, narrow), x)[1] - answers(model, x)[1]).max() > 1e-3


def test_a_tensor_read_outside_of_the_section_must_be_an_output(model):
    with pytest.raises(ValueError, match="the rest reads"):
        in_strips(model, Section("cut", CUT.sources, {"half": 1}, rows=8, halo=2))


@pytest.mark.parametrize("rows", [16, 70])
def test_strips_can_be_undone(model, rows):
    x = np.random.default_rng(rows).normal(size=(1, 3, rows, 20)).astype(np.float32)

    joined = without_strips(in_strips(model, CUT))

    assert not {"Loop", "ConcatFromSequence"} & {node.op_type for node in joined.graph.node}
    for told, expected in zip(answers(in_strips(joined, CUT), x), answers(model, x), strict=True):
        np.testing.assert_allclose(told, expected, atol=1e-6)


def test_a_quantised_network_gives_the_same_output_in_strips(model):
    random = np.random.default_rng(1)
    seen = [{"x": random.normal(size=(1, 3, 32, 20)).astype(np.float32)} for _ in range(4)]
    quantised = quantise(model, seen, exact=["half"])
    x = seen[0]["x"]

    stripped = in_strips(quantised, Section("cut", {"first": (2, 2)}, {"half": 1, "whole": 2}, rows=8, halo=2))

    assert any(node.op_type == "QuantizeLinear" for node in quantised.graph.node)
    for told, expected, exact in zip(answers(stripped, x), answers(quantised, x), answers(model, x), strict=True):
        np.testing.assert_array_equal(told, expected)
        assert 0 < np.abs(told - exact).max() < 0.1
