"""One model folder out of two arms: the trace network as it was exported, and the ensemble on the hand-made statistics.

`model.onnx` gives the network's features of each cell, `votes.onnx` what the members say of it, so that the engine can ask each arm
for what it needs alone; `head.onnx` takes both, with dropout masks, and adds the votes to the network's decision.
"""

from __future__ import annotations

import logging
import shutil
import warnings
from pathlib import Path

import numpy as np
import onnx
import torch
from onnx import TensorProto, compose, helper
from onnxruntime.tools.symbolic_shape_infer import SymbolicShapeInference
from torch import nn
from torch.nn import functional

from discriminant import LIMIT, Scale
from export import OPSET, open_session
from handmade import Statistics
from network import CELL, DROPOUT, FEATURES
from reading import PATCH

MEMBERS = 16
SHARE = 0.5  # of the network's logit difference in the decision, beside the log odds of the statistics (experiment 35)


class Votes(nn.Module):
    """rgb uint8 [1,H,W,3], sides multiples of 16 -> log odds of `fake` by each member, [1,B,H/16,W/16].

    A cell holds the vote on the window of 8 x 8 cells around it, or, near the border, on the nearest window inside the
    picture: the statistics were fitted on whole patches and mean something else on fewer pixels.
    """

    def __init__(self, scale: Scale, directions: np.ndarray, offsets: np.ndarray):
        super().__init__()
        self.statistics = Statistics()
        for name, value in (("middle", scale.middle), ("spread", scale.spread), ("directions", directions), ("offsets", offsets)):
            self.register_buffer(name, torch.from_numpy(np.asarray(value, np.float32)))

    def forward(self, rgb: torch.Tensor) -> torch.Tensor:
        maps = self.statistics(rgb)
        rows, columns = maps.shape[2:]
        votes = self.judge(windows(maps)[0].flatten(1).T)
        return votes.T.reshape(1, -1, rows, columns)

    def judge(self, means: torch.Tensor) -> torch.Tensor:
        """Window means [N,K] -> votes [N,B]."""
        numbers = (self.statistics.describe(means) - self.middle) / self.spread
        return numbers.clamp(-LIMIT, LIMIT) @ self.directions + self.offsets


