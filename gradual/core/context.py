"""The typing context: what is known of values and sizes at a point of a definition.

Elaboration, refinement and delaboration walk a definition with such a context, and add the parts that only they need.
The verifier does not use it: it would repeat a mistake made here (`core/verify/environment.py`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import field
from typing import Any, Generic, Protocol, TypeVar

from gradual.core.refinement import formula
from gradual.core.terms import Function
from gradual.dims.solver.decide import Decider
from gradual.dims.store.facts import Facts
from gradual.dims.term.constraint import TRUE, Constraint
from gradual.dims.term.dim import Dim, Variable
from gradual.record import record
from gradual.trail import Trail
from gradual.types.dtype import DType
from gradual.types.type import TensorType
from gradual.types.unpacking import all_at_rank, base_of, shapes_unknown, tracked_length, with_contents
from gradual.verdict import Proved, Verdict

T = TypeVar("T")


@record(frozen=False, eq=False)
class Values(Generic[T]):
    """The variables of a definition.

    Attributes:
        types: the unpacked type of every variable, in scope or not.
        live: the variables whose values exist here.
        unranked: the value that an unknown shape belongs to -> the variables whose types contain this shape.
        declared: the functions of a complete module, which are values everywhere; empty while a file is elaborated.
        trail: the changes to undo at the end of a branch, in these and other tables.
    """

    types: dict[str, T] = field(default_factory=dict)
    live: dict[str, bool] = field(default_factory=dict)
    unranked: dict[str, list[str]] = field(default_factory=dict)
    declared: Mapping[str, Function] = field(default_factory=dict)
    trail: Trail = field(default_factory=Trail)

    def define(self, name: str, type: T) -> str:
        """Define a variable with its type, and make it live; return its name."""
        self.types[name] = type
        self.trail.put(self.live, name, True)
        held: Any = type
        if not isinstance(held, TensorType):
            for shape in shapes_unknown(held):
                self.unranked.setdefault(shape, []).append(name)
        return name

    def type_of(self, name: str) -> T:
        """The type of a variable, or of a declared function."""
        function: Any = self.declared.get(name)
        return function.type if function is not None else self.types[name]

    def truth(self, name: str) -> Constraint | None:
        """The constraint that a boolean is equal to; None if no such constraint is known."""
        return formula(self.type_of(name))

    def contents(self, name: str, limit: int, read: bool = False) -> TensorType[Dim] | None:
        """The type of an integer tensor of tracked length, its unknown elements symbolic; None for any other value.

        [type.contents]
        """
        type = self.types.get(name)
        if not isinstance(type, TensorType) or type.dtype is DType.BOOL:
            return None
        if type.contents is None:
            if tracked_length(type, limit, read) is None:
                return None
            named: Any = with_contents(type, name)
            type = self.types[name] = named
        return type

    def at_rank(self, origin: str, rank: int) -> Iterable[str]:
        """Until the branch ends, set the rank of all values that have the shape of `origin`; return their names."""
        held: dict[str, Any] = {name: self.types[name] for name in self.unranked.get(origin, ())}
        for name, type in all_at_rank(held, origin, rank).items():
            self.trail.put(self.types, name, type)
        return held

    def is_live(self, path: str) -> bool:
        """Whether the value at a path exists here."""
        return path.split("#", 1)[0] in self.live

    def is_visible(self, variable: Variable) -> bool:
        """Whether the variable's witness exists here; a rigid name is visible wherever it is in scope."""
        base = base_of(variable)
        return base is None or base in self.live


class Store(Protocol):
    """Facts that can be taken back; a store may leave some of them unprocessed until they are needed."""

    def store(self) -> Facts:
        """All facts here."""

    def mark(self) -> Any:
        """The present point, for `rollback`."""

    def rollback(self, mark: Any, /) -> None:
        """Remove the facts added since a mark."""


F = TypeVar("F", bound=Store)


@record(frozen=False, eq=False)
class TypingContext(Generic[T, F]):
    """What is known at the current point of a definition; each tool that walks it adds parts of its own.

    Attributes:
        values: the types of variables, and which of them exist here.
        facts: what holds of sizes here.
    """

    decider: Decider
    values: Values[T] = field(kw_only=True)
    facts: F = field(kw_only=True)

    @contextmanager
    def local(self) -> Iterator[None]:
        """Forget at the end what became known inside: a branch, a function literal, a hypothesis."""
        mark, facts = self.values.trail.mark(), self.facts.mark()
        yield
        self.values.trail.undo(mark)
        self.facts.rollback(facts)

    def type_of(self, name: str) -> T:
        """The type of a variable, or of a declared function."""
        return self.values.type_of(name)

    def decide(self, goal: Constraint) -> Verdict:
        """The verdict on a goal under the facts here."""
        return self.decider.decide(self.facts.store(), goal)

    def holds(self, goal: Constraint) -> bool:
        """Whether a goal follows from the facts here; the solver is not asked about `true`."""
        return goal is TRUE or isinstance(self.decide(goal), Proved)
