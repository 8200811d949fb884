"""Refitting the probability and the limits from readings of the engine."""

import csv
import math

import numpy as np

from forensics_training.backbone import limits

MANIFEST = {"generatorSizes": [{"ratio": 3, "sizes": ["1024x1024"]}]}


def write(path, rows):
    with open(path, "w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(("label", "source", "condition", "width", "height", "fake_probability"))
        writer.writerows(rows)
    return path


def drawn(random, scale, size):
    """Pictures whose log odds are twice as large as `scale` times what they mean."""
    for at in range(4000):
        z = random.normal(0, 2)
        label = "ai-generated" if random.random() < 1 / (1 + math.exp(-z)) else "real"
        yield label, f"s{at}", "as is", *size, 1 / (1 + math.exp(-z / scale))


def test_the_probability_is_refitted_and_files_of_one_class_do_not_count(tmp_path):
    both = write(tmp_path / "both.csv", drawn(np.random.default_rng(1), 2, (900, 600)))
    one = write(tmp_path / "one.csv", [("ai-generated", f"o{at}", "as is", 900, 600, 0.01) for at in range(500)])

    factor, offset = limits.refit(limits.load([both, one], MANIFEST))

    assert abs(factor - 2) < 0.15 and abs(offset) < 0.15


def test_the_ratio_of_the_size_is_taken_out_before_and_counted_afterwards(tmp_path):
    file = write(tmp_path / "readings.csv", [("real", "a", "as is", 1024, 1024, 0.75), ("ai-generated", "b", "as is", 900, 600, 0.75)])

    found = limits.load([file], MANIFEST)

    assert np.allclose(found.z, [0, math.log(3)]) and np.allclose(found.size, [math.log(3), 0])


def test_limits_leave_their_share_of_each_class_at_every_size(tmp_path):
    per_halving, rows = 0.4, []
    for at in range(4000):
        small, share = at % 2 == 1, (at + 0.5) / 4000
        z = math.log(share / (1 - share))
        side = 707 if small else 1415  # half a megapixel and two
        rows.append(("ai-generated", f"g{at}", "as is", side, side, 1 / (1 + math.exp(-z + (2 * limits.REAL_PER_HALVING if small else 0)))))
        rows.append(("real", f"r{at}", "as is", side, side, 1 / (1 + math.exp(-z - (2 * per_halving if small else 0)))))
    found = limits.load([write(tmp_path / "readings.csv", rows)], {"generatorSizes": []})

    real_max, fake_min = limits.real_max(found, found.z), limits.fake_min(found, found.z, per_halving)

    assert real_max["pedantic"] < real_max["default"] < real_max["relaxed"]
    assert abs(real_max["default"] - 0.035) < 0.003
    assert fake_min["pedantic"] > fake_min["default"] > fake_min["relaxed"]
    assert abs(fake_min["default"] - 0.996) < 0.001


def test_verdicts_are_counted_for_each_class_of_photographs(tmp_path, capsys):
    classes, readings = tmp_path / "classes.csv", tmp_path / "readings.csv"
    classes.write_text("blob_sha,class\naa,night\nbb,night\ncc,press\n")
    lines = ("real,files/aa.jpg,as is,real", "real,files/bb,as is,fake", "real,files/bb,half,real", "ai-generated,files/cc,as is,fake", "real,files/dd,as is,real")
    readings.write_text("\n".join(("label,file,condition,default", *lines)))

    limits.judge([readings], classes)

    assert capsys.readouterr().out == "night: {'real': 1, 'fake': 1}\n"
