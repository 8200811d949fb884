"""Builds the model folder that the service reads from what `locator-export` wrote.

Quantises the network to 8 bits, with activation ranges from pictures of `--data`, and writes manifest.json. `--network` may also be a model
folder of a release in 16 bits (up to 1.3.1); without it, the network in `--out` is kept, with its first layers joined. `--fused` is the result
of `locator-fuse`, `--figures` a file with the manifest's `measured` and `called`; without them, those in the model folder are kept, as the
weights of words are. A network without fusion shows its map and decides nothing by its score. The tables of CARD.md, where there is one, are
updated.
"""

from __future__ import annotations

import argparse
import csv
import json
import re
from collections.abc import Iterable, Iterator
from datetime import datetime, timezone
from pathlib import Path

import numpy as np
import onnx
from onnx import ModelProto

from forensics_training.locator.join import joined
from forensics_training.locator.pairs import reading
from forensics_training.locator.reading import CELL, saved_at
from forensics_training.locator.words import with_words
from forensics_training.runtime.model_files import describe_file, open_session
from forensics_training.runtime.quantise import IN_8_BITS, quantise
from forensics_training.runtime.strips import Section, in_strips, without_strips

NETWORK = "locate.onnx"
MAX_PIXELS = 3_100_000  # 130 MB a megapixel; a larger picture is halved until it fits, one of 12 megapixels once
SAMPLES = 96  # pictures that set the activation ranges
Inputs = dict[str, np.ndarray]
UNFITTED = {
    "thresholds": {"manipulatedMin": {"pedantic": 0.99, "default": 0.95, "relaxed": 0.9},
                   "suspectedMin": {"pedantic": 0.6, "default": 0.7, "relaxed": 0.8}},
    "fusion": {"places": {"offset": 0, "weights": {"localisation-network": {"weight": 1, "rest": 0.5}}},
               "picture": {"offset": 0, "weights": {}}},
}  # fmt: skip
UNMEASURED = {"measured": [], "called": []}
QUARTER = "/locator/scale4/scale4.1/Relu_output_0"
# In rows of 8 px: the layers that see pixels, and those that compute the maps at a quarter of the resolution.
FIRST = Section(
    "first",
    {"/locator/Pad_output_0": (2, 8)},
    {QUARTER: 2, "/locator/spectrum/spectrum.1/spectrum.1.2/Relu_output_0": 1, "/locator/blocks/Clip_1_output_0": 1,
     "/locator/grid/Conv_1_output_0": 1, "/locator/grid/Conv_2_output_0": 1},
    rows=32,
    halo=2,
)  # fmt: skip
LAST = Section(
    "last",
    {"/locator/last/last.1/Relu_output_0": (2, 1), QUARTER: (2, 2)},
    {"/locator/changed/Conv_output_0": 2, "/locator/trust/trust.1/Conv_output_0": 2},
    rows=32,
    halo=2,
)


def store(source: Path, seen: Iterable[Inputs], target: Path) -> None:
    """Writes the network quantised, in strips, and with its first layers joined."""
    model = without_strips(onnx.load(source))
    quantised = quantise(model, seen, exact=set(in_32_bits(model)))
    onnx.save(joined(in_strips(in_strips(quantised, LAST), FIRST)), str(target))


def in_32_bits(model: ModelProto) -> Iterator[str]:
    """Nodes that stay in fp32: all but convolutions of 16 channels and more that read learned features, and the sums of residual blocks.
    The traces themselves are unbounded, and the maps must stay smooth."""
    tensors = {one.name: one for one in model.graph.initializer}
    makers = {name: node.op_type for node in model.graph.node for name in node.output}
    rectified = {node.input[0] for node in model.graph.node if node.op_type == "Relu"}
    for node in model.graph.node:
        weights = tensors.get(node.input[1]) if node.op_type == "Conv" else None
        learned = weights and weights.dims[0] >= 16 and makers.get(node.input[0]) in {"Relu", "Add", "Concat", "AveragePool"}
        ends_block = node.op_type == "Add" and node.output[0] in rectified
        if node.op_type in IN_8_BITS and node.op_type != "Relu" and not learned and not ends_block:
            yield node.output[0]


