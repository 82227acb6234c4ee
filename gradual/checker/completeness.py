"""Errors about unknowns in the types of a program's names: sizes that are no numbers and no formulas of declared names.

An unknown is reported once, where it comes from, with the names whose types mention it.   [type.open] [type.unranked]
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import field

from gradual.checker.state.context import Elaboration
from gradual.checker.state.scope import Binding
from gradual.checker.state.unknowns import single
from gradual.checker.state.values import Broken
from gradual.core.check import Promise
from gradual.diagnostic import Diagnostic
from gradual.dims.term.atom import ContentOf, NumelOf, RankOf, SizeOf, Variable
from gradual.record import record
from gradual.types.instantiation import is_gradual
from gradual.types.print import shown
from gradual.types.type import DataType, FunctionType, GradualType, OpenedType, ReferenceType, TupleType
from gradual.types.unpacking import rank_of, shapes_unknown, sizes, spelled

CODE = "E0407"
SHOWN = 8
"""Limit on the names reported for one unknown."""


@record(frozen=False, eq=False)
class Unknown:
    """An unknown in words, the place that it comes from, and the names whose types mention it."""

    says: str
    rule: str
    promise: Promise
    names: list[str] = field(default_factory=list)


def incomplete(state: Elaboration) -> Iterator[Diagnostic]:
    """Yield an error for every unknown of a definition, in source order."""
    found: dict[Variable | GradualType, Unknown] = {}
    open_ = False
    for binding in state.scope.bindings:  # the definition's own result is the last one
        type = state.values.types[binding.value]
        parts = {} if isinstance(type, Broken) else dict.fromkeys(_open_parts(type, state))
        for part in parts:
            found.setdefault(part, _unknown(part, binding, state)).names.append(binding.name)
        open_ = bool(parts)
    unknowns = [*found.values(), *([] if open_ else _forgotten(state))]
    for unknown in sorted(unknowns, key=lambda one: one.promise.span.start):
        yield _diagnostic(state.function, unknown)


def _open_parts(type: OpenedType, state: Elaboration) -> Iterator[Variable | GradualType]:
    """The unknowns in the type of a value: variables, and parts whose unknowns are not unpacked to variables."""
    for size in sizes(type):
        for variable in size.variables():
            if variable.is_existential:
                yield _root(variable, state)
    for origin in shapes_unknown(type):
        yield single(rank_of(origin))
    yield from filter(is_gradual, _closed_parts(type))


def _root(existential: Variable, state: Elaboration) -> Variable:
    """The unknown to report: the rank if the variable is read from a value of unknown rank, else the variable."""
    if not isinstance(existential.witness, SizeOf | NumelOf):
        return existential
    rank = single(rank_of(existential.witness.value))
    return rank if rank in state.unknowns.existentials else existential


def _closed_parts(type: OpenedType) -> Iterator[GradualType]:
    """The function, data and reference types in the type of a value."""
    match type:
        case TupleType(fields):
            for part in fields:
                yield from _closed_parts(part)
        case FunctionType() | DataType() | ReferenceType():
            yield type


def _unknown(part: Variable | GradualType, binding: Binding, state: Elaboration) -> Unknown:
    if not isinstance(part, Variable):
        return Unknown(f"a size in the type of `{binding.name}`", "type.open", Promise(binding.span, shown(part)))
    promise = state.unknowns.existentials.get(part) or Promise(binding.span, f"in the type of `{binding.name}`")
    match part.witness:
        case RankOf(value):
            return Unknown(f"the rank of `{spelled(value)}`", "type.unranked", promise)
        case ContentOf():
            return Unknown(f"the element `{part}`", "type.contents", promise)
        case _:
            return Unknown(f"the size `{part}`", "type.open", promise)


def _forgotten(state: Elaboration) -> Iterator[Unknown]:
    """An unknown if the declared result type has a `?`, although the body may know all sizes.  [type.close]"""
    interface, written = state.program.signatures.get(state.function), state.program.functions.get(state.function)
    if interface is not None and is_gradual(interface.result) and written is not None and written.result is not None:
        yield Unknown("a size of the result", "type.close", Promise(written.result.span, "the result as declared"))


def _diagnostic(function: str, unknown: Unknown) -> Diagnostic:
    names = list(dict.fromkeys(unknown.names))
    more = f", and {len(names) - SHOWN} more" * (len(names) > SHOWN)
    told = ", ".join(f"`{name}`" for name in names[:SHOWN])
    return Diagnostic(
        code=CODE,
        rule=unknown.rule,
        message=f"{unknown.says} is not known in `{function}`",
        span=unknown.promise.span,
        label=unknown.promise.says,
        notes=(f"in the types of {told}{more}",) if names else (),
        data={"function": function, "names": names},
    )
