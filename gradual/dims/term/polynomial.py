"""The class `Dim`: interned polynomials over atoms, their ring and division by constants.   [dim.normal-form]"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache
from math import gcd
from typing import Any, ClassVar, TypeVar, final
from weakref import WeakValueDictionary

from gradual.dims.term.atom import (
    Atom,
    Compound,
    FloorDiv,
    Ite,
    Kind,
    Max,
    Min,
    Product,
    Variable,
    Witness,
    compound,
    named,
    names_of,
    shortened,
)
from gradual.limits import LIMITS

Monomial = tuple[Atom, ...]
Term = tuple[Monomial, int]


class Undefined(ArithmeticError):
    """Evaluation met a divisor below 1, or a number that is too large."""


@final
class Dim:
    """An integer that may depend on variables; immutable and interned, so `is` is equality.

    Attributes:
        terms: monomials (sorted tuples of atoms) with their coefficients, highest degree first; `()` is 0.
        value: the number, if the dim is a constant; else None (also for `1 // 0`).
        key: orders dims the same way in every run.
        names: the variables.
        children: the atoms that are not variables, in order.
        remainders: the cached result of `gradual.dims.term.print.remainders`; None before its first call.
    """

    __slots__ = ("__weakref__", "_key", "_text", "children", "names", "remainders", "terms", "value")

    terms: tuple[Term, ...]
    value: int | None
    names: frozenset[Variable]
    children: tuple[Compound, ...]
    remainders: tuple[tuple[tuple[Dim, Dim, Dim], ...], Dim] | tuple[()] | None

    def atoms(self) -> tuple[Atom, ...]:
        """The atoms of the monomials, in order of first occurrence."""
        return tuple(dict.fromkeys(atom for monomial, _ in self.terms for atom in monomial))

    def variables(self) -> frozenset[Variable]:
        """The variables (an unordered set: sort before iterating)."""
        return self.names

    @property
    def offset(self) -> int:
        """The constant term."""
        return self.terms[-1][1] if self.terms and not self.terms[-1][0] else 0

    @property
    def key(self) -> str:
        """A text that orders dims the same way in every run, constants last."""
        if self._key is None:
            self._key = _key(self)
        return self._key

    def __add__(self, other: Dim | int) -> Dim:
        right = constant(other) if isinstance(other, int) else other
        if self.value is not None and right.value is not None:
            return constant(self.value + right.value)
        return _added(self, right, 1)

    def __sub__(self, other: Dim | int) -> Dim:
        right = constant(other) if isinstance(other, int) else other
        if self.value is not None and right.value is not None:
            return constant(self.value - right.value)
        return _added(self, right, -1)

    def __mul__(self, other: Dim | int) -> Dim:
        right = constant(other) if isinstance(other, int) else other
        if self.value is not None and right.value is not None:
            return _constant_product(self, right)
        return _multiplied(self, right)

    def __floordiv__(self, other: Dim | int) -> Dim:
        return _divided(self, constant(other) if isinstance(other, int) else other)

    def __mod__(self, other: Dim | int) -> Dim:
        by = constant(other) if isinstance(other, int) else other
        quotient = _divided(self, by)
        return quotient if by is _ZERO else self - quotient * by  # `a // 0` and `a % 0` are undefined

    def __neg__(self) -> Dim:
        return self * -1

    def __radd__(self, other: int) -> Dim:
        return constant(other) + self

    def __rsub__(self, other: int) -> Dim:
        return constant(other) - self

    def __rmul__(self, other: int) -> Dim:
        return self * other

    def __rfloordiv__(self, other: int) -> Dim:
        return constant(other) // self

    def __rmod__(self, other: int) -> Dim:
        return constant(other) % self

    def evaluate(self, env: Mapping[Variable, int]) -> int:
        """The number under a valuation; raises Undefined where a divisor is below 1 or a number too large.

        [dim.meaning]
        """
        if self.value is not None:
            return self.value
        if self.children:
            return self.evaluated(env)
        total = 0
        for monomial, coefficient in self.terms:
            for atom in monomial:
                coefficient *= env[atom]  # type: ignore[index]  # no compound atoms here
            total += coefficient
        if total.bit_length() > LIMITS.number:
            raise Undefined(str(self))
        return total

    def substitute(self, mapping: Mapping[Variable, Dim]) -> Dim:
        """The dim with variables replaced, in normal form again.  [dim.substitute]"""
        return self if mapping.keys().isdisjoint(self.names) else self.substituted(mapping)

    def __str__(self) -> str:
        if self._text is None:
            self._text = self.written()
        return self._text

    def __repr__(self) -> str:
        return f"<{self}>"

    def __reduce__(self) -> tuple[Any, ...]:
        return self.pickled()

    _key: str | None
    _text: str | None

    evaluated: ClassVar[Callable[[Dim, Mapping[Variable, int]], int]]
    substituted: ClassVar[Callable[[Dim, Mapping[Variable, Dim]], Dim]]
    written: ClassVar[Callable[[Dim], str]]
    pickled: ClassVar[Callable[[Dim], tuple[Any, ...]]]
    """Functions that other files of this package define and assign here."""


# ------------------------------------------------------------------------------------------------- interning


def _fresh(terms: tuple[Term, ...]) -> Dim:
    made = object.__new__(Dim)
    made.terms = terms
    made._key = made._text = made.remainders = None
    made.value = (None if terms[0][0] else terms[0][1]) if terms else 0
    atoms = dict.fromkeys(atom for monomial, _ in terms for atom in monomial)
    made.children = tuple(atom for atom in atoms if not isinstance(atom, Variable))
    made.names = names_of(atoms) if atoms else _NOBODY
    return made


_NOBODY: frozenset[Variable] = frozenset()
_DIMS: WeakValueDictionary[tuple[Term, ...], Dim] = WeakValueDictionary()
_CONSTANTS: WeakValueDictionary[int, Dim] = WeakValueDictionary()
_SMALL: list[Dim | None] = [None] * 4097


def constant(k: int) -> Dim:
    """The dim that is always `k`."""
    small = 0 <= k <= 4096
    found = _SMALL[k] if small else _CONSTANTS.get(k)
    if found is None:
        found = _fresh((((), int(k)),) if k else ())
        (_SMALL if small else _CONSTANTS)[k] = found
    return found


_ZERO, _ONE = constant(0), constant(1)


@lru_cache(maxsize=4096)  # which answers faster than a dictionary of weak references
def _interned(terms: tuple[Term, ...]) -> Dim:
    if not terms:
        return _ZERO
    if not terms[0][0]:
        return constant(terms[0][1])
    found = _DIMS.get(terms)
    if found is None:
        found = _DIMS[terms] = _fresh(terms)
    return found


def variable(name: str, kind: Kind = Kind.RIGID, witness: Witness | None = None) -> Dim:
    """The dim that is the variable of that name, kind and witness."""
    return of_atom(named(name, kind, witness))


def of_atom(atom: Atom) -> Dim:
    """The dim that consists of an atom."""
    return _interned((((atom,), 1),))


def _rank(term: Term) -> tuple[int, list[str]]:
    return -len(term[0]), [atom.key for atom in term[0]]


def polynomial(coefficients: Mapping[Monomial, int]) -> Dim:
    """The sum of monomials (sorted tuples of atoms), each times its coefficient."""
    kept = [term for term in coefficients.items() if term[1]]
    if len(kept) > 1:
        kept.sort(key=_rank)
    return _interned(tuple(kept))


def _key(dim: Dim) -> str:
    if dim.value is not None:
        return f"~{dim.value:+05d}"
    return shortened(
        " + ".join(f"{'*'.join(atom.key for atom in monomial)}*{coefficient}" for monomial, coefficient in dim.terms)
    )


# -------------------------------------------------------------------------------------- ring operations


def _added(left: Dim, right: Dim, sign: int) -> Dim:
    if not right.terms:
        return left
    if right.value is not None:
        offset = left.offset
        rest, total = left.terms[:-1] if offset else left.terms, offset + sign * right.value
        return _interned((*rest, ((), total)) if total else rest)
    coefficients = dict(left.terms)
    for monomial, coefficient in right.terms:
        coefficients[monomial] = coefficients.get(monomial, 0) + sign * coefficient
    return polynomial(coefficients)


def _bits(dim: Dim) -> int:
    return max((abs(coefficient).bit_length() for _, coefficient in dim.terms), default=0)


def _constant_product(left: Dim, right: Dim) -> Dim:
    assert left.value is not None and right.value is not None
    made = left.value * right.value
    if made.bit_length() > LIMITS.constant:
        return _opaque_product(left, right)
    return constant(made)


def _opaque_product(left: Dim, right: Dim) -> Dim:
    return of_atom(compound(Product, tuple(sorted((left, right), key=lambda dim: dim.key))))


def _multiplied(left: Dim, right: Dim) -> Dim:
    if not left.terms or not right.terms:
        return _ZERO
    if left is _ONE or right is _ONE:
        return right if left is _ONE else left
    if _too_large(left, right):
        return _opaque_product(left, right)
    if left.value is not None or right.value is not None:
        factor, dim = (right.value, left) if left.value is None else (left.value, right)
        assert factor is not None
        return _interned(tuple((monomial, coefficient * factor) for monomial, coefficient in dim.terms))
    coefficients: dict[Monomial, int] = {}
    for a, c in left.terms:
        for b, d in right.terms:
            monomial = multiplied(a, b)
            coefficients[monomial] = coefficients.get(monomial, 0) + c * d
    return polynomial(coefficients)


def multiplied(left: Monomial, right: Monomial) -> Monomial:
    """The product of two monomials."""
    return tuple(sorted(left + right, key=lambda atom: atom.key)) if left and right else left or right


def _too_large(left: Dim, right: Dim) -> bool:
    return (
        len(left.terms) * len(right.terms) > LIMITS.monomials
        or len(left.terms[0][0]) + len(right.terms[0][0]) > LIMITS.degree
        or _bits(left) + _bits(right) > LIMITS.constant
    )


def sum_of(dims: Iterable[Dim]) -> Dim:
    """The sum of some dims."""
    coefficients: dict[Monomial, int] = {}
    for dim in dims:
        for monomial, coefficient in dim.terms:
            coefficients[monomial] = coefficients.get(monomial, 0) + coefficient
    return polynomial(coefficients)


def product(dims: Iterable[Dim | int]) -> Dim:
    """The product of some dims; 1 for none."""
    made = _ONE
    for dim in dims:
        made = made * dim
    return made


def cofactor(monomial: Monomial, part: Monomial) -> Monomial | None:
    """A monomial without a part of it, None if it does not contain that part."""
    rest = list(monomial)
    for atom in part:
        if atom not in rest:
            return None
        rest.remove(atom)
    return tuple(rest)


def replaced(dim: Dim, atom: Atom, image: Dim) -> Dim:
    """Replace a factor of a dim's terms by another dim; occurrences inside other atoms are not replaced."""
    kept = {monomial: coefficient for monomial, coefficient in dim.terms if atom not in monomial}
    if len(kept) == len(dim.terms):
        return dim
    found = polynomial(kept)
    for monomial, coefficient in dim.terms:
        if atom in monomial:
            rest = tuple(factor for factor in monomial if factor is not atom)
            found += product([image] * (len(monomial) - len(rest))) * polynomial({rest: coefficient})
    return found


