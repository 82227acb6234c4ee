"""Operators of sequences of tensors."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from gradual.dims.term.dim import constant
from gradual.importers.common import lists
from gradual.importers.common.applying import positive
from gradual.importers.common.builder import stated
from gradual.importers.common.folding import TRACKED
from gradual.importers.common.refusals import Unsupported
from gradual.importers.common.sizes.ports import Port
from gradual.importers.common.values import Value
from gradual.importers.onnx.file.model import Graph, Node
from gradual.importers.onnx.importers import Use, as_scalar, constant_of, imports
from gradual.types.dtype import DType
from gradual.types.print import shown, shown_extent
from gradual.types.type import DataType, Hole, TensorType, TupleType


@imports("SequenceEmpty", "SequenceConstruct")
def construct(use: Use) -> Value:
    """A sequence of the given tensors."""
    return use.builder.tuple([use[index] for index in range(len(use.inputs))])


def _fields(use: Use, sequence: Value) -> list[Value] | None:
    """The elements of a sequence that is a tuple; None if it is a list, whose length is unknown."""
    if isinstance(sequence.type, TupleType):
        return list(sequence.made_by("tuple")) or use.counted(sequence, len(sequence.type.fields))
    if not isinstance(sequence.type, DataType) or lists.is_optional(sequence):
        raise Unsupported("a tensor where a sequence has to be")
    return None


@imports("SequenceLength")
def length(use: Use) -> Value:
    """The number of elements."""
    fields = _fields(use, use[0])
    if fields is None:
        return lists.applied(use.builder, "@sequence_length", TensorType((), DType.INT64), use[0])
    return use.builder.number(len(fields), DType.INT64)


@imports("SequenceAt")
def at(use: Use) -> Value:
    """The element at an index."""
    known = _place(use, use[0], use[1])
    if known is not None:
        fields, place = known
        return fields[place]
    all = lists.as_list(use.builder, use[0])
    return lists.applied(use.builder, "@sequence_at", lists.element_of(all), all, _from_front(use, all, use[1]))


@imports("SequenceInsert")
def insert(use: Use) -> Value:
    """The sequence with one more element: at its end, or before an index."""
    sequence, new, place = use[0], use[1], use.optional(2)
    known = _place(use, sequence, place, beyond=1)
    if known is not None:
        fields, index = known
        return use.builder.tuple([*fields[:index], new, *fields[index:]])
    type = lists.wider(lists.held(sequence), lists.of(use.builder, new.tensor))
    all, new = lists.as_list(use.builder, sequence, type), lists.as_element(use.builder, new, type)
    if place is None:
        return lists.applied(use.builder, "@sequence_append", type, all, new)
    return lists.applied(use.builder, "@sequence_insert", type, all, new, _from_front(use, all, place))


@imports("SequenceErase")
def erase(use: Use) -> Value:
    """The sequence without one element, the last unless an index is given."""
    place = use.optional(1) or use.builder.number(-1, DType.INT64)
    known = _place(use, use[0], place)
    if known is not None:
        fields, index = known
        return use.builder.tuple([*fields[:index], *fields[index + 1 :]])
    all = lists.as_list(use.builder, use[0])
    return lists.applied(use.builder, "@sequence_erase", all.type, all, _from_front(use, all, place))


def _place(use: Use, sequence: Value, place: Value | None, beyond: int = 0) -> tuple[list[Value], int] | None:
    """The elements and the known index, by default the end; None if the elements or the index are unknown."""
    fields, known = _fields(use, sequence), constant_of(place)
    if fields is None or (known is None and place is not None):
        return None
    index = len(fields) if known is None else int(known.item())
    index += len(fields) if index < 0 else 0
    if not 0 <= index < len(fields) + beyond:
        raise Unsupported(f"a place outside a sequence of {len(fields)}")
    return fields, index


def _from_front(use: Use, all: Value, place: Value) -> Value:
    """An index into a list, counted from the front."""
    scalar, known = as_scalar(use, place), constant_of(place)
    if scalar.dtype is not DType.INT64:
        scalar = use.call("cast", scalar, dtype=DType.INT64)
    if known is not None and known.item() >= 0:
        return scalar
    return lists.applied(use.builder, "@sequence_place", TensorType((), DType.INT64), all, scalar)


# --------------------------------------------------------------------------------------------------- concatenation
@imports("ConcatFromSequence")
def concatenate(use: Use) -> Value:
    """The elements, concatenated along an axis or stacked along a new one."""
    new = bool(use.attribute("new_axis", 0))
    fields = _fields(use, use[0])
    if fields is not None:
        axis = positive(use.required("axis"), fields[0].rank + new) if fields else 0
        parts = [use.call("expand_dims", one, axis=axis) for one in fields] if new else fields
        return use.call("concatenate", use.builder.tuple(parts), axis=axis)
    element = lists.element_of(use[0])
    if not isinstance(element, TensorType):
        raise Unsupported("elements whose ranks differ")
    axis = positive(use.required("axis"), element.rank + new)
    shape = (*element.shape[:axis], Hole(), *element.shape[axis + (not new) :])
    one = f"expand_dims(%one, axis={axis})" if new else "%one"

    def body(name: str, given: Sequence[str]) -> str:
        several = f"concatenate(({one}, {name}(%rest)), axis={axis})"
        return f"match? (%s) {{ Cons(%one, %rest) => match (%rest) {{ Nil => {one}, Cons(_, _) => {several} }} }}"

    result = TensorType(shape, element.dtype)
    return lists.recursive(
        use.builder, "joined", f"%s: {shown(use[0].type)}", result, [use[0]], body, lambda given: given[0]
    )


# --------------------------------------------------------------------------------------------------------- splitting
@imports("SplitToSequence")
def split_to_sequence(use: Use) -> Value:
    """Parts along an axis, of given sizes or of one size; in the latter case the last part may be smaller."""
    x, sizes = use[0], use.optional(1)
    axis = positive(use.attribute("axis", 0), x.rank)
    if sizes is None:
        return _single(use, x, axis, bool(use.attribute("keepdims", 1)))
    if sizes.rank == 0:
        (size,) = sizes.numbers("a size of parts")
        return _even(use, x, axis, size)
    if constant_of(sizes) is not None:
        return use.builder.tuple(use.parts(x, axis, sizes.numbers("sizes of parts")))
    if _are_ones(sizes):
        return _single(use, use.exactly(x, axis, use.extent(sizes, 0)), axis, True)
    return _uneven(use, x, axis, use.call("cast", sizes, dtype=DType.INT64))


def _are_ones(sizes: Value) -> bool:
    """Whether the sizes are a vector filled with 1."""
    filled = sizes.made_by("dyn.full", "full")
    known = constant_of(filled[0]) if filled else None
    return known is not None and known.item() == 1


def _single(use: Use, x: Value, axis: int, keeps: bool) -> Value:
    """Parts of size 1 along the axis; the axis is removed unless `keeps`."""

    def part(place: int) -> Value:
        one = use.call("take", x, use.builder.number(place, DType.INT64), axis=axis, mode="fast")
        return use.call("expand_dims", one, axis=axis) if keeps else one

    count = x.extent(axis)
    if count is not None and count <= TRACKED:
        return use.builder.tuple([part(place) for place in range(count)])
    one = f'take({{x}}, %i, axis={axis}, mode="fast")'
    shape = [size for at, size in enumerate(x.tensor.shape) if at != axis]
    if keeps:
        one, shape = f"expand_dims({one}, axis={axis})", [*shape[:axis], constant(1), *shape[axis:]]
    return _stepwise(use, x, axis, 1, one, TensorType(tuple(shape), x.dtype))


def _even(use: Use, x: Value, axis: int, size: int) -> Value:
    """Parts of one size; the last part may be smaller."""
    if size < 1:
        raise Unsupported(f"parts of size {size}")
    whole = x.extent(axis)
    if whole is not None and whole <= TRACKED * size:
        return use.builder.tuple([_slice(use, x, axis, low, low + size) for low in range(0, whole, size)])
    one = f"strided_slice({{x}}, begin=[%i], end=[%i + {size}], axes=[{axis}])"
    return _stepwise(use, x, axis, size, one, _open_at(x, axis))


def _slice(use: Use, x: Value, axis: int, low: int, high: int) -> Value:
    return use.call("strided_slice", x, begin=[low], end=[high], axes=[axis])


def _open_at(x: Value, axis: int) -> Any:
    """The type of a part of `x`, with `?` as its size along the axis."""
    shape = x.tensor.shape
    return TensorType((*shape[:axis], Hole(), *shape[axis + 1 :]), x.dtype)


def _stepwise(use: Use, x: Value, axis: int, step: int, one: str, element: Any) -> Value:
    """The list of the values of `one` for `%i` = 0, `step`, 2 * `step`, ... along an axis."""

    def body(name: str, given: Sequence[str]) -> str:
        part = f"Cons({one.format(x=given[0])}, {name}(add(%i, {step}i64)))"
        return f"if (less(%i, {given[1]})) {{ {part} }} else {{ Nil }}"

    type = lists.of(use.builder, element)
    return lists.recursive(
        use.builder, "parts", "%i: int64", type, [x, use.extent(x, axis)], body, lambda given: "0i64"
    )


def _uneven(use: Use, x: Value, axis: int, sizes: Value) -> Value:
    """Parts of sizes that are computed when the model runs."""
    count = sizes.extent(0)
    if count is not None and 0 < count <= TRACKED:
        return use.builder.tuple(use.parts(x, axis, [use.builder.element(sizes, at) for at in range(count)]))
    promised = [shown_extent(size) for size in stated(x.type).shape]
    promised[axis] = "%size"
    type = f"Tensor[({', '.join(promised)}{',' * (x.rank == 1)}), {x.dtype}]"

    def body(name: str, given: Sequence[str]) -> str:
        size = f'let %size = take({given[1]}, %i, axis=0, mode="fast"); let %end = add(%start, %size);'
        part = f"(strided_slice({given[0]}, begin=[%start], end=[%end], axes=[{axis}]) as {type})"
        more = f"{size} Cons({part}, {name}(add(%i, 1i64), %end))"
        last = f"let %all = {given[3]}; assert %start == %all; Nil"
        return f"if (less(%i, {given[2]})) {{ {more} }} else {{ {last} }}"

    result = lists.of(use.builder, _open_at(x, axis))
    operands = [x, sizes, use.extent(sizes, 0), use.extent(x, axis)]
    params = "%i: int64, %start: int64"
    return lists.recursive(use.builder, "parts", params, result, operands, body, lambda given: "0i64, 0i64")


# ------------------------------------------------------------------------------------------------ element by element
@imports("SequenceMap")
def mapped(use: Use) -> list[Value]:
    """The outputs of a graph for each index, applied to the elements of sequences at the index, and to tensors."""
    inputs = [use[index] for index in range(len(use.inputs))]
    graph, sequences = use.graph("body"), [value for value in inputs if lists.is_sequence(value)]
    if len(graph.inputs) != len(inputs) or not inputs or inputs[0] is not next(iter(sequences), None):
        raise Unsupported(f"a graph of {len(graph.inputs)} inputs for {len(inputs)} values")
    counts = {None if fields is None else len(fields) for fields in (_fields(use, one) for one in sequences)}
    if counts == {None} or len(counts) > 1:
        around = {f"of {at}": value for at, value in enumerate(inputs)}
        return use.outputs(_map_loop(use, graph, inputs), around)
    (count,) = counts
    turns = [_turn(use, graph, inputs, place) for place in range(count or 0)]
    return [use.builder.tuple([one[at] for one in turns]) for at in range(len(graph.outputs))]


def _turn(use: Use, graph: Graph, inputs: Sequence[Value], place: int) -> list[Value]:
    """The outputs of the graph for the elements at an index."""
    given = [(_fields(use, value) or [])[place] if lists.is_sequence(value) else value for value in inputs]
    return use.outputs(graph, dict(zip((port.name for port in graph.inputs), given, strict=True)))


def _map_loop(use: Use, graph: Graph, inputs: Sequence[Value]) -> Graph:
    """A graph that computes `SequenceMap` by a loop over indices; its free names `of 0`, `of 1`, … are the inputs."""

    def node(operator: str, given: Sequence[str], gives: Sequence[str], **attributes: Any) -> Node:
        return Node(operator, "", use.node.title, tuple(given), tuple(gives), attributes)

    before, after, all = ([f"{word} {at}" for at in range(len(graph.outputs))] for word in ("before", "after", "all"))
    elements = [
        node("SequenceAt", [f"of {at}", "the place"], [port.name])
        if lists.is_sequence(value)
        else node("Identity", [f"of {at}"], [port.name])
        for at, (port, value) in enumerate(zip(graph.inputs, inputs, strict=True))
    ]
    longer = [
        node("SequenceInsert", [old, one], [new]) for old, one, new in zip(before, graph.outputs, after, strict=True)
    ]
    turn = Graph(
        graph.name,
        tuple(Port(name, None, None) for name in ["the place", "goes on", *before]),
        ("goes on", *after),
        graph.initializers,
        (*elements, *graph.nodes, *longer),
    )
    nodes = (
        node("SequenceLength", ["of 0"], ["count"]),
        *(node("SequenceEmpty", [], [f"none {at}"]) for at in range(len(all))),
        node("Loop", ["count", "", *(f"none {at}" for at in range(len(all)))], all, body=turn),
    )
    return Graph(graph.name, (), tuple(all), {}, nodes)
