"""Dims and constraints in the language's own syntax, canonical and with the fewest parentheses.

A normal form has no `%`; printing finds it again: `n - 4 * (n // 4)` reads `n % 4`.  It also finds the if-then-else and
the disjunctions of broadcasting: `broadcast(n, m)`, `broadcasts(n, m)`.   [dim.text] [dim.broadcast]
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any

from gradual.dims.term.atom import FloorDiv, Ite, Max, Min, Product, Variable, bottom_up
from gradual.dims.term.constraint import And, AtMost, Constraint, Equal, Not, Or, Truth, broadcasts
from gradual.dims.term.dim import Dim, Monomial, constant, of_atom, polynomial
from gradual.dims.term.polynomial import cofactor, multiplied, product
from gradual.limits import LIMITS

Text = tuple[str, int]
"""A text with the precedence of its outermost operator."""

OR, AND, COMPARISON, SUM, DIVISION, PRODUCT, ATOM = range(7)

Remainder = tuple[Dim, Dim, Dim]
"""`cofactor * (dividend % divisor)`."""


@lru_cache(maxsize=2048)
def written(root: Any) -> str:
    """The source text of a dim or constraint; parts too long to print are elided as `…`."""
    return _elided(root, LIMITS.text, {})


def conjoined(constraints: Sequence[Constraint]) -> str:
    """The source text of several constraints that all hold; a disjunction among them is put in parentheses."""
    texts = ((written(one), isinstance(one, Or) and broadcasts_of(one) is None) for one in constraints)
    return " and ".join(f"({text})" if is_loose and len(constraints) > 1 else text for text, is_loose in texts)


READABLE = 90
"""The longest condition that is shown to a person, in characters."""


def brief(root: Any, called: Callable[[str], str] = str) -> str:
    """A short text of a dim or constraint for messages: inner parts become `…`, long names are cut in the middle.

    2 * … - 3 == %…layer_2_Cast_3 // 2

    Args:
        called: gives the text for a name.
    """
    text = _elided(root, LIMITS.text, {name: (called(name.name), ATOM) for name in root.variables()})
    if len(text) <= READABLE:
        return text
    names = {name: (_brief_name(called(name.name)), ATOM) for name in root.variables()}
    texts = [_elided(root, room, names) for room in _ROOMS]
    return max((one for one in texts if len(one) <= READABLE), key=len, default=text[: READABLE - 1] + "…")


_ROOMS = (READABLE, 75, 60, 45, 35, 28, 22, 16, 10, 5)
_NAME = 24


def _brief_name(name: str) -> str:
    return name if len(name) <= _NAME else f"{name[:4]}…{name[5 - _NAME :]}"


def _elided(root: Any, room: int, names: Mapping[Any, Text]) -> str:
    """The text, with `…` for every proper part that is longer than `room`."""
    texts: dict[Any, Text] = dict(names)
    for node in bottom_up(root):
        text = _text(node, texts)
        texts[node] = text if len(text[0]) <= room or (node is root and room < LIMITS.text) else ("…", ATOM)
    return texts[root][0]


def _text(node: Any, texts: dict[Any, Text]) -> Text:
    match node:
        case Dim():
            return _sum_text(node, texts)
        case FloorDiv(dividend=dividend, divisor=divisor):
            return _division_text(texts[dividend], "//", texts[divisor])
        case Product(operands=operands):
            return " * ".join(_at(texts[operand], ATOM) for operand in operands), PRODUCT
        case Max(operands=operands) | Min(operands=operands):
            inside = ", ".join(texts[operand][0] for operand in operands)
            return f"{type(node).__name__.lower()}({inside})", ATOM
        case Ite(condition=Equal(left=left, right=right), then=then, orelse=orelse) if (
            left is orelse and right.value == 1
        ):
            return f"broadcast({texts[orelse][0]}, {texts[then][0]})", ATOM
        case Ite(condition=condition, then=then, orelse=orelse):
            return f"(if {texts[condition][0]} then {texts[then][0]} else {texts[orelse][0]})", ATOM
    return _constraint_text(node, texts)


def _constraint_text(node: Any, texts: dict[Any, Text]) -> Text:
    match node:
        case Truth(holds=holds):
            return "True" if holds else "False", ATOM
        case Equal(left=left, right=right):
            return f"{_side_text(left, texts)} == {_side_text(right, texts)}", COMPARISON
        case Not(part=Equal(left=left, right=right)):
            return f"{_side_text(left, texts)} != {_side_text(right, texts)}", COMPARISON
        case AtMost(left=left, right=right):
            return _order_text(left, right, texts), COMPARISON
        case And(parts=parts):
            return " and ".join(_at(texts[part], COMPARISON) for part in parts), AND
        case Or() if (pair := broadcasts_of(node)) is not None:
            return f"broadcasts({texts[pair[0]][0]}, {texts[pair[1]][0]})", ATOM
        case Or(parts=parts):
            return " or ".join(_at(texts[part], AND) for part in parts), OR
    raise AssertionError(node)


def _side_text(side: Dim, texts: dict[Any, Text]) -> str:
    """A side of an equation, as a product where that is shorter.  [dim.text]"""
    factors = factors_of(side)
    return _factors_text(factors, texts) if factors else texts[side][0]


def _factors_text(factors: tuple[Dim, ...], texts: dict[Any, Text]) -> str:
    return _product_text([_sum_text(factor, texts) for factor in factors])[0]


def factors_of(side: Dim) -> tuple[Dim, ...]:
    """The factors, each an atom plus a number, whose product is a side of an equation.  [dim.text]

    Empty if there are none, or if the product is not shorter.
    """
    factors = factors_like(side) if len(side.terms) > 1 else ()
    if not factors or product(factors) is not side:
        return ()
    brackets = sum(3 + 2 * (len(factor.terms) > 1) for factor in factors) - 3
    return factors if sum(len(str(factor)) for factor in factors) + brackets < len(str(side)) else ()


def factors_like(dim: Dim) -> tuple[Dim, ...]:
    """The only candidates for `factors_of`, read from the terms of highest and next degree; empty if there are none."""
    longest, lead = dim.terms[0]
    if lead != 1 or not 2 <= len(set(longest)) == len(longest) <= _FACTORS:
        return ()
    terms = dict(dim.terms)
    numbers = (terms.get(longest[:place] + longest[place + 1 :], 0) for place in range(len(longest)))
    return tuple(of_atom(atom) + number for atom, number in zip(longest, numbers, strict=True))


_FACTORS = 4
"""Limit on the factors of a product that `factors_like` looks for."""


def broadcast_of(choice: Ite) -> tuple[Dim, Dim] | None:
    """`(size, other)` if the if-then-else is a size broadcast against another.  [dim.broadcast]"""
    match choice.condition:
        case Equal(left=left, right=right) if left is choice.orelse and right.value == 1:
            return left, choice.then
    return None


def broadcasts_of(disjunction: Or) -> tuple[Dim, Dim] | None:
    """The two sizes, if a disjunction is `broadcasts` of two sizes; else None.  [dim.broadcast]"""
    match disjunction.parts:
        case (Equal(left=left, right=right), Equal(), Equal()) if disjunction is broadcasts(left, right):
            return left, right
    return None


def _order_text(left: Dim, right: Dim, texts: dict[Any, Text]) -> str:
    """`n >= 2` for a constant on the left, `n < m` for `n + 1 <= m`, else `left <= right`."""
    if left.value is not None:
        return f"{texts[right][0]} >= {left.value}"
    if right.value is None and left.terms[-1] == ((), 1):
        return f"{_sum_text(left - 1, texts)[0]} < {texts[right][0]}"
    return f"{texts[left][0]} <= {texts[right][0]}"


def _at(text: Text, level: int) -> str:
    return text[0] if text[1] >= level else f"({text[0]})"


def _division_text(left: Text, operator: str, right: Text) -> Text:
    dividend = f"({left[0]})" if left[0].startswith("-") else _at(left, DIVISION)
    divisor = f"({right[0]})" if right[0].startswith("-") else _at(right, ATOM)
    return f"{dividend} {operator} {divisor}", DIVISION


# ------------------------------------------------------------------------------------------------- sums


def _sum_text(dim: Dim, texts: dict[Any, Text]) -> Text:
    found, rest = remainders(dim)
    signed = [_signed(coefficient, monomial, texts) for monomial, coefficient in rest.terms]
    modulo = [_remainder_text(remainder, texts) for remainder in found]
    last = len(signed) - 1 if rest.terms and not rest.terms[-1][0] else len(signed)
    signed[last:last] = modulo
    if not signed:
        return "0", ATOM
    signed.sort(key=lambda term: term[0] < 0)  # stable: positive terms first
    (sign, (text, level)), *others = signed
    if not others and sign > 0:
        return text, level
    head = text if sign > 0 else f"-{_at((text, level), PRODUCT)}"
    tail = "".join(f" {'+' if sign > 0 else '-'} {text}" for sign, (text, _) in others)
    return head + tail, SUM if others else PRODUCT


def _signed(coefficient: int, monomial: Monomial, texts: dict[Any, Text]) -> tuple[int, Text]:
    factors: list[Text] = [_atom_text(atom, texts) for atom in monomial]
    if abs(coefficient) != 1 or not factors:
        factors.insert(0, (str(abs(coefficient)), ATOM))
    return (1 if coefficient > 0 else -1), _product_text(factors)


def _atom_text(atom: Any, texts: dict[Any, Text]) -> Text:
    return (atom.name, ATOM) if isinstance(atom, Variable) and atom not in texts else texts[atom]


def _product_text(factors: list[Text]) -> Text:
    if len(factors) == 1:
        return factors[0]
    return " * ".join([_at(factors[0], PRODUCT), *(_at(factor, ATOM) for factor in factors[1:])]), PRODUCT


def _remainder_text(remainder: Remainder, texts: dict[Any, Text]) -> tuple[int, Text]:
    cofactor, dividend, divisor = remainder
    text = _division_text(_known_text(dividend, texts), "%", _known_text(divisor, texts))
    ((monomial, coefficient),) = cofactor.terms
    if cofactor.value in (1, -1):
        return coefficient, text
    sign, (head, level) = _signed(coefficient, monomial, texts)
    return sign, _product_text([(head, level), text])


def _known_text(dim: Dim, texts: dict[Any, Text]) -> Text:
    return texts[dim] if dim in texts else _sum_text(dim, texts)


# ------------------------------------------------------------------------------------------------- remainders


def remainders(dim: Dim) -> tuple[tuple[Remainder, ...], Dim]:
    """The remainders hidden in a sum, and the rest of it: `dim` is the sum of both.  [dim.remainder]"""
    if not dim.children:
        return (), dim
    if dim.remainders is None:
        found, rest = _found(dim)
        dim.remainders = (found, rest) if found else ()
    return dim.remainders or ((), dim)


def _found(dim: Dim) -> tuple[tuple[Remainder, ...], Dim]:
    found: list[Remainder] = []
    for atom in dim.children:
        if isinstance(atom, FloorDiv):
            for remainder, smaller in _candidates(dim, atom):
                if len(smaller.terms) + 1 < len(dim.terms):
                    found.append(remainder)
                    dim = smaller
                    break
    return tuple(found), dim


def _candidates(dim: Dim, atom: FloorDiv) -> Iterator[tuple[Remainder, Dim]]:
    """Remainders that contain a quotient; more than half of the terms of its dividend have to cancel."""
    there = {monomial for monomial, _ in dim.terms}
    for dividend, divisor in _divisions(dim, atom):
        lead, unit = divisor.terms[0]
        for monomial, coefficient in dim.terms:
            rest = cofactor(monomial, (atom, *lead))
            if rest is None or coefficient % unit:
                continue
            if 2 * sum(multiplied(rest, term) in there for term, _ in dividend.terms) > len(dividend.terms):
                factor = polynomial({rest: -(coefficient // unit)})
                yield (factor, dividend, divisor), dim - factor * (dividend - divisor * of_atom(atom))


def _divisions(dim: Dim, atom: FloorDiv) -> Iterator[tuple[Dim, Dim]]:
    """Every `(dividend, divisor)` whose quotient is the atom: its own, and `(n // 2) // 3` for `n // 6`."""
    if not atom.divisor.terms or (atom.divisor.value or 1) < 1:
        return
    yield atom.dividend, atom.divisor
    by = atom.divisor.value
    for inner in dim.children if by is not None else ():
        if isinstance(inner, FloorDiv) and inner is not atom and inner.divisor.value is not None:
            within = inner.divisor.value
            if within > 1 and by is not None and by % within == 0:
                offset = _apart(atom.dividend, inner.dividend)
                if offset is not None and offset % within == 0:
                    yield of_atom(inner) + offset // within, constant(by // within)


def _apart(left: Dim, right: Dim) -> int | None:
    """The difference of two dims, if it is a number; else None."""
    same = left.terms[: -1 if left.offset else None] == right.terms[: -1 if right.offset else None]
    return left.offset - right.offset if same else None
