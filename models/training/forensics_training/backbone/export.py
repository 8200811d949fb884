"""Exports an adapted backbone: `backbone-export --weights vit.pt --runs RUN.pt [RUN.pt] --out FOLDER` writes `transformer.onnx`.

If there are several runs, the mean of their merged weights is exported (Wortsman et al., "Model soups", ICML 2022). Linear layers are stored in 8 bits
with activations quantised at run time; weights use 7 of the 8 bits, for processors that add two products in 16 bits.
"""

from __future__ import annotations

import argparse
import tempfile
import warnings
from pathlib import Path

import numpy as np
import onnx
import torch
from onnxruntime import InferenceSession
from onnxruntime.quantization import QuantType, quantize_dynamic
from onnxruntime.quantization.shape_inference import quant_pre_process
from torch import nn
from torch.nn import functional

from forensics_training.backbone.inputs import SIDE
from forensics_training.backbone.dinov2 import PATCH_PX, TABLE, WIDTH, ViT
from forensics_training.backbone.lora import INPUTS, KINDS, Adapted
from forensics_training.runtime.checkpoint import mean_of

OPSET = 17
LARGEST_ERROR = 0.35  # root mean square difference of the log odds between 8 and 32 bits


class Exported(nn.Module):
    """rgb uint8 [1, 224, 224, 3] and square [1] (0: the view of a whole picture, 1: a native square) -> generated [1], kinds [1, 6]."""

    def __init__(self, model: Adapted):
        super().__init__()
        self.model = model
        table = model.vit.positions.view(1, TABLE, TABLE, WIDTH).permute(0, 3, 1, 2)
        cells = SIDE // PATCH_PX
        table = functional.interpolate(table, size=(cells, cells), mode="bicubic", align_corners=False)
        self.register_buffer("table", table.flatten(2).transpose(1, 2))

    def forward(self, rgb: torch.Tensor, square: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        model, vit = self.model, self.model.vit
        cells = vit.patch((rgb.permute(0, 3, 1, 2).float() - vit.mean) / vit.deviation).flatten(2).transpose(1, 2) + self.table
        share = square[:, None, None]
        first = vit.cls + vit.cls_position + model.kind[0] * (1 - share) + model.kind[1] * share
        features = model.read(torch.cat([first, cells], 1))
        said = model.generated(features)
        return said[:, 0] * (1 - square) + said[:, 1] * square, model.what(features)


def load(weights: Path, runs: list[Path]) -> Adapted:
    """The mean of several runs, with their changes merged into the weights."""
    base = {name: value.float() for name, value in torch.load(weights).items()}
    members = []
    for run in runs:
        kept = torch.load(run, map_location="cpu")
        vit = ViT()
        vit.load_state_dict(base)
        model = Adapted(vit, kept["rank"])
        model.load_state_dict(kept["average"], strict=False)
        members.append(model.merge().eval())
    members[0].load_state_dict(mean_of([one.state_dict() for one in members]))
    return members[0]


def export(model: Adapted, target: Path) -> None:
    exported = Exported(model).eval()
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings(), torch.no_grad():
        warnings.simplefilter("ignore")
        plain, ready = Path(folder) / "plain.onnx", Path(folder) / "ready.onnx"
        torch.onnx.export(
            exported, (torch.zeros(1, SIDE, SIDE, 3, dtype=torch.uint8), torch.zeros(1)), str(plain), dynamo=False,
            opset_version=OPSET, input_names=["rgb", "square"], output_names=["generated", "kinds"],
        )  # fmt: skip
        quant_pre_process(str(plain), str(ready), skip_symbolic_shape=True)
        quantize_dynamic(str(ready), str(target), op_types_to_quantize=["MatMul", "Gemm"], per_channel=True, reduce_range=True, weight_type=QuantType.QInt8)
        compare(exported, InferenceSession(str(target)))


def compare(exported: Exported, session: InferenceSession) -> None:
    random = np.random.default_rng(1)
    errors = []
    for at in range(12):
        rgb = random.integers(0, 256, (1, 16, 16, 3)).astype(np.uint8).repeat(14, 1).repeat(14, 2)
        square = np.array([at % 2], np.float32)
        errors.append(float(exported(torch.from_numpy(rgb), torch.from_numpy(square))[0]) - float(session.run(["generated"], {"rgb": rgb, "square": square})[0][0]))
    error = float(np.sqrt(np.mean(np.square(errors))))
    print(f"8 against 32 bits: {error:.3f} log odds")
    if error > LARGEST_ERROR:
        raise ValueError(f"8 bits change the log odds by {error:.3f}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--weights", type=Path, required=True, help="state of dinov2.ViT")
    parser.add_argument("--runs", type=Path, nargs="+", required=True)
    parser.add_argument("--out", type=Path, required=True)
    given = parser.parse_args()
    given.out.mkdir(parents=True, exist_ok=True)
    target = given.out / "transformer.onnx"
    export(load(given.weights, given.runs), target)
    print(target.name, f"{target.stat().st_size / 2**20:.1f} MiB, outputs {len(INPUTS)} x generated, {len(KINDS)} kinds")


if __name__ == "__main__":
    main()
