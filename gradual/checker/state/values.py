"""The values of a definition: their types, the code that made each of them, and what else is known of them."""

from __future__ import annotations

from dataclasses import field

from gradual.checker.program.elided import Template
from gradual.core.context import Values
from gradual.core.known_ranges import KnownRanges
from gradual.core.refinement import Implied, of_value
from gradual.dims.term.dim import Dim, constant
from gradual.ops.declaration.rank_cases import at_size
from gradual.record import record
from gradual.source import Span
from gradual.syntax.tree import ast
from gradual.types.type import OpenedType


@record
class Broken:
    """The type of an expression with a reported error; uses of it report nothing."""


BROKEN = Broken()
Typed = OpenedType | Broken


@record(eq=False)
class Written:
    """A value whose type is written."""

    annotation: ast.Type


@record(eq=False)
class Made:
    """A value made from others, for instance by an operator or an `if`; `compares`: whether `by` compares elements."""

    by: str
    operands: tuple[str, ...]
    span: Span
    compares: bool = False


Origin = Written | Made


@record(frozen=False, eq=False)
class CheckedValues(Values[Typed]):
    """The core variables of a definition that is being checked.

    Attributes:
        origins: value -> the annotation with its type, or what made it.
        solved: rank or size that became known in this branch -> the dim that types use for it.
        forgetful: integer values whose elements are too large to keep as formulas.
        implications: boolean without a formula -> the constraints it implies.
        ranges: the ranges of integer values.
        templates: deferred lambdas, whose parameter types are not yet known; they have no type.
        failed: values whose expression has a reported error, and values made from these.
        doubtful: values whose expression has a postponed error, which is reported only if the definition turns out
            strict, and values made from these.
    """

    origins: dict[str, Origin] = field(default_factory=dict)
    solved: dict[Dim, Dim] = field(default_factory=dict)
    forgetful: set[str] = field(default_factory=set)
    implications: dict[str, Implied] = field(default_factory=dict)
    ranges: KnownRanges = field(default_factory=KnownRanges)
    templates: dict[str, Template] = field(default_factory=dict)
    failed: set[str] = field(default_factory=set)
    doubtful: set[str] = field(default_factory=set)
    _taken: dict[str, int] = field(default_factory=dict)

    def fresh(self, spelling: str | None) -> str:
        """A fresh core variable with a name like the spelling."""
        base = spelling or "%_"
        taken = self._taken
        if spelling is not None and base not in taken:
            taken[base] = 0
            return base
        joint = "_" if spelling is not None else ""
        while True:
            taken[base] = number = taken.get(base, 0) + 1
            name = f"{base}{joint}{number}"
            if name not in taken:
                taken[name] = 0
                return name

    def define(self, name: str, type: Typed, origin: Origin | None = None) -> str:
        """Define a core variable with its type, and make it live."""
        Values.define(self, name, type)
        if origin is not None:
            self.origins[name] = origin
        if (self.failed or self.doubtful) and isinstance(origin, Made):
            sources = {operand.split("#", 1)[0] for operand in origin.operands}
            for table in (self.failed, self.doubtful):
                if not table.isdisjoint(sources):
                    table.add(name)
        return name

    def broken(self) -> str:
        """Define a value of an expression with a reported error."""
        return self.define(self.fresh(None), BROKEN)

    def opened(self, name: str) -> OpenedType:
        """The unpacked type of a value without a reported error."""
        type = self.types[name]
        assert not isinstance(type, Broken), name
        return type

    def at_size(self, name: str, size: Dim, number: int) -> None:
        """Replace a size in a value's type by a number, for the rest of this branch."""
        self.trail.put(self.types, name, at_size(self.opened(name), size, number))
        self.trail.put(self.solved, size, constant(number))

    def implied(self, name: str) -> Implied:
        """The constraints on sizes that a boolean implies.  [type.if.part]"""
        return of_value(self.implications, name, self.types[name])

    def span_of(self, name: str) -> Span:
        """The span where a value is made or its type is written."""
        match self.origins.get(name):
            case Written(annotation):
                return annotation.span
            case Made(span=span):
                return span
            case None:
                return Span(0, 0)

    def forget(self) -> None:
        """Free the tables that are not used after checking."""
        for table in (self.live, self.origins, self._taken):
            table.clear()
