"""Joins of closed types, such as those of several arguments that determine one type parameter.

Equal sizes stay. Sizes that are never equal are an error, as between branches, except in a branch of a test. Other
sizes become `?`, which is an error in a strict definition if there is a counterexample.   [type.agree]
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import field, replace

from gradual.checker.state.context import Elaboration
from gradual.checker.state.obligations import Postponed
from gradual.checker.state.unknowns import mentions_existential
from gradual.diagnostic import Diagnostic, Related
from gradual.dims.term.constraint import equal
from gradual.dims.term.dim import Dim, Variable
from gradual.record import record
from gradual.source import Span
from gradual.types.binder_solving import named_parts, unmeasured
from gradual.types.instantiation import Agree, Shown, at_arguments
from gradual.types.print import shown
from gradual.types.relations import ANY, joined_function
from gradual.types.substitution import around, clear_of, renamed
from gradual.types.type import (
    DataType,
    FunctionType,
    GradualType,
    Hole,
    NeverType,
    ReferenceType,
    TensorType,
    TupleType,
    UnrankedType,
)
from gradual.types.unpacking import closed, opened, without_dims
from gradual.verdict import Proved, Refuted, Unknown


@record(frozen=False)
class Agreement:
    """The join of closed types under the facts known here.  [type.agree]

    Attributes:
        rule: the rule that requires the join.
        says: the things whose types are joined, in words ("the branches").
        spans: the source spans of the two types.
        bound: dims that an enclosing function type binds, and sizes and numbers of its parameters; they have no facts.
        forgives: whether sizes and ranks that are not proved equal become `?` and `*` without an error.
        refuses: whether sizes that are never equal are an error in gradual definitions too.
        reported: whether an error about a pair of sizes was reported.
    """

    state: Elaboration
    rule: str
    says: str
    spans: tuple[Span, Span]
    bound: set[Variable] = field(default_factory=set)
    forgives: bool = False
    refuses: bool = True
    reported: bool = False

    def join(self, left: GradualType, right: GradualType) -> GradualType | None:
        """The most precise type no more precise than either; None if there is none, which the caller reports."""
        match left, right:
            case NeverType(), _:
                return right
            case _, NeverType():
                return left
            case TensorType(), TensorType() if left.dtype is right.dtype and left.rank == right.rank:
                forgets = forgetting(left, right)
                pairs = enumerate(zip(left.shape, right.shape, strict=True))
                shape = [self._extent(axis, *pair, forgets) for axis, pair in pairs]
                known = tuple(extent for extent in shape if extent is not None)
                return TensorType(known, left.dtype) if len(known) == len(shape) else None
            case TensorType() | UnrankedType(), TensorType() | UnrankedType() if left.dtype is right.dtype:
                ranks_known = UnrankedType not in (type(left), type(right))
                return None if ranks_known and not self.forgives else UnrankedType(left.dtype)
            case TupleType(fields), TupleType(others) if len(fields) == len(others):
                parts = self._all(fields, others)
                return None if parts is None else TupleType(parts)
            case DataType(name, arguments), DataType(other, others) if name == other:
                parts = self._all(arguments, others)
                return None if parts is None else DataType(name, parts)
            case FunctionType(), FunctionType():
                return self._function(left, right)
            case ReferenceType(content), ReferenceType(other):
                held = self.join(content, other)
                return None if held is None else ReferenceType(held)
            case _:
                return left if left == right else None

    def _all(self, left: tuple[GradualType, ...], right: tuple[GradualType, ...]) -> tuple[GradualType, ...] | None:
        parts = [self.join(*pair) for pair in zip(left, right, strict=True)]
        known = tuple(part for part in parts if part is not None)
        return known if len(known) == len(parts) else None

    def _function(self, left: FunctionType, right: FunctionType) -> FunctionType | None:
        """Join parameters and results, and keep the preconditions that both have.

        If only one type binds dims or types, it is first instantiated at the parameters of the one that does not.
        Bound dims that the joined parameters do not determine become `?`.
        """
        if len(left.params) != len(right.params):
            return None
        left = clear_of(left, around(right))
        like = renamed(right, left)
        if like is None:
            return self._unlike(left, right)
        inner = replace(self, bound=self.bound | _own(left) | _own(like), reported=False)
        params, result = inner._all(left.params, like.params), inner.join(left.result, like.result)
        self.reported = self.reported or inner.reported
        if params is None or result is None:
            return None
        return joined_function(left, like, params, result)

    def _unlike(self, left: FunctionType, right: FunctionType) -> FunctionType | None:
        """Join function types whose binders do not correspond one to one."""
        free = [type for type in (left, right) if not type.binders and not type.types]
        if len(free) != 1:
            forgotten = (without_dims(type, set(type.binders)) for type in (left, right))
            return self._function(*forgotten) if len(left.types) == len(right.types) else None
        (bound,) = (type for type in (left, right) if type is not free[0])
        wanted = clear_of(free[0], around(bound))
        bound = clear_of(bound, around(wanted))
        arguments = [opened(param, f"%?{i}", lambda path, axis, hole: None)[0] for i, param in enumerate(wanted.params)]
        inner = replace(self, forgives=True)
        bound = without_dims(bound, unmeasured(bound, arguments))
        call = at_arguments(bound, arguments, agree=lambda one, other: inner.join(one.type, other.type) or one.type)
        assert call is not None
        if NeverType() in call.types:
            return wanted
        own = _own(bound)
        shown = closed(call.result, lambda variable: not variable.is_existential and variable not in own)
        result = inner.join(shown, wanted.result)
        return None if result is None else replace(wanted, result=result)

    def _extent(self, axis: int, left: Dim | Hole, right: Dim | Hole, forgets: str) -> Dim | Hole | None:
        if left == right:
            return left
        if isinstance(left, Hole) or isinstance(right, Hole):
            return self._bounded(left, right)
        if not self.bound.isdisjoint(left.variables() | right.variables()):
            self.state.strictness.gradual = True
            return Hole()
        goal = equal(left, right)
        verdict = self.state.decide(goal)
        if isinstance(verdict, Proved):
            has_value = self.state.program.decider.has_value
            return next((size for size in (left, right) if has_value(self.state.facts, size)), Hole())
        if self.forgives:
            self.state.strictness.gradual = True
            return Hole()
        if self.state.reach.tests:
            return Hole()
        witness = verdict.witness if isinstance(verdict, Unknown) else {}
        error = disagreement(self.rule, self.says, self.spans, axis, left, right, witness, forgets)
        if isinstance(verdict, Refuted) and self.refuses:
            self.reported = True
            self.state.output.diagnostics.append(error)
            return None
        if isinstance(verdict, Refuted) or (witness and not mentions_existential(goal)):
            follows = self.state.reach.after_error
            self.state.obligations.postponed.append(Postponed(verdict, error, rigid=False, follows=follows))
        return Hole()

    def _bounded(self, left: Dim | Hole, right: Dim | Hole) -> Hole:
        """The join as a `?`; a bound of one side is kept if the size on the other side is proved to satisfy it."""
        for whole, part in ((left, right), (right, left)):
            if not isinstance(whole, Hole):
                continue
            bounds = whole.bounds(ANY if isinstance(part, Hole) else part)
            given = part.bounds(ANY) if isinstance(part, Hole) else ()
            own = {variable for goal in bounds for variable in goal.variables()} & self.bound
            if not own and all(goal in given or self.state.holds(goal) for goal in bounds):
                return replace(whole, key=None)
        return Hole()

    def report(self, why: str, code: str) -> None:
        """Report that the types have no join, unless a pair of sizes was reported already."""
        if not self.reported:
            related = (Related(self.spans[0], "one of them"),)
            self.state.output.report(code, self.rule, f"{self.says} never agree: {why}", self.spans[1], related=related)


def agreeing(state: Elaboration, rule: str, spans: Sequence[Span], says: Callable[[int, int], str]) -> Agree:
    """A function that joins the types that two arguments give to one type parameter, or reports that they never agree.

    `says` names the two arguments in reports.
    """

    def agree(left: Shown, right: Shown) -> GradualType | None:
        places = spans[left.argument], spans[right.argument]
        agreement = Agreement(state, rule, says(left.argument, right.argument), places)
        joined = agreement.join(left.type, right.type)
        if joined is None:
            agreement.report(f"`{shown(left.type)}` and `{shown(right.type)}`", "E0307")
        return joined

    return agree


def promising(state: Elaboration, rule: str, span: Span) -> Agree:
    """As `agreeing`, for a promised function type: sizes that never agree are an error in strict definitions only."""

    def agree(left: Shown, right: Shown) -> GradualType:
        agreement = Agreement(state, rule, "the types promised here", (span, span), refuses=False)
        return agreement.join(left.type, right.type) or left.type

    return agree


def _own(type: FunctionType) -> set[Variable]:
    """The dims that a function type binds, and the sizes and numbers of its parameters that it mentions."""
    return {*type.binders, *named_parts(type)}


def disagreement(
    rule: str,
    says: str,
    spans: tuple[Span, Span],
    axis: int,
    left: Dim,
    right: Dim,
    witness: Mapping[str, int],
    forgets: str = "",
) -> Diagnostic:
    """The error about two sizes of an axis that are never equal, or differ at the witness.

    `forgets` is the source text of a type that both tensors have.
    """
    sample = dict(witness)
    at = f" for {', '.join(f'{name} = {value}' for name, value in sample.items())}" if sample else ""
    return Diagnostic(
        "E0308",
        rule,
        f"{says} disagree{at}: dimension {axis} is {left} or {right}",
        spans[1],
        label=f"{right} here",
        related=(Related(spans[0], f"{left} here"),),
        data={
            "goal": str(equal(left, right)),
            **({"counterexample": sample} if sample else {}),
            **({"forgets": forgets} if forgets else {}),
        },
    )


def forgetting(one: TensorType[Dim | Hole], other: TensorType[Dim | Hole]) -> str:
    """The source text of a type that both tensors have, with `?` for the sizes in which they differ."""
    extents = [
        "?" if isinstance(left, Hole) or left != right or mentions_existential(left) else str(left)
        for left, right in zip(one.shape, other.shape, strict=True)
    ]
    return f"Tensor[({', '.join(extents)}{',' if len(extents) == 1 else ''}), {one.dtype}]"
