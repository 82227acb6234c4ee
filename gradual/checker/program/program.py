"""What all definitions of a file share: signatures, settings, operators, the decider and where constants lie."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from gradual.checker.program.rule_cache import Answers
from gradual.core.check import Check
from gradual.dims.solver.decide import Decider
from gradual.dims.term.constraint import Constraint, at_least
from gradual.dims.term.dim import Dim, constant
from gradual.limits import Limits
from gradual.ops.declaration.operator import Operator
from gradual.source import Source, Span
from gradual.syntax.tree import ast
from gradual.types.declared import Constructor, Data
from gradual.types.type import FunctionType

_ZERO = constant(0)


@dataclass(frozen=True, slots=True, eq=False)
class Latent:
    """What a definition checks on every way, and only of its parameters.   [type.call.latent]

    Attributes:
        goal: in the definition's own terms.
        check: the check; it may stand in a definition that this one calls.
        within: the definition in which it stands.
    """

    goal: Constraint
    check: Check
    within: str


@dataclass(slots=True, eq=False)
class Program:
    """The file under check.

    Attributes:
        signatures: the interface of every function checked or declared so far.
        spans: where each function's name stands.
        data: the types that the file declares.
        constructors: their constructors by name.
        answers: what the rules of operators said.
        functions: the functions defined, as written.
        inferred: what was found of the types that they leave out, once somebody asked.
        latent: what the definitions that were checked so far will check of their arguments.
        forgetful: the functions whose results have sizes that were too large to be kept, and no other unknown.
        strict_broadcast: only equal dims or a literal 1 broadcast.
    """

    source: Source
    surface: ast.Module
    operators: Mapping[str, Operator]
    decider: Decider
    limits: Limits
    strict_broadcast: bool = False
    functions: dict[str, ast.Fn] = field(default_factory=dict)
    inferred: object = None
    signatures: dict[str, FunctionType | None] = field(default_factory=dict)
    spans: dict[str, Span] = field(default_factory=dict)
    data: dict[str, Data] = field(default_factory=dict)
    constructors: dict[str, Constructor] = field(default_factory=dict)
    answers: Answers = field(default_factory=Answers)
    latent: dict[str, tuple[Latent, ...]] = field(default_factory=dict)
    forgetful: set[str] = field(default_factory=set)

    def not_negative(self, dim: Dim) -> Constraint:
        """`0 <= dim`."""
        return at_least(dim, _ZERO)
