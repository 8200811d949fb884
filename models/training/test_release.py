import json
import sys

import numpy as np
import pytest
import torch

from combine import MEMBERS, combine
from evaluate import Network
from export import export_model, open_session
from network import FEATURES, Backbone, Head
from release import main, part
from test_combine import picture, votes_of


def test_the_joined_model_is_cut_into_its_arms_and_the_head_takes_both(tmp_path):
    torch.manual_seed(1)
    export_model(Backbone(), Head(), tmp_path / "network")
    combine(tmp_path / "network", votes_of(), tmp_path / "joined")

    part(tmp_path / "joined", tmp_path / "out")

    rgb = picture(9, 12).numpy()
    joined = open_session(tmp_path / "joined" / "model.onnx").run(None, {"rgb": rgb})[0][0]
    network = Network(tmp_path / "out")
    np.testing.assert_allclose(network.backbone(rgb), joined[:FEATURES], atol=1e-4)
    np.testing.assert_allclose(network.votes(rgb), joined[FEATURES:], atol=1e-4)
    assert network.features(rgb[0]).shape[1] == FEATURES + MEMBERS
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == ["head.onnx", "model.onnx", "votes.onnx"]


def test_the_spread_of_the_passes_is_that_of_the_head_under_each_mask(tmp_path):
    torch.manual_seed(1)
    export_model(Backbone(), Head(), tmp_path)
    network = Network(tmp_path)
    features = np.random.default_rng(1).random((5, FEATURES)).astype(np.float32)
    masks = np.stack([np.ones(FEATURES), np.zeros(FEATURES)]).astype(np.float32)

    passes = network.passes(features, masks)

    np.testing.assert_allclose(passes[0], network.head(features)[0].mean(0), atol=1e-5)
    assert not np.allclose(passes[0], passes[1])


def test_a_folder_calibrated_anew_is_a_version_of_its_own_and_keeps_what_is_told_of_its_training(tmp_path, monkeypatch):
    (tmp_path / "manifest.json").write_text(json.dumps({"version": "1.0.0", "training": {"seed": 3}}))
    asked = []
    monkeypatch.setattr("release.open_pictures", lambda data, work: "pictures")
    monkeypatch.setattr("release.calibrate", lambda *words: asked.append(words))

    def release(*words: str) -> None:
        monkeypatch.setattr(sys, "argv", ["release.py", "--data", "DIR", "--out", str(tmp_path), *words])
        main()

    with pytest.raises(SystemExit):
        release()
    release("--version", "1.3.0")

    assert asked == [("pictures", tmp_path, "1.3.0", {"seed": 3})]
