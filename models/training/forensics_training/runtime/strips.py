"""Rewrites layers of an ONNX graph to run over horizontal strips of the picture, one after the other: the same output from less memory.

Layers near full resolution need the most memory. Their receptive field is a few rows, so a strip with that many more rows on either
side (the halo) yields its own rows exactly; the rest of the network sees the concatenated outputs.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import onnx
from onnx import GraphProto, ModelProto, NodeProto, TensorProto, helper, numpy_helper


QUANTISED = "_QuantizeLinear_Output"  # suffix by which the quantiser names the 8-bit version of a tensor


@dataclass(frozen=True)
class Section:
    """A part of a network that can run in strips. Each of its tensors has a whole number of rows per row of its coarsest tensor."""

    name: str
    sources: dict[str, tuple[int, int]]  # input tensors: axis of their rows, and rows per coarsest row
    outputs: dict[str, int]  # output tensors [N,C,H,W]: rows per coarsest row
    rows: int  # of a strip, in coarsest rows
    halo: int  # rows that the outputs depend on beyond the strip, in coarsest rows


def in_strips(model: ModelProto, section: Section) -> ModelProto:
    graph = model.graph
    section = in_8_bits(graph, section)
    inner = between(graph.node, section.sources, section.outputs)
    inside = {name for node in inner for name in node.output}
    needed = constants(graph, inner, inside | set(section.sources))
    both = [node for node in inner if node.op_type == "DequantizeLinear" and node.input[0] in section.sources]
    inside -= {name for node in both for name in node.output}
    rest = [node for node in graph.node if not any(node is one for one in inner) or any(node is one for one in both)]
    read = {name for node in rest for name in node.input} | {one.name for one in graph.output}
    if not read & inside <= set(section.outputs):
        raise ValueError(f"the rest reads {sorted(read & inside - set(section.outputs))}")
    body = strip_body(inner, needed, section)
    at = 1 + max((index for index, node in enumerate(rest) if set(section.sources) & set(node.output)), default=-1)
    return rebuilt(model, [*rest[:at], *loop(body, section), *rest[at:]], graph.initializer)


def without_strips(model: ModelProto) -> ModelProto:
    """Undoes `in_strips`; weights stored in 16 bits become fp32."""
    nodes, tensors = [], list(model.graph.initializer)
    names: dict[str, str] = {}  # tensor in a loop -> tensor of the whole picture
    parts: dict[str, str] = {}  # output sequence of a loop -> tensor in it
    for node in model.graph.node:
        if node.op_type == "Loop":
            body = node.attribute[0].g
            own = {name for one in body.node for name in one.output} | {one.name for one in [*body.initializer, *body.input]}
            cut = {one.output[0]: one.input[0] for one in body.node if one.op_type == "Slice"}
            names |= {name: f"whole_{name}" for name in own} | {strip: source for strip, source in cut.items() if source not in own}
            given = [cut[one.input[1]] for one in body.node if one.op_type == "SequenceInsert"]
            parts |= dict(zip(node.output, given, strict=True))
            tensors += body.initializer
            nodes += [one for one in body.node if one.op_type != "SequenceInsert" and cut.get(one.output[0], body.name) in {body.name, *own}]
        elif node.op_type == "ConcatFromSequence":
            names[parts[node.input[0]]] = node.output[0]
        else:
            nodes.append(node)
    values = {one.name: numpy_helper.to_array(one) for one in tensors if one.data_type == TensorProto.FLOAT16}
    halves = {node.output[0]: values[node.input[0]] for node in nodes if node.op_type == "Cast" and node.input[0] in values}
    tensors += [numpy_helper.from_array(value.astype(np.float32), name) for name, value in halves.items()]
    kept = [renamed(node, names) for node in nodes if node.output[0] not in halves]
    return rebuilt(model, kept, [renamed_tensor(one, names) for one in tensors])


def renamed(node: NodeProto, names: dict[str, str]) -> NodeProto:
    copy = NodeProto()
    copy.CopyFrom(node)
    copy.name = ""
    copy.input[:] = [names.get(name, name) for name in node.input]
    copy.output[:] = [names.get(name, name) for name in node.output]
    return copy


def renamed_tensor(tensor: TensorProto, names: dict[str, str]) -> TensorProto:
    copy = TensorProto()
    copy.CopyFrom(tensor)
    copy.name = names.get(tensor.name, tensor.name)
    return copy


def rebuilt(model: ModelProto, nodes: list[NodeProto], tensors: Iterable[TensorProto]) -> ModelProto:
    """The model with these nodes and tensors, pruned to what its outputs depend on."""
    used, kept = {one.name for one in model.graph.output}, []
    for node in reversed(nodes):
        if used & set(node.output):
            kept.append(node)
            used.update(node.input)
            used.update(name for attribute in node.attribute for one in attribute.g.node for name in one.input)
    result = ModelProto()
    result.CopyFrom(model)
    for field in (result.graph.node, result.graph.initializer, result.graph.value_info):
        del field[:]
    result.graph.node.extend(reversed(kept))
    result.graph.initializer.extend(one for one in tensors if one.name in used)
    onnx.checker.check_model(result)
    return result


def in_8_bits(graph: GraphProto, section: Section) -> Section:
    """Cuts a quantised network at the 8-bit tensors, not at those before quantisation."""
    made = {name for node in graph.node for name in node.output}

    def cut(name: str) -> str:
        return name + QUANTISED if name + QUANTISED in made else name

    sources, outputs = ({cut(name): value for name, value in given.items()} for given in (section.sources, section.outputs))
    return replace(section, sources=sources, outputs=outputs)


def element_of(name: str) -> int:
    return TensorProto.UINT8 if name.endswith(QUANTISED) else TensorProto.FLOAT


def between(nodes: Iterable[NodeProto], sources: Iterable[str], outputs: Iterable[str]) -> list[NodeProto]:
    """The nodes on paths from `sources` to `outputs`, in graph order."""
    nodes, sources = list(nodes), set(sources)
    depends = set(sources)
    for node in nodes:
        if depends & set(node.input):
            depends.update(node.output)
    wanted = set(outputs)
    inner = []
    for node in reversed(nodes):
        if wanted & set(node.output) and depends & set(node.output) and not sources & set(node.output):
            inner.append(node)
            wanted.update(node.input)
    return inner[::-1]


def constants(graph: GraphProto, inner: list[NodeProto], known: set[str]) -> tuple[list[NodeProto], list[TensorProto]]:
    """Nodes and tensors that the inner nodes read independently of the sources: copied into the loop, where they stay constant-foldable."""
    producers = {name: node for node in graph.node for name in node.output}
    initializers = {one.name: one for one in graph.initializer}
    inputs = {one.name for one in graph.input}
    nodes: dict[str, NodeProto] = {}
    tensors: dict[str, TensorProto] = {}

    def need(name: str) -> None:
        if not name or name in known or name in inputs or name in nodes or name in tensors:
            return
        if name in initializers:
            tensors[name] = initializers[name]
            return
        producer = producers[name]
        for one in producer.input:
            need(one)
        for one in producer.output:
            nodes[one] = producer

    for node in inner:
        for name in node.input:
            need(name)
    ordered = [node for node in graph.node if any(node is one for one in nodes.values())]
    return ordered, list(tensors.values())


def strip_body(inner: list[NodeProto], needed: tuple[list[NodeProto], list[TensorProto]], section: Section) -> GraphProto:
    nodes, tensors = needed
    inside = f"{section.name}_strip_"
    known = [*(name for node in [*nodes, *inner] for name in node.output), *(one.name for one in tensors), *section.sources]
    names = {name: f"{inside}{at}" for at, name in enumerate(known)}

    def make(kind: str, inputs: list[str], output: str) -> NodeProto:
        return helper.make_node(kind, [inside + name for name in inputs], [inside + output])

    numbers = {"one": 1, "rows": section.rows, "zero": 0, "halo": section.halo, "down": 2}
    cut = [
        make("Reshape", ["at", "one"], "index"),
        make("Mul", ["index", "rows"], "first"),
        make("Add", ["first", "rows"], "next"),
        helper.make_node("Min", [inside + "next", f"{section.name}_height"], [inside + "end"]),
        make("Sub", ["first", "halo"], "above"),
        make("Max", ["above", "zero"], "from"),
        make("Add", ["end", "halo"], "to"),
        make("Sub", ["first", "from"], "skipped"),
        make("Sub", ["end", "from"], "wanted"),
    ]
    for at, (source, (axis, each)) in enumerate(section.sources.items()):
        numbers |= {f"axis{at}": axis, f"each{at}": each}
        bounds = [inside + f"{name}{at}" for name in ("from", "to", "axis")]
        cut += [make("Mul", [name, f"each{at}"], f"{name}{at}") for name in ("from", "to")]
        cut.append(helper.make_node("Slice", [source, *bounds], [names[source]]))
    kept = []
    for at, (output, each) in enumerate(section.outputs.items()):
        numbers[f"gives{at}"] = each
        kept += [make("Mul", [name, f"gives{at}"], f"{name}{at}") for name in ("skipped", "wanted")]
        bounds = [inside + name for name in (f"skipped{at}", f"wanted{at}", "down")]
        kept.append(helper.make_node("Slice", [names[output], *bounds], [inside + f"part{at}"]))
        kept.append(make("SequenceInsert", [f"before{at}", f"part{at}"], f"after{at}"))
    kept.append(make("Identity", ["go"], "on"))
    sequences = [helper.make_sequence_type_proto(helper.make_tensor_type_proto(element_of(name), None)) for name in section.outputs]
    return helper.make_graph(
        [*cut, *(renamed(node, names) for node in [*nodes, *inner]), *kept],
        f"{section.name}_strip",
        [
            helper.make_tensor_value_info(inside + "at", TensorProto.INT64, []),
            helper.make_tensor_value_info(inside + "go", TensorProto.BOOL, []),
            *(helper.make_value_info(inside + f"before{at}", sequence) for at, sequence in enumerate(sequences)),
        ],
        [
            helper.make_tensor_value_info(inside + "on", TensorProto.BOOL, []),
            *(helper.make_value_info(inside + f"after{at}", sequence) for at, sequence in enumerate(sequences)),
        ],
        [
            *(helper.make_tensor(inside + name, TensorProto.INT64, [1], [value]) for name, value in numbers.items()),
            *(renamed_tensor(one, names) for one in tensors),
        ],
    )  # fmt: skip


def loop(body: GraphProto, section: Section) -> list[NodeProto]:
    """One iteration per strip; the results are concatenated under the names of the outputs."""

    def make(kind: str, inputs: list[str], output: str, **attributes: Any) -> NodeProto:
        return helper.make_node(kind, inputs, [f"{section.name}_{output}"], **attributes)

    def constant(name: str, value: int) -> NodeProto:
        tensor = helper.make_tensor(name, TensorProto.INT64, [1], [value])
        return make("Constant", [], name, value=tensor)

    source, (axis, each) = next(iter(section.sources.items()))
    count = range(len(section.outputs))
    return [
        constant("axis", axis),
        constant("each", each),
        constant("rows", section.rows),
        constant("less", section.rows - 1),
        make("Shape", [source], "shape"),
        make("Gather", [f"{section.name}_shape", f"{section.name}_axis"], "length"),
        make("Div", [f"{section.name}_length", f"{section.name}_each"], "height"),
        make("Add", [f"{section.name}_height", f"{section.name}_less"], "full"),
        make("Div", [f"{section.name}_full", f"{section.name}_rows"], "counted"),
        make("Squeeze", [f"{section.name}_counted"], "count"),
        *(make("SequenceEmpty", [], f"none{at}", dtype=element_of(name)) for at, name in enumerate(section.outputs)),
        helper.make_node("Loop", [f"{section.name}_count", "", *(f"{section.name}_none{at}" for at in count)],
                         [f"{section.name}_all{at}" for at in count], body=body),
        *(helper.make_node("ConcatFromSequence", [f"{section.name}_all{at}"], [output], axis=2) for at, output in enumerate(section.outputs)),
    ]  # fmt: skip
