"""Rewrites layers of a network to run over strips of the picture, one after the other: the same numbers from less memory.

The layers at or near the picture's own size hold the most. What they compute reaches a few pixels far, so a strip with that many
rows more on either side gives its own rows of their outputs; the rest of the network sees those whole.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import onnx
from onnx import GraphProto, ModelProto, NodeProto, TensorProto, helper, numpy_helper


ROUNDED = "_QuantizeLinear_Output"  # what the quantiser adds to the name of a tensor for the same in 8 bits


@dataclass(frozen=True)
class Local:
    """A part of a network that a strip suffices for. All its tensors have a whole number of rows for each row of the coarsest."""

    name: str
    sources: dict[str, tuple[int, int]]  # tensors that are cut into strips: the axis of their rows, and rows for one of the coarsest
    outputs: dict[str, int]  # tensors [N,C,H,W] that the rest reads: rows for one of the coarsest
    rows: int  # of a strip, in rows of the coarsest, as is the next
    halo: int  # what its outputs depend on beyond it


def in_strips(model: ModelProto, local: Local) -> ModelProto:
    graph = model.graph
    local = in_8_bits(graph, local)
    inner = between(graph.node, local.sources, local.outputs)
    inside = {name for node in inner for name in node.output}
    needed = constants(graph, inner, inside | set(local.sources))
    both = [node for node in inner if node.op_type == "DequantizeLinear" and node.input[0] in local.sources]
    inside -= {name for node in both for name in node.output}
    rest = [node for node in graph.node if not any(node is one for one in inner) or any(node is one for one in both)]
    read = {name for node in rest for name in node.input} | {one.name for one in graph.output}
    if not read & inside <= set(local.outputs):
        raise ValueError(f"the rest reads {sorted(read & inside - set(local.outputs))}")
    body = strip_body(inner, needed, local)
    at = 1 + max((index for index, node in enumerate(rest) if set(local.sources) & set(node.output)), default=-1)
    return rebuilt(model, [*rest[:at], *loop(body, local), *rest[at:]], graph.initializer)


def whole(model: ModelProto) -> ModelProto:
    """The network as it was before `in_strips`, with weights of 16 bits in 32 again."""
    nodes, tensors = [], list(model.graph.initializer)
    names: dict[str, str] = {}  # what a tensor of a strip is called in the whole picture
    parts: dict[str, str] = {}  # what a loop gives, strip by strip: the tensor in it
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
    """The model with these nodes and tensors, as far as its outputs depend on them."""
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


def in_8_bits(graph: GraphProto, local: Local) -> Local:
    """Where a quantised network is cut: at the 8 bits, not at the numbers that are rounded to them."""
    made = {name for node in graph.node for name in node.output}

    def cut(name: str) -> str:
        return name + ROUNDED if name + ROUNDED in made else name

    sources, outputs = ({cut(name): value for name, value in given.items()} for given in (local.sources, local.outputs))
    return replace(local, sources=sources, outputs=outputs)


def element_of(name: str) -> int:
    return TensorProto.UINT8 if name.endswith(ROUNDED) else TensorProto.FLOAT


def between(nodes: Iterable[NodeProto], sources: Iterable[str], outputs: Iterable[str]) -> list[NodeProto]:
    """The nodes that lead from the ones to the others, in their order."""
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
    """What the inner nodes read and the source does not lead to: copied inside, where a session still sees that it never changes."""
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


def strip_body(inner: list[NodeProto], needed: tuple[list[NodeProto], list[TensorProto]], local: Local) -> GraphProto:
    nodes, tensors = needed
    inside = f"{local.name}_strip_"
    known = [*(name for node in [*nodes, *inner] for name in node.output), *(one.name for one in tensors), *local.sources]
    names = {name: f"{inside}{at}" for at, name in enumerate(known)}

    def make(kind: str, inputs: list[str], output: str) -> NodeProto:
        return helper.make_node(kind, [inside + name for name in inputs], [inside + output])

    numbers = {"one": 1, "rows": local.rows, "zero": 0, "halo": local.halo, "down": 2}
    cut = [
        make("Reshape", ["at", "one"], "index"),
        make("Mul", ["index", "rows"], "first"),
        make("Add", ["first", "rows"], "next"),
        helper.make_node("Min", [inside + "next", f"{local.name}_height"], [inside + "end"]),
        make("Sub", ["first", "halo"], "above"),
        make("Max", ["above", "zero"], "from"),
        make("Add", ["end", "halo"], "to"),
        make("Sub", ["first", "from"], "skipped"),
        make("Sub", ["end", "from"], "wanted"),
    ]
    for at, (source, (axis, each)) in enumerate(local.sources.items()):
        numbers |= {f"axis{at}": axis, f"each{at}": each}
        bounds = [inside + f"{name}{at}" for name in ("from", "to", "axis")]
        cut += [make("Mul", [name, f"each{at}"], f"{name}{at}") for name in ("from", "to")]
        cut.append(helper.make_node("Slice", [source, *bounds], [names[source]]))
    kept = []
    for at, (output, each) in enumerate(local.outputs.items()):
        numbers[f"gives{at}"] = each
        kept += [make("Mul", [name, f"gives{at}"], f"{name}{at}") for name in ("skipped", "wanted")]
        bounds = [inside + name for name in (f"skipped{at}", f"wanted{at}", "down")]
        kept.append(helper.make_node("Slice", [names[output], *bounds], [inside + f"part{at}"]))
        kept.append(make("SequenceInsert", [f"before{at}", f"part{at}"], f"after{at}"))
    kept.append(make("Identity", ["go"], "on"))
    sequences = [helper.make_sequence_type_proto(helper.make_tensor_type_proto(element_of(name), None)) for name in local.outputs]
    return helper.make_graph(
        [*cut, *(renamed(node, names) for node in [*nodes, *inner]), *kept],
        f"{local.name}_strip",
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


def loop(body: GraphProto, local: Local) -> list[NodeProto]:
    """As many rounds as strips; what each gives is joined again under the outputs' own names."""

    def make(kind: str, inputs: list[str], output: str, **attributes: Any) -> NodeProto:
        return helper.make_node(kind, inputs, [f"{local.name}_{output}"], **attributes)

    def constant(name: str, value: int) -> NodeProto:
        tensor = helper.make_tensor(name, TensorProto.INT64, [1], [value])
        return make("Constant", [], name, value=tensor)

    source, (axis, each) = next(iter(local.sources.items()))
    count = range(len(local.outputs))
    return [
        constant("axis", axis),
        constant("each", each),
        constant("rows", local.rows),
        constant("less", local.rows - 1),
        make("Shape", [source], "shape"),
        make("Gather", [f"{local.name}_shape", f"{local.name}_axis"], "length"),
        make("Div", [f"{local.name}_length", f"{local.name}_each"], "height"),
        make("Add", [f"{local.name}_height", f"{local.name}_less"], "full"),
        make("Div", [f"{local.name}_full", f"{local.name}_rows"], "counted"),
        make("Squeeze", [f"{local.name}_counted"], "count"),
        *(make("SequenceEmpty", [], f"none{at}", dtype=element_of(name)) for at, name in enumerate(local.outputs)),
        helper.make_node("Loop", [f"{local.name}_count", "", *(f"{local.name}_none{at}" for at in count)],
                         [f"{local.name}_all{at}" for at in count], body=body),
        *(helper.make_node("ConcatFromSequence", [f"{local.name}_all{at}"], [output], axis=2) for at, output in enumerate(local.outputs)),
    ]  # fmt: skip
