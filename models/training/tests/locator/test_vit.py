"""The network of locate-2, its examples and its training."""

import json
import zipfile
from pathlib import Path

import cv2
import numpy as np
import pytest
import torch

from forensics_training.backbone.dinov2 import ViT
from forensics_training.degrade.codecs import Save, decode, encode
from forensics_training.edits.drawings import draw_scene
from forensics_training.locator.network import Locator
from forensics_training.locator.vit_check import LEVELS, f1_by_level, figures, read
from forensics_training.locator.vit_examples import KINDS, Hosts, Pool, again_path, make_pair
from forensics_training.locator.vit_network import VitLocator, load_start, view
from forensics_training.locator.vit_train import Plan, Run, loss_of, rate_at

SIZE = (256, 384)


@pytest.fixture(scope="module")
def hosts(tmp_path_factory: pytest.TempPathFactory) -> Hosts:
    folder = tmp_path_factory.mktemp("hosts")
    index = []
    with zipfile.ZipFile(folder / "hosts-0.zip", "w") as file:
        for at, label in enumerate(("real", "real", "ai-generated")):
            scene = draw_scene(448, np.random.default_rng(at))
            scene[:180] = scene[:180] // 8 + 190  # something like a sky
            file.writestr(f"{at}.jpg", encode(scene, Save("jpeg", 95)))
            index.append({"name": f"{at}.jpg", "source": f"source {at}", "label": label})
        file.writestr("index.json", json.dumps(index))
    found = Hosts(folder)
    found.scenes = [draw_scene(400, np.random.default_rng(5))] * 4
    return found


@pytest.fixture(scope="module")
def model() -> VitLocator:
    torch.manual_seed(1)
    return VitLocator(rank=2)


def batch() -> tuple[torch.Tensor, torch.Tensor]:
    rgb = torch.randint(0, 256, (2, 64, 96, 3), dtype=torch.uint8, generator=torch.Generator().manual_seed(1))
    return rgb, torch.full((2, 64), 5.0)


def test_the_view_keeps_the_shape_in_whole_patches():
    assert view(torch.zeros(1, 3, 600, 1200), 518).shape == (1, 3, 252, 518)
    assert view(torch.zeros(1, 3, 200, 100), 392).shape == (1, 3, 392, 196)


def test_at_the_start_the_map_is_that_of_the_pixel_network(model: VitLocator):
    rgb, table = batch()
    with torch.no_grad():
        found, before = model.eval()(rgb, table, 112), model.pixels(rgb, table)

    assert torch.allclose(found.changed, before.changed, atol=1e-4)
    assert found.changed.shape == found.trust.shape == (2, 1, 16, 24) and found.score.shape == (2,)


def test_published_weights_are_taken_over(model: VitLocator):
    torch.manual_seed(2)
    vit, pixels = ViT(), Locator()
    load_start(model, vit.state_dict(), pixels.state_dict())

    assert torch.equal(model.vit.blocks[3].fc1.linear.weight, vit.blocks[3].fc1.weight)
    assert torch.equal(model.pixels.changed.weight, pixels.changed.weight)
    assert not any("linear" in name for name in model.learned() if name.startswith("vit."))


@pytest.mark.parametrize("kind", KINDS)
def test_each_kind_changes_what_the_mask_says(hosts: Hosts, kind: str):
    pair = make_pair(hosts, SIZE, ("",), np.random.default_rng(3), kind)
    changed, untouched = (decode(file) for file in pair.files)

    assert changed.shape == untouched.shape == (*SIZE, 3) and pair.share.shape == SIZE
    inside, differs = pair.share > 127, np.abs(changed.astype(int) - untouched).mean(2)
    assert inside.any()
    assert differs[inside].mean() > differs[~inside].mean()


def test_the_same_seed_gives_the_same_pair(hosts: Hosts):
    one, other = (make_pair(hosts, SIZE, ("",), np.random.default_rng(9)) for _ in range(2))

    assert one.files == other.files and np.array_equal(one.share, other.share)


def test_regenerated_regions_come_from_the_autoencoder_where_there_is_one(hosts: Hosts):
    (hosts.folder / "again").mkdir()
    for name in ("0.jpg", "1.jpg"):
        np.save(again_path(hosts.folder, name), np.full((448, 448, 3), 255, np.uint8))

    assert hosts.again(hosts.by["real"]["source 0"][0]).mean() == 255


def test_pairs_are_drawn_changed_ones_first(hosts: Hosts):
    pool = Pool(4, 1)
    pair = make_pair(hosts, SIZE, ("",), np.random.default_rng(4), "splice")
    for size in pool.ready:
        if size != SIZE:
            pool.ready[size][:] = 0
    for place in range(len(pool.ready[SIZE])):
        pool.write(SIZE, place, pair)
    drawn = next(one for one in (pool.draw(1, np.random.default_rng(seed)) for seed in range(60)) if one is not None)

    assert np.array_equal(drawn[0][0], decode(pair.files[0])) and np.array_equal(drawn[0][1], decode(pair.files[1]))
    assert np.array_equal(drawn[1][0], pair.share) and drawn[2].shape == (2, 64)


def test_f1_of_every_level():
    values = f1_by_level(torch.tensor([[0.9, 0.6], [0.2, 0.1]]), torch.tensor([[True, True], [False, False]]))

    assert values[LEVELS // 2] == 1 and values[0] == pytest.approx(2 / 3)


def test_the_rate_rises_and_falls():
    assert rate_at(0.015, 0.03) == 0.5
    assert rate_at(0.03, 0.03) > rate_at(0.5, 0.03) > rate_at(1, 0.03) > 0


def test_a_run_goes_on_and_is_watched(model: VitLocator, tmp_path: Path):
    rgb, table = batch()
    share = torch.zeros(1, 64, 96, dtype=torch.uint8)
    share[:, 16:48, 16:48] = 255
    index = []
    with zipfile.ZipFile(tmp_path / "check.zip", "w") as file:
        for at, changed in enumerate((True, False)):
            file.writestr(str(at), encode(rgb[at].numpy(), Save("png")))
            if changed:
                file.writestr(f"{at}.png", cv2.imencode(".png", share[0].numpy())[1].tobytes())
            index.append({"name": str(at), "group": "research", "changed": changed})
        file.writestr("index.json", json.dumps(index))
    run = Run(model, tmp_path, Plan(1), torch.device("cpu"), tmp_path / "check.zip")
    run.model.train()
    losses = [float(run.learn(rgb, share, table, 112)) for _ in range(4)]
    run.step = 4
    run.keep()

    assert np.isfinite(losses).all()
    again = Run(VitLocator(rank=2), tmp_path, Plan(1), torch.device("cpu"))
    assert again.step == 4
    assert torch.equal(again.model.changed.weight, run.model.changed.weight)
    assert (tmp_path / "weights.f16.pt").exists() and (tmp_path / "figures.jsonl").exists()
    assert set(figures(run.average, read(tmp_path / "check.zip"), torch.device("cpu"), 112)) == {"research", "research, JPEG 75"}


def test_untouched_pictures_are_to_stay_dark(model: VitLocator):
    rgb, table = batch()
    share = torch.full((1, 64, 96), 255, dtype=torch.uint8)
    with torch.no_grad():
        found = model.eval()(rgb, table, 112)
        high, low = (loss_of(type(found)(torch.stack([found.changed[0] * 0 + 5, found.changed[1] * 0 + level]), found.trust, found.score, found.first), share) for level in (5.0, -5.0))

    assert high > low + 1
