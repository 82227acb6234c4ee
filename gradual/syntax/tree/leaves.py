"""The leaves of the tree: names, numbers, texts, and placeholders for values that are not written."""

from __future__ import annotations

from gradual.record import record
from gradual.source import Span


@record(eq=False, repr=False)
class Local:
    """A variable `%x`, or a graph variable `%0`."""

    name: str
    span: Span


@record(eq=False, repr=False)
class Global:
    """A function `@f`."""

    name: str
    span: Span


@record(eq=False, repr=False)
class Name:
    """A bare, possibly dotted name: an operator, a constructor, a dimension or a type variable."""

    name: str
    span: Span


@record(eq=False, repr=False)
class Number:
    """A scalar literal: `value` is a bool, an int or a float (already rounded to `dtype`).

    `explicit` tells whether the text wrote the dtype (`1i64`, `1f16`).
    """

    value: bool | int | float
    dtype: str
    explicit: bool
    span: Span


@record(eq=False, repr=False)
class Text:
    """A string literal, escapes resolved (attribute values, assertion messages)."""

    value: str
    span: Span


@record(eq=False, repr=False)
class Nothing:
    """`None` or `nullptr` as an attribute value."""

    span: Span


@record(eq=False, repr=False)
class Absent:
    """The body of an operator that is declared without one; the parser never makes it."""

    span: Span
