"""Sizes that contain a dimension name: each is at least 1, unless a `where` clause allows the empty tensor.

A function type keeps these preconditions as ordinary `where` clauses; only the program text omits them.
[type.positive]
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence

from gradual.dims.term.constraint import TRUE, And, AtMost, Constraint, at_least
from gradual.dims.term.dim import ContentOf, Dim, RankOf, Variable, constant, of_atom
from gradual.record import record
from gradual.types.type import DataType, FunctionType, GradualType, ReferenceType, TensorType, TupleType


@record
class NamedSize:
    """A size of a parameter that contains one of the function's own dimension names.

    Attributes:
        param: the parameter's index.
        path: the fields of tuples, of data and of references that lead to the tensor.
        axis: the axis of the tensor.
    """

    size: Dim
    param: int
    path: tuple[int, ...]
    axis: int


def named_sizes(params: Iterable[GradualType], own: Collection[Variable]) -> Iterator[NamedSize]:
    """The sizes of parameters that contain one of the function's own names, each at its first occurrence."""
    seen: set[Dim] = set()
    for index, param in enumerate(params) if own else ():
        for path, axis, size in _sizes(param, ()):
            if size not in seen and not size.variables().isdisjoint(own):
                seen.add(size)
                yield NamedSize(size, index, path, axis)


def _sizes(type: GradualType, path: tuple[int, ...]) -> Iterator[tuple[tuple[int, ...], int, Dim]]:
    """The sizes written in a type, except inside function types."""
    match type:
        case TensorType(shape):
            for axis, extent in enumerate(shape):
                if isinstance(extent, Dim):
                    yield path, axis, extent
        case TupleType(parts) | DataType(_, parts):
            for place, part in enumerate(parts):
                yield from _sizes(part, (*path, place))
        case ReferenceType(content):
            yield from _sizes(content, (*path, 0))


def positive(size: Dim) -> Constraint:
    """The constraint that a size is at least 1."""
    return at_least(size, constant(1))


def _from_zero(clauses: Iterable[Constraint]) -> set[Dim]:
    """The dims that `where` clauses require to be at least 0."""
    return {part.difference for part in _conjuncts(clauses) if isinstance(part, AtMost)}


def _takes_empty(size: Dim, from_zero: Collection[Dim], own: Collection[Variable]) -> bool:
    """Whether `where` clauses allow the size 0: by `size >= 0`, or by `n >= 0` for names n that make it 0."""
    names = [name for name in size.variables() if name in own and of_atom(name) in from_zero]
    return size in from_zero or (bool(names) and size.substitute(dict.fromkeys(names, constant(0))).value == 0)


def presumed(
    params: Iterable[GradualType], own: Collection[Variable], clauses: Sequence[Constraint]
) -> list[NamedSize]:
    """The named sizes presumed to be at least 1, except those that always are, such as `n + 1`.  [type.positive]"""
    sizes, from_zero = (one for one in named_sizes(params, own) if not _is_positive(one.size)), _from_zero(clauses)
    return [one for one in sizes if not _takes_empty(one.size, from_zero, own)]


def says_not_empty(goal: Constraint) -> bool:
    """Whether a goal only requires sizes, or products of sizes, to be at least 1.  [check.residual]"""
    if isinstance(goal, And):
        return all(map(says_not_empty, goal.parts))
    if not isinstance(goal, AtMost):
        return False
    match (goal.difference + 1).terms:
        case ((monomial, 1),) if monomial:
            return all(_is_size(atom) for atom in monomial)
        case _:
            return False


def _is_size(atom: object) -> bool:
    return isinstance(atom, Variable) and not isinstance(atom.witness, ContentOf | RankOf)


def stated(type: FunctionType) -> tuple[Constraint, ...]:
    """The clauses to print, in order, without `True` and presumed ones; `n >= 0` is added where one does not hold.

    Parsing the printed text gives the type's clauses again.  [syntax.print]
    """
    own, where = frozenset(type.binders), frozenset(type.where)
    named = {one.size: positive(one.size) for one in named_sizes(type.params, own)}
    by_name = {size: goal for size, goal in named.items() if not _is_positive(size)}
    opt_outs = {at_least(of_atom(name), constant(0)) for name in own}
    unsaid = {goal for size, goal in named.items() if size in by_name or goal not in opt_outs}
    from_zero, added = _from_zero(clause for clause in type.where if clause not in unsaid), list[Constraint]()
    for size, goal in by_name.items():
        if goal not in where and not _takes_empty(size, from_zero, own):
            added.insert(0, at_least(size, constant(0)))
            from_zero.add(size)
    opted = {goal for size, goal in by_name.items() if goal in where and _takes_empty(size, from_zero, own)}
    unsaid.add(TRUE)
    return (*added, *dict.fromkeys(clause for clause in type.where if clause not in unsaid or clause in opted))


def required(type: FunctionType) -> tuple[Constraint, ...]:
    """The clauses without those that always hold, such as `n >= 0`, which only allow the size 0.  [type.positive]"""
    return tuple(
        clause for clause in type.where if not (isinstance(clause, AtMost) and _is_at_least(clause.difference, 0))
    )


def _conjuncts(clauses: Iterable[Constraint]) -> Iterator[Constraint]:
    for clause in clauses:
        if isinstance(clause, And):
            yield from _conjuncts(clause.parts)
        else:
            yield clause


def _is_positive(size: Dim) -> bool:
    """Whether a size is at least 1 since no name is negative: `2 * n + 1`."""
    return _is_at_least(size, 1)


def _is_at_least(size: Dim, least: int) -> bool:
    """Whether a size is at least a number since no name is negative."""
    names_only = not size.children and not any(isinstance(name.witness, ContentOf) for name in size.names)
    return names_only and size.offset >= least and all(factor > 0 for _, factor in size.terms)
