"""Data shared by all definitions of a file: signatures, settings, operators, the decider."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field

from gradual.checker.program.rule_cache import Answers
from gradual.core.check import Check
from gradual.dims.solver.decide import Decider
from gradual.dims.term.constraint import Constraint, at_least
from gradual.dims.term.dim import Dim, constant
from gradual.limits import Limits
from gradual.ops.declaration.operator import Operator
from gradual.record import record
from gradual.source import Source, Span
from gradual.syntax.tree import ast
from gradual.types.declared import Constructor, Data
from gradual.types.type import FunctionType, GradualType

_ZERO = constant(0)


@record(eq=False)
class Latent:
    """A latent requirement: a check on every path of a definition, about its parameters only.   [type.call.latent]

    Attributes:
        goal: the goal over the definition's own parameters.
        check: the check; it may be in a definition that this one calls.
        within: the definition that has the check.
    """

    goal: Constraint
    check: Check
    within: str


@record(frozen=False, eq=False)
class Program:
    """The file under check.

    Attributes:
        signatures: the interface of every function checked or declared so far.
        spans: function -> the span of its name.
        data: the types that the file declares.
        constructors: name -> constructor of these types.
        answers: the memo table of operator judgements.
        tensors: element type and sizes as written, if they are all numbers -> the tensor type.
        functions: the functions defined, as written.
        inferred: the result of inferring omitted types, once it was needed.
        latent: definition checked so far -> its latent requirements.
        forgetful: functions whose only unknowns in the result are sizes whose formulas are too large to keep.
        strict_broadcast: whether only equal dims and a literal 1 broadcast.
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
    tensors: dict[tuple[str, tuple[int, ...]], GradualType] = field(default_factory=dict)
    latent: dict[str, tuple[Latent, ...]] = field(default_factory=dict)
    forgetful: set[str] = field(default_factory=set)

    def not_negative(self, dim: Dim) -> Constraint:
        """The constraint `0 <= dim`."""
        return at_least(dim, _ZERO)
