"""A model folder calibrated anew, so that the service can use it: python release.py --data DIR --out ../trace-1 --version VERSION

The networks of `--out` stay, unless `--joined` names a folder that combine.py wrote. Its joined model.onnx is then cut in two first,
so that the engine can ask each arm for what it needs alone: `model.onnx` gives the network's features, `votes.onnx` the members'
votes; `head.onnx` takes both and stays as it is. README.md says what has to be measured and written after that.
"""

from __future__ import annotations

import argparse
import json
import shutil
from pathlib import Path

import numpy as np
import onnx
from onnx import TensorProto, helper

from calibrate import calibrate
from data import open_pictures
from export import open_session
from network import CELL


def part(joined: Path, out: Path) -> None:
    model = onnx.load(joined / "model.onnx")
    rgb = np.random.default_rng(1).integers(0, 256, (1, 9 * CELL, 14 * CELL, 3), dtype=np.uint8)
    expected = answer(joined / "model.onnx", rgb)
    out.mkdir(parents=True, exist_ok=True)
    files = {"features": out / "model.onnx", "votes": out / "votes.onnx"}
    for (name, path), inner in zip(files.items(), model.graph.node[-1].input, strict=True):
        onnx.save(only(model, inner, name), str(path))
    if joined != out:
        shutil.copyfile(joined / "head.onnx", out / "head.onnx")
    said = [answer(path, rgb) for path in files.values()]
    np.testing.assert_allclose(np.concatenate(said, 1), expected, atol=1e-4)


def answer(path: Path, rgb: np.ndarray) -> np.ndarray:
    return open_session(path).run(None, {"rgb": rgb})[0]


def only(model: onnx.ModelProto, inner: str, name: str) -> onnx.ModelProto:
    """The part of the graph that `inner` needs, which it then gives as `name`."""
    needed, nodes = {inner}, []
    for node in reversed(model.graph.node):
        if needed.isdisjoint(node.output):
            continue
        needed.update(node.input)
        nodes.insert(0, node)
    constants = [tensor for tensor in model.graph.initializer if tensor.name in needed]
    nodes.append(helper.make_node("Identity", [inner], [name]))
    output = helper.make_tensor_value_info(name, TensorProto.FLOAT, [1, None, "rows", "columns"])
    graph = helper.make_graph(nodes, name, list(model.graph.input), [output], constants)
    return helper.make_model(graph, opset_imports=model.opset_import, ir_version=model.ir_version)


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--data", type=Path, required=True)
    options.add_argument("--joined", type=Path, help="folder that combine.py wrote, with a manifest.json that tells of its training")
    options.add_argument("--out", type=Path, required=True)
    options.add_argument("--version", required=True)
    options.add_argument("--work", type=Path, default=Path(__file__).parent / ".work")
    asked = options.parse_args()
    training = json.loads(((asked.joined or asked.out) / "manifest.json").read_text())["training"]
    if asked.joined:
        part(asked.joined, asked.out)
    calibrate(open_pictures(asked.data, asked.work), asked.out, asked.version, training)


if __name__ == "__main__":
    main()
