"""Calls of functions, branches and loops."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from gradual.dims.term.dim import Dim, SizeOf
from gradual.importers.common import lists
from gradual.importers.common.branching import branched, repeated
from gradual.importers.common.refusals import Unsupported
from gradual.importers.common.values import Value
from gradual.importers.tensorflow.file.attributes import as_shape
from gradual.importers.tensorflow.importers import Held, Use, imports
from gradual.importers.tensorflow.operators.tensor_lists import as_value
from gradual.types.dtype import DType
from gradual.types.type import Hole, TensorType, UnrankedType

Results = Callable[[], Sequence[Held]]
"""Imports a branch into the current block, and returns its results."""


@imports("PartitionedCall", "StatefulPartitionedCall", "RemoteCall")
def call(use: Use) -> Sequence[Held]:
    """The results of a function."""
    return use.bodies.outputs(use.function("f"), use.inputs)


# --------------------------------------------------------------------------------------------------------- branches
@imports("If", "StatelessIf")
def choose(use: Use) -> Sequence[Held]:
    """The results of one of two functions.

    The node is an assertion if the first function returns its inputs unchanged and the second only asserts the
    condition.
    """
    names = [use.function(f"{branch}_branch") for branch in ("then", "else")]
    asserted = use.bodies.asserts(names[1])
    if asserted is not None and all(use.bodies.kept(names[0])) and use.inputs[1:][asserted] is use.inputs[0]:
        return use.bodies.outputs(names[1], use.inputs[1:])
    bodies: list[Results] = [partial(use.bodies.outputs, name, use.inputs[1:]) for name in names]
    return _kept(use, names[0], _branched(use, _truth(use, use[0]), bodies))


@imports("Case", "StatelessCase")
def case(use: Use) -> Sequence[Held]:
    """The results of the function at an index; of the last one if the index is out of bounds."""
    names = use.functions("branches")
    if not names:
        raise Unsupported("no branches")
    return _kept(use, names[0], _case(use, names, 0))


def _case(use: Use, names: Sequence[str], at: int) -> Sequence[Held]:
    if at + 1 == len(names):
        return use.bodies.outputs(names[at], use.inputs[1:])
    here = use.call("equal", use[0], use.like(at, use[0]))
    return _branched(
        use, here, [partial(use.bodies.outputs, names[at], use.inputs[1:]), partial(_case, use, names, at + 1)]
    )


def _branched(use: Use, condition: Value, bodies: Sequence[Results]) -> Sequence[Held]:
    return branched(use, condition, [partial(_values, use, body) for body in bodies])


def _kept(use: Use, function: str, found: Sequence[Held]) -> Sequence[Held]:
    """The results of branches; empty if the functions have no results: the branches are then kept for their checks."""
    if use.bodies.kept(function):
        return found
    for one in found:
        if isinstance(one, Value):
            use.builder.named(one, use.node.name)
    return ()


def _values(use: Use, body: Results) -> list[Value]:
    """The results of a branch; a branch without results, which only checks something, returns true."""
    return [as_value(use, one) for one in body()] or [use.builder.number(True, DType.BOOL)]


def _truth(use: Use, condition: Value) -> Value:
    """A condition as a boolean; a number is true if it is not 0."""
    if condition.rank:
        raise Unsupported("a condition that is no scalar")
    return condition if condition.dtype is DType.BOOL else use.call("not_equal", condition, use.like(0, condition))


# ------------------------------------------------------------------------------------------------------------- loops
@imports("While", "StatelessWhile")
def loop(use: Use) -> Sequence[Held]:
    """A loop; a value that its body returns unchanged, such as a variable, is not carried."""
    condition, body = use.function("cond"), use.function("body")
    changed = [at for at, keeps in enumerate(use.bodies.kept(body)) if not keeps]

    def given(carried: list[Value]) -> list[Held]:
        known: list[Held] = list(use.inputs)
        for at, value in zip(changed, carried, strict=True):
            known[at] = value
        return known

    def goes_on(carried: list[Value]) -> list[Value]:
        (found,) = use.bodies.outputs(condition, given(carried))
        return [_truth(use, as_value(use, found))]

    def turn(carried: list[Value]) -> list[Value]:
        after = use.bodies.outputs(body, given(carried))
        return [_fitting(use, at, as_value(use, after[at])) for at in changed]

    if max(changed, default=0) >= len(use.inputs):
        raise Unsupported(f"a body with more results than the {len(use.inputs)} values that are carried")
    begun = [_fitting(use, at, as_value(use, use.held(at))) for at in changed]
    return given(repeated(use, use.node.name, begun, goes_on, turn, carried_type) if changed else [])


def carried_type(value: Value) -> Any:
    """The type of a carried value; sizes become `?`, except formulas of names and of sizes of parameters of `@main`.

    A size that is kept is only a first guess: `repeated` replaces it by `?` if it differs after an iteration.
    """
    if not isinstance(value.type, TensorType):
        return lists.held(value)
    sizes = [size if _is_of_parameters(size) else Hole() for size in value.type.shape]
    return TensorType(tuple(sizes), value.dtype)


def _is_of_parameters(size: Dim) -> bool:
    """Whether a size is a formula of names and of sizes of parameters of `@main`, which its whole body can use.

    A formula with `//` does not count.
    """
    unknown = [name.witness for name in size.variables() if name.is_existential]
    own = all(isinstance(one, SizeOf) and not one.value.startswith("%.") for one in unknown)
    return own and "//" not in str(size)


def _fitting(use: Use, at: int, value: Value) -> Value:
    """A carried value, cast to the shape that the graph declares for it in all iterations."""
    shapes = use.attribute("output_shapes", ())
    shape = as_shape(shapes[at]) if isinstance(shapes, tuple) and at < len(shapes) else None
    return use.of_shape(value, shape) if isinstance(value.type, TensorType | UnrankedType) else value
