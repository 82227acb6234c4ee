"""Repairs of undefined names: operators of other systems, methods and fields of tensors, misspelt variables.

[name.operator] [name.variable] [name.function]
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from gradual.checker.program.suggestions import closest
from gradual.checker.repairs.binding import Given, by_operator, by_row, given
from gradual.checker.repairs.foreign_rows import DIFFERENT, DROPPED, rows_of
from gradual.checker.repairs.place import Application, Program, instead
from gradual.diagnostic import Diagnostic, Help
from gradual.source import Span
from gradual.syntax.tree import ast
from gradual.syntax.tree.subexpressions import mentioned, within
from gradual.types.dtype import DType


def operators(error: Diagnostic, program: Program) -> Iterator[Help]:
    """Translate a foreign operator, add a missing `@`, or propose a similar name."""
    for application in program.named(error.span):
        if f"@{application.name}" in program.functions:
            yield instead("a function of the file is written", error.span, f"@{application.name}", safe=True)
        yield from abroad(application.name, given(program, application), application.span, program)
        receiver, _, method = application.name.rpartition(".")
        if f"%{receiver}" in _in_scope(error.span, program):
            yield from abroad(method, given(program, application, f"%{receiver}"), application.span, program)
    name = program.words(error.span)
    for other in closest(name, program.operators):
        yield instead(f"for `{name}` write", error.span, other, safe=_bare(other) == _bare(name))


def functions(error: Diagnostic, program: Program) -> Iterator[Help]:
    """Replace an unknown function by an operator, or propose a similar name."""
    name = program.words(error.span)
    for application in program.named(error.span):
        yield from abroad(name.lstrip("@"), given(program, application), application.span, program)
    for other in closest(name, program.functions):
        yield instead(f"for `{name}` write", error.span, other)


def written_names(error: Diagnostic, program: Program) -> Iterator[Help]:
    """Propose a similar dimension, type or element type, or quote an element type."""
    name, definition, span = program.words(error.span), program.definition(error.span), error.span
    if (last := _LAST.search(name)) is not None:
        name, span = last[1], Span(span.start + last.start(1), span.start + last.end(1))
    elif name in set(DType):
        yield instead("an element type given as an attribute is quoted:", span, f'"{name}"', safe=True)
    if definition is None or not name.isidentifier():
        return
    types = [one.name for one in program.module.definitions if isinstance(one, ast.TypeDef | ast.ExternType)]
    dims = sorted(mentioned(definition.function) - {name})
    for other in closest(name, [*types, *DType, *(one for one in dims if one.isidentifier())]):
        yield instead(f"for `{name}` write", span, other)


def abroad(name: str, call: Given, span: Span, program: Program) -> Iterator[Help]:
    """Yield translations of a call in another system's notation."""
    bare = _bare(name)
    static = [(known, one) for known, one in program.operators.items() if not known.startswith("dyn.")]
    same = [one for known, one in static if _bare(known) == bare]
    rows = rows_of(bare, exists=bool(same))
    written = [text for row in rows if (text := by_row(row, call, program.operators)) is not None]
    counterparts = [one for _, one in static if one.onnx is not None and one.onnx.lower() == bare]
    # most often the operator with the most arguments is meant, and among those one with an infix symbol
    same += sorted(counterparts, key=lambda one: (-len(one.arguments), one.symbol is None))
    sure = set(written)
    exchanges = bare == "transpose" and len(call.arguments) == 3  # of two axes, in PyTorch: all are needed here
    for operator in dict.fromkeys(same) if not exchanges else ():
        text = by_operator(operator, call)
        written += [] if text is None else [text]
    if bare not in DIFFERENT or (len(call.arguments) == 1 and call.attributes.keys() <= DROPPED):
        sure |= set(written)
    for text in dict.fromkeys(written):
        yield instead(f"`{name}` is written", span, text, safe=len(set(written)) == 1 and text in sure)


def _bare(name: str) -> str:
    return name.rpartition(".")[2].lower()


