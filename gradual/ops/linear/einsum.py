"""Sums of products over labelled axes.

An equation such as `ij,jk->ik` names each axis of each operand by a letter, and those of the result after the arrow.
`...` represents axes without letters, aligned at the right; blanks are ignored.
"""

from __future__ import annotations

import re
from array import array
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import reduce
from itertools import chain
from operator import mul
from typing import Any

from gradual.dims.term.constraint import any_of, equal
from gradual.dims.term.dim import Dim
from gradual.ops.declaration.operator import IllFormed, Judgement, Need, operator
from gradual.ops.declaration.shapes import ONE, agreement, common_extent, fields, judged
from gradual.record import record
from gradual.tensors.arrays.elements import kept as kept_array
from gradual.tensors.arrays.numpy_library import Array, numpy
from gradual.tensors.arrays.products import product
from gradual.tensors.index import offsets, permuted, strides
from gradual.tensors.inner_products import Row, products
from gradual.tensors.scalar import TYPECODES, Elements, dot, kept, total
from gradual.tensors.tensor import Tensor, tensor_of
from gradual.types.dtype import DType
from gradual.types.type import TensorType, TupleType

Term = tuple[str, ...]
"""The label of each axis: a letter, or, for an axis of `...`, its number counted from the right, such as `...1`."""

_WRITTEN = re.compile(r"([A-Za-z]*)(\.\.\.)?([A-Za-z]*)")


@record
class Equation:
    """An equation resolved for operands of known ranks: the labels of each operand and those of the result."""

    operands: tuple[Term, ...]
    result: Term

    @property
    def summed(self) -> Term:
        """The labels that do not occur in the result, in the order of first occurrence."""
        return tuple(label for label in dict.fromkeys(chain(*self.operands)) if label not in self.result)


def read(equation: str, ranks: Sequence[int]) -> Equation:
    """The equation for operands of these ranks.

    Without an arrow the result has the axes of `...` and then, in the order of their codes, the letters that occur
    once.  Raises IllFormed if the text is no equation, or does not fit these ranks.
    """
    left, arrow, right = equation.replace(" ", "").partition("->")
    written = left.split(",")
    if len(written) != len(ranks):
        raise IllFormed("op.attribute", f"the equation has {len(written)} operands, not {len(ranks)}")
    operands = tuple(_term(text, rank, place) for place, (text, rank) in enumerate(zip(written, ranks, strict=True)))
    width = max(sum(map(_is_unnamed, term)) for term in operands)
    if arrow:
        return Equation(operands, _result(right, width, set(chain(*operands))))
    times = Counter(chain(*operands))
    once = sorted(label for label, count in times.items() if count == 1 and not _is_unnamed(label))
    return Equation(operands, (*_unnamed(width), *once))


def _parts(text: str) -> tuple[str, bool, str]:
    """The letters before and after `...`, and whether the text has `...`."""
    found = _WRITTEN.fullmatch(text)
    if found is None:
        raise IllFormed("op.attribute", f'"{text}" must be letters with at most one "..." among them')
    return found[1], found[2] is not None, found[3]


def _unnamed(count: int) -> Term:
    return tuple(f"...{back}" for back in range(count, 0, -1))


def _is_unnamed(label: str) -> bool:
    return label.startswith(".")


def _term(text: str, rank: int, place: int) -> Term:
    before, open_, after = _parts(text)
    missing = rank - len(before) - len(after)
    if missing < 0 or (missing and not open_):
        raise IllFormed("op.rank", f'operand {place + 1} of the equation, "{text}", does not label {rank} axes', 0)
    return (*before, *_unnamed(missing), *after)


def _result(text: str, width: int, known: set[str]) -> Term:
    before, open_, after = _parts(text)
    if width and not open_:
        raise IllFormed("op.rank", f'the result of the equation, "{text}", has no "..." for {width} axes', 0)
    found = (*before, *(_unnamed(width) if open_ else ()), *after)
    for label, count in Counter(found).items():
        if count > 1 or label not in known:
            why = "stands twice in the result" if count > 1 else "is a label of no operand"
            raise IllFormed("op.attribute", f"{label} {why} of the equation")
    return found


