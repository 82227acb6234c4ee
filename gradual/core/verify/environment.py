"""What the verifier knows of one function, and what it found wrong."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from gradual.core.refinement import Implied, of_value
from gradual.core.terms import Module
from gradual.dims.solver.decide import Decider
from gradual.dims.store.facts import Facts
from gradual.dims.term.constraint import TRUE, Constraint
from gradual.dims.term.dim import Dim
from gradual.limits import LIMITS
from gradual.types.dtype import DType
from gradual.types.relations import is_same, precise
from gradual.types.subsumption import subsumes
from gradual.types.type import FunctionType, GradualType, OpenedType, TensorType, TupleType
from gradual.types.unpacking import base_of, tracked_length, with_contents
from gradual.verdict import Proved, Unknown


@dataclass(slots=True, eq=False)
class Ground:
    """What is known at a place of one function.

    Attributes:
        facts: of sizes, ranks and contents.
        types: of the values that are there.
        shared: the unknowns that two applications to the same operands have in common.
        implications: what booleans imply whose contents are no formulas.
        found: what core claims and does not follow.
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
        """What is defined, shared and learnt inside ends with it."""
        mark, types, shared = self.facts.mark(), dict(self.types), dict(self.shared)
        yield
        self.facts.rollback(mark)
        self.types, self.shared = types, shared

    def type_of(self, name: str) -> OpenedType:
        """The type of a value, or of a function of the file."""
        if name in self.module.functions:
            return self.module.functions[name].type
        if name not in self.types:
            self.found.append(f"{name} is used before it is defined")
            return TupleType(())
        return self.types[name]

    def known(self, dim: Dim | Constraint) -> bool:
        """Whether every value is there that a size or a goal speaks of."""
        return all((base := base_of(v)) is None or base in self.types for v in dim.variables())

    def implied(self, name: str) -> Implied:
        """What a boolean says of sizes.  [type.if.part]"""
        return of_value(self.implications, name, self.type_of(name))

    def open_contents(self, name: str, read: bool = False) -> None:
        """Name the elements of an integer value whose length is known."""
        type = self.types.get(name)
        if not isinstance(type, TensorType) or type.dtype is DType.BOOL or type.contents is not None:
            return
        if tracked_length(type, LIMITS.contents, read) is not None:
            self.types[name] = with_contents(type, name)

    def learn(self, goal: Constraint) -> None:
        """After its check a goal holds; one that may contradict what is known is used for proofs only."""
        match self.decider.decide(self.facts, goal):
            case Proved() | Unknown(plausible=True):
                self.facts.assume(goal)
            case _:
                self.facts.suppose(goal)

    def prove(self, goal: Constraint, claim: str) -> None:
        """A claim that must follow from what is known, unless nobody comes here."""
        match self.decider.decide(self.facts, goal):
            case Proved() | Unknown(gave_up=True):  # what nobody can decide within the budget is not held against core
                pass
            case _:
                self.wrong(f"not proved: {claim}")

    def holds(self, goal: Constraint) -> bool:
        """Whether a goal follows from what is known."""
        return goal is TRUE or isinstance(self.decider.decide(self.facts, goal), Proved)

    def same(self, left: GradualType, right: GradualType) -> bool:
        """Whether two types say the same, with the sizes that are known here."""
        return is_same(left, right, self.holds)

    def stands_for(self, source: FunctionType, target: FunctionType) -> bool:
        """Whether a function is one of another type as it is."""
        return precise(source, target, self.holds) or subsumes(source, target, self.holds)

    def wrong(self, message: str) -> None:
        """Note that a value has not the type that is claimed, unless nobody comes here, where all types are one."""
        if not self.unreachable():
            self.found.append(message)

    def unreachable(self) -> bool:
        """Whether what is known contradicts itself, so that nobody comes here."""
        return self.decider.unreachable(self.facts)
