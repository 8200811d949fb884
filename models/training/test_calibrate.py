import hashlib

import numpy as np

from calibrate import least_fake, manifest, ordered, thresholds
from conditions import CONDITIONS, RUINED
from data import Item


def test_the_least_threshold_spares_what_is_allowed_of_all_and_of_every_source():
    p = np.arange(100) / 100
    sources = np.where(p < 0.8, "good", "bad")

    assert least_fake(p, sources, (0.0, 0.0)) == 0.99 + 1e-4
    assert least_fake(p, sources, (0.2, 1.0)) == 0.8 + 1e-4
    assert least_fake(p, sources, (0.2, 0.1)) == 0.98 + 1e-4


def test_a_source_of_few_readings_has_no_say_of_its_own():
    p = np.array([0.1] * 100 + [0.9] * 19)

    assert least_fake(p, np.array(["many"] * 100 + ["few"] * 19), (0.5, 0.0)) == 0.5


def test_thresholds_fall_from_pedantic_to_relaxed_also_where_the_margin_left_nothing_to_limit():
    assert ordered({"pedantic": 0.5, "default": 0.9, "relaxed": 0.7}) == {"pedantic": 0.9, "default": 0.9, "relaxed": 0.7}


def test_the_manifest_says_folder_version_and_files_and_claims_no_rates(tmp_path):
    out = tmp_path / "trace-9"
    out.mkdir()
    for name in ("model.onnx", "votes.onnx", "head.onnx", "statistics.json"):
        (out / name).write_bytes(name.encode())

    told = manifest(out, "9.1.0", {"temperature": 1}, {"thresholds": {"a": 1}}, {"seed": 3})

    assert (told["id"], told["version"], told["type"]) == ("trace-9", "9.1.0", "image")
    assert told["files"]["votes.onnx"] == {"sha256": hashlib.sha256(b"votes.onnx").hexdigest(), "bytes": 10}
    assert (told["calibration"], told["thresholds"], told["training"]) == ({"temperature": 1}, {"a": 1}, {"seed": 3})
    assert "measured" not in told


def test_where_no_error_is_allowed_both_regimes_have_the_higher_limit():
    random = np.random.default_rng(1)
    items = [Item(f"{n}", "calibration", n % 2 == 1, "any", f"site {n % 8}", 8, 8, 0, 100) for n in range(400)]
    logits = random.normal(size=(400, 3)) + np.array([[0, 2 * item.fake, -5 if n < 200 else 5] for n, item in enumerate(items)])
    passes = (logits[:, 1] - logits[:, 0])[:, None] + random.normal(size=(400, 8)) * 0.01
    read = {name: {"logits": logits, "passes": passes} for name in CONDITIONS | RUINED}
    line = {"scale": 1.0, "offset": 0.0}

    limits = thresholds(read, items, {"decision": line, "real": line, "fake": line, "compression": line})

    below, above = limits["thresholds"]["fakeMin"], limits["compressedRegime"]["fakeMin"]
    assert below["pedantic"] == above["pedantic"] >= max(below["default"], above["default"])
    assert below["default"] != above["default"]
