"""Convolutions of a network in 8 bits: faster on processors with VNNI instructions, and half the size of 16.

Weights by output channel, what flows between layers by tensor, over ranges that were seen (Jacob et al., CVPR 2018). Weights take 7 of
their 8 bits: processors without VNNI add two products in 16 bits, which 8 bits could overflow, and answers would depend on the machine.
"""

from __future__ import annotations

import tempfile
from collections.abc import Collection, Iterable
from pathlib import Path

import numpy as np
import onnx
from onnx import ModelProto
from onnxruntime.quantization import CalibrationDataReader, QuantFormat, QuantType, quantize_static

IN_8_BITS = ["Conv", "Add", "Clip", "Relu"]


class Seen(CalibrationDataReader):
    def __init__(self, inputs: Iterable[dict[str, np.ndarray]]):
        self.inputs = iter(inputs)

    def get_next(self) -> dict[str, np.ndarray] | None:
        return next(self.inputs, None)


def quantise(model: ModelProto, seen: Iterable[dict[str, np.ndarray]], exact: Collection[str]) -> ModelProto:
    """
    @param seen inputs of the network, which tell the ranges of all values in it.
    @param exact outputs of the nodes that stay in 32 bits.
    @raises ValueError when the network is in 8 bits already.
    """
    if any(node.op_type == "QuantizeLinear" for node in model.graph.node):
        raise ValueError("The network is in 8 bits already: name one whose weights have 16 or 32.")
    named = ModelProto()
    named.CopyFrom(model)
    for node in named.graph.node:
        node.name = node.output[0]
    with tempfile.TemporaryDirectory() as folder:
        source, target = Path(folder) / "source.onnx", Path(folder) / "target.onnx"
        onnx.save(named, source)
        quantize_static(
            source, target, Seen(seen), quant_format=QuantFormat.QDQ, op_types_to_quantize=IN_8_BITS, nodes_to_exclude=list(exact),
            per_channel=True, reduce_range=True, activation_type=QuantType.QUInt8, weight_type=QuantType.QInt8,
        )  # fmt: skip
        return onnx.load(target)
