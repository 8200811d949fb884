import numpy as np
import torch

from combine import MEMBERS, Added, Votes, combine
from discriminant import Scale
from export import export_model, open_session
from handmade import Statistics
from network import FEATURES, Backbone, Head


def votes_of(seed: int = 1) -> Votes:
    random, statistics = np.random.default_rng(seed), Statistics()
    width = statistics.describe(torch.zeros(1, sum(statistics.widths))).shape[1]
    scale = Scale(random.normal(size=width), np.full(width, 2.0))
    return Votes(scale, random.normal(size=(width, MEMBERS)) / 20, random.normal(size=MEMBERS))


def picture(rows: int, columns: int) -> torch.Tensor:
    random = np.random.default_rng(rows)
    return torch.from_numpy(random.integers(0, 256, (1, 16 * rows, 16 * columns, 3), dtype=np.uint8))


def test_a_cell_holds_the_vote_on_the_window_around_it_and_at_the_border_on_the_nearest_one():
    votes, rgb = votes_of(), picture(11, 9)

    cells = votes(rgb)[0]

    maps = votes.statistics(rgb)[0]
    for row, column, top, left in ((0, 0, 0, 0), (4, 8, 0, 1), (6, 4, 2, 0), (10, 5, 3, 1)):
        window = maps[:, top : top + 8, left : left + 8].mean((1, 2))
        assert torch.allclose(cells[:, row, column], votes.judge(window[None])[0], atol=1e-3)


def test_a_picture_of_one_window_has_one_vote_everywhere():
    cells = votes_of()(picture(8, 8))[0]

    assert torch.allclose(cells, cells[:, :1, :1].expand_as(cells), atol=1e-4)


def test_without_dropout_the_decision_moves_by_the_mean_vote_and_nothing_else_moves():
    logits, votes = torch.randn(1, 4, 3), torch.randn(4, MEMBERS)

    both = Added()(logits, votes, torch.ones(1, MEMBERS))

    assert torch.allclose((both - logits)[0, :, 1] - (both - logits)[0, :, 0], votes.mean(1), atol=1e-5)
    assert torch.allclose(both[..., :2].sum(2), logits[..., :2].sum(2), atol=1e-5)
    assert torch.equal(both[..., 2], logits[..., 2])


def test_over_many_passes_the_decision_scatters_as_the_members_do():
    torch.manual_seed(1)
    votes = torch.randn(1, MEMBERS)
    masks = (torch.rand(4000, MEMBERS) >= 0.2).float() / 0.8

    both = Added()(torch.zeros(4000, 1, 3), votes, masks)

    decisions = both[:, 0, 1] - both[:, 0, 0]
    assert torch.isclose(decisions.std(), votes.std(correction=0), rtol=0.05)
    assert torch.isclose(decisions.mean(), votes.mean(), atol=0.05)


def test_the_joined_files_take_any_size_and_keep_the_contract_of_the_product(tmp_path):
    torch.manual_seed(1)
    export_model(Backbone(), Head(), tmp_path / "network")

    combine(tmp_path / "network", votes_of(), tmp_path / "both")

    features = open_session(tmp_path / "both" / "model.onnx").run(["features"], {"rgb": picture(5, 12).numpy()})[0]
    assert features.shape == (1, FEATURES + MEMBERS, 5, 12)
    head = open_session(tmp_path / "both" / "head.onnx")
    given = {"features": features[0].reshape(FEATURES + MEMBERS, -1).T.copy(), "masks": np.ones((2, FEATURES + MEMBERS), np.float32)}
    logits, embedding = head.run(["logits", "embedding"], given)
    assert (logits.shape, embedding.shape) == ((2, 60, 3), (60, 32))
    assert sorted(path.name for path in (tmp_path / "both").iterdir()) == ["head.onnx", "model.onnx"]
