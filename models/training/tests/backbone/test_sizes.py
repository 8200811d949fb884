import csv
import json
import sys

from forensics_training.backbone import sizes

FIELDS = ("repo", "label", "split", "width", "height", "blob_sha", "generator")


def write(path, rows):
    with open(path, "w", newline="") as file:
        writer = csv.DictWriter(file, FIELDS)
        writer.writeheader()
        writer.writerows(dict(zip(FIELDS, row)) for row in rows)


def test_sources_are_counted_once_and_val_is_left_out(tmp_path, monkeypatch):
    listed = tmp_path / "sources.csv"
    write(
        listed,
        [
            ("a/one", "ai-generated", "train", 1408, 768, "1", "imagen"),
            ("a/one", "ai-generated", "train", 768, 1408, "2", "imagen"),
            ("a/two", "ai-generated", "calibration", 1080, 589, "3", "imagen"),
            ("a/three", "ai-generated", "train", 183, 100, "9", "imagen"),
            ("b/one", "real", "train", 1024, 1024, "4", "camera"),
            ("b/two", "real", "train", 800, 600, "5", "camera"),
            ("b/val", "real", "val", 1408, 768, "6", "camera"),
            ("c/one", "neither", "train", 1408, 768, "7", "drawing"),
        ],
    )
    # The same picture again, and one without a known size.
    write(tmp_path / "whole-pictures.csv", [("b/two", "real", "train", 1408, 768, "5", "camera")])
    write(tmp_path / "manifest.csv", [("b/three", "real", "train", "", "", "8", "camera")])
    (tmp_path / "manifest.json").write_text(json.dumps({"version": "1.0.0", "created": "", "id": "x"}))
    monkeypatch.setattr(sizes, "SOURCES", listed)
    monkeypatch.setattr(sys, "argv", ["", "--data", str(tmp_path), "--model", str(tmp_path), "--version", "1.1.0"])

    sizes.main()

    manifest = json.loads((tmp_path / "manifest.json").read_text())
    own, scaled, shared = manifest["generatorSizes"]
    assert manifest["version"] == "1.1.0" and manifest["id"] == "x"
    assert own["sources"] == {"generated": {"found": 1, "of": 3}, "photographs": {"found": 0, "of": 2}}
    assert scaled["sources"] == {"generated": {"found": 2, "of": 3}, "photographs": {"found": 0, "of": 2}}
    # Too few sources to support a size that is not documented.
    assert shared["sizes"] == []
    assert "1408x768" in own["sizes"] and "768x1408" not in own["sizes"]
    assert [group.get("leastSide") for group in (own, scaled, shared)] == [None, sizes.LEAST_SIDE, None]
    assert own["ratio"] > scaled["ratio"] == shared["ratio"] > 1


def test_a_size_counts_as_much_as_the_bounds_of_its_shares_support():
    generated = [(f"g{at}", True, "train", (1024, 1024) if at < 30 else (900, 600)) for at in range(100)]
    photographs = [(f"r{at}", False, "train", (1024, 1024) if at < 2 else (900, 600)) for at in range(100)]

    assert sizes.supported(generated + photographs, 3) == {(1024, 1024)}
    assert sizes.supported(generated + photographs, 6) == set()


def test_proportions_match_if_one_side_follows_from_the_other():
    group = sizes.Group(3, frozenset({(1408, 768)}), scaled=True)

    assert group.holds((1408, 768)) and group.holds((1080, 589)) and group.holds((704, 384))
    assert not group.holds((1080, 590)) and not group.holds((183, 100))


def test_readings_are_judged_by_the_first_group_that_applies(tmp_path, capsys):
    readings = tmp_path / "readings.csv"
    rows = [(1408, 768, "as is", "fake"), (768, 1408, "as is", "uncertain"), (900, 600, "as is", "fake"), (704, 384, "half", "fake")]
    with open(readings, "w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(("label", "width", "height", "condition", "default"))
        writer.writerows(("ai-generated", *row) for row in rows)

    sizes.judge([readings], [sizes.Group(5, frozenset({(1408, 768)})), sizes.Group(3, frozenset({(1408, 768)}), scaled=True)])

    assert capsys.readouterr().out.splitlines()[0] == "ai-generated, by ratio: {5: 2, 1: 1}, called fake: {5: 1, 1: 1}"
