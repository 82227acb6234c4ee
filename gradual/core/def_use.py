"""The variables that a step reads (uses) and defines, and the nodes inside it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from operator import attrgetter
from typing import Any

from gradual.core.check import Check
from gradual.core.pattern import Bind, CorePattern
from gradual.core.roles import ByClass, Finder, Role, Takes, finder, one, roles, some
from gradual.core.terms import Arm, Block, Change, Conversion, Function, Step
from gradual.dims.term.constraint import Constraint
from gradual.dims.term.dim import Dim, Variable
from gradual.types.binder_solving import unbound
from gradual.types.type import OpenedType, TensorType, TupleType, UnrankedType
from gradual.types.unpacking import base_of


# ------------------------------------------------------------------------------------------------------- nested nodes
def _bodies(arms: Iterable[Arm]) -> Iterable[Block]:
    return (arm.block for arm in arms)


def _body(function: Function) -> Iterable[Block]:
    return (function.body,)


def _changes(cases: Mapping[str, tuple[Change | Conversion | None, ...]]) -> Iterable[Change | Conversion]:
    return (how for fields in cases.values() for how in fields if how is not None)


_BLOCKS: Finder[Block] = finder({Role.BLOCK: one, Role.ARMS: _bodies, Role.LITERAL: _body})

# The nodes in a node: those outside its nested blocks; all of them; those by which a step binds variables.
_OUTSIDE_BLOCKS: Takes[Any] = {
    Role.PART: some,
    Role.PARTS: tuple,
    Role.LAYER: one,
    Role.CONVERSION: one,
    Role.CASES: _changes,
}
_PARTS: Finder[Any] = finder(_OUTSIDE_BLOCKS)
_INSIDE: Finder[Any] = finder({**_OUTSIDE_BLOCKS, Role.BLOCK: one, Role.ARMS: tuple, Role.LITERAL: one})
_BINDING: Finder[Any] = finder({Role.PART: some, Role.PARTS: tuple, Role.ARMS: tuple, Role.LITERAL: one})


def blocks(step: Step) -> tuple[Block, ...]:
    """The blocks inside a step: of branches, of arms, of a function literal."""
    return _BLOCKS[type(step)](step)


def every(block: Block) -> Iterator[Step]:
    """Every step of a block and of nested blocks, in order of the text; without recursion."""
    waiting = [iter(block.steps)]
    while waiting:
        step = next(waiting[-1], None)
        if step is None:
            waiting.pop()
            continue
        yield step
        inside = _BLOCKS[type(step)](step)
        if inside:
            waiting += [iter(inner.steps) for inner in reversed(inside)]


def within(node: Any) -> Iterator[Any]:
    """A node and all nodes inside it: steps, and the parts of steps, also in blocks, proxies and conversions."""
    return _walk(node, _INSIDE)


def _walk(node: Any, inside: Finder[Any]) -> Iterator[Any]:
    """A node and those inside it, depth first, without recursion; a conversion that contains itself is visited once."""
    waiting = [node]
    seen: set[int] = set()
    while waiting:
        node = waiting.pop()
        if isinstance(node, Conversion):
            if id(node) in seen:
                continue
            seen.add(id(node))
        yield node
        waiting += inside[type(node)](node)[::-1]


def checks_in(block: Block) -> Iterator[Check]:
    """Every check of a block in order of the text, also in proxies, conversions and applications at unknown ranks."""
    for step in every(block):
        yield from (node for node in _walk(step, _PARTS) if isinstance(node, Check))


# ---------------------------------------------------------------------------------------------------- what is defined
def _name_and_type(node: type) -> Callable[[Any], tuple[str | None, OpenedType]] | None:
    """The variable that a node defines, and its type; None for a class of nodes that define none."""
    names = {role: name for name, role in roles(node).items()}
    type = names.get(Role.TYPE) or names.get(Role.SIGNATURE)
    return attrgetter(names[Role.DEFINED], type) if Role.DEFINED in names and type is not None else None


_NAME = finder({Role.DEFINED: one})
_TYPED = ByClass(_name_and_type)


def defined(step: Step) -> str | None:
    """The variable that a step defines; None for a check or an assertion."""
    return next(iter(_NAME[type(step)](step)), None)


def bindings(step: Step) -> Iterator[tuple[str, OpenedType]]:
    """The variables that a step binds, with types: its own, those of its patterns, and its literal's parameters."""
    found = (get(node) for node in _walk(step, _BINDING) if (get := _TYPED[type(node)]) is not None)
    return ((name, type) for name, type in found if name is not None)


