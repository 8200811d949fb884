import csv
import json

import numpy as np
import pytest

from forensics_training.data.collect import LEFT_OUT
from forensics_training.locator import fuse as locate_fuse
from forensics_training.locator.fuse import (
    MAX_LOG_ODDS,
    NEAR,
    Cells,
    Model,
    Level,
    cut_of,
    f1_of,
    fit,
    fuse,
    held_out,
    main,
    open_readings,
    read_table,
    reading_names,
)
from forensics_training.runtime.metrics import sigmoid

KINDS = ("splice", "repaint")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Sixty pairs and forty photographs as the engine would write them: `sharp` is right, `guessing` guesses, `rare` never answers
    for a whole picture."""
    random, out = np.random.default_rng(1), tmp_path_factory.mktemp("readings")
    pictures, places = [], []
    for pair in range(60):
        for changed in (1, 0):
            name, kind = f"{pair}-{changed}", KINDS[pair % 2]
            pictures.append({"picture": name, "pair": pair, "source": "", "condition": "as is", "kind": kind, "changed": changed,
                             "pixels": 1e6, "quality": 90, "sharp": score(random, 2 * changed), "guessing": score(random, 1), "rare": "",
                             "error-level": changed})  # fmt: skip
            for cell in range(20):
                is_changed = int(changed and cell < 5)
                places.append({"picture": name, "condition": "as is", "changed": is_changed, "pixels": 1e6, "weight": 1 if is_changed else 4,
                               "sharp": "" if pair % 3 == 0 else score(random, 3 * is_changed - 3), "guessing": 0.5})  # fmt: skip
    for number in range(40):
        source = ("calm", "odd")[number // 20]
        pictures.append({"picture": f"p{number}", "pair": "", "source": source, "condition": "as is", "kind": "", "changed": 0,
                         "pixels": 1e6, "quality": 90, "sharp": sigmoid(number // 20 + 0.01 * number), "guessing": 0.5, "rare": "",
                         "error-level": 0})  # fmt: skip
    for name, rows in (("pictures", pictures), ("places", places)):
        with open(out / f"{name}.csv", "w", newline="") as file:
            table = csv.DictWriter(file, rows[0])
            table.writeheader()
            table.writerows(rows)
    return out


def score(random: np.random.Generator, middle: float) -> float:
    return float(sigmoid(random.normal(middle, 1)))


def tables(folder):
    return open_readings(folder)


def test_the_fit_recovers_the_weights_up_to_the_penalty_and_none_is_negative():
    random = np.random.default_rng(2)
    odds = random.normal(0, 1, (40_000, 3))
    changed = random.random(40_000) < sigmoid(1.5 * odds[:, 0] - 0.5 * odds[:, 1] + 0.7)

    heard = fit(odds, changed, np.ones(40_000), np.zeros(3))

    assert heard.weights[0] == pytest.approx(1.4, abs=0.15)
    assert heard.weights[1] == 0
    assert heard.weights[2] == pytest.approx(0, abs=0.03)
    assert heard.offset == pytest.approx(0.7, abs=0.1)


def test_a_skipped_method_adds_nothing_and_log_odds_are_bounded(folder):
    pictures = read_table(folder / "pictures.csv")
    heard = Model(0.5, np.array([2.0, 1.0]), np.array([1.0, 0.0]))

    assert heard(np.array([[np.nan, np.nan], [2.0, np.nan], [np.nan, -3.0]])).tolist() == [0.5, 2.5, -2.5]
    assert pictures.methods == ("sharp", "guessing", "rare")
    assert np.isnan(pictures.odds[:, 2]).all() and np.nanmax(np.abs(pictures.odds)) <= MAX_LOG_ODDS


def test_an_informative_method_gets_a_weight_and_its_rest_lies_between_the_classes(folder):
    answer = fuse(*tables(folder), {"thumbnail": 1.5})["fusion"]

    weights = answer["picture"]["weights"]
    assert weights["sharp"] > 0.8
    assert weights["thumbnail"] == 1.5
    assert weights.get("guessing", 0) < 0.2  # although it distinguishes pairs from photographs
    assert "rare" not in weights
    assert answer["places"]["weights"]["thumbnail"] == {"weight": 1.5, "rest": 0.5}
    sharp = answer["places"]["weights"]["sharp"]
    assert sharp["weight"] > 0.8
    assert 0.1 < sharp["rest"] < 0.3  # changed cells lie around odds of 0, untouched ones around -3


def test_kept_weights_of_places_are_not_fitted_and_methods_without_one_have_none(folder, tmp_path):
    manifest = tmp_path / "manifest.json"
    manifest.write_text(json.dumps({"fusion": {"places": {"weights": {"sharp": {"weight": 0.25, "rest": 0.9}}}}}))

    answer = fuse(*tables(folder), {}, locate_fuse.weights_of_places(manifest))["fusion"]

    places = answer["places"]["weights"]
    assert list(places) == ["sharp"]
    assert places["sharp"]["weight"] == 0.25
    assert 0.1 < places["sharp"]["rest"] < 0.3
    assert answer["picture"] == fuse(*tables(folder), {})["fusion"]["picture"]


def test_the_level_of_places_is_near_the_best_and_marks_least_of_untouched_pictures(folder):
    _, places = tables(folder)
    cells = Cells(places)

    heard, level = locate_fuse.fit_places(places)

    def worth(tried: Level) -> float:
        return float(f1_of(heard, tried, places).mean())  # the changed share of each picture is the same

    def marked(tried: Level) -> float:
        sums = heard(places.odds)
        return float((cells.weight * (sums >= tried(cells, sums)[cells.group]))[cells.wanted[cells.group] == 0].sum())

    others = [Level(offset, middle, strongest) for offset in (-1, 0, 1) for middle in (0, 0.4, 0.8) for strongest in (0, 0.4)]
    assert max(worth(other) for other in others) - NEAR <= worth(level)
    assert not [other for other in others if worth(other) > worth(level) and marked(other) < marked(level)]
    assert len(set(reading_names(places))) == 120
    assert len(f1_of(heard, level, places)) == 60


def test_a_level_lies_between_the_middle_and_the_strongest_place_of_its_own_picture_and_rises_with_its_size(tmp_path):
    rows = [("calm", -2 + cell / 50, 1e6) for cell in range(100)] + [("high", cell / 50, 4e6) for cell in range(100)]
    lines = [f"{name},as is,0,{pixels},1,{sigmoid(odds)}" for name, odds, pixels in rows]
    (tmp_path / "places.csv").write_text("\n".join(["picture,condition,changed,pixels,weight,sharp", *lines]))
    places = read_table(tmp_path / "places.csv")

    levels = Level(0.5, 0.25, 0.5, 0.1)(Cells(places), places.odds[:, 0])

    assert levels.tolist() == pytest.approx([0.5 - 0.25 * 1.02 - 0.5 * 0.04, 0.5 + 0.25 * 0.98 + 0.5 * 1.96 + 2 * 0.1])


def test_f1_and_the_marked_share_are_counted_at_each_cut(tmp_path):
    lines = ["a,as is,1,1e6,1,0.9", "a,as is,1,1e6,1,0.4", "a,as is,0,1e6,3,0.6", "a,as is,0,1e6,3,0.2", "b,as is,0,1e6,8,0.7"]
    (tmp_path / "places.csv").write_text("\n".join(["picture,condition,changed,pixels,weight,sharp", *lines]))
    places = read_table(tmp_path / "places.csv")
    zero = cut_of(np.zeros(2))

    f1, marked = Cells(places).curves(places.odds[:, 0])

    assert f1[[0, 1], zero].tolist() == pytest.approx([2 * 1 / (4 + 2), 0])
    assert marked[[0, 1], zero].tolist() == pytest.approx([4 / 8, 1])
    assert (f1[:, 0], marked[:, 0]) == (pytest.approx([2 * 2 / (8 + 2), 0]), pytest.approx([1, 1]))


def test_a_source_whose_photographs_were_changed_sets_no_limits(folder, tmp_path):
    rows = (folder / "pictures.csv").read_text()
    (tmp_path / "pictures.csv").write_text(rows.replace(",odd,", f",{min(LEFT_OUT)},"))
    (tmp_path / "places.csv").write_text((folder / "places.csv").read_text())

    (all_of_them, places), (without, _) = tables(folder), tables(tmp_path)

    assert set(all_of_them.text["source"]) - set(without.text["source"]) == {"odd"}
    limits = [fuse(pictures, places, {})["thresholds"]["suspectedMin"]["default"] for pictures in (all_of_them, without)]
    assert limits[1] < limits[0]


def test_two_pictures_of_one_name_are_refused(folder, tmp_path):
    lines = (folder / "pictures.csv").read_text().splitlines()
    (tmp_path / "pictures.csv").write_text("\n".join([*lines, lines[1]]))
    (tmp_path / "places.csv").write_text((folder / "places.csv").read_text())

    with pytest.raises(ValueError, match="appears 2 times"):
        open_readings(tmp_path)


def test_the_worst_source_sets_the_limits_and_they_are_nested(folder):
    pictures, places = tables(folder)

    answer = fuse(pictures, places, {})

    limits, fusion = answer["thresholds"], answer["fusion"]["picture"]
    manipulated, suspected = limits["manipulatedMin"], limits["suspectedMin"]
    weights = np.array([fusion["weights"].get(method, 0) for method in pictures.methods])
    slopes = np.array([fusion["perDoubling"], fusion["compression"]])
    probability = sigmoid(Model(fusion["offset"], weights, np.zeros(3), slopes)(pictures.odds, pictures.covariates))
    odd, counterparts = probability[pictures.has("source", "odd")], probability[pictures.has("source", "") & pictures.has("changed", "0")]
    assert manipulated["pedantic"] >= manipulated["default"] >= manipulated["relaxed"] >= 0.5
    assert suspected["pedantic"] <= suspected["default"] <= suspected["relaxed"]
    assert all(suspected[name] <= manipulated[name] for name in manipulated)
    assert (odd >= manipulated["pedantic"]).sum() == (counterparts >= manipulated["pedantic"]).sum() == 0
    # A tenth of twenty and of sixty, except for the one that sets the limit; the worse of the two sets it.
    assert (odd >= suspected["pedantic"]).sum() <= 1 and (counterparts >= suspected["pedantic"]).sum() <= 5
    assert (odd >= suspected["pedantic"]).sum() == 1 or (counterparts >= suspected["pedantic"]).sum() == 5


def test_held_out_folds_are_judged_by_a_fit_without_them(folder):
    pictures, places = tables(folder)

    figures = held_out(pictures, places)["as is"]

    assert 0.85 < figures["pictureAuc"] < 0.98
    assert 0.5 < figures["f1Half"] < 0.8
    fold, pair = locate_fuse.folds_of(pictures), pictures.text["pair"]
    assert all(len(set(fold[pair == name])) == 1 for name in set(pair) - {""})


def test_the_command_writes_what_the_manifest_holds(folder, tmp_path, monkeypatch, capsys):
    monkeypatch.setattr("sys.argv", ["", "--readings", str(folder), "--out", str(tmp_path / "f.json"), "--given", "thumbnail=2"])

    main()

    written = json.loads((tmp_path / "f.json").read_text())
    assert list(written) == ["thresholds", "fusion"]
    assert written["fusion"]["picture"]["weights"]["thumbnail"] == 2
    assert "held out | as is" in capsys.readouterr().out


def test_a_method_left_out_gets_no_weight_and_an_unknown_one_is_refused(folder, tmp_path, monkeypatch, capsys):
    manifest, out = tmp_path / "manifest.json", tmp_path / "f.json"
    kept = {method: {"weight": 0.25, "rest": 0.9} for method in ("sharp", "guessing")}
    manifest.write_text(json.dumps({"fusion": {"places": {"weights": kept}}}))
    asked = ["", "--readings", str(folder), "--out", str(out), "--places", str(manifest), "--without"]

    monkeypatch.setattr("sys.argv", [*asked, "guessing"])
    main()

    fusion = json.loads(out.read_text())["fusion"]
    assert list(fusion["places"]["weights"]) == list(fusion["picture"]["weights"]) == ["sharp"]

    monkeypatch.setattr("sys.argv", [*asked, "sharpe"])
    with pytest.raises(SystemExit):
        main()
    assert "--without sharpe: the readings have sharp, guessing, rare." in capsys.readouterr().err
