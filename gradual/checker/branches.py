"""Branches: each is checked under its own path fact, and their types are joined without inserting a check.

The join of two sizes keeps them where they are equal, is an error where they never are, is the closed dim
`if p then d1 else d2` where the condition can be read as a predicate, and otherwise a new unknown that is one of
the two.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from gradual.checker.elaboration import BROKEN, Broken, Elaboration, Made, Postponed, Typed, mentions_ghost
from gradual.core.terms import Block, If, Promise
from gradual.diagnostic import Diagnostic, Related
from gradual.dims.constraint import Constraint, any_of, equal, negated
from gradual.dims.dim import Dim, ite
from gradual.dims.simplify import simplified_dim
from gradual.source import Span
from gradual.syntax import ast
from gradual.types.dtype import DType
from gradual.types.opening import size_of
from gradual.types.relate import precise
from gradual.types.text import shown
from gradual.types.type import Content, FunctionType, OpenedType, TensorType, TupleType
from gradual.verdict import Proved, Refuted, Unknown


@dataclass(frozen=True, slots=True, eq=False)
class Branch:
    """One side of an `if`: its core, its type, and each size as it reads under the side's own facts."""

    block: Block
    type: Typed
    read: OpenedType | None
    span: Span


def conditional(state: Elaboration, expr: ast.If, infer: Callable[[ast.Expr], str], hint: str | None) -> str:
    """The core variable that holds the value of `if`.  [type.if.condition] [type.if.facts]"""
    condition = infer(expr.condition)
    truth = _truth(state, condition, expr.condition.span)
    then = _branch(state, expr.then, infer, truth)
    orelse = _branch(state, expr.orelse, infer, None if truth is None else negated(truth))
    name = state.fresh(hint)
    if isinstance(then.type, Broken) or isinstance(orelse.type, Broken) or isinstance(state.types[condition], Broken):
        return state.define(name, BROKEN)
    joined = Join(state, truth, name, then, orelse).type(then.type, orelse.type, then.read, orelse.read, name)
    if isinstance(joined, Broken):
        return state.define(name, BROKEN)
    state.steps.append(If(name, condition, then.block, orelse.block, joined, expr.span))
    return state.define(name, joined, Made("`if`", (then.block.result, orelse.block.result), expr.span))


def _truth(state: Elaboration, condition: str, span: Span) -> Constraint | None:
    """What the condition says about sizes, None where it says nothing."""
    type = state.types[condition]
    if isinstance(type, Broken):
        return None
    if not isinstance(type, TensorType) or type.shape or type.dtype is not DType.BOOL:
        state.report("E0307", "type.if.condition", f"a condition is a bool, not `{shown(type)}`", span)
        state.types[condition] = BROKEN
        return None
    content = type.contents[0] if type.contents else None
    return content if isinstance(content, Constraint) else None


def _branch(state: Elaboration, expr: ast.Expr, infer: Callable[[ast.Expr], str], truth: Constraint | None) -> Branch:
    with state.branch() as steps:
        if truth is not None:
            state.facts.suppose(truth)
        result = infer(expr)
        type = state.types[result]
        read = None if isinstance(type, Broken) else _as_read(state, type)
    return Branch(Block(tuple(steps), result), type, read, _result_span(expr))


def _result_span(expr: ast.Expr) -> Span:
    while isinstance(expr, ast.Block):
        expr = expr.result
    return expr.span


def _as_read(state: Elaboration, type: OpenedType) -> OpenedType:
    """The type with each size simplified by what is known inside the branch."""
    match type:
        case TensorType(shape, dtype, contents):
            simplified = state.program.decider.simplified
            return TensorType(tuple(simplified(state.facts, dim) for dim in shape), dtype, contents)
        case TupleType(fields):
            return TupleType(tuple(_as_read(state, field) for field in fields))
        case _:
            return type


