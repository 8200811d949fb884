"""Refits the transformer's head for the kind of picture: `backbone-kinds --list LIST.csv --classes CLASSES.csv --kept FILE --model FOLDER [--version V]`.

A logistic regression on the features that the heads read, with a ridge towards the shipped weights; only drawings and renderings are
refitted. It is fitted on everything in train that is not a photograph and on all of calibration, which the transformer has not seen, and tested on
val before and after. `--version` writes `transformer.onnx` and the manifest. Features are cached in FILE, so a run can be interrupted.
"""

from __future__ import annotations

import argparse
import json
import pickle
from collections import Counter
from datetime import datetime, timezone
from pathlib import Path

import numpy as np
import onnx
from onnx import numpy_helper
from scipy.optimize import minimize

from forensics_training.backbone.fuse import PHOTOGRAPH_MIN, judge_kinds
from forensics_training.backbone.inputs import squeezed, textured_squares
from forensics_training.backbone.lora import KIND_OF, KINDS
from forensics_training.backbone.pack import read_rows
from forensics_training.data.pictures import decode
from forensics_training.detector.calibrate import write_json
from forensics_training.detector.read import CONDITIONS
from forensics_training.runtime.model_files import describe_file, open_session

RIDGE = 0.1  # with .03, more photographs are taken for something else
TAUGHT = ("drawing", "rendering")  # if all kinds were refitted, pages of text would pass for photographs, because there are too few to learn from
# Generated pictures count as photographs: the question is whether the verdict is about a picture of this kind.
# Photographs weigh 1.2: in folds .8 takes 3.5 % of those of calibration for something else, 1.2 2.4 %.
SHARES = {"photograph": 1.2, "drawing": 0.09, "rendering": 0.09, "screenshot": 0.006, "page": 0.01, "chart": 0.004}
HEAD = "model.what"


def features(rows: list[dict], network: Path, kept: Path, squares: bool = False) -> np.ndarray:
    """The heads' input for the view of each picture under each condition: [pictures, conditions, 2304].

    With `squares` [pictures, conditions, 2, 2304], the second for the most textured square; NaN if the picture is smaller.
    """
    model = onnx.load(str(network))
    output = [node.output[0] for node in model.graph.node if node.op_type == "Concat"][-1]
    model.graph.output.append(onnx.helper.make_tensor_value_info(output, onnx.TensorProto.FLOAT, None))
    session = open_session(model.SerializeToString())
    known = pickle.loads(kept.read_bytes()) if kept.exists() else {}
    read = lambda rgb, is_square: session.run([output], {"rgb": rgb[None], "square": np.full(1, is_square, np.float32)})[0][0]
    for row in rows:
        if row["key"] in known:
            continue
        shown = [change(decode(Path(row["file"]).read_bytes())[0]) for change in CONDITIONS.values()]
        found = np.stack([read(squeezed(rgb), False) for rgb in shown])
        if squares:
            native = [textured_squares(rgb) for rgb in shown]
            found = np.stack([found, [read(one[0], True) if one else np.full(found.shape[1], np.nan) for one in native]], 1).astype(np.float32)
        known[row["key"]] = found
        if len(known) % 100 == 0:
            kept.write_bytes(pickle.dumps(known))
            print(len(known), flush=True)
    kept.write_bytes(pickle.dumps(known))
    return np.stack([known[row["key"]] for row in rows])


def shipped_head(network: Path, head: str = HEAD) -> tuple[np.ndarray, np.ndarray]:
    """Weights [2304, outputs] and bias [outputs]."""
    stored = {one.name: numpy_helper.to_array(one) for one in onnx.load(str(network)).graph.initializer}
    return stored[f"{head}.weight_quantized"].astype(np.float32) * stored[f"{head}.weight_scale"], stored[f"{head}.bias"]


