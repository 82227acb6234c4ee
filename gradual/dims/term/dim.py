"""Dims: sizes as interned polynomials in normal form.

    n + 1   2 * n   n // 2   n % 8   max(n - 2, 0)   (if n == 1 then m else n)

A dim is a sum of monomials over atoms with integer coefficients.  Two dims that are one object are equal at every
valuation; each rewriting on construction preserves the value for all integers at which the written expression is
defined.  `a % b` is `a - b * (a // b)`, so a divisibility is an equation between polynomials; printing finds the
`%` again.  A factor that might be zero is never cancelled.   [dim.normal-form]
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, TypeVar

from gradual.dims.term.atom import (
    Atom,
    Compound,
    ContentOf,
    FloorDiv,
    Ite,
    Kind,
    Max,
    Min,
    NumelOf,
    Product,
    RankOf,
    SizeOf,
    Variable,
    Witness,
    compound,
)
from gradual.dims.term.constraint import Constraint, Not, equal
from gradual.dims.term.polynomial import (
    Dim,
    Monomial,
    Term,
    Undefined,
    constant,
    of_atom,
    polynomial,
    product,
    single,
    sum_of,
    variable,
)

__all__ = [
    "Atom",
    "Compound",
    "ContentOf",
    "Dim",
    "FloorDiv",
    "Ite",
    "Kind",
    "Max",
    "Min",
    "Monomial",
    "NumelOf",
    "Product",
    "RankOf",
    "SizeOf",
    "Term",
    "Undefined",
    "Variable",
    "Witness",
    "broadcast",
    "constant",
    "ite",
    "maximum",
    "minimum",
    "of_atom",
    "polynomial",
    "product",
    "single",
    "sum_of",
    "variable",
]

E = TypeVar("E", Max, Min)


def maximum(*dims: Dim | int) -> Dim:
    """The greatest of some dims; flattened, ordered, without `d` if `d + k` occurs for a number k > 0.  [dim.max]"""
    return _extremum(Max, dims, max)


def minimum(*dims: Dim | int) -> Dim:
    """The least of some dims; flattened, ordered, without `d + k`, for a number k > 0, if `d` occurs.  [dim.min]"""
    return _extremum(Min, dims, min)


def _extremum(form: type[E], dims: Iterable[Dim | int], best: Any) -> Dim:
    offsets: dict[Dim, int] = {}
    for written in dims:
        dim = constant(written) if isinstance(written, int) else written
        nested = single(dim, form)
        for operand in nested.operands if nested is not None else (dim,):
            offset = operand.offset
            base = operand - offset
            offsets[base] = best(offsets[base], offset) if base in offsets else offset
    operands = sorted((base + offset for base, offset in offsets.items()), key=lambda dim: dim.key)
    return operands[0] if len(operands) == 1 else of_atom(compound(form, tuple(operands)))


def ite(condition: Constraint, then: Dim | int, orelse: Dim | int) -> Dim:
    """`then` where the condition holds, else `orelse`.  [dim.choice]"""
    yes = constant(then) if isinstance(then, int) else then
    no = constant(orelse) if isinstance(orelse, int) else orelse
    if condition.value is not None:
        return yes if condition.value else no
    if yes is no:
        return yes
    if isinstance(condition, Not):
        return ite(condition.part, no, yes)
    return _chosen(condition, yes, no)


def broadcast(size: Dim, other: Dim) -> Dim:
    """A size broadcast against another: `other` if the size is 1, else the size.  [dim.broadcast]"""
    return ite(equal(size, 1), other, size)


def _chosen(condition: Constraint, yes: Dim, no: Dim) -> Dim:
    """An if-then-else with branches simplified by the condition: nested tests of it, and a variable that it solves."""
    inner = single(yes, Ite)
    if inner is not None and inner.condition is condition:
        yes = inner.then
    inner = single(no, Ite)
    if inner is not None and inner.condition is condition:
        no = inner.orelse
    solved = condition.solution
    if solved is not None:
        known = {solved[0]: solved[1]}
        if yes.substitute(known) is no.substitute(known):  # so `orelse` is right in both branches
            return no
        if solved[1].value is not None:
            yes = yes.substitute(known)
    return yes if yes is no else of_atom(compound(Ite, condition, yes, no))
