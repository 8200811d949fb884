import json
import pickle
from types import SimpleNamespace

import numpy as np
import pytest

from forensics_training.detector.calibrate import (
    FALSE_FAKE,
    FALSE_REAL,
    LEAST_DEVIATIONS,
    Readings,
    apply,
    fit_calibration,
    weighted_logits,
    least_fake,
    least_real,
    main,
    decreasing,
    increasing,
    statistics,
    thresholds,
)
from forensics_training.detector.export import export
from forensics_training.detector.network import HIDDEN
from forensics_training.detector.read import CONDITIONS, PASSES, RUINED
from tests.helpers import coarse

STRATEGIES = ("pedantic", "default", "relaxed")


def said(random: np.random.Generator, fake: bool, ruined: bool, apart: float = 2.0) -> dict:
    """One reading as `read` returns it: two logits that separate the classes, lower for a ruined picture."""
    side = apart * (1 if fake else -1) * (not ruined)
    level = -4.0 if ruined else 1.0
    logits = np.array([level - side, level + side, 2.0 if ruined else -1.0]) + random.normal(0, 1, 3)
    answer: dict = {}
    for name in ("patches", "whole"):
        answer[name] = logits + random.normal(0, 0.1, 3)
        answer[f"{name} passes"] = answer[name] + random.normal(0, 0.2, (PASSES, 3))
    answer["embeddings"] = random.normal(size=(5, HIDDEN)) + 0.3 * fake
    return answer


def readings_of(count: int, seed: int = 1, sources: int = 6, apart: float = 2.0) -> list[dict]:
    random, rows = np.random.default_rng(seed), []
    for number in range(count):
        fake = bool(number % 2)
        answers = {name: said(random, fake, name in RUINED, apart) for name in (*CONDITIONS, *RUINED)}
        source = f"{'made' if fake else 'taken'} {number // 2 % sources}"
        rows.append({"label": "ai-generated" if fake else "real", "source": source, "size": (800, 1000), "quality": 90, "said": answers})
    return rows


@pytest.fixture(scope="module")
def rows() -> list[dict]:
    return readings_of(240)


@pytest.fixture(scope="module")
def read(rows) -> tuple[Readings, Readings]:
    return Readings(rows, CONDITIONS), Readings(rows, RUINED)


def test_views_count_by_their_shares_and_patches_stand_in_for_tiles(monkeypatch):
    groups = {"patches": 1.0, "tiles": 10.0, "whole": 100.0}
    answers = {name: np.full(3, value) for name, value in groups.items()}
    answers |= {f"{name} passes": np.full((PASSES, 3), 2 * value) for name, value in groups.items()}
    monkeypatch.setattr("forensics_training.detector.calibrate.SHARES", {"patches": 0.5, "tiles": 0.3, "whole": 0.2})

    logits, passes = weighted_logits(answers)
    without, _ = weighted_logits({name: value for name, value in answers.items() if "tiles" not in name})

    np.testing.assert_allclose(logits, 23.5)
    np.testing.assert_allclose(passes, np.full((PASSES, 3), 47.0))
    np.testing.assert_allclose(without, 20.8)


def test_both_classes_weigh_alike_and_a_source_by_the_root_of_its_size():
    rows = [row for row in readings_of(80, sources=2) if row["source"] != "taken 1" or row["said"] is not None]
    rows += [{**rows[0], "source": "taken small"}] * 5
    usable = Readings(rows, ["as is"])

    totals = {name: usable.weights[usable.sources == name].sum() for name in np.unique(usable.sources)}

    assert usable.weights[usable.fake].sum() == pytest.approx(usable.weights[~usable.fake].sum())
    assert totals["taken 0"] / totals["taken small"] == pytest.approx((20 / 5) ** 0.5)


def test_calibrated_answers_fit_the_labels_and_ruined_pictures_have_neither(read):
    usable, ruined = read
    calibration = fit_calibration(usable, ruined)

    p = apply(calibration, "decision", usable.logits[:, 1] - usable.logits[:, 0])

    for low, high in ((0, 0.5), (0.5, 1)):
        inside = (p >= low) & (p <= high)
        assert p[inside].mean() == pytest.approx(usable.fake[inside].mean(), abs=0.05)
    for index, name in enumerate(("real", "fake")):
        assert apply(calibration, name, ruined.logits[:, index]).mean() < 0.2
        mine = usable.fake == (name == "fake")
        assert apply(calibration, name, usable.logits[mine, index]).mean() > 0.6
    assert all(line["scale"] > 0 for line in calibration.values())
    compression = apply(calibration, "compression", ruined.logits[:, 2]).mean()
    assert compression > apply(calibration, "compression", usable.logits[:, 2]).mean()