# ------------------------------------------------------------------------------------------------- division


def _divided(dividend: Dim, divisor: Dim) -> Dim:
    """`dividend // divisor`, simplified only if the divisor is a constant of at least 1.  [dim.floor]"""
    by = divisor.value
    if by is None or by < 1:
        return of_atom(compound(FloorDiv, dividend, divisor))
    if dividend.value is not None:
        return constant(dividend.value // by)
    if by == 1:
        return dividend
    whole: dict[Monomial, int] = {}
    rest: dict[Monomial, int] = {}
    for monomial, coefficient in dividend.terms:
        quotient = coefficient // by if coefficient > 0 or not monomial else -(-coefficient // by)
        whole[monomial], rest[monomial] = quotient, coefficient - quotient * by
    return _added(polynomial(whole), _reduced(polynomial(rest), by), 1)


def _reduced(dividend: Dim, by: int) -> Dim:
    """`dividend // by`, where every coefficient is smaller than `by` and the constant is not negative."""
    if dividend.value is not None:
        return constant(dividend.value // by)
    common = gcd(by, *(coefficient for monomial, coefficient in dividend.terms if monomial))
    if common > 1:  # (g * x + c) // (g * k) = (x + c // g) // k
        return _divided(polynomial({m: c // common for m, c in dividend.terms}), constant(by // common))
    nested, offset = _nested_division(dividend)
    if nested is not None and nested.divisor.value is not None:  # (x // j + c) // k = (x + c * j) // (j * k)
        inner = nested.divisor.value
        return _divided(nested.dividend + offset * inner, constant(inner * by))
    return of_atom(compound(FloorDiv, dividend, constant(by)))


def _nested_division(dividend: Dim) -> tuple[FloorDiv | None, int]:
    """The division `x // j` in `x // j + c` with a constant `j` of at least 1, and `c`."""
    match dividend.terms:
        case (((FloorDiv() as nested,), 1),):
            offset = 0
        case (((FloorDiv() as nested,), 1), ((), offset)):
            pass
        case _:
            return None, 0
    return (nested, offset) if (nested.divisor.value or 0) >= 1 else (None, 0)


F = TypeVar("F", FloorDiv, Max, Min, Ite, Product)


def single(dim: Dim, form: type[F]) -> F | None:
    """The atom, if the dim is a single atom of class `form`; else None."""
    match dim.terms:
        case (((atom,), 1),) if isinstance(atom, form):
            return atom
    return None
