"""Repairs of operands with different element types: change a literal or an attribute, or insert a cast.  [op.dtype]"""

from __future__ import annotations

import re
from collections.abc import Iterator

from gradual.checker.repairs.place import Application, Program, called, instead
from gradual.diagnostic import Diagnostic, Edit, Help
from gradual.source import Span
from gradual.syntax.tree import ast
from gradual.syntax.tree.literals import SUFFIXES
from gradual.types.dtype import DType
from gradual.types.type import TensorType, UnrankedType

_WIDTHS = (DType.FLOAT64, DType.FLOAT32, DType.BFLOAT16, DType.FLOAT16, DType.INT64, DType.INT32)
"""The element types that operands are converted to, in order of preference."""


def element_types(error: Diagnostic, program: Program) -> Iterator[Help]:
    """Convert an operand to the element type of another one, or to the one that the error names."""
    for node in program.nodes_at(error.span) if not program.applications(error.span) else ():
        for wanted in _named(error, set()):
            yield from _converted(node, wanted, program)
    for application in program.application_of(error):
        parts = list(_parts(application, program))
        found = {dtype for part in parts if (dtype := _dtype(part, program)) is not None}
        for wanted in (*(one for one in _WIDTHS if one in found), *_named(error, found)):
            for part in parts:
                if _dtype(part, program) not in (wanted, None):
                    yield from _converted(part, wanted, program)


def _parts(application: Application, program: Program) -> Iterator[ast.Expr]:
    for operand in application.operands:
        value = program.value(operand)
        yield from value.items if isinstance(value, ast.Tuple) else (operand,)


def _named(error: Diagnostic, found: set[DType]) -> Iterator[DType]:
    """Yield the element types that an error's message requires."""
    if "tensor of integers" in error.message:
        yield DType.INT64
    for name in re.findall(r"is not (\w+)$|has to be (\w+)", error.message):
        for word in name:
            if word in set(DType) and DType(word) not in found:
                yield DType(word)


def _dtype(part: ast.Expr, program: Program) -> DType | None:
    if isinstance(part, ast.Number):
        return DType(part.dtype)
    type = program.type(part)
    return type.dtype if isinstance(type, TensorType | UnrankedType) else None


def _converted(part: ast.Expr, wanted: DType, program: Program) -> Iterator[Help]:
    value, words = program.value(part), program.words(part)
    if isinstance(part, ast.Number):
        yield from _literal(part, wanted, program)
        return
    made = program.application(value)
    operator = None if made is None else program.operators.get(made.name)
    if made is not None and operator is not None and any(spec.name == "dtype" for spec in operator.attributes):
        yield with_attribute(made, "dtype", f'"{wanted}"', program)
    if made is not None and made.name == "cast":
        return
    yield instead("cast it:", part.span, called("cast", [words], {"dtype": f'"{wanted}"'}))


def _literal(part: ast.Number, wanted: DType, program: Program) -> Iterator[Help]:
    """Give a number the suffix of another element type."""
    digits = re.match(r"-?[0-9]+(\.[0-9]*)?([eE][+-]?[0-9]+)?", program.words(part))
    suffix = next((suffix for suffix, dtype in SUFFIXES.items() if dtype is wanted), None)
    if digits is not None and suffix is not None and (wanted.is_float or not (digits[1] or digits[2])):
        yield instead(f"as a {wanted} this number is written", part.span, f"{digits[0]}{suffix}", safe=True)


def with_attribute(call: Application, key: str, value: str, program: Program) -> Help:
    """A help that sets an attribute of a call: replaces it, or appends it after the others."""
    written = next((one for one in call.attributes if one.key == key), None)
    text = f"{key}={value}"
    if written is not None:
        edit = Edit(written.span, text)
    else:
        at = call.span.end - 1
        empty = not call.operands and not call.attributes
        edit = Edit(Span(at, at), text if empty else f", {text}")
    whole = program.text[call.span.start : edit.span.start] + edit.text + program.text[edit.span.end : call.span.end]
    line = " ".join(whole.split())
    return Help(f"write `{text}`: `{line}`" if len(line) <= 80 else f"write `{text}` for `{call.name}`", (edit,))