def samples(data: Path) -> Iterator[Inputs]:
    """Crops of the train split, a third each as is, saved at 95 and saved at 75."""
    with (data / "manifest.csv").open() as file:
        rows = [row for row in csv.DictReader(file) if row["split"] == "train"]
    histories = (lambda one: one, saved_at(95), saved_at(75))
    for at, row in enumerate(rows[:: max(1, len(rows) // SAMPLES)][:SAMPLES]):
        one = histories[at % 3](reading((data / row["file"]).read_bytes()))
        yield {"rgb": one.rgb[None], "table": one.table[None]}


def compare(one: Path, other: Path, seen: Inputs) -> dict[str, float]:
    """RMS difference between two networks for each output, in logits."""
    outputs = [session.run(None, seen) for session in map(open_session, (one, other))]
    names = [output.name for output in onnx.load(one).graph.output]
    return {name: float(((mine - yours) ** 2).mean() ** 0.5) for name, mine, yours in zip(names, *outputs, strict=True)}


def manifest(out: Path, version: str, fused: dict, figures: dict, training: dict) -> dict:
    return {
        "id": out.name,
        "version": version,
        "type": "localisation",
        "created": datetime.now(timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ"),
        "files": {NETWORK: describe_file(out / NETWORK)},
        "input": {"cellPx": CELL, "maxPixels": MAX_PIXELS},
        "inputs": {"rgb": "uint8 NHWC", "table": "float32 [1,64], luma quantisation steps row by row, zeros for none"},
        "outputs": ["changed", "trust", "score"],
        "thresholds": fused["thresholds"],
        "fusion": fused["fusion"],
        "measured": figures["measured"],
        "called": figures["called"],
        "training": training,
    }


def tables(manifest: dict) -> str:
    """The card's tables, from the figures in the manifest."""
    if not manifest["measured"] and not manifest["called"]:
        return "None were recorded for this version.\n"
    lines = ["| set | condition | pictures | F1, best threshold | 95 % | F1 at 0.5 | AUC |", "|---|---|---|---|---|---|---|"]
    lines += [f"| {row['set']} | {row['condition']} | {row['pictures']} | {row['f1Best']:.3f} | {row['f1Low']:.3f}-{row['f1High']:.3f} "
              f"| {row['f1Half']:.3f} | {row['pixelAuc']:.3f} |" for row in manifest["measured"]]  # fmt: skip
    lines += ["", "Called manipulated; rows for one size include simulated changes:", "",
              "| condition | megapixels | strategy | changed pictures | untouched photographs |", "|---|---|---|---|---|"]  # fmt: skip
    lines += [f"| {row['condition']} | {size(row.get('megapixels'))} | {strategy} | {share(counts['changed'], row['changed'])} | {share(counts['photographs'], row['photographs'])} |"
              for row in manifest["called"] for strategy, counts in row["strategies"].items()]  # fmt: skip
    return "\n".join(lines) + "\n"


def size(megapixels: dict | None) -> str:
    if megapixels is None:
        return "all"
    low, high = megapixels["from"], megapixels["below"]
    if high is None:
        return f"from {low}"
    return f"{low} to {high}" if low else f"below {high}"


def share(some: int, of: int) -> str:
    return f"{some} of {of}, {100 * some / max(of, 1):.1f} %"


def with_tables(card: str, manifest: dict) -> str:
    """The card with the section "Figures" replaced."""
    return re.sub(r"(?ms)^(## Figures\n\n).*?(?=^## |\Z)", lambda found: found[1] + tables(manifest) + "\n", card)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--network", type=Path, help="folder that locator-export wrote")
    parser.add_argument("--data", type=Path, help="folder with manifest.csv, needed with --network")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--version", required=True)
    parser.add_argument("--fused", type=Path)
    parser.add_argument("--figures", type=Path)
    args = parser.parse_args()
    if args.network and not args.data:
        parser.error("--network needs --data")
    source = args.network or args.out
    previous, limits = source / "manifest.json", source / "limits.json"
    before = json.loads(previous.read_text()) if previous.exists() else {**UNFITTED, **UNMEASURED}
    fused = json.loads(args.fused.read_text()) if args.fused else before
    figures = json.loads(args.figures.read_text()) if args.figures else before
    training = json.loads(limits.read_text()) if limits.exists() else before["training"]
    if args.network:
        args.out.mkdir(parents=True, exist_ok=True)
        network, stored, seen = args.network / NETWORK, args.out / f"{NETWORK}.new", list(samples(args.data))
        store(network, seen, stored)
        print("differences in logits:", compare(network, stored, seen[1]))
        stored.rename(args.out / NETWORK)
    else:
        onnx.save(joined(onnx.load(args.out / NETWORK)), args.out / NETWORK)
    record = manifest(args.out, args.version, fused, figures, training)
    text = json.dumps(record, indent=1) + "\n"
    (args.out / "manifest.json").write_text(with_words(text, args.version, before["words"]) if "words" in before else text)
    card = args.out / "CARD.md"
    if card.exists():
        card.write_text(with_tables(card.read_text(), record))
