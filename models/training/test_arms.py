import numpy as np
import torch

from arms import by_picture, fit_groups, open_table, training_sample
from data import Item, Pictures
from handmade import Statistics


class Few(Pictures):
    def __init__(self, items: list[Item]):
        self.items = items


def item(split: str, fake: bool, source: str) -> Item:
    return Item(source, split, fake, "any", source, 8, 8, 0, 90)


def write_draw(path, rows: list[int], usable: list[float]) -> None:
    width = sum(Statistics().widths) + 96
    means = np.random.default_rng(1).random((len(rows), width)).astype(np.float32)
    np.savez(path, row=np.array(rows), means=means, history=np.stack([np.zeros(len(rows)), usable], 1))


def test_a_training_patch_counts_for_its_source_and_for_the_trace_that_is_left(tmp_path):
    pictures = Few([item("train", False, "a"), item("train", False, "a"), item("train", False, "b"), item("train", True, "c")])
    write_draw(tmp_path / "draw-0.npz", [0, 1, 2, 3], [1, 0, 1, 1])

    sample = training_sample(pictures, tmp_path, 1)

    assert sample.sources.tolist() == ["a", "a", "b", "c"]
    assert sample.fake.tolist() == [False, False, False, True]
    # Two pictures of one source share the root of two; nothing usable leaves a tenth.
    assert np.isclose(sample.weights[0] / sample.weights[2], 1 / np.sqrt(2))
    assert np.isclose(sample.weights[1] / sample.weights[0], 0.1)


def test_the_table_holds_the_described_statistics_and_the_rest_as_features(tmp_path):
    write_draw(tmp_path / "draw-0.npz", [0, 1], [1, 1])

    table = open_table(tmp_path / "draw-0.npz")

    assert table.numbers.shape == (2, Statistics().describe(torch.zeros(1, sum(Statistics().widths))).shape[1])
    assert table.features.shape == (2, 96)


def test_groups_part_both_classes_and_their_sources(tmp_path):
    pictures = Few([item("train", index % 2 == 1, f"{index % 4}") for index in range(40)])
    write_draw(tmp_path / "draw-0.npz", list(range(40)), [1] * 40)

    _, groups = fit_groups(training_sample(pictures, tmp_path, 1))

    assert [group.fake for group in groups] == [False, False, True, True]


def test_a_pictures_score_is_the_mean_of_its_patches():
    assert by_picture(np.array([0, 0, 1]), np.array([1.0, 3.0, 5.0])).tolist() == [2.0, 5.0]
