import numpy as np
import onnx
import torch

from combine import MEMBERS, SHARE, Added, Votes, combine, export_votes
from discriminant import Scale
from evaluate import Network
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


def test_without_dropout_the_decision_is_the_mean_vote_and_a_share_of_the_networks_and_nothing_else_moves():
    logits, votes = torch.randn(1, 4, 3), torch.randn(4, MEMBERS)

    both = Added()(logits, votes, torch.ones(1, MEMBERS))

    apart, before = (difference[0, :, 1] - difference[0, :, 0] for difference in (both, logits))
    assert torch.allclose(apart, SHARE * before + votes.mean(1), atol=1e-5)
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


def test_the_files_take_any_size_and_the_head_takes_both_arms(tmp_path):
    torch.manual_seed(1)
    export_model(Backbone(), Head(), tmp_path / "network")

    combine(tmp_path / "network", votes_of(), tmp_path / "out")

    network, rgb = Network(tmp_path / "out"), picture(9, 12).numpy()
    assert (network.backbone(rgb).shape, network.votes(rgb).shape) == ((FEATURES, 9, 12), (MEMBERS, 9, 12))
    given = {"features": network.features(rgb[0]), "masks": np.ones((2, FEATURES + MEMBERS), np.float32)}
    logits, embedding = open_session(tmp_path / "out" / "head.onnx").run(["logits", "embedding"], given)
    assert (logits.shape, embedding.shape) == ((2, 4, 3), (4, 32))
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == ["head.onnx", "model.onnx", "votes.onnx"]


def test_the_spread_of_the_passes_is_that_of_the_head_under_each_mask(tmp_path):
    torch.manual_seed(1)
    export_model(Backbone(), Head(), tmp_path)
    network = Network(tmp_path)
    features = np.random.default_rng(1).random((5, FEATURES)).astype(np.float32)
    masks = np.stack([np.ones(FEATURES), np.zeros(FEATURES)]).astype(np.float32)

    passes = network.passes(features, masks)

    np.testing.assert_allclose(passes[0], network.head(features)[0].mean(0), atol=1e-5)
    assert not np.allclose(passes[0], passes[1])


def test_the_exported_votes_name_the_sizes_of_their_tensors_and_name_none_wrongly(tmp_path, capfd):
    export_votes(votes_of(), tmp_path / "votes.onnx")

    graph, session = onnx.load(tmp_path / "votes.onnx").graph, open_session(tmp_path / "votes.onnx")
    for rows, columns in ((1, 1), (7, 3), (8, 8), (9, 14)):
        session.run(None, {"rgb": picture(rows, columns).numpy()})

    sizes = {value.name: value.type.tensor_type.shape.dim for value in graph.value_info}
    pooled = [sizes[node.output[0]] for node in graph.node if node.op_type == "AveragePool" and node.output[0] in sizes]
    assert len(pooled) > 200
    assert all(size.HasField("dim_value") or size.dim_param for dimensions in pooled for size in dimensions)
    assert capfd.readouterr().err == ""  # where sizes do not hold, ONNX Runtime warns
