"""Attribute values: conversion of written numbers, strings and lists to the types that a judgement declares."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from difflib import get_close_matches
from functools import cache
from typing import Any, TypeAlias

from gradual.dims.term.dim import Dim, constant
from gradual.ops.declaration.operator import AttributeSpec, IllFormed, Operator
from gradual.record import record
from gradual.types.dtype import DType


@record
class Plain:
    """One value: `int`, `float`, `bool`, `str`, `DType`, `Dim`, `None`, or `object` for anything at all."""

    name: str


@record
class Several:
    """A list of any length."""

    each: Form


@record
class Row:
    """A list of a fixed length."""

    parts: tuple[Form, ...]


@record
class Choice:
    """One of several forms."""

    among: tuple[Form, ...]


Form: TypeAlias = Plain | Several | Row | Choice


class _Mismatch(Exception):
    """A raw value is not of a form."""


@cache
def form_of(annotation: str) -> Form:
    """The form that a parameter's annotation, such as `tuple[int, ...] | None`, admits."""
    return _form(ast.parse(annotation, mode="eval").body)


def _form(node: ast.expr) -> Form:
    match node:
        case ast.Name(id=name):
            return Plain("object" if name == "Any" else name)
        case ast.Constant(value=None):
            return Plain("None")
        case ast.BinOp(left=left, right=right):
            return Choice((*_among(_form(left)), *_among(_form(right))))
        case ast.Subscript(slice=ast.Tuple(elts=[each, ast.Constant()])):
            return Several(_form(each))
        case ast.Subscript(slice=ast.Tuple(elts=parts)):
            return Row(tuple(map(_form, parts)))
    raise AssertionError(f"no attribute has the annotation {ast.unparse(node)}")


def _among(form: Form) -> tuple[Form, ...]:
    return form.among if isinstance(form, Choice) else (form,)


def coerced(spec: AttributeSpec, raw: Any) -> Any:
    """Convert a written value to the type that the judgement declares; raises IllFormed if that is not possible.

    An integer is accepted as a dim, a name as an element type (the empty name as None), a single value as a list of
    one.  A dim is not accepted as an integer, even if it is constant: the meaning of a program does not depend on how
    much is known.   [op.attribute]
    """
    form = form_of(spec.annotation)
    for lifting in (False, True):
        try:
            return _value(form, raw, lifting)
        except _Mismatch:
            continue
    raise IllFormed("op.attribute", f"attribute {spec.name} has to be {described(form)}, not {_shown(raw)}")


def bound(operator: Operator, given: Mapping[str, Any]) -> dict[str, Any]:
    """All attributes of an application, in declaration order, defaults filled in.

    TVM prints some attributes that follow from the arguments. Such an attribute may have any value; it is ignored.
    Raises IllFormed if an attribute is unknown, missing, or of the wrong form.   [op.attribute]
    """
    if given:
        _check_names(operator, given)
    silent = unread(operator)
    return {
        spec.name: coerced(spec, given[spec.name])
        if spec.name in given and spec.name not in silent
        else _default(operator, spec)
        for spec in operator.attributes
    }


@cache
def unread(operator: Operator) -> frozenset[str]:
    """The attributes that TVM prints although they follow from the arguments: a written value is ignored."""
    return frozenset(spec.name for spec in operator.attributes if spec.annotation == "object")


def _check_names(operator: Operator, given: Mapping[str, Any]) -> None:
    known = [spec.name for spec in operator.attributes]
    for name in given:
        if name not in known:
            close = get_close_matches(name, known, n=1)
            has = f"it has {', '.join(known)}" if known else "it has none"
            hint = f"; did you mean {close[0]}?" if close else f"; {has}"
            raise IllFormed("op.attribute", f"{operator.name} has no attribute {name}{hint}")


def _default(operator: Operator, spec: AttributeSpec) -> Any:
    if spec.required:
        raise IllFormed("op.attribute", f"{operator.name} needs its attribute {spec.name}")
    return spec.default


def _value(form: Form, raw: Any, lifting: bool) -> Any:
    """`raw` as a value of a form; with `lifting`, a single value is accepted as a list of one."""
    match form:
        case Plain(name=name):
            return _PLAIN[name](raw)
        case Several(each=each):
            return tuple(_value(each, part, lifting) for part in _parts(raw, lifting))
        case Row(parts=parts):
            held = _parts(raw, lifting)
            if len(held) != len(parts):
                raise _Mismatch
            return tuple(_value(part, each, lifting) for part, each in zip(parts, held, strict=True))
        case Choice(among=among):
            return _first(among, raw, lifting)


def _first(among: tuple[Form, ...], raw: Any, lifting: bool) -> Any:
    for form in among:
        try:
            return _value(form, raw, lifting)
        except _Mismatch:
            continue
    raise _Mismatch


def _parts(raw: Any, lifting: bool) -> tuple[Any, ...]:
    if isinstance(raw, tuple | list):
        return tuple(raw)
    if lifting and raw is not None and not isinstance(raw, str):
        return (raw,)
    raise _Mismatch


def _integer(raw: Any) -> int:
    """A written integer; a computed size is not accepted, even if it is known."""
    if isinstance(raw, int):
        return int(raw)
    raise _Mismatch


def _number(raw: Any) -> float:
    return raw if isinstance(raw, float) else float(_integer(raw))


def _truth(raw: Any) -> bool:
    if isinstance(raw, float) or _integer(raw) not in (0, 1):
        raise _Mismatch
    return bool(_integer(raw))


def _string(raw: Any) -> str:
    if not isinstance(raw, str):
        raise _Mismatch
    return raw


def _dtype(raw: Any) -> DType:
    try:
        return DType(raw)
    except ValueError:
        raise _Mismatch from None


def _dim(raw: Any) -> Dim:
    return raw if isinstance(raw, Dim) else constant(_integer(raw))


def _nothing(raw: Any) -> None:
    if raw is not None and raw != "":
        raise _Mismatch


_PLAIN: dict[str, Callable[[Any], Any]] = {
    "int": _integer,
    "float": _number,
    "bool": _truth,
    "str": _string,
    "DType": _dtype,
    "Dim": _dim,
    "None": _nothing,
    "object": lambda raw: raw,
}
_WORDS = {
    "int": "an integer",
    "float": "a number",
    "bool": "True or False",
    "str": "a string",
    "DType": "an element type",
    "Dim": "a size",
    "None": "None",
    "object": "anything",
}


def described(form: Form) -> str:
    """What a form admits, in words."""
    match form:
        case Plain(name=name):
            return _WORDS[name]
        case Several(each=each):
            return f"a list of {_several(each)}"
        case Row(parts=parts):
            return f"a list of {len(parts)} {_several(parts[0])}"
        case Choice(among=among):
            return " or ".join(map(described, among))


def _several(form: Form) -> str:
    """The plural of `described`; the parts of a row are alike."""
    match form:
        case Choice(among=among):
            return " or ".join(map(_several, among))
        case Plain():
            return f"{described(form).partition(' ')[2]}s"
    return described(form).replace("a list", "lists", 1)


def _shown(raw: Any) -> str:
    if isinstance(raw, tuple | list):
        return "[" + ", ".join(map(_shown, raw)) + "]"
    if isinstance(raw, Dim) and raw.value is not None:
        return f"the computed size {raw}"
    return f'"{raw}"' if isinstance(raw, str) else str(raw)