def binds(pattern: CorePattern) -> Iterator[Bind]:
    """The binds in a pattern, unnamed ones too, left to right."""
    return (node for node in _walk(pattern, _BINDING) if isinstance(node, Bind))


# -------------------------------------------------------------------------------------------------------------- reads
def _bases(variables: Iterable[Variable]) -> Iterator[str]:
    for variable in variables:
        base = base_of(variable)
        if base is not None:
            yield base


def _bases_in(said: Dim | Constraint) -> Iterator[str]:
    return _bases(said.variables())


def _variables_in_attributes(attributes: Mapping[str, Any]) -> Iterator[Variable]:
    return variables_in(tuple(attributes.values()))


_OPERANDS: Takes[str] = {Role.HEAD: one, Role.OPERAND: one, Role.OPERANDS: tuple}
_READ_HERE = finder(_OPERANDS)
_READ: Finder[str] = finder(
    {
        **_OPERANDS,
        Role.DIM: _bases_in,
        Role.DIMS: lambda given: (base for _, size in given for base in _bases_in(size)),
        Role.BINDERS: lambda bound: (base for _, size in bound for base in _bases_in(size)),
        Role.ATTRIBUTES: lambda attributes: _bases(_variables_in_attributes(attributes)),
        Role.GOAL: _bases_in,
        Role.BLAME: lambda blame: _bases_in(blame.owed),
        Role.ENTRY: lambda checks: (base for check in checks for base in _READ[Check](check)),
        Role.TYPE: lambda type: (*_bases(variables_of(type)), *origins(type)),
        Role.SIGNATURE: lambda type: _bases(variables_of(type)),
    }
)
_EVALUATED = finder(
    {Role.DIM: Dim.variables, Role.GOAL: lambda goal: goal.variables(), Role.ATTRIBUTES: _variables_in_attributes}
)


def operands(step: Step) -> tuple[str, ...]:
    """The operands of a step, without those of steps in nested blocks."""
    return _READ_HERE[type(step)](step)


def reads(step: Step) -> Iterator[str]:
    """The variables that a step uses: operands, and values that its sizes are read from, in nested blocks too.

    Variables defined inside the step are included.
    """
    for node in within(step):
        yield from _READ[type(node)](node)


def evaluated(step: Step) -> tuple[Variable, ...]:
    """The variables of the sizes that a step evaluates when it runs, without those of its type."""
    return _EVALUATED[type(step)](step)


def variables_of(type: OpenedType) -> Iterator[Variable]:
    """The variables of a type, without those that a function type binds."""
    match type:
        case TupleType(fields):
            for field in fields:
                yield from variables_of(field)
        case TensorType(_, _, contents):
            yield from unbound(type)
            for content in contents or ():
                yield from content.variables()
        case _:
            yield from unbound(type)


def variables_in(value: object) -> Iterator[Variable]:
    """The variables of the dims in an attribute's value."""
    match value:
        case Dim():
            yield from value.variables()
        case tuple():
            for part in value:
                yield from variables_in(part)


def origins(type: OpenedType) -> Iterator[str]:
    """The variables that the unknown shapes in a type belong to."""
    match type:
        case TupleType(fields):
            for field in fields:
                yield from origins(field)
        case UnrankedType(_, str(origin)):
            yield origin.split("#", 1)[0]
