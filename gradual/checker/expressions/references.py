"""Mutable references: the content has a closed type, fixed when the reference is made; each read unpacks it.

What is known about an earlier content need not hold for a later one, so each read has fresh unknowns.
[type.reference]
"""

from __future__ import annotations

from collections.abc import Callable

from gradual.checker.coercion.flow import flow
from gradual.checker.program.place import Place
from gradual.checker.state.context import Elaboration
from gradual.checker.state.values import BROKEN, Broken, Made
from gradual.core.check import Promise, Site
from gradual.core.terms import MakeReference, ReadReference, WriteReference
from gradual.source import Span
from gradual.syntax.tree import ast
from gradual.types.instantiation import settled_type
from gradual.types.print import shown
from gradual.types.type import OpenedType, ReferenceType, TupleType
from gradual.types.unpacking import sizes

Infer = Callable[[ast.Expr], str]


def reference(state: Elaboration, expr: ast.Ref, infer: Infer, hint: str | None) -> str:
    """Check `ref(e)`, `ref_read(r)` or `ref_write(r, e)`; return the core variable of the result."""
    operands = [infer(operand) for operand in expr.operands]
    if any(isinstance(state.values.types[operand], Broken) for operand in operands):
        return state.values.define(state.values.fresh(hint), BROKEN)
    match expr.kind, operands:
        case "ref", [value]:
            return _made(state, value, expr, hint)
        case "ref_read", [cell]:
            return _read(state, cell, expr, hint)
        case "ref_write", [cell, value]:
            return _written(state, cell, value, expr, hint)
    raise AssertionError(expr.kind)


def _made(state: Elaboration, value: str, expr: ast.Ref, hint: str | None) -> str:
    """Make a reference, whose content has the value's type, closed.  [type.reference.make]"""
    held = state.values.types[value]
    assert not isinstance(held, Broken)
    content = settled_type(held)
    what = "the content of the reference"
    at = expr.operands[0].span
    fits = flow(state, value, content, Place(at, Site.ARGUMENT, "type.reference.make", what, what))
    name = state.values.fresh(hint)
    if fits is None:
        return state.values.define(name, BROKEN)
    type = ReferenceType(content)
    state.strictness.agree(type)
    state.output.steps.append(MakeReference(name, fits, type, expr.span))
    return state.values.define(name, type, Made("`ref`", (), expr.span))


def _read(state: Elaboration, cell: str, expr: ast.Ref, hint: str | None) -> str:
    """Read a reference; unpack the content with fresh unknowns, since it may have changed.  [type.reference.read]"""
    content = _content(state, cell, expr.operands[0].span, "read")
    name = state.values.fresh(hint)
    if content is None:
        return state.values.define(name, BROKEN)
    promise = Promise(expr.span, "what the reference holds, whose type leaves it open")
    type = state.enter_part(content.content, name, lambda path, axis: promise, content in state.strictness.agreed)
    for size in sizes(type):
        state.is_size(size)
    state.output.steps.append(ReadReference(name, cell, type, expr.span))
    return state.values.define(name, type, Made("`ref_read`", (), expr.span))


def _written(state: Elaboration, cell: str, value: str, expr: ast.Ref, hint: str | None) -> str:
    """Write a reference: coerce the value to the content's type; the result is `()`.  [type.reference.write]"""
    target, source = expr.operands
    content = _content(state, cell, target.span, "written to")
    name = state.values.fresh(hint)
    if content is None:
        return state.values.define(name, BROKEN)
    what = "the content of the reference"
    place = Place(source.span, Site.ARGUMENT, "type.reference.write", what, f"what is written, in `{state.function}`")
    fits = flow(state, value, content.content, place)
    if fits is None:
        return state.values.define(name, BROKEN)
    type: OpenedType = TupleType(())
    state.output.steps.append(WriteReference(name, cell, fits, type, expr.span))
    return state.values.define(name, type, Made("`ref_write`", (), expr.span))


def _content(state: Elaboration, cell: str, span: Span, done: str) -> ReferenceType | None:
    type = state.values.types[cell]
    if isinstance(type, ReferenceType):
        return type
    assert not isinstance(type, Broken)
    state.output.report("E0307", "type.reference", f"only a reference can be {done}, not `{shown(type)}`", span)
    return None
