import numpy as np
import onnx
import torch

from export import export_model, open_session
from network import Backbone, Head
from quantise import quantise, seconds


class Few:
    """Three random patches, as a reader of onnxruntime gives them."""

    def __init__(self):
        random = np.random.default_rng(2)
        self.rows = iter([{"rgb": random.integers(0, 256, (1, 64, 64, 3), dtype=np.uint8)} for _ in range(3)])

    def get_next(self):
        return next(self.rows, None)


def test_int8_says_nearly_the_same_in_less_space_and_leaves_the_front_ends_alone(tmp_path):
    torch.manual_seed(1)
    export_model(Backbone(), Head(), tmp_path)
    plain, small = tmp_path / "model.onnx", tmp_path / "small.onnx"

    quantise(plain, Few(), small)

    rgb = np.random.default_rng(3).integers(0, 256, (1, 48, 80, 3), dtype=np.uint8)
    expected, said = (open_session(path).run(None, {"rgb": rgb})[0] for path in (plain, small))
    nodes = onnx.load(small).graph.node
    fixed = [node for node in nodes if node.op_type == "Conv" and node.name in {"/Conv", "/Conv_1", "/Conv_2"}]
    assert small.stat().st_size < 0.6 * plain.stat().st_size
    assert 0 < np.abs(said - expected).mean() < 0.1 * np.abs(expected).mean()
    assert len(fixed) == 3 and not any("Dequantize" in name for node in fixed for name in node.input)
    assert list(tmp_path.glob("*.prepared.onnx")) == []
    assert all(value > 0 for value in seconds((plain, small), side=64))
