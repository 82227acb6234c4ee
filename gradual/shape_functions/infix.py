"""Formulas in infix notation, as Python and Relay share it."""

from __future__ import annotations

from collections.abc import Callable

from gradual.dims.term.atom import Atom, FloorDiv, Ite, Max, Min, Product, Variable
from gradual.dims.term.constraint import And, AtMost, Constraint, Equal, Not, Or, Truth
from gradual.dims.term.dim import Dim, Monomial, single
from gradual.record import record


@record
class Infix:
    """One of the notations.

    Attributes:
        name: how a name is written.
        number: how a number is written.
        choice: the text of an if-then-else, given the texts of its three parts.
    """

    name: Callable[[str], str]
    number: Callable[[int], str]
    choice: Callable[[str, str, str], str]

    def whole(self, dim: Dim) -> str:
        """A dim as a whole expression, without brackets around it."""
        text = self.dim(dim)
        is_bracketed = single(dim, FloorDiv) is not None or single(dim, Ite) is not None
        return text[1:-1] if is_bracketed else text

    def dim(self, dim: Dim) -> str:
        """A dim; a sum of several terms is not bracketed."""
        if dim.value is not None:
            return self.number(dim.value)
        text = ""
        for monomial, coefficient in sorted(dim.terms, key=lambda term: term[1] < 0):
            sign = ("-" if coefficient < 0 else "") if not text else (" - " if coefficient < 0 else " + ")
            text += sign + self._term(monomial, abs(coefficient))
        return text

    def _term(self, monomial: Monomial, coefficient: int) -> str:
        factors = [self._atom(atom) for atom in monomial]
        if coefficient != 1 or not factors:
            factors.insert(0, self.number(coefficient))
        return " * ".join(factors)

    def _bracketed(self, dim: Dim) -> str:
        is_closed = dim.value is not None or (len(dim.terms) == 1 and dim.terms[0][1] == len(dim.terms[0][0]) == 1)
        return self.dim(dim) if is_closed else f"({self.dim(dim)})"

    def _atom(self, atom: Atom) -> str:
        match atom:
            case Variable(name=name):
                return self.name(name)
            case FloorDiv(dividend=dividend, divisor=divisor):
                return f"({self._bracketed(dividend)} // {self._bracketed(divisor)})"
            case Max(operands=operands) | Min(operands=operands):
                return f"{type(atom).__name__.lower()}({', '.join(map(self.dim, operands))})"
            case Product(operands=operands):
                return f"({' * '.join(map(self._bracketed, operands))})"
            case Ite(condition=condition, then=then, orelse=orelse):
                return f"({self.choice(self.truth(condition), self.dim(then), self.dim(orelse))})"

    def truth(self, constraint: Constraint) -> str:
        """A constraint; a conjunction or disjunction inside another is put in brackets."""
        match constraint:
            case Truth(holds=holds):
                return "True" if holds else "False"
            case Equal(left=left, right=right):
                return f"{self.dim(left)} == {self.dim(right)}"
            case Not(part=Equal(left=left, right=right)):
                return f"{self.dim(left)} != {self.dim(right)}"
            case AtMost(left=left, right=right) if left.value is not None:
                return f"{self.dim(right)} >= {self.dim(left)}"
            case AtMost(left=left, right=right):
                return f"{self.dim(left)} <= {self.dim(right)}"
            case And(parts=parts):
                return " and ".join(map(self._part, parts))
            case Or(parts=parts):
                return " or ".join(map(self._part, parts))

    def _part(self, part: Constraint) -> str:
        return f"({self.truth(part)})" if isinstance(part, And | Or) else self.truth(part)