# ---------------------------------------------------------------------------------------------------- variables
_LAST = re.compile(r",\s*(\w+)\s*\]$")
_WORD = re.compile(r"(?<![%@\w])[A-Za-z_]\w*")
_AXIS = re.compile(r"\s*\[\s*(-?[0-9]+)\s*\]")

UNUSED = 3
"""The limit of unused variables that are tried."""

FIELDS = {
    "shape": "shape_of({0})",
    "T": "transpose({0})",
    "data": "{0}",
    "size": "shape_of({0})",
}
"""Foreign field of a tensor -> its translation."""


def variables(error: Diagnostic, program: Program) -> Iterator[Help]:
    """Translate a field or a method of a tensor, add a missing `%`, or propose a similar name."""
    name = program.words(error.span)
    receiver, _, field = name.rpartition(".")
    if receiver and (receiver.startswith("%") or f"%{receiver}" in _in_scope(error.span, program)):
        yield from _of_tensor(f"%{receiver.lstrip('%')}", field, error.span, program)
    yield from _unsigned(name, error.span, program)
    known = _in_scope(error.span, program)
    for other in closest(name if name.startswith("%") else f"%{name}", known):
        yield instead(f"for `{name}` write", error.span, other)


def unused(error: Diagnostic, program: Program) -> Iterator[Help]:
    """Replace an operand by an unused variable in scope, such as the weight of the right layer."""
    definition = program.definition(error.span)
    if definition is None:
        return
    used = {node.name for node in within(definition.function.body) if isinstance(node, ast.Local)}
    used |= set(_measured(definition.function, program))
    free = [name for name in _in_scope(error.span, program) if name not in used][:UNUSED]
    for application in program.application_of(error):
        for operand in reversed(application.operands):
            for name in free if isinstance(operand, ast.Local) else ():
                yield instead("write the variable that is unused and fits:", operand.span, name)


def _measured(function: ast.Fn, program: Program) -> Iterator[str]:
    """Yield the parameters whose type names a size that the body uses and that no other parameter's type names."""
    body = set(_WORD.findall(program.words(function.body.span)))
    named = {
        param.name.name: set(_WORD.findall(program.words(param.annotation.span)))
        for param in function.params
        if param.annotation is not None
    }
    for param, names in named.items():
        others = {name for other, some in named.items() if other != param for name in some}
        if not body.isdisjoint(names - others):
            yield param


def _of_tensor(receiver: str, field: str, span: Span, program: Program) -> Iterator[Help]:
    around = [node for node in program.enclosing(span) if node.span.start == span.start and node.span != span]
    for node in reversed(around):
        match node:
            case ast.Call(ast.Local(span=at), operands, attributes, whole) if at == span:
                application = Application(field, at, operands, attributes, whole, False)
                yield from abroad(field, given(program, application, receiver), whole, program)
    axis = _AXIS.match(program.text, span.end)
    if field == "shape" and axis is not None:
        whole = Span(span.start, axis.end())
        yield instead("a size of a tensor is written", whole, f"dim({receiver}, {axis[1]})", safe=True)
    if field in FIELDS:
        yield instead(f"`.{field}` is written", span, FIELDS[field].format(receiver), safe=True)
    if field == "mT":
        yield from abroad(field, Given((receiver,), {}, shape=program.shape(ast.Local(receiver, span))), span, program)
    if field in ("ndim", "rank"):
        yield instead("a rank is written", span, f"ndim({receiver})", safe=True)


def _unsigned(name: str, span: Span, program: Program) -> Iterator[Help]:
    if name in ("true", "false"):
        yield instead("a boolean is written", span, name.capitalize(), safe=True)
    if f"%{name}" in _in_scope(span, program):
        yield instead("a variable is written", span, f"%{name}", safe=True)


def _in_scope(span: Span, program: Program) -> list[str]:
    """The parameters and the variables bound before a source position in its function."""
    definition = program.definition(span)
    if definition is None:
        return []
    params = [param.name.name for param in definition.function.params]
    lets = [item.name.name for item in program.lets(definition) if item.name and item.span.end <= span.start]
    return [*params, *lets]
