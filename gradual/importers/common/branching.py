"""Branches and loops of models, as an `if` and a recursive function of the language."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from gradual.dims.rewrite.readable import is_large
from gradual.dims.solver.decide import Decider
from gradual.dims.store.facts import Facts
from gradual.dims.term.constraint import Constraint, at_least
from gradual.dims.term.dim import Dim, SizeOf, constant, ite, of_atom
from gradual.importers.common import lists
from gradual.importers.common.applying import Applying
from gradual.importers.common.builder import Builder, stated
from gradual.importers.common.refusals import Unsupported
from gradual.importers.common.values import Block, Value
from gradual.limits import LIMITS
from gradual.types.print import shown
from gradual.types.type import Hole, OpenedType, TensorType, TupleType
from gradual.verdict import Proved, Refuted

Body = Callable[[], list[Value]]
"""Imports a branch into the current block, and returns its results."""
Turn = Callable[[list[Value]], list[Value]]
"""Imports the condition or body of a loop into the current block: carried values -> results."""

Held = Callable[[Value], Any]
"""The type of a value that is passed to another scope."""


def branched(use: Applying, condition: Value, bodies: Sequence[Body]) -> list[Value]:
    """The results of an `if` with two bodies; if the condition is decided, only the body that is taken is imported."""
    known = condition.truth if condition.truth is not None else _decided(condition)
    if known is not None:
        return bodies[0 if known else 1]()
    builder = use.builder
    opened = builder.judging.count
    (then, first), (orelse, second) = (_inside(builder, body) for body in bodies)
    if len(first) != len(second):
        raise Unsupported(f"graphs that give {len(first)} and {len(second)} values")
    types = [_joined(one, other) for one, other in zip(first, second, strict=True)]
    widened = listed if _is_test(condition) else _widened
    with builder.inside(then):
        first = [widened(use, one, type) for one, type in zip(first, types, strict=True)]
    with builder.inside(orelse):
        second = [listed(use, one, type) for one, type in zip(second, types, strict=True)]

    def text(given: Sequence[str]) -> str:
        return f"if ({given[0]}) {_block(builder, then, first)} else {_block(builder, orelse, second)}"

    if _is_test(condition):
        pairs = zip(types, first, second, strict=True)
        types = [_either(builder, opened, condition.goal, *each) for each in pairs]
    return fields(use, [builder.open(type) for type in types], builder.bind([condition], text))


def repeated(
    use: Applying, name: str, begun: Sequence[Value], goes_on: Turn, turn: Turn, held: Held = lists.held
) -> list[Value]:
    """A loop that ends when its condition, the only result of `goes_on`, is false; return the final carried values.

    Sizes that change between iterations become `?`, ranks `*`; element types must not change.  `held` gives the type at
    which a value is carried into the first iteration, or out of an iteration.
    """
    builder = use.builder
    types = [held(value) for value in begun]
    while True:
        with builder.inside() as head:
            carried = [builder.input(builder.names.unused("carried"), builder.open(type)) for type in types]
            (condition,) = goes_on(carried)
        with builder.inside() as block:
            after = turn(carried)
        if len(after) != len(begun):
            raise Unsupported(f"a body that gives {len(after)} values for {len(begun)} that are carried")
        wider = [lists.wider(one, held(other)) for one, other in zip(types, after, strict=True)]
        if wider == types:
            break
        types = wider
    function = builder.names.fresh(name or "loop")
    names = [str(value.origin) for value in carried]
    params = ", ".join(f"{one}: {shown(type)}" for one, type in zip(names, types, strict=True))
    result = shown(types[0]) if len(types) == 1 else f"({', '.join(map(shown, types))})"

    def text(given: Sequence[str]) -> str:
        lines = "".join(f"{line}\n" for line in builder.lines(head))
        test = builder.written(condition)
        again = "".join(f"{line}\n" for line in builder.lines(block))
        again += f"%{function}({', '.join(map(builder.written, after))})"
        last = names[0] if len(names) == 1 else f"({', '.join(names)})"
        return (
            f"{{ let %{function} = fn ({params}) -> {result} {{\n{lines}if ({test}) {{\n{again}\n}} else {{ {last} }}\n"
            f"}};\n%{function}({', '.join(given)}) }}"
        )

    return fields(use, [builder.open(type) for type in types], builder.bind(begun, text))


def fields(use: Applying, types: Sequence[OpenedType], origin: Any) -> list[Value]:
    """The results of a binding: its value if there is a single result, else the fields of the tuple."""
    if len(types) == 1:
        return [Value(types[0], origin)]
    return use.counted(Value(TupleType(tuple(types)), origin), len(types))


def listed(use: Applying, value: Value, type: Any) -> Value:
    """The value as a branch returns it: a sequence as a list of this type."""
    return lists.as_list(use.builder, value, type) if lists.is_sequence(value) else value


def _inside(builder: Builder, body: Body) -> tuple[Block, list[Value]]:
    with builder.inside() as block:
        return block, body()


def _block(builder: Builder, block: Block, outputs: Sequence[Value]) -> str:
    return builder.body(block, outputs[0] if len(outputs) == 1 else builder.tuple(outputs))


def _is_test(condition: Value) -> bool:
    """Whether a condition compares sizes that are `?`; the checker then joins branches of any shapes.

    [type.if.test]
    """
    goal = condition.goal
    return goal is not None and all(name.is_existential for name in goal.variables())


def _either(builder: Builder, opened: int, goal: Constraint | None, type: Any, one: Value, other: Value) -> Any:
    """The joined type, in which a size that depends on a test is `if goal then ... else ...`, as in the checker.

    `opened` is the number of unknowns before the branches; later unknowns have no meaning outside the branches.
    """
    if goal is None or not isinstance(type, TensorType) or one.rank != other.rank:
        return type
    sizes = []
    for size, *both in zip(type.shape, one.tensor.shape, other.tensor.shape, strict=True):
        is_known = all(builder.judging.is_before(opened, part) for part in both)
        joined = ite(goal, *both) if isinstance(size, Hole) and is_known else size
        sizes.append(joined if not isinstance(joined, Dim) or not is_large(joined, LIMITS.nodes) else Hole())
    return TensorType(tuple(sizes), type.dtype)


def _decided(condition: Value) -> bool | None:
    """Whether a condition on sizes holds; None if this cannot be derived from sizes being at least 0."""
    goal = condition.goal
    if goal is None:
        return None
    facts = Facts()
    for name in goal.variables():
        if not name.is_existential or isinstance(name.witness, SizeOf):
            facts.assume(at_least(of_atom(name), constant(0)))
    match Decider(LIMITS, smt=False).decide(facts, goal):
        case Proved():
            return True
        case Refuted():
            return False
        case _:
            return None


def _joined(one: Value, other: Value) -> Any:
    """The join of the types of both branches; the checker's own join may be more precise."""
    if lists.is_sequence(one) and lists.is_sequence(other):
        return lists.settled(lists.wider(lists.held(one), lists.held(other)))
    return lists.wider(one.type, other.type)


def _widened(use: Applying, value: Value, type: Any) -> Value:
    """The value of a branch, cast to the joined type, in which sizes are `?` where the branches differ."""
    if lists.is_sequence(value):
        return listed(use, value, type)
    if value.type == type or (isinstance(type, TensorType) and type.shape == value.tensor.shape):
        return value
    wanted = shown(stated(type))
    return Value(value.type, use.builder.bind([value], lambda given: f"({given[0]} as {wanted})"))
