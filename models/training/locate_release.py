"""From what locate_export.py wrote to a model folder that the service can use:
python locate_release.py --network .work/locate/model --out ../locate-1 --version 1.0.0 --fused fusion.json

Stores the weights in half precision, which halves the file, and writes manifest.json. `--fused` is the answer of locate_fuse.py; without
it the network's map is shown and its score decides nothing. Where `--network` is left out, the network of `--out` stays. `--figures`
is a file with the manifest's `measured` and `called`. CARD.md, where there is one, gets its tables anew.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import re
from datetime import datetime, timezone
from pathlib import Path

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

from locate_reading import CELL, open_session
from strips import Local, in_strips

NETWORK = "locate.onnx"
MOST_PIXELS = 3_100_000  # at 130 MB a megapixel; a larger picture is halved, one of 12 megapixels once
SMALL = 64  # numbers of a constant that is stored as it is
UNFITTED = {
    "thresholds": {"manipulatedMin": {"pedantic": 0.99, "default": 0.95, "relaxed": 0.9},
                   "suspectedMin": {"pedantic": 0.6, "default": 0.7, "relaxed": 0.8}},
    "fusion": {"places": {"offset": 0, "weights": {"localisation-network": {"weight": 1, "rest": 0.5}}},
               "picture": {"offset": 0, "weights": {}}},
}  # fmt: skip
UNMEASURED = {"measured": [], "called": []}
QUARTER = "/locator/scale4/scale4.1/Relu_output_0"
# Both in rows of 8 px: all that sees pixels, and what draws the maps at a quarter of the size.
FIRST = Local(
    "first",
    {"/locator/Pad_output_0": (2, 8)},
    {QUARTER: 2, "/locator/spectrum/spectrum.1/spectrum.1.2/Relu_output_0": 1, "/locator/blocks/Clip_1_output_0": 1,
     "/locator/grid/Conv_1_output_0": 1, "/locator/grid/Conv_2_output_0": 1},
    rows=32,
    halo=2,
)  # fmt: skip
LAST = Local(
    "last",
    {"/locator/last/last.1/Relu_output_0": (2, 1), QUARTER: (2, 2)},
    {"/locator/changed/Conv_output_0": 2, "/locator/trust/trust.1/Conv_output_0": 2},
    rows=32,
    halo=2,
)


def store_half(source: Path, target: Path) -> None:
    """The same network with its large constants in half precision, cast to single where it begins, and in strips."""
    model = onnx.load(source)
    casts = []
    for tensor in model.graph.initializer:
        values = numpy_helper.to_array(tensor)
        if tensor.data_type != TensorProto.FLOAT or values.size <= SMALL or not fits(values):
            continue
        name, half = tensor.name, f"{tensor.name}.half"
        tensor.CopyFrom(numpy_helper.from_array(values.astype(np.float16), half))
        casts.append(helper.make_node("Cast", [half], [name], to=TensorProto.FLOAT))
    nodes = [*casts, *model.graph.node]
    del model.graph.node[:]
    model.graph.node.extend(nodes)
    onnx.save(in_strips(in_strips(model, LAST), FIRST) if is_whole(model) else model, str(target))


def is_whole(model: onnx.ModelProto) -> bool:
    """Whether it is the network, not a part of it."""
    return any(QUARTER in node.output for node in model.graph.node)


def fits(values: np.ndarray) -> bool:
    """Whether half precision keeps every number to one part in a thousand."""
    if np.abs(values).max() > np.finfo(np.float16).max:
        return False
    return np.allclose(values.astype(np.float16).astype(np.float32), values, rtol=1e-3, atol=1e-6)


def compare(one: Path, other: Path) -> float:
    """The largest difference between the answers of two networks, in logits."""
    random, sessions = np.random.default_rng(1), [open_session(path) for path in (one, other)]
    rgb = random.integers(0, 256, (1, 96, 131, 3), dtype=np.uint8)
    steps = np.full((1, 64), 5, np.float32)
    told = [session.run(None, {"rgb": rgb, "table": steps}) for session in sessions]
    return max(float(np.abs(mine - yours).max()) for mine, yours in zip(*told, strict=True))


def manifest(out: Path, version: str, fused: dict, figures: dict, training: dict) -> dict:
    return {
        "id": out.name,
        "version": version,
        "type": "localisation",
        "created": datetime.now(timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ"),
        "files": {NETWORK: describe(out / NETWORK)},
        "input": {"cellPx": CELL, "maxPixels": MOST_PIXELS},
        "inputs": {"rgb": "uint8 NHWC", "table": "float32 [1,64], luma quantisation steps row by row, zeros for none"},
        "outputs": ["changed", "trust", "score"],
        "thresholds": fused["thresholds"],
        "fusion": fused["fusion"],
        "measured": figures["measured"],
        "called": figures["called"],
        "training": training,
    }


def describe(path: Path) -> dict:
    data = path.read_bytes()
    return {"sha256": hashlib.sha256(data).hexdigest(), "bytes": len(data)}


def tables(told: dict) -> str:
    """What the card says of the figures, as the manifest has them."""
    if not told["measured"] and not told["called"]:
        return "None were recorded for this version.\n"
    lines = ["| set | condition | pictures | F1, best threshold | 95 % | F1 at 0.5 | AUC |", "|---|---|---|---|---|---|---|"]
    lines += [f"| {row['set']} | {row['condition']} | {row['pictures']} | {row['f1Best']:.3f} | {row['f1Low']:.3f}-{row['f1High']:.3f} "
              f"| {row['f1Half']:.3f} | {row['pixelAuc']:.3f} |" for row in told["measured"]]  # fmt: skip
    lines += ["", "Called manipulated:", "", "| condition | strategy | changed pictures | untouched photographs |", "|---|---|---|---|"]
    lines += [f"| {row['condition']} | {strategy} | {share(counts['changed'], row['changed'])} | {share(counts['photographs'], row['photographs'])} |"
              for row in told["called"] for strategy, counts in row["strategies"].items()]  # fmt: skip
    return "\n".join(lines) + "\n"


def share(some: int, of: int) -> str:
    return f"{some} of {of}, {100 * some / max(of, 1):.1f} %"


def with_tables(card: str, told: dict) -> str:
    """The card with what stands between the heading of the figures and the next one written anew."""
    return re.sub(r"(?ms)^(## Figures\n\n).*?(?=^## |\Z)", lambda found: found[1] + tables(told) + "\n", card)


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--network", type=Path, help="folder that locate_export.py wrote")
    options.add_argument("--out", type=Path, required=True)
    options.add_argument("--version", required=True)
    options.add_argument("--fused", type=Path)
    options.add_argument("--figures", type=Path)
    asked = options.parse_args()
    fused = json.loads(asked.fused.read_text()) if asked.fused else UNFITTED
    figures = json.loads(asked.figures.read_text()) if asked.figures else UNMEASURED
    if asked.network:
        asked.out.mkdir(parents=True, exist_ok=True)
        store_half(asked.network / NETWORK, asked.out / NETWORK)
        print("largest difference in logits:", compare(asked.network / NETWORK, asked.out / NETWORK))
        training = json.loads((asked.network / "limits.json").read_text())
    else:
        training = json.loads((asked.out / "manifest.json").read_text())["training"]
    told = manifest(asked.out, asked.version, fused, figures, training)
    (asked.out / "manifest.json").write_text(json.dumps(told, indent=1) + "\n")
    card = asked.out / "CARD.md"
    if card.exists():
        card.write_text(with_tables(card.read_text(), told))


if __name__ == "__main__":
    main()