@record
class Operand:
    """A tensor whose axes are labelled; `sizes` has the size of every label of the equation."""

    elements: Elements
    shape: tuple[int, ...]
    term: Term
    sizes: Mapping[str, int]

    def moves(self, over: Term) -> list[int]:
        """The offset of the element at each index over some labels; an axis of size 1 is broadcast."""
        steps = dict.fromkeys(over, 0)
        for label, extent, step in zip(self.term, self.shape, strides(self.shape), strict=True):
            if label in steps and extent != 1:
                steps[label] += step
        return offsets([self.sizes[label] for label in over], list(steps.values()))

    def rows(self, outer: Term, own: Term, summed: Term) -> Iterator[list[Row]]:
        """At each index over the outer labels, a row along the summed labels for each index over its own labels."""
        starts, along, elements = self.moves(own), self.moves(summed), self.elements
        for base in self.moves(outer):
            yield [tuple([elements[base + start + move] for move in along]) for start in starts]

    def matrices(self, outer: Term, own: Term, summed: Term) -> Array:
        """The same rows as an array."""
        bases, starts, along = (numpy().array(self.moves(labels), "q") for labels in (outer, own, summed))
        elements = numpy().asarray(self.elements)
        return elements[bases[:, None, None] + starts[:, None] + along]


def _einsum(data: tuple[Tensor, ...], *, equation: str) -> Tensor:
    """For each element of the result, sum the operands' product over all labels that do not occur in the result."""
    terms = read(equation, [part.rank for part in data])
    operands, dtype, (both, *own) = _operands(data, terms), data[0].dtype, _shares(terms)
    pairs = len(own) == 2 and all(own)
    found = _paired(operands, both, own, terms, dtype) if pairs else kept(dtype, _each(operands, terms))
    return tensor_of(tuple(operands[0].sizes[label] for label in terms.result), dtype, found)


def _operands(data: tuple[Tensor, ...], terms: Equation) -> list[Operand]:
    """The operands with their labels, and the size of each label."""
    sizes: dict[str, int] = {}
    for part, term in zip(data, terms.operands, strict=True):
        for label, extent in zip(term, part.shape, strict=True):
            sizes[label] = extent if sizes.get(label, 1) == 1 else sizes[label]
    return [Operand(part.elements, part.shape, term, sizes) for part, term in zip(data, terms.operands, strict=True)]


def _shares(terms: Equation) -> list[Term]:
    """The labels of the result that several operands have, and then for each operand those that only it has."""
    times = Counter(chain(*map(set, terms.operands)))
    alone = [tuple(label for label in terms.result if label in term and times[label] == 1) for term in terms.operands]
    return [tuple(label for label in terms.result if times[label] > 1), *alone]


def _paired(operands: Sequence[Operand], both: Term, own: Sequence[Term], terms: Equation, dtype: DType) -> Any:
    """At each index over the labels of both operands, the inner products of the rows of one and of the other."""
    found = array(TYPECODES[dtype])
    pairs = (operand.rows(both, labels, terms.summed) for operand, labels in zip(operands, own, strict=True))
    for left, right in zip(*pairs, strict=True):
        found += products(left, right, dtype)
    order = (*both, *chain.from_iterable(own))
    shape = [operands[0].sizes[label] for label in order]
    return permuted(found, shape, [order.index(label) for label in terms.result])


def _fast_einsum(data: tuple[Tensor, ...], *, equation: str) -> Tensor | None:
    terms, dtype = read(equation, [part.rank for part in data]), data[0].dtype
    operands, (both, *own) = _operands(data, terms), _shares(terms)
    if len(own) != 2 or not all(own):
        return None
    left, right = (one.matrices(both, labels, terms.summed) for one, labels in zip(operands, own, strict=True))
    sizes, order = operands[0].sizes, (*both, *chain.from_iterable(own))
    found = product(left, right.swapaxes(1, 2), dtype).reshape([sizes[label] for label in order])
    turned = found.transpose([order.index(label) for label in terms.result])
    return tensor_of(turned.shape, dtype, kept_array(dtype, turned))


