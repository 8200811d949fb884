import csv
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

from forensics_training.data.pictures import Item
from forensics_training.locator import photograph_pairs as locate_whole
from forensics_training.locator.pairs import Pairs
from forensics_training.locator.photograph_pairs import CLOSE_PX, GENERATED, WINDOW, WINDOW_PX, Squares, crop_around, box_of, apply_later_history, pair, store, write


class Photographs:
    """Noise instead of pictures: two sources, each picture in its own colour."""

    window = WINDOW

    def draw(self, random: np.random.Generator) -> Item:
        number = int(random.integers(4))
        return Item(f"{number}", "train", "real", f"source {number % 2}", "camera")

    def read(self, item: Item) -> np.ndarray:
        random = np.random.default_rng(int(item.key))
        return np.clip(random.normal(60 + 40 * int(item.key), 20, (960, 1280, 3)), 0, 255).astype(np.uint8)

    def longer(self, item: Item, rgb: np.ndarray) -> int:
        return max(rgb.shape[:2])


@pytest.fixture
def copied(monkeypatch):
    """Only kinds that need no autoencoder."""
    monkeypatch.setattr(locate_whole, "KINDS", {"splice": 0.5, "copy-move": 0.5})


def test_a_pair_differs_only_where_its_mask_says_so(copied):
    seeds = [seed for seed in range(12) if np.random.default_rng(seed) and pair(Photographs(), [], seed)[1].shape[:2] == (960, 1280)]
    assert seeds  # some are re-saved at their own size

    for seed in seeds:
        kind, changed, counterpart, share, saved = pair(Photographs(), [], seed)
        assert kind in ("splice", "copy-move")
        assert (changed[share == 0] == counterpart[share == 0]).all()
        assert 0 < (share > 127).mean() < 0.45 * (WINDOW_PX[1] / 960) ** 2
        assert 70 <= saved["quality"] <= 96


def test_only_pictures_of_the_size_that_was_asked_for_are_kept(copied):
    shares = [pair(Photographs(), [], seed, least=960 * 1280)[3] for seed in range(6)]

    assert {share.shape for share in shares} == {(960, 1280)}


def test_cutting_keeps_the_change_and_enlarges_its_share(copied):
    whole, window, close = (pair(Photographs(), [], 3, cut)[3] for cut in (None, "window", "close"))

    assert close.size < window.size < whole.size
    assert (close > 127).mean() > (window > 127).mean() > (whole > 127).mean()


def test_the_surroundings_lie_inside_the_picture_and_on_its_block_grid():
    rows, columns = np.mgrid[:640, :960]

    top, left = (layer[0, 0] for layer in crop_around((320, 640, 320, 320), np.random.default_rng(1), rows, columns))

    assert top % 8 == left % 8 == 0 and 0 <= top <= 320 and 0 <= left <= 640


@pytest.mark.parametrize(("rows", "columns"), [((100, 140), (200, 230)), ((0, 500), (3, 900)), ((990, 1000), (990, 1000))])
def test_a_crop_close_to_the_change_contains_all_of_it(rows, columns):
    share = np.zeros((1000, 1000), np.uint8)
    share[slice(*rows), slice(*columns)] = 255
    box = box_of(share)

    cuts = [crop_around(box, np.random.default_rng(seed), share)[0] for seed in range(8)]

    assert all((cut > 0).sum() == (share > 0).sum() for cut in cuts)
    assert all(min(cut.shape) >= CLOSE_PX and cut.shape[0] % 8 == cut.shape[1] % 8 == 0 for cut in cuts)


def test_all_three_layers_get_the_same_size():
    layers = (np.zeros((1200, 2000, 3), np.uint8), np.zeros((1200, 2000, 3), np.uint8), np.zeros((1200, 2000), np.uint8))
    for seed in range(8):
        changed, counterpart, share, _ = apply_later_history(*layers, np.random.default_rng(seed), max(layers[2].shape))
        assert changed.shape[:2] == counterpart.shape[:2] == share.shape and max(share.shape) <= 2000


def test_an_interrupted_run_continues_and_the_index_lists_complete_pairs(copied, tmp_path):
    write(lambda number: pair(Photographs(), [], number), tmp_path, 1)
    first = (tmp_path / "0000-changed.jpg").stat().st_mtime_ns

    write(lambda number: pair(Photographs(), [], number), tmp_path, 2)

    rows = list(csv.DictReader((tmp_path / "index.csv").open()))
    assert [row["number"] for row in rows] == ["0", "1"]
    assert (tmp_path / "0000-changed.jpg").stat().st_mtime_ns == first
    assert all((tmp_path / row[name]).exists() for row in rows for name in ("changed", "twin", "mask"))


def test_sources_whose_repository_is_not_in_the_mirror_are_left_out_and_named(tmp_path, capsys):
    (tmp_path / "a+here" / "repo").mkdir(parents=True)
    items = [replace(Item("00", "val", "real", source, "camera"), arrays=("view",)) for source in ("a/here", "b/missing")]

    photographs = locate_whole.Photographs(SimpleNamespace(items=items), tmp_path, "val")

    assert [group[0].source for group in photographs.sources] == ["a/here"]
    assert capsys.readouterr().out == f"Left out, not in {tmp_path}: b/missing\n"


def test_squares_are_made_once_and_training_pairs_stored_of_them(copied, tmp_path, monkeypatch):
    monkeypatch.setattr(locate_whole, "DRAWN", 2)
    photographs = Photographs()
    photographs.sources = [[Item(f"{at}00000000000", "train", "real", f"source {at}", "camera")] for at in (0, 1)]
    photographs.generated = [[Item(f"{2 + at}00000000000", "train", "ai-generated", f"source {2 + at}", "some")] for at in range(GENERATED)]
    squares = Squares(tmp_path / "squares", photographs)

    store(squares, [], tmp_path / "pairs", 3)
    again = Squares(tmp_path / "squares", None)

    assert [group[0].source for group in again.sources] == ["source 0", "source 1", "source 2", "drawn 0", "drawn 1"]
    assert all(again.read(group[0]).shape[2] == 3 for group in again.sources)
    pairs = Pairs(tmp_path / "pairs", 3)
    for number in range(3):
        changed, counterpart = pairs.read(number)
        assert changed.rgb.shape == counterpart.rgb.shape and (changed.share > 127).any() and not counterpart.share.any()
