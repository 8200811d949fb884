import numpy as np
import pytest
import torch

from forensics_training.data.crops import Crop, Crops
from forensics_training.edits.family import DESIGNS, UPSAMPLING, Autoencoder, Design, Loss, open_family, train


def pictures() -> Crops:
    """Twelve real training pictures from three sources, one that is too small, one generated, and one from another split."""
    sizes = [(240, f"site {n % 3}", "train", False) for n in range(12)]
    sizes += [(100, "site 3", "train", False), (240, "site 4", "train", True), (240, "site 5", "calibration", False)]
    random, items, pixels = np.random.default_rng(1), [], []
    for number, (side, source, split, fake) in enumerate(sizes):
        items.append(Crop(f"{number}", split, fake, "web", source, side, side, sum(p.size for p in pixels), 90))
        pixels.append(random.integers(0, 256, side * side * 3, dtype=np.uint8))
    opened = Crops.__new__(Crops)
    opened.items, opened.pixels = items, np.concatenate(pixels)
    return opened


@pytest.mark.parametrize("design", DESIGNS, ids=lambda design: design.name)
def test_every_autoencoder_keeps_the_size_of_the_picture(design):
    network = Autoencoder(design).eval()

    with torch.no_grad():
        out = network(torch.rand(2, 3, 64, 96))

    assert out.shape == (2, 3, 64, 96)


def test_the_designs_cover_all_upsamplings_and_three_depths():
    assert {design.upsampling for design in DESIGNS} == set(UPSAMPLING)
    assert {design.halvings for design in DESIGNS} == {2, 3, 4}
    assert len({design.name for design in DESIGNS}) == len(DESIGNS)


def test_noise_on_the_latent_changes_the_picture():
    network, rgb = Autoencoder(Design(2, 4, "nearest", False)).eval(), torch.rand(1, 3, 32, 32)

    with torch.no_grad():
        clean, again, noisy = network(rgb), network(rgb), network(rgb, noise=0.3)

    assert torch.equal(clean, again)
    assert not torch.equal(clean, noisy)


def test_a_blurred_copy_costs_more_where_the_loss_asks_for_detail():
    random = np.random.default_rng(3)
    rgb = torch.from_numpy(random.random((1, 3, 64, 64), np.float32))
    blurred = torch.nn.functional.avg_pool2d(rgb, 3, 1, 1)

    plain, detailed = Loss(False), Loss(True)

    assert detailed(blurred, rgb) > plain(blurred, rgb)
    assert detailed(rgb, rgb) == plain(rgb, rgb) == 0


def test_the_loss_is_computed_where_the_pictures_are():
    meta = torch.device("meta")
    loss, rgb = Loss(True, meta), torch.rand(1, 3, 32, 32, device=meta)

    assert {loss(rgb, rgb).device, loss.kernels.device, loss.to_luma.device} == {meta}


@pytest.fixture
def two_designs(monkeypatch):
    monkeypatch.setattr("forensics_training.edits.family.DESIGNS", (Design(2, 4, "bilinear", False), Design(2, 8, "nearest", True)))


def test_members_are_trained_once_and_again_when_the_steps_change(two_designs, tmp_path, capsys):
    def trained(steps: int) -> str:
        assert len(open_family(pictures(), tmp_path, steps, seed=3)) == 2
        return capsys.readouterr().out

    said = [trained(1), trained(1), trained(2)]

    assert [one.count(" dB") for one in said] == [2, 0, 2]
    assert [one.count("changed: steps") for one in said] == [0, 0, 2]


def test_weights_without_a_note_are_trained_again(two_designs, tmp_path, capsys):
    open_family(pictures(), tmp_path, 1, seed=3)
    next((tmp_path / "family").glob("*.json")).unlink()
    capsys.readouterr()

    open_family(pictures(), tmp_path, 1, seed=3)

    assert capsys.readouterr().out.count(" dB") == 1


@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a CUDA device")
def test_a_family_trained_on_a_cuda_device_is_opened_on_the_processor(two_designs, tmp_path, capsys):
    there = open_family(pictures(), tmp_path, 2, seed=3, device=torch.device("cuda"))
    capsys.readouterr()
    here = open_family(pictures(), tmp_path, 2, seed=3)

    assert capsys.readouterr().out == ""
    for one, other in zip(there, here, strict=True):
        assert next(one.parameters()).is_cuda
        for mine, theirs in zip(one.parameters(), other.parameters(), strict=True):
            assert torch.equal(mine.cpu(), theirs)


def test_training_reconstructs_detail_beyond_the_mean_colours():
    stripes = (torch.arange(96) % 4 < 2).float() - 0.5
    rgb = 0.5 + 0.4 * stripes * torch.rand(4, 3, 8, 1, generator=torch.Generator().manual_seed(1)).repeat_interleave(12, 2)
    design = Design(2, 8, "shuffle", False)
    torch.manual_seed(1)
    untrained = Autoencoder(design)

    trained = train(design, lambda _: rgb, steps=60, seed=1)

    with torch.no_grad():
        assert (trained(rgb) - rgb).abs().mean() < 0.5 * (untrained(rgb) - rgb).abs().mean()