def test_thresholds_are_in_the_order_that_the_service_demands(read):
    for apart in (0.1, 0.7, 2.0):
        rows = readings_of(240, seed=3, apart=apart)
        usable, ruined = Readings(rows, CONDITIONS), Readings(rows, RUINED)
        limits = thresholds(usable, ruined, fit_calibration(usable, ruined))

        for name, falls, (low, high) in (
            ("fakeMin", True, (0.5, 1)), ("smallFakeMin", True, (0.5, 1)), ("realMax", False, (0, 0.5)), ("traceMin", True, (0, 2)),
            ("compressionMax", False, (0, 1)), ("anomalyMax", False, (0, 1)),
        ):  # fmt: skip
            values = [limits[name][strategy] for strategy in STRATEGIES]
            assert values == sorted(values, reverse=falls), name
            assert all(low <= value <= high for value in values), name


def test_pictures_that_only_a_strict_strategy_leaves_open_do_not_let_its_limit_rise():
    """Seven generated pictures look real on average, but their passes scatter: `pedantic` leaves them undecided, so its share starts above them."""
    fake = np.repeat([False, True], [100, 100])
    differences = np.concatenate([np.linspace(-4, -2, 100), np.full(7, -3.0), np.linspace(-1.0, 4, 93)])
    passes = np.repeat(differences[:, None], PASSES, 1)
    passes[100:107] += np.tile([-3.0, 3.0], PASSES // 2)
    both = lambda values: np.stack([-values / 2, values / 2, 0 * values], -1)
    usable = Readings.__new__(Readings)
    usable.logits, usable.passes, usable.fake = both(differences), both(passes), fake
    usable.sources, usable.condition = np.where(fake, "made", "taken"), np.full(200, "as is")
    usable.whole, usable.small = np.full(200, True), np.full(200, False)
    line = {"scale": 1.0, "offset": 0.0}
    spread = apply({"one": line}, "one", passes).std(1)[100]
    middle = 0.5 - apply({"one": line}, "one", np.array([-3.0]))[0]
    assert LEAST_DEVIATIONS["default"] * spread < middle < LEAST_DEVIATIONS["pedantic"] * spread

    limits = thresholds(usable, usable, dict.fromkeys(("decision", "real", "fake", "compression"), line))["realMax"]

    assert limits["pedantic"] <= limits["default"] <= limits["relaxed"]
    assert limits["default"] < 0.05


def test_small_photographs_that_look_generated_move_the_limit_of_small_pictures_alone():
    random = np.random.default_rng(1)
    rows = readings_of(240)
    for row in rows[::8]:  # photographs: even numbers
        row["size"] = (500, 600)
        for name in CONDITIONS:
            row["said"][name] = said(random, fake=False, ruined=False, apart=-1.0)
    usable, ruined = Readings(rows, CONDITIONS), Readings(rows, RUINED)
    calibration = fit_calibration(usable, ruined)

    limits = thresholds(usable, ruined, calibration)
    of_large = thresholds(*(Readings([row for row in rows if row["size"] != (500, 600)], names) for names in (CONDITIONS, RUINED)), calibration)

    assert limits["smallFakeMin"]["default"] > limits["fakeMin"]["default"]
    assert limits["fakeMin"] == of_large["fakeMin"]


def test_limits_that_came_out_of_order_are_made_stricter_never_laxer():
    assert decreasing({"pedantic": 0.6, "default": 0.9, "relaxed": 0.7}) == {"pedantic": 0.9, "default": 0.9, "relaxed": 0.7}
    assert increasing({"pedantic": 0.4, "default": 0.2, "relaxed": 0.3}) == {"pedantic": 0.2, "default": 0.2, "relaxed": 0.3}


def test_thresholds_call_no_more_pictures_wrong_than_allowed_of_any_source(read):
    usable, ruined = read
    calibration = fit_calibration(usable, ruined)
    limits = thresholds(usable, ruined, calibration)
    p = apply(calibration, "decision", usable.logits[:, 1] - usable.logits[:, 0])
    spread = apply(calibration, "decision", usable.passes[..., 1] - usable.passes[..., 0]).std(1)

    for strategy in STRATEGIES:
        clear = np.abs(p - 0.5) > LEAST_DEVIATIONS[strategy] * spread
        fake = clear & (p >= np.where(usable.small, limits["smallFakeMin"][strategy], limits["fakeMin"][strategy]))
        real = clear & (p <= limits["realMax"][strategy])
        overall, one_source = FALSE_FAKE[strategy]
        assert fake[~usable.fake].mean() <= overall
        assert max(fake[usable.sources == name].mean() for name in np.unique(usable.sources[~usable.fake])) <= one_source
        for condition in np.unique(usable.condition):
            mine = usable.fake & (usable.condition == condition)
            assert np.average(real[mine], weights=usable.weights[mine]) <= FALSE_REAL[strategy]
        assert fake[usable.fake].mean() > 0.5 and real[~usable.fake].mean() > 0.5


def test_one_source_of_photographs_moves_the_limit_for_all():
    sources = np.repeat(["calm", "loud"], [480, 20])
    p = np.concatenate([np.linspace(0, 0.3, 480), np.linspace(0.1, 0.92, 20)])

    assert least_fake(p, sources, (0.05, 1.0)) == 0.5
    limit = least_fake(p, sources, (0.05, 0.10))

    assert 0 < (p[sources == "loud"] >= limit).mean() <= 0.10
    assert least_fake(p, np.array([*sources[:-20], *(f"few {n}" for n in range(20))]), (0.05, 0.10)) == 0.5


def generated(p: np.ndarray, condition: str = "as is", sources=None) -> SimpleNamespace:
    count = len(p)
    weights = np.ones(count) if sources is None else sources
    return SimpleNamespace(whole=np.array(True), fake=np.ones(count, bool), condition=np.full(count, condition), weights=weights)


@pytest.mark.parametrize(("share", "below"), [(0.0, 0), (0.05, 5), (0.052, 5), (0.08, 8)])
def test_below_the_real_limit_lies_the_allowed_share_of_generated_pictures(share, below):
    p = np.linspace(0.01, 1, 100)

    limit = least_real(p, generated(p), share)

    assert (p <= limit).sum() == below


def test_the_real_limit_follows_the_worst_condition_and_the_weights_of_sources():
    p = np.linspace(0.01, 1, 100)
    both = generated(np.concatenate([p, p / 2]))
    both.condition = np.repeat(["as is", "jpeg 75"], 100)
    weights = np.where(p < 0.05, 4.0, 1.0)

    assert least_real(np.concatenate([p, p / 2]), both, 0.1) == least_real(p / 2, generated(p), 0.1)
    assert least_real(p, generated(p, sources=weights), 0.1) < least_real(p, generated(p), 0.1)


def test_statistics_have_the_shapes_that_the_service_reads(rows, read):
    told = json.loads(json.dumps(statistics(Readings(rows, CONDITIONS), read[0])))

    assert told["embedding"]["dimension"] == HIDDEN
    assert len(told["embedding"]["mean"]) == HIDDEN
    assert len(told["embedding"]["whitening"]) == HIDDEN * HIDDEN
    for name in ("distanceQuantiles", "pictureDistanceQuantiles"):
        assert len(told[name]) == 101 and told[name] == sorted(told[name]) and told[name][0] < told[name][-1]
    for name in ("realCompressed", "fakeCompressed"):
        assert len(told["prototypes"][name]) == HIDDEN
        assert np.linalg.norm(told["prototypes"][name]) == pytest.approx(1, abs=1e-4)


def test_whitened_embeddings_of_training_scatter_alike_in_every_direction(read):
    usable, _ = read
    told = statistics(usable, usable)
    vectors = np.concatenate(usable.embeddings) * np.linspace(1, 3, HIDDEN)
    stretched = SimpleNamespace(whole=np.array(True), embeddings=[e * np.linspace(1, 3, HIDDEN) for e in usable.embeddings], fake=usable.fake, condition=usable.condition)

    wide = statistics(stretched, stretched)
    whitening = np.array(wide["embedding"]["whitening"]).reshape(HIDDEN, HIDDEN)
    white = (vectors - np.array(wide["embedding"]["mean"])) @ whitening.T

    assert white.std(0).max() / white.std(0).min() < 1.6  # 3 before; shrinkage leaves some
    assert wide["pictureDistanceQuantiles"][50] == pytest.approx(told["pictureDistanceQuantiles"][50], rel=0.1)


def test_prototypes_are_the_compressed_pictures_of_their_class(rows):
    told = statistics(Readings(rows, CONDITIONS), Readings(rows, CONDITIONS))["prototypes"]

    mean = np.mean([row["said"]["jpeg 75"]["embeddings"].mean(0) for row in rows if row["label"] == "ai-generated"], 0)

    np.testing.assert_allclose(told["fakeCompressed"], mean / np.linalg.norm(mean), atol=1e-5)


def test_a_model_folder_holds_what_its_manifest_lists(model, rows, tmp_path, monkeypatch, capsys):
    stored = tmp_path / "read.pkl"
    stored.write_bytes(pickle.dumps(rows))
    out = tmp_path / "trace-2"
    export(model, [coarse(np.random.default_rng(seed), 96, 128) for seed in range(8)], out)
    arguments = ["calibrate", "--run", "some", "--calibration", stored, "--train", stored, "--val", stored, "--version", "2.0.0", "--out", out]
    monkeypatch.setattr("sys.argv", [str(argument) for argument in arguments])

    main()

    told = json.loads((out / "manifest.json").read_text())
    assert {path.name for path in out.iterdir()} == {*told["files"], "manifest.json"}
    assert all((out / name).stat().st_size == entry["bytes"] for name, entry in told["files"].items())
    assert told["version"] == "2.0.0" and told["training"]["calibrationPictures"] == len(rows)
    assert sum(told["views"]["weights"].values()) == pytest.approx(1)
    assert "val jpeg 75: AUC" in capsys.readouterr().out
