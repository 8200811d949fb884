import pytest
import torch

from forensics_training.locator.network import Locator, Parts, compared, pooled


def picture(height: int, width: int, seed: int = 1) -> torch.Tensor:
    return torch.randint(0, 256, (2, height, width, 3), dtype=torch.uint8, generator=torch.Generator().manual_seed(seed))


@pytest.mark.parametrize(("height", "width"), [(65, 65), (72, 136), (129, 90)])
def test_maps_cover_the_whole_blocks_of_any_size(height: int, width: int):
    found = Locator().eval()(picture(height, width), torch.zeros(2, 64))

    size = (2, 1, -(-height // 8) * 2, -(-width // 8) * 2)
    assert found.changed.shape == found.trust.shape == size
    assert found.score.shape == (2,)
    assert torch.isfinite(found.changed).all() and torch.isfinite(found.score).all()


def test_what_a_part_was_left_out_of_does_not_depend_on_it():
    locator, rgb = Locator(Parts(histogram=False)).eval(), picture(96, 96)
    locator.quality.requires_grad_(False)
    torch.nn.init.zeros_(locator.quality[2].weight)

    answers = [locator(rgb, torch.full((2, 64), steps)).changed for steps in (4.0, 9.0)]

    assert torch.equal(*answers)


def test_a_change_in_one_corner_is_felt_in_the_other_by_way_of_the_mean_of_the_picture():
    torch.manual_seed(1)
    rgb, table = picture(512, 512), torch.zeros(2, 64)
    smoother = rgb.clone()
    smoother[:, :128, :128] = 128

    felt = {}
    for compared in (True, False):
        locator = Locator(Parts(compared=compared)).eval()
        felt[compared] = (locator(rgb, table).changed - locator(smoother, table).changed)[..., -4:, -4:].abs().max()

    assert felt[True] > 0 and felt[False] == 0


def test_trust_does_not_pull_at_the_map_and_the_score_does():
    locator = Locator()
    found = locator(picture(64, 64), torch.zeros(2, 64))

    found.trust.sum().backward(retain_graph=True)
    assert locator.changed.weight.grad is None and locator.scale1[0].weight.grad is None
    found.score.sum().backward()
    assert locator.changed.weight.grad is not None and locator.scale1[0].weight.grad is not None


def test_the_score_hears_the_features_where_most_was_changed_and_of_the_rest():
    features, changed = torch.zeros(1, 2, 4, 4), torch.full((1, 1, 8, 8), -9.0)
    features[:, 0, 0, 0], features[:, 1, 1:] = 5, 1
    changed[..., :2, :2] = 9

    most, rest = compared(features, changed).reshape(2, 2)

    assert most.tolist() == pytest.approx([5, 0], abs=0.01)
    assert rest[0] < 0.01 and rest[1] == pytest.approx(12 / 15, abs=0.01)


def test_where_nothing_is_trusted_the_mean_of_the_score_hears_nothing():
    changed = torch.zeros(1, 1, 8, 8)
    changed[..., :4, :] = 6
    trusted, doubted = torch.full_like(changed, 5), torch.full_like(changed, 5)
    doubted[..., :4, :] = -9

    assert pooled(changed, trusted)[0, 0] > 0.7
    assert pooled(changed, doubted)[0, 0] < 0.01