@dataclass(slots=True, eq=False)
class Join:
    """Joining the types of two branches, after both are closed.  [type.if.join]"""

    state: Elaboration
    truth: Constraint | None
    name: str
    then: Branch
    orelse: Branch

    def type(self, left: OpenedType, right: OpenedType, read: object, reread: object, path: str) -> Typed:
        """The joined type of the value at `path`, BROKEN after reporting branches that never agree."""
        match left, right, read, reread:
            case TensorType(), TensorType(), TensorType(), TensorType():
                return self._tensor(left, right, read, reread, path)
            case TupleType(), TupleType(), TupleType(), TupleType() if len(left.fields) == len(right.fields):
                parts = zip(left.fields, right.fields, read.fields, reread.fields, strict=True)
                joined = [self.type(*part, f"{path}#{i}") for i, part in enumerate(parts)]
                known = tuple(part for part in joined if not isinstance(part, Broken))
                return TupleType(known) if len(known) == len(joined) else BROKEN
            case FunctionType(), FunctionType(), _, _:
                if precise(left, right) and precise(right, left):
                    return left
                return self._never(
                    "E0399", "type.unsupported", "joining functions of different types is not supported yet"
                )
            case _:
                return self._never("E0307", "type.structure", f"`{shown(left)}` and `{shown(right)}`")

    def _tensor(
        self, left: TensorType[Dim], right: TensorType[Dim], read: TensorType[Dim], reread: TensorType[Dim], path: str
    ) -> Typed:
        if left.dtype is not right.dtype:
            return self._never("E0306", "type.dtype", f"element type {left.dtype} is not {right.dtype}")
        if left.rank != right.rank:
            return self._never("E0308", "type.if.join", f"rank {left.rank} is not rank {right.rank}")
        shape = []
        for axis in range(left.rank):
            dim = self._size(left.shape[axis], right.shape[axis], read.shape[axis], reread.shape[axis], path, axis)
            if dim is None:
                return BROKEN
            shape.append(dim)
        return TensorType(tuple(shape), left.dtype, self._contents(left, right))

    def _size(self, left: Dim, right: Dim, read: Dim, reread: Dim, path: str, axis: int) -> Dim | None:
        """The joined size at an axis; None after reporting that the two never agree.

        What each side reads under its own path may keep a size; only the sizes themselves may refute.
        """
        if left is right and self._visible(left):
            return left
        both = (read, reread) if self._visible(read) and self._visible(reread) else (left, right)
        if not (self._visible(both[0]) and self._visible(both[1])):
            return self._unknown(None, path, axis)
        if both[0] is both[1]:
            return both[0]
        if not (self._visible(left) and self._visible(right)):
            return self._either(both, left, right, {}, path, axis)
        match self.state.program.decider.decide(self.state.facts, equal(left, right)):
            case Proved():
                return left
            case Refuted():
                self._disagree(axis, left, right)
                return None
            case Unknown(witness=witness):
                return self._either(both, left, right, witness, path, axis)

    def _either(
        self, both: tuple[Dim, Dim], left: Dim, right: Dim, witness: Mapping[str, int], path: str, axis: int
    ) -> Dim:
        """One of two sizes: told apart by the condition if it can be read, else a new unknown."""
        state = self.state
        if self.truth is not None:
            joined = ite(self.truth, *both)
            joined = simplified_dim(state.facts.rewrite(joined), state.facts.known.knowledge)
            state.is_size(joined)
            state.gradual = state.gradual or state.mentions_unknown(joined)
            return joined
        if witness and not mentions_ghost(equal(left, right)):
            verdict = Unknown("the condition says nothing about sizes", witness)
            state.postponed.append(Postponed(verdict, self._error(axis, left, right, witness), rigid=False))
        return self._unknown(both, path, axis)

    def _visible(self, dim: Dim | Constraint) -> bool:
        return all(map(self.state.is_visible, dim.variables()))

    def _unknown(self, either: tuple[Dim, Dim] | None, path: str, axis: int) -> Dim:
        """A new unknown for the size that one of the two branches has."""
        state, ghost = self.state, size_of(path, axis)
        (variable,) = ghost.variables()
        state.ghosts[variable] = Promise(self.then.span.to(self.orelse.span), "the branch that was taken")
        state.is_size(ghost)
        if either is not None:
            state.joins.add(variable)
            state.facts.assume(any_of(equal(ghost, either[0]), equal(ghost, either[1])))
        else:
            state.gradual = True
        return ghost

    def _contents(self, left: TensorType[Dim], right: TensorType[Dim]) -> tuple[Content, ...] | None:
        if left.contents is None or right.contents is None or len(left.contents) != len(right.contents):
            return None
        joined = [self._content(a, b) for a, b in zip(left.contents, right.contents, strict=True)]
        known = tuple(content for content in joined if content is not None)
        return known if len(known) == len(joined) else None

    def _content(self, left: Content, right: Content) -> Content | None:
        if not (self._visible(left) and self._visible(right)):
            return None
        if left is right:
            return left
        if self.truth is not None and isinstance(left, Dim) and isinstance(right, Dim):
            return ite(self.truth, left, right)
        return None

    def _disagree(self, axis: int, left: Dim, right: Dim) -> None:
        self.state.diagnostics.append(self._error(axis, left, right, {}))
        self.state.refuted += 1

    def _error(self, axis: int, left: Dim, right: Dim, witness: Mapping[str, int]) -> Diagnostic:
        sample = dict(witness)
        at = f" for {', '.join(f'{name} = {value}' for name, value in sample.items())}" if sample else ""
        return Diagnostic(
            "E0308",
            "type.if.join",
            f"the branches disagree{at}: dimension {axis} is {left} or {right}",
            self.orelse.span,
            label=f"{right} here",
            related=(Related(self.then.span, f"{left} here"),),
            data={"counterexample": sample} if sample else {},
        )

    def _never(self, code: str, rule: str, message: str) -> Broken:
        related = (Related(self.then.span, "one branch"),)
        self.state.report(code, rule, f"the branches never agree: {message}", self.orelse.span, related=related)
        return BROKEN
