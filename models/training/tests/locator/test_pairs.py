import numpy as np
import pytest

from forensics_training.data.crops import ANNEX_K_LUMINANCE
from forensics_training.degrade.codecs import Save, encode
from forensics_training.edits.simulator import Simulator
from forensics_training.locator.pairs import Pairs, photographs, reading, store
from tests.helpers import Watched, textured


@pytest.fixture(scope="module")
def stored(tmp_path_factory):
    simulator, folder = Simulator(Watched(), []), tmp_path_factory.mktemp("pairs")
    store(simulator, folder, 7, 3)
    return simulator, folder


def test_a_pair_is_read_as_it_was_simulated(stored):
    simulator, folder = stored
    changed, counterpart = simulator.pair(7 + 2)

    pairs = Pairs(folder, 3)

    assert len(pairs) == 3
    assert pairs.entries[2][1].kind == changed.kind
    assert pairs.sides[2] == min(changed.share.shape)
    for told, made in zip(pairs.read(2), (changed, counterpart), strict=True):
        assert np.array_equal(told.share, made.share)
        # Another decoder than the simulator's: libjpeg versions may differ by a level or two, mostly in chroma.
        assert np.abs(told.rgb.astype(int) - made.rgb).mean() < 1


def test_an_interrupted_shard_is_written_again_and_a_complete_one_kept(stored, capsys):
    simulator, folder = stored
    whole = (folder / "0000.bin").read_bytes()
    (folder / "0000.json").unlink()
    (folder / "0000.bin").write_bytes(whole[:100])

    for _ in range(2):
        store(simulator, folder, 7, 3)

    assert (folder / "0000.bin").read_bytes() == whole
    assert capsys.readouterr().out == "shard 1\n"


def test_the_table_comes_in_natural_order_and_is_zero_where_there_is_none():
    rgb = textured(1, 64)

    jpeg, png = (reading(encode(rgb, save)) for save in (Save("jpeg", 50), Save("png")))

    assert np.array_equal(jpeg.table, ANNEX_K_LUMINANCE)
    assert not png.table.any()


def test_photographs_are_grouped_by_source_without_generated_pictures(tmp_path):
    items = Watched().of("train")
    for item in items:
        path = tmp_path / item.file
        path.write_bytes(encode(textured(1, 64), Save("png")))

    by_source = photographs(tmp_path, items)

    assert {source: len(crops) for source, crops in by_source.items()} == {item.source: 1 for item in items if not item.fake}
