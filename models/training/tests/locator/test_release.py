import csv
import json
import sys

import numpy as np
import onnx
import pytest
import torch
from PIL import Image

from forensics_training.locator.export import Calibration, export
from forensics_training.locator.network import Locator
from forensics_training.locator.release import FIRST, LAST, compare, in_32_bits, main, samples, store, tables, with_tables
from forensics_training.runtime.strips import in_strips, without_strips


CALLED = {"condition": "as is", "changed": 10, "photographs": 40, "strategies": {"default": {"changed": 3, "photographs": 1}}}


@pytest.fixture(scope="module")
def network(tmp_path_factory):
    folder = tmp_path_factory.mktemp("network")
    torch.manual_seed(1)
    export(Locator(), Calibration(), folder / "locate.onnx")
    (folder / "limits.json").write_text(json.dumps({"shift": 0.5}))
    return folder


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    folder = tmp_path_factory.mktemp("data")
    random = np.random.default_rng(1)
    with (folder / "manifest.csv").open("w") as file:
        rows = csv.writer(file)
        rows.writerow(["file", "split"])
        for number in range(6):
            small = random.integers(0, 256, (12, 16, 3), dtype=np.uint8)
            Image.fromarray(small).resize((128, 96), Image.Resampling.BICUBIC).save(folder / f"{number}.png")
            rows.writerow([f"{number}.png", "train"])
    return folder


def test_the_quantised_network_is_a_third_of_the_size_and_answers_nearly_the_same(network, data, tmp_path):
    seen = list(samples(data))
    store(network / "locate.onnx", seen, tmp_path / "a.onnx")

    size = (tmp_path / "a.onnx").stat().st_size / (network / "locate.onnx").stat().st_size
    assert size < 0.35
    assert len(seen) == 6 and all((one["table"] > 0).any() for one in (seen[1], seen[2]))
    assert all(0 < difference < 0.1 for difference in compare(network / "locate.onnx", tmp_path / "a.onnx", seen[1]).values())
    with pytest.raises(ValueError, match="in 8 bits already"):
        store(tmp_path / "a.onnx", seen, tmp_path / "b.onnx")
    halves = without_strips(in_strips(in_strips(onnx.load(network / "locate.onnx"), LAST), FIRST))
    onnx.save(halves, tmp_path / "whole.onnx")
    assert max(compare(network / "locate.onnx", tmp_path / "whole.onnx", seen[1]).values()) < 1e-4
    assert in_8_bits(halves) == in_8_bits(onnx.load(network / "locate.onnx")) > 20


def in_8_bits(model: onnx.ModelProto) -> int:
    exact = set(in_32_bits(model))
    return sum(node.op_type == "Conv" and node.output[0] not in exact for node in model.graph.node)


def test_a_model_folder_is_written_and_its_manifest_updated_without_the_network(network, data, tmp_path, monkeypatch):
    out, fused, figures = tmp_path / "locate-9", tmp_path / "fused.json", tmp_path / "figures.json"
    fused.write_text(json.dumps({"thresholds": {"a": 1}, "fusion": {"b": 2}}))
    figures.write_text(json.dumps({"measured": [], "called": [CALLED]}))

    def release(*words: object) -> dict:
        monkeypatch.setattr(sys, "argv", ["locator-release", "--out", str(out), *map(str, words)])
        main()
        return json.loads((out / "manifest.json").read_text())

    first = release("--network", network, "--data", data, "--version", "0.1.0")
    (out / "CARD.md").write_text("# locate-9\n\n## Figures\n\nOld.\n\n## Limits\n\nMany.\n")
    words = {"offset": 2, "trees": [[[0, 1.5, 1, 2, 1], [1], [-1]]]}
    (out / "manifest.json").write_text(json.dumps({**first, "words": words}))
    second = release("--version", "0.2.0", "--fused", fused, "--figures", figures)

    assert (first["id"], first["version"], first["training"]) == ("locate-9", "0.1.0", {"shift": 0.5})
    assert (second["version"], second["thresholds"], second["fusion"]) == ("0.2.0", {"a": 1}, {"b": 2})
    assert (second["files"], second["training"], second["words"]) == (first["files"], first["training"], words)
    assert "| as is | all | default | 3 of 10, 30.0 % | 1 of 40, 2.5 % |" in (out / "CARD.md").read_text()
    assert (out / "CARD.md").read_text().endswith("\n\n## Limits\n\nMany.\n")


def test_the_tables_of_the_card_list_the_figures_or_say_that_there_are_none():
    row = {"set": "a", "condition": "as is", "pictures": 9, "f1Best": 0.5, "f1Low": 0.4, "f1High": 0.6, "f1Half": 0.3, "pixelAuc": 0.7}

    assert "| a | as is | 9 | 0.500 | 0.400-0.600 | 0.300 | 0.700 |" in tables({"measured": [row], "called": []})
    sizes = tables({"measured": [], "called": [CALLED | {"megapixels": {"from": 1.5, "below": 4}}, CALLED | {"megapixels": {"from": 4, "below": None}}]})
    assert "| as is | 1.5 to 4 | default | 3 of 10, 30.0 % |" in sizes
    assert "| as is | from 4 | default | 3 of 10, 30.0 % |" in sizes
    assert with_tables("## Figures\n\nOld.\n", {"measured": [], "called": []}).startswith("## Figures\n\nNone were recorded")
