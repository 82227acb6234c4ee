"""Conjunctions split into substitutions, bounds of forms, and the rest, indexed by variable.   [dim.facts]

Every change is on a trail, so that a branch can be undone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, TypeVar

from gradual.dims.bounds.interval import ANY, Estimate, Interval, canonical, primitive
from gradual.dims.bounds.overlay import Without
from gradual.dims.rewrite.exact_products import Replacement, is_positive, multiple_of, replacement_of
from gradual.dims.rewrite.lift_ite import lifted
from gradual.dims.rewrite.simplify import Knowledge, alternatives, resimplified, simplified_constraint, simplified_dim
from gradual.dims.store.items import Item, is_compound, names_in, within
from gradual.dims.term.atom import Atom
from gradual.dims.term.constraint import (
    FALSE,
    And,
    AtMost,
    Constraint,
    Equal,
    Not,
    Or,
    Truth,
    at_least,
    differs,
    equal,
)
from gradual.dims.term.dim import Dim, FloorDiv, Variable, of_atom
from gradual.trail import Trail

N = TypeVar("N", Dim, Constraint)
Simply = Callable[[Constraint, Knowledge], Constraint]
_REMEMBERED = 4096
"""Limit on the entries of a memo table."""


class Store:
    """A conjunction of constraints, split by kind.

    Attributes:
        solved: variable -> the dim that it equals, which may mention variables solved later.
        bounds: primitive form -> interval.
        apart: canonical differences known not to be 0.
        others, either: the disjunctions, in order, and their `alternatives`.
        replacements: quotient -> how a product with it is rewritten, from a divisibility.
        multiples: the equations of `replacements` as rewrite rules in the other direction.
        conflict: set once the conjunction is known to be unsatisfiable.
        estimate: interval estimates of dims, from the present bounds of forms.
    """

    def __init__(self, trail: Trail) -> None:
        self._trail = trail
        self._seen: tuple[int, Estimate] | None = None
        self._told: Knowledge | None = None
        self._bare = Estimate({})
        self._rewriting: tuple[int, Knowledge] | None = None
        self.solved: dict[Variable, Dim] = {}
        self.bounds: dict[Dim, Interval] = {}
        self.apart: dict[Dim, None] = {}
        self.others: dict[Or, None] = {}
        self.either: dict[frozenset[Any], None] = {}
        self.replacements: dict[FloorDiv, Replacement] = {}
        self.multiples: dict[Atom | None, dict[FloorDiv, Replacement]] = {}
        self._source: dict[Dim, FloorDiv] = {}
        self._index: dict[Variable, dict[Item, None]] = {}
        self._determined: dict[Variable, dict[Variable, None]] = {}
        self._age: dict[Variable, int] = {}
        self._state: dict[str, bool] = {}

    def _copied_to(self, other: Store) -> None:
        """Copy the facts to another store, which uses another trail."""
        other._seen = other._told = other._rewriting = None
        other._bare = self._bare
        other.solved, other.bounds, other.apart = dict(self.solved), dict(self.bounds), dict(self.apart)
        other.others, other.either, other.replacements = dict(self.others), dict(self.either), dict(self.replacements)
        other.multiples = {atom: dict(found) for atom, found in self.multiples.items()}
        other._source, other._age, other._state = dict(self._source), dict(self._age), dict(self._state)
        other._index = {name: dict(items) for name, items in self._index.items()}
        other._determined = {name: dict(found) for name, found in self._determined.items()}

    @property
    def conflict(self) -> bool:
        """Whether the conjunction is known to be unsatisfiable."""
        return "conflict" in self._state

    @property
    def estimate(self) -> Estimate:
        """Interval estimates of dims from the present bounds; cached until the bounds change."""
        if self._seen is None or self._seen[0] != self._trail.undone or self._seen[1].remembered > _REMEMBERED:
            self._seen = self._trail.undone, Estimate(self.bounds)
        return self._seen[1]

    @property
    def knowledge(self) -> Knowledge:
        """What simplification may use, with its memo table; cached until the facts change."""
        estimate, told = self.estimate, self._told
        if told is None or told.estimate is not estimate or len(told.simplest) > _REMEMBERED:
            told = self._told = Knowledge(estimate, self.replacements, self.apart, self.multiples, self.either)
        return told

    def add(self, constraint: Constraint) -> None:
        """Add a constraint.  [dim.facts.assume]"""
        pending = [constraint]
        while pending and not self.conflict:
            pending.extend(reversed(self._absorbed(self._prepared(self.rewritten(pending.pop())))))

    def _prepared(self, constraint: Constraint) -> Constraint:
        """Hook: preprocess a rewritten constraint before it is added."""
        return lifted(constraint)

    def _changed(self, form: Dim) -> None:
        """Hook: called for each form with a new fact, and for each quotient that gets a replacement."""

    def _followed(self, form: Dim) -> Sequence[Constraint]:
        """Hook: the constraints to add again after a new fact about a form."""
        return ()

    def _absorbed(self, constraint: Constraint) -> Sequence[Constraint]:
        """Add a rewritten constraint; return the constraints to add next."""
        self._meet(constraint.names)
        match constraint:
            case AtMost(difference=difference):
                return self._bounded(difference, Interval(0, None))
            case Equal():
                return self._equated(constraint)
            case And(parts=parts):
                return parts
            case Not(part=Equal(difference=difference)):
                return self._separated(canonical(difference))
            case Truth(holds=holds):
                return () if holds else self._contradicted()
            case Or():
                return self._kept(constraint)

    def _meet(self, names: frozenset[Variable]) -> None:
        fresh = [name for name in names if name not in self._age]
        for name in sorted(fresh) if len(fresh) > 1 else fresh:
            self._trail.put(self._age, name, len(self._age))

    def _enter(self, item: Item, names: Iterable[Variable]) -> None:
        for name in names:
            if name not in self._index:
                self._trail.put(self._index, name, {})
            self._trail.put(self._index[name], item, None)

    def _contradicted(self) -> Sequence[Constraint]:
        self._trail.put(self._state, "conflict", True)
        return ()

    def _kept(self, constraint: Or) -> Sequence[Constraint]:
        if constraint not in self.others:
            self._hold(constraint)
            self._enter(constraint, constraint.names)
        return ()

    def _hold(self, constraint: Or) -> None:
        self._trail.put(self.others, constraint, None)
        self._trail.put(self.either, alternatives(constraint), None)
        self._told = None

    def _bounded(self, difference: Dim, interval: Interval) -> Sequence[Constraint]:
        """Add the fact that a difference is inside an interval.  [dim.facts.bound]"""
        form, scale, offset = primitive(difference)
        old = self.bounds.get(form, ANY)
        new = self._trimmed(form, old & _solved_for(interval, scale, offset).within_limits())
        if new == old or self._is_implied(form, new):
            return ()
        if new.is_empty:
            return (FALSE,)
        if form not in self.bounds:
            self._enter(form, form.names)
        self._trail.put(self.bounds, form, new)
        self._seen = None
        self._changed(form)
        said = (equal(form, new.value),) if new.value is not None and old.value is None else ()
        return (*said, *_divided_within(form, new), *self._followed(form))

    def _is_implied(self, form: Dim, interval: Interval) -> bool:
        """Whether the bounds of a new form's atoms imply the interval, so that it need not be stored."""
        if form in self.bounds or (len(form.terms[0][0]) == len(form.terms) == 1 and not form.children):
            return False  # a plain variable has no parts
        found = self.estimate.of(form)
        return (interval.low is None or (found.low is not None and found.low >= interval.low)) and (
            interval.high is None or (found.high is not None and found.high <= interval.high)
        )

    def _trimmed(self, form: Dim, interval: Interval) -> Interval:
        """The interval without endpoints that the form is known to differ from."""
        low, high = interval.low, interval.high
        while low is not None and form - low in self.apart and (high is None or low <= high):
            low += 1
        while high is not None and form - high in self.apart and (low is None or low <= high):
            high -= 1
        return Interval(low, high)

    def _separated(self, difference: Dim) -> Sequence[Constraint]:
        """Add the fact that a difference is not 0: move an endpoint of its bounds, or store the disequation."""
        form, scale, offset = primitive(difference)
        interval = self.bounds.get(form, ANY)
        excluded, rest = divmod(-offset, scale)
        if rest or difference in self.apart or excluded not in interval:
            return ()
        if excluded in (interval.low, interval.high):
            low, high = interval.low, interval.high
            inside = Interval(excluded + 1, high) if excluded == low else Interval(low, excluded - 1)
            return within(form, self._trimmed(form, inside)) or (FALSE,)
        self._trail.put(self.apart, difference, None)
        self._told = None
        self._changed(difference)
        self._enter((difference,), difference.names)
        return self._followed(difference)

    def _equated(self, constraint: Equal) -> Sequence[Constraint]:
        form, scale, offset = primitive(constraint.difference)
        difference = form + offset // scale
        if difference in self.apart or offset % scale:
            return (FALSE,)
        found = self._solution(difference)
        if found is not None:
            return self._eliminated(*found)
        replacement = replacement_of(difference)
        if form not in self._source and replacement is not None and replacement[0] not in self.replacements:
            self._replace(form, *replacement)
        itself = equal(form, -offset // scale)
        bounded = [again for again in self._bounded(difference, Interval(0, 0)) if again is not itself]
        return [*bounded, *self._positive(form)]

    def _positive(self, form: Item) -> Iterable[Constraint]:
        """The fact that an exact quotient is at least 1, if its dividend is.  [dim.facts.multiple]"""
        quotient = self._source.get(form)
        if quotient is not None and is_positive(self.replacements[quotient], self.estimate):
            return (at_least(of_atom(quotient), 1),) if self.estimate.of(of_atom(quotient)).low == 0 else ()
        return ()

    def _replace(self, form: Dim, quotient: FloorDiv, replacement: Replacement) -> None:
        self._trail.put(self.replacements, quotient, replacement)
        self._told = self._rewriting = None
        self._changed(of_atom(quotient))
        self._trail.put(self._source, form, quotient)
        multiple = multiple_of(replacement)
        if multiple is not None:
            lead = multiple.monomial[0] if multiple.monomial else None
            if lead not in self.multiples:
                self._trail.put(self.multiples, lead, {})
            self._trail.put(self.multiples[lead], quotient, multiple)

    def _solution(self, difference: Dim) -> tuple[Variable, Dim] | None:
        """The variable to solve for, existentials first and then the newest, and its solution.  [dim.facts.solve]"""
        candidates = [
            (atom.is_existential, self._age[atom], atom, coefficient)
            for (atom, *more), coefficient in (term for term in difference.terms if term[0])
            if not more and abs(coefficient) == 1 and isinstance(atom, Variable) and _occurs_once(atom, difference)
        ]
        if not candidates:
            return None
        _, _, name, coefficient = max(candidates, key=lambda candidate: candidate[:2])
        return name, of_atom(name) - difference * coefficient

    def _eliminated(self, name: Variable, image: Dim) -> list[Constraint]:
        """Solve a variable; remove and return the facts that mention it, to be rewritten and added again."""
        self._trail.put(self.solved, name, image)
        for other in image.names:
            if other not in self._determined:
                self._trail.put(self._determined, other, {})
            self._trail.put(self._determined[other], name, None)
        again: list[Constraint] = []
        for item in list(self._index.get(name, ())):
            again.extend(self._taken(item))
        return again

    def _simplified(self, item: Item, simply: Simply = resimplified) -> list[Constraint]:
        """Remove an item and return simpler constraints for it; if it cannot be simplified, keep it and return []."""
        if not is_compound(item):
            return []
        facts = self.constraints_of(item)
        known = self._apart_from(item)
        simpler = [simply(fact, known) for fact in facts]
        if all(new is old for new, old in zip(simpler, facts, strict=True)):
            return []
        self._taken(item)
        return simpler

    def _apart_from(self, item: Item) -> Knowledge:
        """The knowledge without the item's own facts.

        A disjunction is not left out, since it decides no if-then-else inside itself.
        """
        if isinstance(item, Dim):
            own = self._source.get(item)
            replacements = Without(self.replacements, own) if own is not None else self.replacements
            return Knowledge(self.estimate.apart(item), replacements, self.apart, self.multiples, self.either)
        if isinstance(item, Or):
            return self.knowledge
        apart = Without(self.apart, item[0])
        return Knowledge(self.estimate, self.replacements, apart, self.multiples, self.either)

    def _taken(self, item: Item) -> list[Constraint]:
        """Remove an item and return it as constraints."""
        facts = list(self.constraints_of(item))
        for name in names_in(item):
            self._trail.drop(self._index[name], item)
        if isinstance(item, Dim):
            self._trail.drop(self.bounds, item)
            self._seen = None
            self._drop_replacement(item)
        elif isinstance(item, tuple):
            self._trail.drop(self.apart, item[0])
        else:
            self._trail.drop(self.others, item)
            self._trail.drop(self.either, alternatives(item))
        self._told = None
        return facts

    def _drop_replacement(self, form: Dim) -> None:
        if form in self._source:
            self._trail.drop(self.replacements, self._source[form])
            self._told = self._rewriting = None
            self._trail.drop(self._source, form)

    def constraints_of(self, item: Item) -> Iterable[Constraint]:
        """The constraints that an item represents."""
        if isinstance(item, Dim):
            return within(item, self.bounds[item])
        return (differs(item[0], 0),) if isinstance(item, tuple) else (item,)

    def mentioning(self, name: Variable) -> Mapping[Item, None]:
        """The items that mention a variable, oldest first."""
        return self._index.get(name, {})

    def determined(self, names: Iterable[Variable], room: int) -> list[Variable]:
        """The solved variables whose equations mention some variables, also through each other; nearest first."""
        queue = dict.fromkeys(names)
        waiting, known = list(queue), len(queue)
        for name in waiting:  # grows while it is walked
            fresh = [other for other in self._determined.get(name, ()) if other not in queue]
            queue.update(dict.fromkeys(fresh))
            waiting += fresh
            if len(queue) - known >= room:
                break
        return waiting[known : known + room]

    def rewritten(self, node: N) -> N:
        """The dim or constraint rewritten by the equations.  [dim.facts.rewrite]"""
        while not self.solved.keys().isdisjoint(node.names):
            node = node.substitute({name: self._image(name) for name in node.names if name in self.solved})
        if not self.replacements:
            return node
        known = self._equations()
        return simplified_dim(node, known) if isinstance(node, Dim) else simplified_constraint(node, known)

    def _equations(self) -> Knowledge:
        """What rewriting may use: the equations that replace products, and no bounds; cached until they change."""
        if self._bare.remembered > _REMEMBERED:
            self._bare, self._rewriting = Estimate({}), None
        kept = self._rewriting
        if kept is None or kept[0] != self._trail.undone or len(kept[1].simplest) > _REMEMBERED:
            kept = self._trail.undone, Knowledge(self._bare, self.replacements, multiples=self.multiples)
            self._rewriting = kept
        return kept[1]

    def _image(self, name: Variable) -> Dim:
        """The solution of a variable in terms of unsolved variables."""
        image = self.solved[name]
        if self.solved.keys().isdisjoint(image.names):
            return image
        while not self.solved.keys().isdisjoint(image.names):
            image = image.substitute({name: self.solved[name] for name in image.names if name in self.solved})
        self._trail.put(self.solved, name, image)
        return image


def _solved_for(interval: Interval, scale: int, offset: int) -> Interval:
    """The integers `x` with `scale * x + offset` inside the interval."""
    low = None if interval.low is None else interval.low - offset
    high = None if interval.high is None else interval.high - offset
    if scale < 0:
        low, high, scale = None if high is None else -high, None if low is None else -low, -scale
    return Interval(None if low is None else -(-low // scale), None if high is None else high // scale)


def _divided_within(form: Dim, interval: Interval) -> tuple[Constraint, ...]:
    """The bounds on a dividend from those on its quotient by a number: `n // 5 >= 4` is `n >= 20`.

    [dim.facts.bound]
    """
    match form.terms:
        case (((FloorDiv(dividend=dividend, divisor=divisor),), 1),) if divisor.value is not None and divisor.value > 0:
            return within(dividend, interval.scaled(divisor.value) + Interval(0, divisor.value - 1))
    return ()


def _occurs_once(name: Variable, dim: Dim) -> bool:
    return sum(name in atom.names for monomial, _ in dim.terms for atom in monomial) == 1
