"""The verifier's environment for one function, and the violations it found.

It deliberately does not use `core/context.py`: a mistake there would escape the checker, the passes and the verifier.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import field

from gradual.core.refinement import Implied, of_value
from gradual.core.terms import Module
from gradual.dims.solver.decide import Decider
from gradual.dims.store.facts import Facts
from gradual.dims.term.constraint import TRUE, Constraint, defined
from gradual.dims.term.dim import Dim
from gradual.limits import LIMITS
from gradual.record import record
from gradual.types.dtype import DType
from gradual.types.relations import is_same, precise
from gradual.types.subsumption import subsumes
from gradual.types.type import FunctionType, GradualType, OpenedType, TensorType, TupleType
from gradual.types.unpacking import base_of, sizes, tracked_length, with_contents
from gradual.verdict import Proved, Unknown


@record(frozen=False, eq=False)
class Ground:
    """What is known at a step of one function.

    Attributes:
        facts: the facts about sizes, ranks and elements.
        types: variable in scope -> its type.
        shared: (key of a hole, its operands) -> the unknown that all such applications share.
        implications: boolean variable -> what it implies, if its value is no formula.
        found: messages about claims of core that do not follow.
    """

    module: Module
    decider: Decider
    facts: Facts = field(default_factory=Facts)
    types: dict[str, OpenedType] = field(default_factory=dict)
    shared: dict[object, Dim] = field(default_factory=dict)
    implications: dict[str, Implied] = field(default_factory=dict)
    found: list[str] = field(default_factory=list)

    @contextmanager
    def scope(self) -> Iterator[None]:
        """Open a scope; what it defines, shares and assumes is removed at its end."""
        mark, types, shared = self.facts.mark(), dict(self.types), dict(self.shared)
        yield
        self.facts.rollback(mark)
        self.types, self.shared = types, shared

    def type_of(self, name: str) -> OpenedType:
        """The type of a variable, or of a declared function."""
        if name in self.module.functions:
            return self.module.functions[name].type
        if name not in self.types:
            self.found.append(f"{name} is used before it is defined")
            return TupleType(())
        return self.types[name]

    def known(self, dim: Dim | Constraint) -> bool:
        """Whether every value that a size or a goal mentions is defined here."""
        return all((base := base_of(v)) is None or base in self.types for v in dim.variables())

    def implied(self, name: str) -> Implied:
        """The constraints implied by a boolean's being true or false.  [type.if.part]"""
        return of_value(self.implications, name, self.type_of(name))

    def open_contents(self, name: str, read: bool = False) -> None:
        """Give each element of an integer value of known length an unknown."""
        type = self.types.get(name)
        if not isinstance(type, TensorType) or type.dtype is DType.BOOL or type.contents is not None:
            return
        if tracked_length(type, LIMITS.contents, read) is not None:
            self.types[name] = with_contents(type, name)

    def learn(self, goal: Constraint) -> None:
        """Assume a goal that was checked; if it may contradict the facts, use it for proofs only."""
        match self.decider.decide(self.facts, goal):
            case Proved() | Unknown(plausible=True):
                self.facts.assume(goal)
            case _:
                self.facts.suppose(goal)

    def prove(self, goal: Constraint, claim: str) -> None:
        """Require that a goal follows from the facts, unless the code is unreachable."""
        match self.decider.decide(self.facts, goal):
            case Proved() | Unknown(gave_up=True):  # a goal undecided within the budget is no violation
                pass
            case _:
                self.wrong(f"not proved: {claim}")

    def holds(self, goal: Constraint) -> bool:
        """Whether a goal follows from what is known."""
        return goal is TRUE or isinstance(self.decider.decide(self.facts, goal), Proved)

    def same(self, left: GradualType, right: GradualType) -> bool:
        """Whether two types are equal under the facts here."""
        return is_same(left, right, self.holds)

    def stands_for(self, source: FunctionType, target: FunctionType) -> bool:
        """Whether a function of one type can be used at another without a proxy."""
        return precise(source, target, self.holds) or subsumes(source, target, self.holds)

    def have_values(self, type: OpenedType) -> None:
        """Assume that each divisor of the sizes in the type of a defined value is at least 1."""
        for condition in (one for size in sizes(type) for one in defined(size)):
            self.facts.assume(condition)

    def wrong(self, message: str) -> None:
        """Record a violation, unless the code is unreachable, where every type is right."""
        if not self.unreachable():
            self.found.append(message)

    def unreachable(self) -> bool:
        """Whether the facts are contradictory, so that the code is unreachable."""
        return self.decider.unreachable(self.facts)
