"""Saturation of a small conjunction, to find contradictions.

Equations are substituted, bounds are propagated to a fixpoint (in a bounded number of rounds), and the rest goes to
linear elimination.  All of it is sound, incomplete, and free of search.   [dim.decide.facts]
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from math import prod
from typing import Any

from gradual.dims.bounds.fourier_motzkin import contradictory
from gradual.dims.bounds.interval import ANY, Estimate, Interval
from gradual.dims.bounds.linear_rows import rows_of
from gradual.dims.store.items import Item, is_compound, parts_of
from gradual.dims.store.store import Store
from gradual.dims.term.atom import Atom, FloorDiv, Max, Min, Variable, names_of
from gradual.dims.term.constraint import TRUE, Constraint, at_least, at_most
from gradual.dims.term.dim import Dim, Undefined, of_atom, polynomial
from gradual.trail import Trail

_ROUNDS = 4
_FORMS = 64


class System(Store):
    """A saturated conjunction.

    Attributes:
        given: the original constraints.
    """

    def __init__(self, constraints: Iterable[Constraint]) -> None:
        super().__init__(Trail())
        self._news: list[set[Atom]] = []
        self._parts: dict[Item, frozenset[Any]] = {}
        self._simple: set[Item] = set()
        self._spread: set[Item] = set()
        self.given = tuple(constraints)
        for constraint in self.given:
            self.add(constraint)
        self._settle()

    def narrowed(self, *cases: Constraint) -> System:
        """A copy with more constraints; an item is processed again only if it has all the atoms of a new fact."""
        made = System(())
        self._copied_to(made)
        made._news, made._parts = list(self._news), self._parts
        made._simple, made._spread = set(self._simple), set(self._spread)
        made.given = (*cases, *self.given)
        for case in cases:
            made.add(case)
        made._settle()
        return made

    @property
    def constraints(self) -> tuple[Constraint, ...]:
        """The remaining constraints, over the variables that are not solved."""
        items = [*self.bounds, *((difference,) for difference in self.apart), *self.others]
        return tuple(constraint for item in items for constraint in self.constraints_of(item))

    @property
    def free(self) -> tuple[Variable, ...]:
        """The variables that are not solved, in order of first mention."""
        return tuple(name for name in self._age if name not in self.solved)

    @property
    def rows(self) -> list[Dim]:
        """The linear rows: dims, linear in their monomials, that are at least 0.  [dim.decide.linear]"""
        return rows_of(self.bounds, self.estimate)

    @property
    def is_contradictory(self) -> bool:
        """Whether linear elimination shows the remaining constraints unsatisfiable.  [dim.decide.linear]"""
        return contradictory(self.rows)

    def valuation(self, numbers: Mapping[Variable, int]) -> dict[Variable, int] | None:
        """Extend numbers for some unsolved variables to all variables; None if the value of one is undefined."""
        names = dict.fromkeys((*self.free, *names_of(self.given)))
        found = {name: numbers.get(name, self._near_zero(name)) for name in names if name not in self.solved}
        try:
            for name, image in reversed(self.solved.items()):
                found[name] = image.evaluate(found)
        except Undefined:
            return None
        return found

    def _near_zero(self, name: Variable) -> int:
        """The number within a variable's bounds that is nearest to 0."""
        interval = self.bounds.get(of_atom(name), ANY)
        if interval.low is not None and interval.low > 0:
            return interval.low
        return interval.high if interval.high is not None and interval.high < 0 else 0

    # ----------------------------------------------------------------------------------------------- saturation

    def _settle(self) -> None:
        for _ in range(_ROUNDS):
            news, self._news = self._news, []
            found = [*self._resimplified(news), *self._propagated(news)] if not self.conflict else []
            for constraint in found:
                self.add(constraint)
            if not found:
                return

    def _resimplified(self, news: list[set[Atom]]) -> list[Constraint]:
        """Remove the items that other facts simplify; return their simpler constraints."""
        items: list[Item] = [*self.bounds, *((difference,) for difference in self.apart), *self.others]
        found: list[Constraint] = []
        for item in items:
            if is_compound(item) and not (item in self._simple and self._is_old(item, news)):
                simpler = self._simplified(item)
                found.extend(simpler)
                if not simpler:
                    self._simple.add(item)
        return found

    def _propagated(self, news: list[set[Atom]]) -> list[Constraint]:
        """Propagate the bounds of sums and products to their terms and factors.  [dim.decide.interval]"""
        found: list[Constraint] = []
        estimate = self.estimate
        for form, interval in list(self.bounds.items())[:_FORMS]:
            if not (form in self._spread and self._is_old(form, news)):
                several = len(form.terms) > 1
                found += (_from_sum if several else _from_product)(form, interval, estimate)
                self._spread.add(form)
        found += (constraint for form in self._source for constraint in self._positive(form))
        return [c for c in found if estimate.holds(c) is not True and self.rewritten(c) is not TRUE]

    def _changed(self, form: Dim) -> None:
        self._news.append(set(form.atoms()))
        self._simple.discard(form)
        self._spread.discard(form)

    def _is_old(self, item: Item, news: list[set[Atom]]) -> bool:
        """Whether no new fact has all its atoms in an item, so that the item need not be processed again."""
        if item not in self._parts:
            self._parts[item] = parts_of(item)
        return not any(atoms <= self._parts[item] for atoms in news)


def _from_sum(form: Dim, interval: Interval, estimate: Estimate) -> Iterator[Constraint]:
    for monomial, coefficient in form.terms:
        term = polynomial({monomial: coefficient})
        others = estimate.of(form - term)
        if interval.low is not None and others.high is not None:
            yield at_least(term, interval.low - others.high)
        if interval.high is not None and others.low is not None:
            yield at_most(term, interval.high - others.low)


def _from_product(form: Dim, interval: Interval, estimate: Estimate) -> Iterator[Constraint]:
    """`x * y >= 1` with factors of at least 0 gives `x >= 1`; `x // k <= h` gives `x <= k * h + k - 1`."""
    monomial = form.terms[0][0]
    if len(monomial) == 1:
        yield from _inside(monomial[0], interval)
        return
    lows = [estimate.of(of_atom(atom)).low for atom in monomial]
    if interval.low is None or interval.low < 1 or any(low is None or low < 0 for low in lows):
        return
    for atom in dict.fromkeys(monomial):
        yield at_least(of_atom(atom), 1)
        others = [low for other, low in zip(monomial, lows, strict=True) if other is not atom and low]
        if interval.high is not None:
            yield at_most(of_atom(atom), interval.high // prod(others))


def _inside(atom: Atom, interval: Interval) -> Iterator[Constraint]:
    match atom:
        case FloorDiv(dividend=dividend, divisor=divisor) if divisor.value is not None and divisor.value >= 1:
            by = divisor.value
            if interval.low is not None:
                yield at_least(dividend, interval.low * by)
            if interval.high is not None:
                yield at_most(dividend, interval.high * by + by - 1)
        case Max(operands=operands) if interval.high is not None:
            yield from (at_most(operand, interval.high) for operand in operands)
        case Min(operands=operands) if interval.low is not None:
            yield from (at_least(operand, interval.low) for operand in operands)
