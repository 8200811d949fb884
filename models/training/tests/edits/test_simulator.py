from collections import Counter

import cv2
import numpy as np
import pytest
import torch

from forensics_training.data.crops import Crop
from forensics_training.degrade.histories import apply_past, draw_past
from forensics_training.edits.simulator import KINDS, VISIBLE, Simulator, edit, visible
from tests.helpers import Watched, coarser, textured


@pytest.fixture(scope="module")
def drawn():
    simulator = Simulator(Watched(), [coarser])
    return simulator, [simulator.pair(seed) for seed in range(90)]


def test_the_same_seed_gives_the_same_bytes_and_another_seed_others(drawn):
    simulator, pairs = drawn

    torch.manual_seed(99)
    cv2.setRNGSeed(99)
    again = [simulator.pair(seed) for seed in range(20)]

    for pair, repeated in zip(pairs, again):
        for one, other in zip(pair, repeated):
            assert one.file == other.file
            assert np.array_equal(one.share, other.share)
    assert len({changed.file for changed, _ in pairs}) == len(pairs)


@pytest.mark.parametrize("kind", KINDS)
def test_nothing_changes_outside_of_the_share_before_the_save(kind):
    for seed in range(12):
        random = np.random.default_rng(seed)
        host = apply_past(textured(seed, 256), draw_past(100, random))

        piece = edit(kind, host, textured(seed + 50, 224), [coarser], random)

        assert np.array_equal(piece.rgb[piece.share == 0], host[piece.share == 0])
        assert piece.share.shape == host.shape[:2]


@pytest.mark.parametrize("kind", ["splice", "removal", "treatment", "repaint"])
def test_most_pixels_of_the_share_are_really_new(kind):
    changed = []
    for seed in range(12):
        host = textured(seed, 256)

        piece = edit(kind, host, textured(seed + 50, 224), [coarser], np.random.default_rng(seed))

        new = (piece.rgb != host).any(axis=2)[piece.share > 127]
        changed.append(new.mean())
    assert np.median(changed) > 0.9


def test_the_mask_of_a_finished_file_marks_where_it_differs_from_its_counterpart(drawn):
    _, pairs = drawn
    lossless = [pair for pair in pairs if pair[0].future.last.format == "png" and pair[0].future.between is None]

    assert len(lossless) >= 8
    for changed, counterpart in lossless:
        far = cv2.dilate(changed.share, np.ones((13, 13), np.uint8)) == 0  # Lanczos reaches 6 px at half size

        assert np.array_equal(changed.rgb[far], counterpart.rgb[far])
        difference = np.abs(changed.rgb.astype(float) - counterpart.rgb)[changed.mask].mean()
        assert difference > 0.5 * VISIBLE


def test_both_pictures_of_a_pair_share_history_size_and_format_and_only_one_has_a_mask(drawn):
    _, pairs = drawn

    for changed, counterpart in pairs:
        assert (changed.past, changed.future) == (counterpart.past, counterpart.future)
        assert changed.rgb.shape == counterpart.rgb.shape
        assert changed.file[:12] == counterpart.file[:12] or changed.future.last.format == "webp"
        assert changed.mask.any() and not counterpart.share.any() and not counterpart.origin.any()
        assert counterpart.sources == changed.sources[:1]


def test_the_tables_of_the_files_are_alike_in_both_classes(drawn):
    _, pairs = drawn
    tables = [[one.file[one.file.index(b"\xff\xdb") :][:67] for one in pair if one.future.last.format == "jpeg"]
              for pair in pairs]  # fmt: skip

    assert sum(bool(pair) for pair in tables) > 30
    assert Counter(pair[0] for pair in tables if pair) == Counter(pair[1] for pair in tables if pair)


def test_every_kind_edge_format_and_way_of_repainting_occurs(drawn):
    _, pairs = drawn
    changed = [pair[0] for pair in pairs]

    assert {one.kind for one in changed} == set(KINDS)
    assert {one.future.last.format for one in changed} == {"jpeg", "png", "webp"}
    assert {one.past.save is None for one in changed} == {True, False}
    assert {one.how.split(":")[0] for one in changed if one.kind == "repaint"} == {
        "generated", "generated, re-encoded", "inpainted, re-encoded", "re-encoded"}  # fmt: skip


def test_a_mask_follows_a_cut_and_a_smaller_size(drawn):
    _, pairs = drawn
    smaller = [changed for changed, _ in pairs if changed.future.scale < 1]

    assert smaller
    for one, _ in pairs:
        assert one.share.shape == one.origin.shape == one.rgb.shape[:2]
        assert min(one.rgb.shape[:2]) >= 160


def test_the_origin_of_a_copy_is_marked(drawn):
    simulator, _ = drawn

    for seed in range(10):
        changed, _ = simulator.pair(seed, "copy-move")

        source, copy = changed.origin > 127, changed.mask
        assert source.any()
        assert (source & copy).sum() <= 0.35 * copy.sum()


def test_only_pictures_of_the_split_are_read_and_generated_ones_only_to_repaint(drawn):
    for split in ("train", "calibration"):
        pictures = Watched()
        simulator = Simulator(pictures, [coarser], split)

        for seed in range(15):
            simulator.pair(seed, "splice")

        assert {item.split for item in pictures.was_read} == {split}
        assert not any(item.fake for item in pictures.was_read)
    by_file = {item.file: item for item in drawn[0].pictures.items}
    assert {item.split for item in drawn[0].pictures.was_read} == {"train"}
    for changed, _ in drawn[1]:
        assert not by_file[changed.sources[0]].fake
        assert changed.kind == "repaint" or not any(by_file[file].fake for file in changed.sources)


def test_every_second_donor_is_chosen_for_its_colours(drawn):
    simulator, random = drawn[0], np.random.default_rng(1)
    host = simulator.real.items[0]

    def distance(item: Crop) -> float:
        return float(np.abs(simulator.colours(item) - simulator.colours(host)).sum())

    donors = [simulator.draw_donor(host, simulator.generated, random) for _ in range(200)]

    best = min(simulator.generated.items, key=distance)
    assert np.mean([donor == best for donor in donors]) > 0.45
    assert {donor.file for donor in donors} == {item.file for item in simulator.generated.items}


def test_pictures_of_the_validation_split_are_refused():
    with pytest.raises(ValueError, match="never of val"):
        Simulator(Watched(), [], "val")


def test_invisible_edits_are_rejected():
    host = np.full((224, 224, 3), 200, np.uint8)

    piece = edit("copy-move", host, host, [], np.random.default_rng(1))

    assert not visible(host, piece, "copy-move")


def test_without_autoencoders_every_repainted_region_is_of_a_generated_picture():
    simulator = Simulator(Watched(), [])

    hows = {simulator.pair(seed, "repaint")[0].how.split(":")[0] for seed in range(8)}

    assert hows == {"generated"}
