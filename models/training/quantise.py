"""The network in int8 beside fp32, accuracy and time: python quantise.py --data DIR --model ../trace-1 --out DIR [--pictures 150]

Learned convolutions alone are quantised: the fixed front-ends look for differences far below a grey level. The second arm stays
fp32 for the same reason, and is left out of these figures.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Iterable
from pathlib import Path

import numpy as np
import onnx
from onnxruntime.quantization import CalibrationDataReader, QuantFormat, QuantType, quantize_static
from onnxruntime.quantization.shape_inference import quant_pre_process

from conditions import CONDITIONS
from data import Item, Pictures, open_pictures
from degrade import degrade
from export import open_session
from metrics import auc
from network import CELL
from reading import read_picture

PATCHES, RUNS = 96, 5
LEARNED = ("/scale", "/spectrum", "/mix")  # parts of the names of nodes; the fixed front-ends have none of them


class Patches(CalibrationDataReader):
    """Degraded training patches, one a call: the ranges of the activations come from them."""

    def __init__(self, pictures: Pictures, seed: int):
        random, train = np.random.default_rng(seed), pictures.of("train")
        chosen = (train[i] for i in random.choice(len(train), PATCHES, replace=False))
        self.rows = (degrade(pictures.read(item), item.quality, 8 * CELL, random)[0] for item in chosen)

    def get_next(self) -> dict[str, np.ndarray] | None:
        patch = next(self.rows, None)
        return None if patch is None else {"rgb": np.ascontiguousarray(patch)[None]}


def quantise(model: Path, patches: CalibrationDataReader, out: Path) -> None:
    """Writes `out`; activations as bytes, weights as signed bytes with one scale for each channel."""
    prepared = out.with_suffix(".prepared.onnx")
    quant_pre_process(str(model), str(prepared), skip_symbolic_shape=True)
    nodes = [node.name for node in onnx.load(prepared).graph.node if node.op_type == "Conv"]
    learned = [name for name in nodes if any(part in name for part in LEARNED)]
    quantize_static(str(prepared), str(out), patches, quant_format=QuantFormat.QDQ, per_channel=True, nodes_to_quantize=learned,
                    activation_type=QuantType.QUInt8, weight_type=QuantType.QInt8)  # fmt: skip
    prepared.unlink()


def picture_auc(model: Path, head: Path, pictures: Pictures, items: list[Item]) -> dict[str, float]:
    """Of the network's logit difference, by condition."""
    backbone, ask = open_session(model), open_session(head)
    width = backbone.get_outputs()[0].shape[1]
    fake, figures = np.array([item.fake for item in items]), {}
    for name, change in CONDITIONS.items():
        score = []
        for item in items:
            read = read_picture(change(pictures.read(item)), lambda rgb: backbone.run(None, {"rgb": rgb})[0][0]).features
            asked = np.zeros((len(read), ask.get_inputs()[0].shape[1]), np.float32)
            asked[:, :width] = read  # no votes: the second arm says nothing here
            logits = ask.run(None, {"features": asked, "masks": np.ones((1, asked.shape[1]), np.float32)})[0][0]
            score.append(float((logits[:, 1] - logits[:, 0]).mean()))
        figures[name] = round(auc(np.array(score)[~fake], np.array(score)[fake]), 4)
    return figures


def seconds(models: Iterable[Path], side: int = 1024) -> list[float]:
    """Processor time for one megapixel, best of some runs, the models in turn: what else the machine does meets all alike."""
    rgb = np.random.default_rng(1).integers(0, 256, (1, side, side, 3), dtype=np.uint8)
    sessions = [open_session(model) for model in models]
    best = [np.inf] * len(sessions)
    for _ in range(RUNS):
        for index, session in enumerate(sessions):
            began = time.process_time()
            session.run(None, {"rgb": rgb})
            best[index] = min(best[index], time.process_time() - began)
    return [round(value, 3) for value in best]


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--data", type=Path, required=True)
    options.add_argument("--model", type=Path, required=True)
    options.add_argument("--out", type=Path, required=True)
    options.add_argument("--pictures", type=int, default=150, help="of the calibration split, drawn once for both")
    options.add_argument("--work", type=Path, default=Path(__file__).parent / ".work")
    asked = options.parse_args()
    asked.out.mkdir(parents=True, exist_ok=True)
    pictures, small = open_pictures(asked.data, asked.work), asked.out / "model.int8.onnx"
    quantise(asked.model / "model.onnx", Patches(pictures, seed=20), small)
    models = {"fp32": asked.model / "model.onnx", "int8": small}
    items = pictures.of("calibration")
    items = [items[i] for i in np.random.default_rng(1).permutation(len(items))[: asked.pictures]]
    for (name, model), best in zip(models.items(), seconds(models.values()), strict=True):
        told = {"bytes": model.stat().st_size, "secondsForAMegapixel": best,
                "auc": picture_auc(model, asked.model / "head.onnx", pictures, items)}  # fmt: skip
        print(json.dumps({name: told}), flush=True)


if __name__ == "__main__":
    main()
