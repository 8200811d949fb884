import pytest
import torch

from forensics_training.locator.network import Locator, pool_features, pool_maps


def picture(height: int, width: int, seed: int = 1) -> torch.Tensor:
    return torch.randint(0, 256, (2, height, width, 3), dtype=torch.uint8, generator=torch.Generator().manual_seed(seed))


@pytest.mark.parametrize(("height", "width"), [(65, 65), (72, 136), (129, 90)])
def test_maps_cover_the_whole_blocks_of_any_size(height: int, width: int):
    found = Locator().eval()(picture(height, width), torch.zeros(2, 64))

    size = (2, 1, -(-height // 8) * 2, -(-width // 8) * 2)
    assert found.changed.shape == found.trust.shape == size
    assert found.score.shape == (2,)
    assert torch.isfinite(found.changed).all() and torch.isfinite(found.score).all()


class Unchanged(torch.nn.Module):
    def forward(self, x: torch.Tensor, weight: torch.Tensor) -> torch.Tensor:
        return x


def test_a_change_in_one_corner_reaches_the_other_only_through_the_statistics_of_the_picture():
    torch.manual_seed(1)
    rgb, table = picture(512, 512), torch.zeros(2, 64)
    smoother = rgb.clone()
    smoother[:, :128, :128] = 128
    whole, local = Locator().eval(), Locator().eval()
    local.against = local.again = Unchanged()

    differences = [(one(rgb, table).changed - one(smoother, table).changed)[..., -4:, -4:].abs().max() for one in (whole, local)]

    assert differences[0] > 0 and differences[1] == 0


def test_trust_has_no_gradient_into_the_map_and_the_score_has():
    locator = Locator()
    found = locator(picture(64, 64), torch.zeros(2, 64))

    found.trust.sum().backward(retain_graph=True)
    assert locator.changed.weight.grad is None and locator.scale1[0].weight.grad is None
    found.score.sum().backward()
    assert locator.changed.weight.grad is not None and locator.scale1[0].weight.grad is not None


def test_the_score_reads_features_of_the_most_changed_places_and_of_the_rest():
    features, changed = torch.zeros(1, 2, 4, 4), torch.full((1, 1, 8, 8), -9.0)
    features[:, 0, 0, 0], features[:, 1, 1:] = 5, 1
    changed[..., :2, :2] = 9

    most, rest = pool_features(features, changed).reshape(2, 2)

    assert most.tolist() == pytest.approx([5, 0], abs=0.01)
    assert rest[0] < 0.01 and rest[1] == pytest.approx(12 / 15, abs=0.01)


def test_places_without_trust_do_not_count_for_the_mean():
    changed = torch.zeros(1, 1, 8, 8)
    changed[..., :4, :] = 6
    trusted, doubted = torch.full_like(changed, 5), torch.full_like(changed, 5)
    doubted[..., :4, :] = -9

    assert pool_maps(changed, trusted)[0, 0] > 0.7
    assert pool_maps(changed, doubted)[0, 0] < 0.01
