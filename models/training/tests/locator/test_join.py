import numpy as np
import onnx
import onnxruntime
import pytest
import torch

from forensics_training.locator.export import Calibration, export
from forensics_training.locator.join import graphs, joined
from forensics_training.locator.network import Locator
from forensics_training.locator.release import FIRST, LAST
from forensics_training.runtime.strips import in_strips


@pytest.fixture(scope="module")
def network(tmp_path_factory):
    path = tmp_path_factory.mktemp("network") / "locate.onnx"
    torch.manual_seed(2)
    export(Locator(), Calibration(), path)
    return onnx.load(path)


def answers(model, rgb, steps):
    session = onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
    return session.run(None, {"rgb": rgb, "table": np.full((1, 64), steps, np.float32)})


def convolutions(model):
    return sum(node.op_type == "Conv" for graph in graphs(model.graph) for node in graph.node)


@pytest.mark.parametrize("in_parts", [False, True])
def test_a_network_with_joined_layers_has_fewer_convolutions_and_the_same_maps(network, in_parts):
    model = in_strips(in_strips(network, LAST), FIRST) if in_parts else network
    short = joined(model)

    assert convolutions(short) <= convolutions(model) - 3
    for height, width, steps in ((65, 65, 0), (300, 200, 7)):
        rgb = np.random.default_rng(steps).integers(0, 256, (1, height, width, 3), dtype=np.uint8)
        for told, expected in zip(answers(short, rgb, steps), answers(model, rgb, steps), strict=True):
            np.testing.assert_allclose(told, expected, atol=2e-3)


def test_layers_are_joined_once_only(network):
    short = joined(network)

    assert joined(short) == short
