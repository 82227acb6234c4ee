"""Sign analysis of dims by their form, without facts: at least 0, at least 1, or 0 where another dim is 0.
The size of a value is at least 0, and so are terms built of sizes without subtraction.

Only the upper levels of a term are examined; of deeper ones nothing is assumed.   [op.reshape.code]
"""

from __future__ import annotations

from collections import Counter

from gradual.dims.term.atom import bottom_up
from gradual.dims.term.constraint import Constraint, Equal
from gradual.dims.term.dim import (
    Atom,
    Dim,
    FloorDiv,
    Ite,
    Max,
    Min,
    Monomial,
    NumelOf,
    Product,
    SizeOf,
    Variable,
    polynomial,
)
from gradual.dims.term.polynomial import cofactor

_DEPTH = 6


def is_size(dim: Dim, depth: int = _DEPTH) -> bool:
    """Whether the dim is at least 0 by its form."""
    return depth > 0 and all(
        coefficient > 0 and all(_atom_is_size(atom, depth - 1) for atom in monomial)
        for monomial, coefficient in dim.terms
    )


def is_positive(dim: Dim, depth: int = _DEPTH) -> bool:
    """Whether the dim is at least 1 by its form: a sum of sizes, one of them at least 1."""
    return is_size(dim, depth) and any(
        all(_atom_is_positive(atom, depth - 1) for atom in monomial) for monomial, _ in dim.terms
    )


def is_computed(dim: Dim) -> bool:
    """Whether the dim is computed from sizes alone, without if-then-else, which might choose a code such as -1."""
    names = all(_is_size_name(name) for name in dim.names)
    return dim.value is None and names and not any(isinstance(node, Ite) for node in bottom_up(dim))


def _is_size_name(name: Variable) -> bool:
    rigid = name.witness is None and not name.is_existential
    return rigid or isinstance(name.witness, SizeOf | NumelOf)


def _atom_is_size(atom: Atom, depth: int) -> bool:
    match atom:
        case Variable():
            return isinstance(atom.witness, SizeOf)
        case Max():
            return any(is_size(part, depth) for part in atom.operands)
        case Min() | Product():
            return all(is_size(part, depth) for part in atom.operands)
        case Ite():
            return is_size(atom.then, depth) and is_size(atom.orelse, depth)
        case FloorDiv():
            return is_size(atom.dividend, depth)


def _atom_is_positive(atom: Atom, depth: int) -> bool:
    match atom:
        case Max():
            return any(is_positive(part, depth) for part in atom.operands)
        case Min() | Product():
            return all(is_positive(part, depth) for part in atom.operands)
        case Ite(condition=condition, then=then, orelse=orelse):
            otherwise = _excludes_zero(condition, orelse) and is_size(orelse, depth)
            return is_positive(then, depth) and (otherwise or is_positive(orelse, depth))
        case _:
            return False


def _excludes_zero(condition: Constraint, orelse: Dim) -> bool:
    """Whether the condition is `orelse == 0`, so that `orelse` is not 0 where it is chosen."""
    return isinstance(condition, Equal) and condition.left is orelse and condition.right.value == 0


def multiple(dim: Dim, factor: Dim) -> Dim | None:
    """The quotient of a dim by a factor that is one product, if each term is a multiple of the factor; else None."""
    if len(factor.terms) != 1 or not dim.terms:
        return None
    ((wanted, number),) = factor.terms
    ratio: dict[Monomial, int] = {}
    for monomial, coefficient in dim.terms:
        rest = cofactor(monomial, wanted)
        if rest is None or coefficient % number:
            return None
        ratio[rest] = coefficient // number
    return polynomial(ratio)


def vanishes_with(dim: Dim, factor: Dim) -> bool:
    """Whether each term of the dim contains the atoms of the factor, one product, so that it is 0 if the factor is."""
    if len(factor.terms) != 1:
        return False
    wanted = Counter(factor.terms[0][0])
    return all(not wanted - Counter(monomial) for monomial, _ in dim.terms)