def _each(operands: Sequence[Operand], terms: Equation) -> Iterator[Any]:
    """The elements of the result one by one."""
    inner = [(operand.elements, operand.moves(terms.summed)) for operand in operands]
    for bases in zip(*(operand.moves(terms.result) for operand in operands), strict=True):
        columns = zip(bases, inner, strict=True)
        yield _summed([[elements[base + move] for move in moves] for base, (elements, moves) in columns])


def _summed(columns: list[list[Any]]) -> Any:
    if len(columns) == 1:
        return total(columns[0])
    return dot(reduce(lambda left, right: list(map(mul, left, right)), columns[:-1]), columns[-1])


@operator("einsum", meaning=_einsum, family="contracting", alike=(0,), onnx="Einsum", fast=_fast_einsum)
def einsum(data: TupleType[Dim], *, equation: str) -> Judgement:
    """The sums of products given in Einstein notation.   (t[..a], t[..b], ..) -> t[..c], as in `ij,jk->ik`

        out[i, k] = sum over j of data.0[i, j] * data.1[j, k]  for `ij,jk->ik`

    Each axis of each operand has a letter; `...` stands for axes without letters, aligned at the right.  The sum is
    over the letters that the result lacks, the first to occur in the equation outermost.  Without `->` the result has
    the axes of `...`, then the letters that occur once, in the order of their codes.  Axes of one letter in several
    operands broadcast together [op.broadcast.agree]; where a letter occurs twice in one operand, the diagonal is
    taken, and these axes have the same size [op.einsum.diagonal].
    """
    given = fields(data, 0)
    dtype = _shared(given)
    terms = read(equation, [part.rank for part in given])
    extents: dict[str, Dim] = {}
    holders: dict[str, tuple[int, int, int]] = {}
    needs: list[Need] = []
    for field, (part, term) in enumerate(zip(given, terms.operands, strict=True)):
        own = _own(field, part, term, needs)
        for label, (extent, axis) in own.items():
            place = (0, field, axis)
            if label in holders and extent is not ONE:
                needs.append(_meeting(label, extents[label], extent, holders[label], place))
            if extent is not ONE:
                holders[label] = place
            extents[label] = common_extent(extents.get(label, ONE), extent)
    return judged((extents[label] for label in terms.result), dtype, needs)


def _shared(given: Sequence[TensorType[Dim]]) -> DType:
    for place, part in enumerate(given):
        if part.dtype is DType.BOOL or part.dtype is not given[0].dtype:
            wanted = "a tensor of numbers" if part.dtype is DType.BOOL else f"of {given[0].dtype}"
            raise IllFormed("op.dtype", f"operand {place + 1} has to be {wanted}, not of {part.dtype}", 0)
    return given[0].dtype


def _own(field: int, part: TensorType[Dim], term: Term, needs: list[Need]) -> dict[str, tuple[Dim, int]]:
    """Label -> its extent and axis in an operand; the needs of repeated labels are appended to `needs`."""
    found: dict[str, tuple[Dim, int]] = {}
    for axis, (label, extent) in enumerate(zip(term, part.shape, strict=True)):
        if label not in found:
            found[label] = extent, axis
            continue
        first, where = found[label]
        says = f"label {label} is repeated in one operand, where its axes differ in size"
        needs.append(agreement(first, extent, "op.einsum.diagonal", says, (0, field, where), (0, field, axis)))
        if extent.value is not None:
            found[label] = extent, axis
    return found


def _meeting(label: str, left: Dim, right: Dim, holder: tuple[int, int, int], place: tuple[int, int, int]) -> Need:
    goal = any_of(equal(left, right), equal(left, ONE), equal(right, ONE))
    named = "axes without labels" if _is_unnamed(label) else f"the axes of {label}"
    return Need(goal, "op.broadcast.agree", f"{named} do not broadcast together", (holder, place))
