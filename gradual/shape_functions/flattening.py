"""Formulas as lists of short definitions, each of which is total: it has a value for all values of its names.

A dim is undefined where a divisor is below 1.  Here `a // b` becomes `a // max(b, 1)`, and a separate constraint states
where the dim has a value.  So the printed code needs no representation of an undefined number.   [dim.meaning]
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from typing import Any

from gradual.dims.term.atom import Atom, FloorDiv, Ite, Max, Min, Product, Variable, bottom_up
from gradual.dims.term.constraint import (
    FALSE,
    TRUE,
    And,
    Constraint,
    Equal,
    Not,
    Or,
    Truth,
    all_of,
    any_of,
    at_least,
    at_most,
    equal,
    negated,
)
from gradual.dims.term.dim import Dim, Witness, constant, ite, maximum, minimum, product, sum_of, variable
from gradual.record import record
from gradual.shape_functions.form import Definition, Need
from gradual.shape_functions.identifiers import Identifiers


@record(eq=False)
class Number:
    """A dim as a total value, and the constraint under which the dim is defined; elsewhere the value is arbitrary."""

    value: Dim
    defined: Constraint = TRUE


@record(eq=False)
class Verdict:
    """A constraint as two total ones: `holds` if it is defined and holds, and `defined` if it is defined."""

    holds: Constraint
    defined: Constraint = TRUE

    @property
    def fails(self) -> Constraint:
        """The constraint is defined and does not hold."""
        return all_of(self.defined, negated(self.holds))


@record(frozen=False, eq=False)
class Flattening:
    """The steps of a shape function under construction.

    Attributes:
        inputs: size or element of an argument -> its name, or its number.
        solutions: name of a size -> the formula over sizes of the arguments that determines this name.
    """

    identifiers: Identifiers
    inputs: Mapping[Witness, Dim]
    solutions: Mapping[Variable, Dim]
    steps: list[Definition | Need] = field(default_factory=list)
    _found: dict[Any, Any] = field(default_factory=dict)

    def number(self, dim: Dim) -> Number:
        """Rewrite a dim as a total one over names that are defined."""
        found: Number = self._flat(dim)
        return found

    def verdict(self, constraint: Constraint) -> Verdict:
        """Rewrite a constraint as total ones over names that are defined."""
        found: Verdict = self._flat(constraint)
        return found

    def named(self, wanted: str, value: Dim) -> Dim:
        """Define a new name for a value; a value that is a number or a name is returned unchanged."""
        if value.value is not None or _is_name(value):
            return value
        name = variable(self.identifiers.fresh(wanted))
        self.steps.append(Definition(_only(name), value))
        return name

    def _flat(self, root: Dim | Constraint) -> Any:
        for node in bottom_up(root, self._found) if root not in self._found else ():
            self._found[node] = self._node(node)
        return self._found[root]

    def _node(self, node: Any) -> Any:
        """Rewrite a part of a formula whose children have been rewritten."""
        if isinstance(node, Dim):
            return self._sum(node)
        parts = [self._found[child] for child in node.children]
        match node:
            case FloorDiv() | Max() | Min() | Product() | Ite():
                found = _computed(node, parts)
                return Number(self.named("t", found.value), found.defined)
            case Truth():
                return Verdict(node)
            case And():
                return _conjunction(parts)
            case Or():
                return _disjunction(parts)
            case Not():
                (part,) = parts
                return Verdict(part.fails, part.defined)
            case _:
                left, right = parts
                compare = equal if isinstance(node, Equal) else at_most
                defined = all_of(left.defined, right.defined)
                return Verdict(all_of(defined, compare(left.value, right.value)), defined)

    def _sum(self, dim: Dim) -> Number:
        terms: list[Dim] = []
        defined: dict[Constraint, None] = {}
        for monomial, coefficient in dim.terms:
            factors = [self._atom(atom) for atom in monomial]
            terms.append(product([coefficient, *(factor.value for factor in factors)]))
            defined.update((factor.defined, None) for factor in factors)
        return Number(sum_of(terms), all_of(*defined))

    def _atom(self, atom: Atom) -> Number:
        if not isinstance(atom, Variable):
            found: Number = self._found[atom]
            return found
        if atom not in self._found:
            witness = atom.witness
            self._found[atom] = self._solved(atom) if witness is None else Number(self.inputs[witness])
        number: Number = self._found[atom]
        return number

    def _solved(self, name: Variable) -> Number:
        solution = self.number(self.solutions[name])
        return Number(self._alias(name.name, solution.value), solution.defined)

    def _alias(self, wanted: str, value: Dim) -> Dim:
        """Define the name that a value has in the program, even if the value is another name already."""
        if value.value is not None:
            return value
        name = variable(self.identifiers.fresh(wanted))
        self.steps.append(Definition(_only(name), value))
        return name


def _computed(node: FloorDiv | Max | Min | Product | Ite, parts: list[Any]) -> Number:
    if isinstance(node, Ite):
        return _choice(*parts)
    values = [part.value for part in parts]
    defined = all_of(*(part.defined for part in parts))
    match node:
        case FloorDiv():
            dividend, divisor = values
            fits = all_of(defined, at_least(divisor, 1))
            return Number(constant(0), FALSE) if fits is FALSE else Number(dividend // maximum(divisor, 1), fits)
        case Max():
            return Number(maximum(*values), defined)
        case Min():
            return Number(minimum(*values), defined)
        case Product():
            return Number(product(values), defined)


def _choice(test: Verdict, then: Number, orelse: Number) -> Number:
    value = ite(test.holds, then.value, orelse.value)
    if test.defined is then.defined is orelse.defined is TRUE:
        return Number(value)
    return Number(value, any_of(all_of(test.holds, then.defined), all_of(test.fails, orelse.defined)))


def _conjunction(parts: list[Verdict]) -> Verdict:
    every = all_of(*(part.defined for part in parts))
    defined = every if every is TRUE else any_of(every, *(part.fails for part in parts))
    return Verdict(all_of(*(part.holds for part in parts)), defined)


def _disjunction(parts: list[Verdict]) -> Verdict:
    every = all_of(*(part.defined for part in parts))
    holds = any_of(*(part.holds for part in parts))
    return Verdict(holds, every if every is TRUE else any_of(every, holds))


def _is_name(dim: Dim) -> bool:
    return len(dim.terms) == 1 and len(dim.terms[0][0]) == 1 and dim.terms[0][1] == 1 and not dim.children


def _only(name: Dim) -> Variable:
    (found,) = name.variables()
    return found
