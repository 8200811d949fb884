import json
import sys

import numpy as np
import onnx
import pytest
import torch

from locate_export import Moves, export
from locate_network import Locator
from locate_reading import open_session
from locate_release import compare, main, store_half, tables, with_tables


CALLED = {"condition": "as is", "changed": 10, "photographs": 40, "strategies": {"default": {"changed": 3, "photographs": 1}}}


@pytest.fixture(scope="module")
def network(tmp_path_factory):
    folder = tmp_path_factory.mktemp("network")
    torch.manual_seed(1)
    export(Locator(), Moves(), folder / "locate.onnx")
    (folder / "limits.json").write_text(json.dumps({"shift": 0.5}))
    return folder


def test_half_the_bytes_give_the_same_answers(network, tmp_path):
    store_half(network / "locate.onnx", tmp_path / "half.onnx")

    size = (tmp_path / "half.onnx").stat().st_size / (network / "locate.onnx").stat().st_size
    assert size < 0.55
    assert compare(network / "locate.onnx", tmp_path / "half.onnx") < 1e-2


def test_numbers_that_half_precision_cannot_hold_stay_as_they_are(tmp_path):
    large = np.linspace(1, 1e6, 100).astype(np.float32)
    constant = onnx.numpy_helper.from_array(large, "large")
    shape = onnx.helper.make_tensor_value_info("y", onnx.TensorProto.FLOAT, [100])
    graph = onnx.helper.make_graph([onnx.helper.make_node("Identity", ["large"], ["y"])], "g", [], [shape], [constant])
    onnx.save(onnx.helper.make_model(graph, opset_imports=[onnx.helper.make_opsetid("", 17)], ir_version=8), tmp_path / "a.onnx")

    store_half(tmp_path / "a.onnx", tmp_path / "b.onnx")

    np.testing.assert_array_equal(open_session(tmp_path / "b.onnx").run(None, {})[0], large)


def test_a_folder_is_written_and_then_told_anew_without_its_network(network, tmp_path, monkeypatch):
    out, fused, figures = tmp_path / "locate-9", tmp_path / "fused.json", tmp_path / "figures.json"
    fused.write_text(json.dumps({"thresholds": {"a": 1}, "fusion": {"b": 2}}))
    figures.write_text(json.dumps({"measured": [], "called": [CALLED]}))

    def release(*words: object) -> dict:
        monkeypatch.setattr(sys, "argv", ["locate_release.py", "--out", str(out), *map(str, words)])
        main()
        return json.loads((out / "manifest.json").read_text())

    first = release("--network", network, "--version", "0.1.0")
    (out / "CARD.md").write_text("# locate-9\n\n## Figures\n\nOld.\n\n## Limits\n\nMany.\n")
    second = release("--version", "0.2.0", "--fused", fused, "--figures", figures)

    assert (first["id"], first["version"], first["training"]) == ("locate-9", "0.1.0", {"shift": 0.5})
    assert (second["version"], second["thresholds"], second["fusion"]) == ("0.2.0", {"a": 1}, {"b": 2})
    assert (second["files"], second["training"]) == (first["files"], first["training"])
    assert "| as is | default | 3 of 10, 30.0 % | 1 of 40, 2.5 % |" in (out / "CARD.md").read_text()
    assert (out / "CARD.md").read_text().endswith("\n\n## Limits\n\nMany.\n")


def test_the_tables_say_what_was_measured_or_that_nothing_was():
    row = {"set": "a", "condition": "as is", "pictures": 9, "f1Best": 0.5, "f1Low": 0.4, "f1High": 0.6, "f1Half": 0.3, "pixelAuc": 0.7}

    assert "| a | as is | 9 | 0.500 | 0.400-0.600 | 0.300 | 0.700 |" in tables({"measured": [row], "called": []})
    assert with_tables("## Figures\n\nOld.\n", {"measured": [], "called": []}).startswith("## Figures\n\nNone were recorded")