def fit(x: np.ndarray, kind: np.ndarray, weight: np.ndarray, start: tuple[np.ndarray, np.ndarray], ridge: float = RIDGE) -> tuple[np.ndarray, np.ndarray]:
    """The head with the least weighted cross-entropy; the ridge is on the change of its weights, in units of each feature's deviation."""
    middle, deviation = x.mean(0), x.std(0) + 1e-6
    scaled = np.c_[(x - middle) / deviation, np.ones(len(x), np.float32)].astype(np.float32)
    before = (x @ start[0] + start[1]).astype(np.float32)
    wanted = np.eye(len(KINDS), dtype=np.float32)[kind]
    taught = [KINDS.index(name) for name in TAUGHT]

    def change(flat):
        moved = np.zeros((scaled.shape[1], len(KINDS)), np.float32)
        moved[:, taught] = flat.reshape(-1, len(taught))
        return moved

    def loss(flat):
        moved = change(flat)
        logits = before + scaled @ moved
        logits -= logits.max(1, keepdims=True)
        total = np.log(np.exp(logits).sum(1))
        slope = scaled.T @ (weight[:, None] * (np.exp(logits - total[:, None]) - wanted))
        slope[:-1] += 2 * ridge * moved[:-1]
        return float((weight * (total - (logits * wanted).sum(1))).sum() + ridge * (moved[:-1] ** 2).sum()), slope[:, taught].ravel().astype(float)

    found = minimize(loss, np.zeros(scaled.shape[1] * len(taught)), jac=True, method="L-BFGS-B", options={"maxiter": 60})
    moved = change(found.x)
    return start[0] + moved[:-1] / deviation[:, None], start[1] + moved[-1] - (middle / deviation) @ moved[:-1]


def weights(rows: list[dict], kind: np.ndarray) -> np.ndarray:
    """Sources count by the square root of their size, kinds by SHARES."""
    counts = Counter((row["source"].lower(), k) for row, k in zip(rows, kind))
    weight = np.array([counts[row["source"].lower(), k] ** -0.5 for row, k in zip(rows, kind)])
    for at, name in enumerate(KINDS):
        if (kind == at).any():
            weight[kind == at] *= SHARES[name] / weight[kind == at].sum()
    return (weight / weight.sum()).astype(np.float32)


def write_head(network: Path, weight: np.ndarray, bias: np.ndarray, head: str = HEAD) -> None:
    """In 7 of 8 bits, like the other layers (`backbone.export`)."""
    model = onnx.load(str(network))
    scale = (np.abs(weight).max(0) / 63).astype(np.float32)
    values = {"weight_quantized": np.round(weight / scale).astype(np.int8), "weight_scale": scale, "bias": bias.astype(np.float32)}
    for one in model.graph.initializer:
        if (name := one.name.removeprefix(f"{head}.")) in values and one.name != name:
            one.CopyFrom(numpy_helper.from_array(values[name].reshape(numpy_helper.to_array(one).shape), one.name))
    onnx.save(model, str(network))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--list", type=Path, required=True, help="by backbone-list")
    parser.add_argument("--classes", type=Path, required=True)
    parser.add_argument("--kept", type=Path, required=True, help="file of features")
    parser.add_argument("--model", type=Path, required=True)
    parser.add_argument("--version", help="writes the model as this version")
    given = parser.parse_args()
    network = given.model / "transformer.onnx"
    rows = [row for row in read_rows(given.list, given.classes) if row["label"] == "neither" or row["part"] != "train"]
    x = features(rows, network, given.kept)
    kind = np.array([KINDS.index(KIND_OF.get(row["class"], "rendering")) if row["label"] == "neither" else 0 for row in rows])
    own = np.array([row["part"] != "val" for row in rows])
    start = shipped_head(network)
    repeated = lambda values: np.repeat(values, len(CONDITIONS), axis=0)
    weight, bias = fit(
        x[own].reshape(-1, x.shape[2]), repeated(kind[own]), repeated(weights([row for row, mine in zip(rows, own) if mine], kind[own])) / len(CONDITIONS), start
    )
    for name, head in (("before", start), ("after", (weight, bias))):
        print(name)
        judge_kinds([row | {"said": {c: {"kinds": x[at, i] @ head[0] + head[1]} for i, c in enumerate(CONDITIONS)}} for at, row in enumerate(rows) if not own[at]])
    if given.version:
        write_head(network, weight, bias)
        manifest = json.loads((given.model / "manifest.json").read_text())
        manifest |= {"version": given.version, "created": datetime.now(timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")}
        manifest["transformer"]["photographMin"] = PHOTOGRAPH_MIN
        manifest["files"]["transformer.onnx"] = describe_file(network)
        write_json(given.model / "manifest.json", manifest)


if __name__ == "__main__":
    main()
