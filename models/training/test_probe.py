import cv2
import numpy as np
from PIL import Image
from scipy.stats import spearmanr

from data import Item
from degrade import save_jpeg
from probe import file_facts, grid_strength, judge, predict, rank_correlation


def items(split: str, count: int) -> list[Item]:
    return [Item(f"{split}{i}", split, i % 2 == 1, "any", f"{split}-source{i % 6}", 8, 8, 0, 90) for i in range(count)]


def test_a_label_that_hangs_on_a_fact_is_found_on_sources_that_training_never_saw():
    rows = items("train", 300) + items("val", 120)
    noise = np.random.default_rng(1).normal(size=(len(rows), 3))
    leaking = noise.copy()
    leaking[:, 1] = [item.fake for item in rows]

    found = judge(predict(leaking, rows, 1), rows, "val")
    nothing = judge(predict(noise, rows, 1), rows, "val")

    assert found["balancedAccuracy"] == found["auc"] == 1.0
    assert 0.3 < nothing["auc"] < 0.7


def test_labels_of_val_are_never_fitted():
    rows = items("train", 60) + items("val", 60)
    facts = np.random.default_rng(2).normal(size=(len(rows), 2))
    swapped = [Item(**(vars(row) | {"fake": not row.fake})) if row.split == "val" else row for row in rows]

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