def windows(maps: torch.Tensor) -> torch.Tensor:
    """For each cell the mean over the 8 x 8 cells around it, of those nearest inside; edges repeated below 8 cells."""
    rows, columns = maps.shape[2:]
    inside = [torch.as_tensor(length - (PATCH - 1)).clamp(min=1) for length in (rows, columns)]
    enlarged = functional.pad(maps, (0, PATCH - 1) * 2, mode="replicate")
    means = functional.avg_pool2d(functional.avg_pool2d(enlarged, (PATCH, 1), 1), (1, PATCH), 1)[:, :, : inside[0], : inside[1]]
    return functional.pad(means, (PATCH // 2, PATCH // 2 - 1) * 2, mode="replicate")[:, :, :rows, :columns]


class Added(nn.Module):
    """The network's logits [T,N,3] and the votes [N,B] under masks [T,B] -> logits of both arms [T,N,3]: their difference is
    `SHARE` times the network's and the mean of the votes, their mean that of the network.

    Without dropout the mean of the votes counts. The masks move it so that it scatters over the passes as the votes do over
    the members: what the passes differ by is what other sources would have changed. Trace and compression stay the network's.
    """

    def forward(self, logits: torch.Tensor, votes: torch.Tensor, masks: torch.Tensor) -> torch.Tensor:
        mean = votes.mean(1, keepdim=True)
        strength = np.sqrt((1 - DROPOUT) / (DROPOUT * MEMBERS))
        voted = mean.T + strength * (masks - 1) @ (votes - mean).T
        real, fake, compression = logits.unbind(2)
        level, apart = (real + fake) / 2, (SHARE * (fake - real) + voted) / 2
        return torch.stack([level - apart, level + apart, compression], 2)


def combine(network: Path, votes: Votes, out: Path) -> None:
    """Writes model.onnx, votes.onnx and head.onnx of `out` from those of `network` (a plain export) and the votes."""
    out.mkdir(parents=True, exist_ok=True)
    export_votes(votes, out / "votes.onnx")
    head = join_head(onnx.load(network / "head.onnx"), exported_addition(out / "addition.onnx"))
    onnx.checker.check_model(head, full_check=True)
    onnx.save(head, str(out / "head.onnx"))
    shutil.copyfile(network / "model.onnx", out / "model.onnx")
    compare(network, votes, out)


def join_head(network: onnx.ModelProto, addition: onnx.ModelProto) -> onnx.ModelProto:
    network, addition = (compose.add_prefix(model, prefix) for model, prefix in ((network, "trace/"), (addition, "votes/")))
    sizes = helper.make_tensor("sizes", TensorProto.INT64, [2], [FEATURES, MEMBERS])
    nodes = [helper.make_node("Split", [name, "sizes"], [f"trace/{name}", f"votes/{part}"], axis=1)
             for name, part in (("features", "votes"), ("masks", "masks"))]  # fmt: skip
    entry = helper.make_node("Identity", ["trace/logits"], ["votes/logits"])
    exits = [helper.make_node("Identity", [inner], [outer])
             for inner, outer in (("votes/both", "logits"), ("trace/embedding", "embedding"))]  # fmt: skip
    width, embedding = FEATURES + MEMBERS, network.graph.output[1].type.tensor_type.shape.dim[1].dim_value
    value = helper.make_tensor_value_info
    graph = helper.make_graph(
        [*nodes, *network.graph.node, entry, *addition.graph.node, *exits], "traces",
        [value("features", TensorProto.FLOAT, ["patches", width]), value("masks", TensorProto.FLOAT, ["passes", width])],
        [value("logits", TensorProto.FLOAT, ["passes", "patches", 3]), value("embedding", TensorProto.FLOAT, ["patches", embedding])],
        [*network.graph.initializer, *addition.graph.initializer, sizes])  # fmt: skip
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", OPSET)], ir_version=network.ir_version)


def export_votes(votes: Votes, path: Path) -> None:
    export(votes.eval(), (torch.zeros(1, 192, 160, 3, dtype=torch.uint8),), path, ["rgb"], ["votes"],
           {"rgb": {1: "height", 2: "width"}, "votes": {2: "rows", 3: "columns"}})  # fmt: skip
    name_sizes(path)


def name_sizes(path: Path) -> None:
    """Writes beside every tensor its size, by height and width of the picture. ONNX Runtime looks for memory to use again among
    tensors of the same size; where sizes have no names it compares each with all before it, and takes seconds to open the file."""
    logging.getLogger("onnxruntime.tools.symbolic_shape_infer").setLevel(logging.ERROR)  # it says which sizes it guesses
    votes = SymbolicShapeInference.infer_shapes(onnx.load(path), auto_merge=True)
    for value in list(votes.graph.value_info):
        if any("Slice_" in size.dim_param for size in value.type.tensor_type.shape.dim):  # guessed
            votes.graph.value_info.remove(value)
    onnx.save(votes, str(path))


def exported_addition(path: Path) -> onnx.ModelProto:
    export(Added(), (torch.rand(2, 5, 3), torch.rand(5, MEMBERS), torch.ones(2, MEMBERS)), path, ["logits", "votes", "masks"], ["both"],
           {"logits": {0: "passes", 1: "patches"}, "votes": {0: "patches"}, "masks": {0: "passes"},
            "both": {0: "passes", 1: "patches"}})  # fmt: skip
    addition = onnx.load(path)
    path.unlink()
    return addition


def export(module: nn.Module, example: tuple, path: Path, inputs: list, outputs: list, axes: dict) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # as in export.py
        torch.onnx.export(module, example, str(path), dynamo=False, opset_version=OPSET, input_names=inputs,
                          output_names=outputs, dynamic_axes=axes)  # fmt: skip


@torch.no_grad()
def compare(network: Path, votes: Votes, out: Path) -> None:
    """The files say what their parts say, at a size that was not exported, and below one window."""
    random, said = np.random.default_rng(1), open_session(out / "votes.onnx")
    for size in ((9 * CELL, 14 * CELL), (3 * CELL, 8 * CELL)):
        rgb = random.integers(0, 256, (1, *size, 3), dtype=np.uint8)
        np.testing.assert_allclose(said.run(None, {"rgb": rgb})[0], votes(torch.from_numpy(rgb)).numpy(), atol=5e-3)
    pooled = random.random((20, FEATURES + MEMBERS), np.float32)
    masks = random.binomial(1, 1 - DROPOUT, (3, FEATURES + MEMBERS)).astype(np.float32) / (1 - DROPOUT)
    alone = {"features": pooled[:, :FEATURES].copy(), "masks": masks[:, :FEATURES].copy()}
    logits, embedding = open_session(network / "head.onnx").run(None, alone)
    both = Added()(*map(torch.from_numpy, (logits, pooled[:, FEATURES:], masks[:, FEATURES:])))
    answers = open_session(out / "head.onnx").run(None, {"features": pooled, "masks": masks})
    np.testing.assert_allclose(answers[0], both.numpy(), atol=1e-4)
    np.testing.assert_allclose(answers[1], embedding, atol=1e-5)
