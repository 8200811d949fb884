import cv2
import numpy as np
from PIL import Image
from scipy.stats import spearmanr

from data import Item
from degrade import save_jpeg
from probe import facts_add, file_facts, grid_strength, joined, judge, predict, rank_correlation, within_strata


def items(split: str, count: int) -> list[Item]:
    return [Item(f"{split}{i}.jpg", split, i % 2 == 1, "any", f"{split}-source{i % 6}", 8, 8, 0, 90) for i in range(count)]


def altered(item: Item, **fields) -> Item:
    return Item(**(vars(item) | fields))


def test_a_label_that_hangs_on_a_fact_is_found_on_sources_that_training_never_saw():
    rows = items("train", 300) + items("val", 120)
    noise = np.random.default_rng(1).normal(size=(len(rows), 3))
    leaking = noise.copy()
    leaking[:, 1] = [item.fake for item in rows]

    found = judge(predict(leaking, rows, 1), rows, "val")
    nothing = judge(predict(noise, rows, 1), rows, "val")

    assert found["balancedAccuracy"] == found["auc"] == 1.0
    assert 0.3 < nothing["auc"] < 0.7


def swap_val(rows: list[Item]) -> list[Item]:
    return [altered(row, fake=not row.fake) if row.split == "val" else row for row in rows]


def test_labels_of_val_are_never_fitted():
    rows = items("train", 60) + items("val", 60)
    facts = np.random.default_rng(2).normal(size=(len(rows), 2))
    swapped = swap_val(rows)

    assert np.array_equal(predict(facts, rows, 1), predict(facts, swapped, 1))


def test_file_facts_tell_formats_and_qualities_apart(tmp_path):
    picture = Image.fromarray(np.random.default_rng(3).integers(0, 256, (64, 48, 3), dtype=np.uint8))
    picture.save(tmp_path / "a.jpg", quality=70, subsampling=2)
    picture.save(tmp_path / "a.webp", lossless=True)
    row = {"original_width": "640", "original_height": "512", "original_format": "JPEG"}

    lossy, lossless = (file_facts(tmp_path / name, row) for name in ("a.jpg", "a.webp"))

    assert (lossy[:2], lossy[3], lossy[6], lossy[7]) == ([48, 64], 70, 2.0, 1.0)
    assert (lossless[3], lossless[6], lossless[7]) == (100, 0.0, 0.0)
    assert lossy[-1] == 1.0


def test_a_block_grid_is_seen_after_a_hard_save_and_only_on_its_own_grid():
    slopes = cv2.GaussianBlur(np.random.default_rng(4).normal(0, 300, (144, 144)), (0, 0), 4) + 128
    saved = save_jpeg(slopes.clip(0, 255).astype(np.uint8)[:, :, None].repeat(3, 2), 20, False)

    assert min(grid_strength(saved[:128, :128])) > 1.3
    assert max(grid_strength(saved[4:132, 4:132])) < 1.1


def test_the_rank_correlation_is_spearmans():
    random = np.random.default_rng(5)
    one, other = random.integers(0, 9, 80), random.integers(0, 9, 80)

    assert np.isclose(rank_correlation(one, other), spearmanr(one, other).statistic)


def scored(rows: list[Item], lift: float, seed: int) -> np.ndarray:
    return np.random.default_rng(seed).normal(size=len(rows)) + lift * np.array([item.fake for item in rows])


def chance(log_odds: np.ndarray) -> np.ndarray:
    return 1 / (1 + np.exp(-log_odds))


def test_facts_that_tell_nothing_add_nothing_and_others_add_what_the_score_did_not_see():
    rows = items("calibration", 400) + items("val", 300)
    scores = scored(rows, 1.0, 6)

    nothing = facts_add(scores, chance(scored(rows, 0.0, 7)), rows)
    much = facts_add(scores, chance(scored(rows, 2.0, 8)), rows)
    again = facts_add(scores, chance(scores), rows)

    assert abs(nothing["gain"]) < 0.01
    assert much["gain"] > 0.1 and much["interval95"][0] > 0.05
    assert again["interval95"] == [0.0, 0.0]


def test_score_and_facts_are_joined_without_the_labels_of_val():
    rows = items("train", 8) + items("calibration", 80) + items("val", 80)
    scores, probe = scored(rows, 1.0, 9), chance(scored(rows, 1.0, 10))

    scores[:8] = np.nan  # training pictures are not read

    both = joined(scores, probe, rows)

    assert np.isnan(both[:8]).all() and np.isfinite(both[8:]).all()
    assert np.array_equal(both, joined(scores, probe, swap_val(rows)), equal_nan=True)


def test_a_score_that_only_knows_sizes_is_chance_among_equal_files():
    rows = [altered(item, width=400, height=400) if index // 2 % 4 < (3 if item.fake else 1) else item
            for index, item in enumerate(items("val", 600))]  # fmt: skip
    sizes = np.array([item.width for item in rows]) + scored(rows, 0.0, 11)

    found = within_strata(sizes, rows)

    assert judge(sizes, rows, "val")["auc"] > 0.7
    assert abs(found["auc"] - 0.5) < 0.08
    assert sorted(found["strata"]) == ["384 px or more, JPEG 90 or more", "below 256 px, JPEG 90 or more"]


def test_a_stratum_with_fewer_than_five_of_a_class_has_no_say():
    rows = items("val", 40)
    few = [altered(item, file=f"{index}.webp") if index < 8 else item for index, item in enumerate(rows)]

    assert list(within_strata(scored(few, 1.0, 12), few)["strata"].values()) == [[16, 16]]
