"""Data at run time: match structures with patterns, and convert them part by part with an explicit stack."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import cast

from gradual.core.pattern import Bind, CorePattern, Destructure
from gradual.core.terms import Change, Conversion, Convert, Match, Step
from gradual.record import record
from gradual.run.sizes import held
from gradual.run.value import Cell, Fault, Frame, Held, Procedure, Proxied, fault
from gradual.source import Span
from gradual.tensors.value import Constructed, Value

Perform = Callable[[Step, Frame], None]
"""Runs a step that enters no block."""


# ------------------------------------------------------------------------------------------------------------ match
def fits(pattern: CorePattern, value: Held, frame: Frame) -> bool:
    """Whether a value fits a pattern; bind its variables up to the first mismatch.  [run.match]"""
    match pattern:
        case Bind(name):
            if name is not None:
                frame.values[name] = value
            return True
        case Destructure(None, patterns):
            assert isinstance(value, tuple), value
            return all(fits(inner, part, frame) for inner, part in zip(patterns, value, strict=True))
        case Destructure(constructor, patterns):
            assert isinstance(value, Constructed), value
            parts = value.fields if value.constructor == constructor else None
            return parts is not None and all(fits(*pair, frame) for pair in zip(patterns, parts, strict=True))


def nothing_fits(step: Match, value: Held) -> Fault:
    """The fault of a `match?` none of whose arms fits.  [run.match]"""
    what = _outline(value, max((_depth(arm.pattern) for arm in step.arms), default=1))
    return fault("E0609", "run.match", f"no arm of this `match?` fits `{what}`", step.span)


def _outline(value: Held, depth: int) -> str:
    """Show a value to the depth of the patterns; `_` below."""
    match value:
        case Constructed(constructor, fields) if depth > 0:
            inside = ", ".join(_outline(field, depth - 1) for field in fields)
            return f"{constructor}({inside})" if fields else constructor
        case tuple() as fields if depth > 0:
            inside = ", ".join(_outline(field, depth - 1) for field in fields)
            return f"({inside},)" if len(fields) == 1 else f"({inside})"
        case _:
            return "_"


def _depth(pattern: CorePattern) -> int:
    """The nesting depth of constructors and tuples in a pattern."""
    match pattern:
        case Destructure(_, patterns):
            return 1 + max(map(_depth, patterns), default=0)
        case Bind():
            return 0


# ------------------------------------------------------------------------------------------- results for the caller
def shown_outside(value: Held, span: Span) -> Value:
    """Return a value to the outside caller; it must hold no function or reference.  Raises Fault.  [run.fault]"""
    waiting: list[Held] = [value]
    seen: set[int] = set()
    while waiting:
        match waiting.pop():
            case Procedure() | Proxied() | Cell() as hidden:
                cell = isinstance(hidden.inner if isinstance(hidden, Proxied) else hidden, Cell)
                what = "a reference" if cell else "a function"
                raise fault("E0608", "run.fault", f"{what} cannot be shown as a value", span)
            case tuple() as fields:
                waiting += fields
            case Constructed(_, fields) as structure if id(structure) not in seen:
                seen.add(id(structure))
                waiting += fields
    return cast(Value, value)


# ------------------------------------------------------------------------------------------------------- conversion
@record(frozen=False)
class _Rebuilding:
    """A structure under conversion, field by field; the result is assigned to `target` in the frame `into`, if any."""

    value: Constructed
    conversion: Conversion
    built: list[Held]
    into: Frame | None = None
    target: str = ""


@record(frozen=False)
class _Changing:
    """The conversion of one field, partly run."""

    steps: Iterator[Step]
    frame: Frame
    change: Change


def convert(step: Convert, frame: Frame, perform: Perform) -> None:
    """Convert a structure: left to right, depth first, each field before the next.  [run.data.convert]

    An explicit stack allows structures of any depth.  The steps that convert a field, at any depth, find outer
    variables in the frame in which the whole structure is converted.
    """
    stack: list[_Rebuilding | _Changing] = [_begun(step, frame)]
    while stack:
        match stack[-1]:
            case _Rebuilding() as top:
                _advance(top, stack, frame)
            case _Changing(steps, inside, change):
                following = next(steps, None)
                if following is None:
                    stack.pop()
                    _receive(stack, held(inside, change.result))
                elif isinstance(following, Convert):
                    stack.append(_begun(following, inside))
                else:
                    perform(following, inside)


def _begun(step: Convert, frame: Frame) -> _Rebuilding:
    value = held(frame, step.operand)
    assert isinstance(value, Constructed), step.operand
    return _Rebuilding(value, step.conversion, [], frame, step.name)


def _advance(top: _Rebuilding, stack: list[_Rebuilding | _Changing], frame: Frame) -> None:
    """Convert fields until one has to be pushed on the stack, or the structure is complete."""
    fields, how = top.value.fields, top.conversion.fields[top.value.constructor]
    while len(top.built) < len(fields):
        field, change = fields[len(top.built)], how[len(top.built)]
        match change:
            case None:
                top.built.append(field)
            case Change(param, steps):
                stack.append(_Changing(iter(steps), Frame({param.name: field}, outer=frame), change))
                return
            case Conversion():
                stack.append(_Rebuilding(field, change, []))
                return
    stack.pop()
    value = Constructed(top.value.constructor, tuple(top.built))
    if top.into is not None:
        top.into.values[top.target] = value
    else:
        _receive(stack, value)


def _receive(stack: list[_Rebuilding | _Changing], value: Held) -> None:
    waiting = stack[-1]
    assert isinstance(waiting, _Rebuilding), waiting
    waiting.built.append(value)
