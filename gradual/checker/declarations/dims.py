"""Reading of dims and predicates, in a definition's scope.

Division by a symbolic dim has the obligation `divisor >= 1`. Obligations are collected while reading, and the caller
discharges them with `discharge_divisions`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import field
from typing import TypeVar

from gradual.checker.declarations.binders import NAMELESS, Unreadable
from gradual.checker.obligations.discharge import refuse, require
from gradual.checker.obligations.obligation import Obligation
from gradual.checker.obligations.unknown_rank import (
    demanded_axis,
    demanded_element,
    demanded_scalar,
    settle_length,
    settle_ranks,
)
from gradual.checker.program.suggestions import similar
from gradual.checker.state.context import Elaboration
from gradual.checker.state.values import Broken
from gradual.core.check import Site
from gradual.diagnostic import Diagnostic, Help
from gradual.dims.term.constraint import (
    Constraint,
    all_of,
    any_of,
    at_least,
    at_most,
    broadcasts,
    differs,
    divides,
    equal,
    less,
    more,
    negated,
)
from gradual.dims.term.dim import Dim, broadcast, constant, ite, maximum, minimum, product
from gradual.record import record
from gradual.source import Span
from gradual.syntax.tree import ast
from gradual.types.dtype import DType
from gradual.types.type import OpenedType, TensorType, TupleType, UnrankedType
from gradual.types.unpacking import numel_of, rank_of, size_of

_COMPARISONS: dict[str, Callable[[Dim, Dim], Constraint]] = {
    "==": equal,
    "!=": differs,
    "<": less,
    "<=": at_most,
    ">": more,
    ">=": at_least,
}

OF_SIZES = frozenset({"min", "max", "broadcast", "broadcasts", "divides"})
"""Functions of sizes, written as calls."""

READ = OF_SIZES | {"dim", "ndim", "numel"}
"""Functions written as calls whose result is a size or a predicate."""

Read = TypeVar("Read")


class NotADim(Exception):
    """An expression is not a dim or predicate, for instance because it computes a tensor.

    Attributes:
        is_value: whether the expression may be a value that is no size, and not a mistake in a size.
        others: the errors of further parts of the same expression.
        length: the number of elements, if the expression is a vector of integers of known length; else 0.
    """

    def __init__(
        self,
        message: str,
        span: Span,
        code: str = "E0207",
        rule: str = "name.attribute",
        help: tuple[Help, ...] = (),
    ) -> None:
        super().__init__(message)
        self.message, self.span, self.code, self.rule, self.help = message, span, code, rule, help
        self.is_value = code == "E0207"
        self.others: tuple[NotADim, ...] = ()
        self.length = 0

    def each(self) -> Iterator[NotADim]:
        """The error and its `others`, each of which may have others too."""
        yield self
        for one in self.others:
            yield from one.each()

    def report(self, state: Elaboration, what: str = "", data: Mapping[str, object] | None = None) -> None:
        """Report the error and its `others`; `what` precedes the messages."""
        for one in self.each():
            one.report_alone(state, what, data)

    def report_alone(self, state: Elaboration, what: str = "", data: Mapping[str, object] | None = None) -> None:
        """Report the error without its `others`."""
        known = {"length": self.length} if data is not None and self.length else {}
        state.output.report(
            self.code, self.rule, what + self.message, self.span, help=self.help, data={**(data or {}), **known}
        )


@record(frozen=False)
class Sizes:
    """Reader of dims and predicates.

    Attributes:
        bind: returns the dim for a dimension name that is not in scope, or None to refuse the name.
        owed: for each division so far, the constraint that its divisor is at least 1, with the span.
        declares: whether an interface is read, which must not require anything of a value.
    """

    state: Elaboration
    bind: Callable[[str, Span], Dim | None] = lambda name, span: None
    owed: list[tuple[Constraint, Span]] = field(default_factory=list)
    declares: bool = False

    # ---------------------------------------------------------------------------------------------------- dims
    def dim(self, expr: ast.Expr) -> Dim:
        """Read an expression as a dim.  Raises NotADim."""
        match expr:
            case ast.Number(value=value) if type(value) is int:
                return constant(value)
            case ast.Name(name, span):
                return self._named(name, span)
            case ast.Local(name, span):
                return self._scalar(name, span)
            case ast.Infix():
                return self._infix(expr)
            case ast.Unary("-", operand):
                return -self.dim(operand)
            case ast.Choose(condition, then, orelse):
                return ite(self.predicate(condition), *self._all(self.dim, (then, orelse)))
            case ast.Call(ast.Name(name), arguments, ()):
                return self._function(name, arguments, expr)
            case ast.Tuple((inner,)) | ast.Block((), inner):
                return self.dim(inner)
            case ast.Meta(kind, index, span):
                return self._meta(kind, index, span)
            case ast.Instance(ast.Local() as value, (ast.Number(value=index),), span) if type(index) is int:
                return self._element(value, index, span)
            case ast.Instance(ast.Name("dim"), (inside,)) if not isinstance(inside, ast.FnType | ast.NamedType):
                return self.dim(inside)  # type: ignore[arg-type]  # no other type is read between these brackets
            case ast.Hole(span=span):
                raise NotADim("`?` must be a whole dimension of a type", span, "E0206", "name.dimension")
            case _:
                raise NotADim("expected a size", expr.span)

    def _all(self, read: Callable[[ast.Expr], Read], parts: Sequence[ast.Expr]) -> list[Read]:
        """Read every part.  Raises one NotADim for all parts that are not dims, or Unreadable after reporting them."""
        found, wrong, lost = list[Read](), list[NotADim](), False
        for part in parts:
            try:
                found.append(read(part))
            except NotADim as one:
                wrong.append(one)
            except Unreadable:
                lost = True
        if not wrong and not lost:
            return found
        if lost:
            for error in wrong:
                error.report(self.state)
            raise Unreadable
        wrong[0].others += tuple(wrong[1:])
        raise wrong[0]

    def _named(self, name: str, span: Span) -> Dim:
        if name == NAMELESS:
            message = "`_` is not a dimension: write `?` for an unknown size, or a name for one that occurs again"
            raise NotADim(message, span, "E0206", "name.dimension")
        dim = self.state.scope.dims.get(name)
        if dim is None and name in self.state.scope.types:
            raise NotADim(f"`{name}` is a type here, not a dimension", span, "E0206", "name.dimension")
        if dim is None:
            dim = self.bind(name, span)
        if dim is None:
            quoted = Help(f'an element type given as an attribute is quoted: "{name}"')
            help = (quoted,) if name in set(DType) else similar("a dimension", name, self.state.scope.dims)
            raise NotADim(f"dimension `{name}` is not in scope", span, "E0206", "name.dimension", help)
        return dim

    def _scalar(self, name: str, span: Span) -> Dim:
        value = self.state.scope.names.get(name)
        if value is None:
            help = similar("a variable", name, self.state.scope.names)
            raise NotADim(f"variable `{name}` is not in scope", span, "E0202", "name.variable", help)
        if isinstance(self.state.values.types[value], Broken):
            raise Unreadable
        if not self.declares and not demanded_scalar(self.state, value, span, "type.unranked.demand", f"`{name}`"):
            raise Unreadable
        type = self.state.contents(value)
        if type is None or type.rank != 0:
            error = NotADim(f"`{name}` is not a scalar of int32 or int64", span, "E0206", "name.dimension")
            error.length, error.is_value = len(type.contents or ()) if type is not None else 0, True
            raise error
        (content,) = type.contents or ()
        assert isinstance(content, Dim), content
        return content

    def _infix(self, expr: ast.Infix) -> Dim:
        left, right = self._all(self.dim, (expr.left, expr.right))
        match expr.op:
            case "+":
                return left + right
            case "-":
                return left - right
            case "*":
                return left * right
            case "//":
                self._divisor(right, expr.right.span)
                return left // right
            case "%":
                self._divisor(right, expr.right.span)
                return left % right
            case _:
                raise NotADim(f"expected a size, and `{expr.op}` does not compute one", expr.span)

    def _divisor(self, divisor: Dim, span: Span) -> None:
        if divisor.value is not None and divisor.value < 1:
            raise NotADim(f"division by {divisor}: a divisor must be at least 1", span, "E0206", "dim.division")
        self.owed.append((at_least(divisor, constant(1)), span))

    def _function(self, name: str, arguments: tuple[ast.Expr, ...], expr: ast.Call) -> Dim:
        match name, arguments:
            case "min" | "max", (_, _, *_):
                dims = self._all(self.dim, arguments)
                result = dims[0]
                for dim in dims[1:]:
                    result = minimum(result, dim) if name == "min" else maximum(result, dim)
                return result
            case "broadcast", (_, _):
                return broadcast(*self._all(self.dim, arguments))
            case "dim", (ast.Local() | ast.Project() as value, ast.Number(value=axis)) if type(axis) is int:
                return self._size(value, axis)
            case "ndim" | "numel", (ast.Local() | ast.Project() as value,):
                return self._whole(name, value)
            case _:
                raise NotADim(f"expected a size, and `{name}` computes a tensor", expr.span)

    def _part(self, value: ast.Local | ast.Project) -> tuple[str, str, OpenedType]:
        """The spelling, core variable and type of a variable in scope, or of a tuple's field."""
        if isinstance(value, ast.Local):
            held = self.state.scope.names.get(value.name)
            if held is None:
                help = similar("a variable", value.name, self.state.scope.names)
                message = f"variable `{value.name}` is not in scope"
                raise NotADim(message, value.span, "E0202", "name.variable", help)
            settle_ranks(self.state, (held,))
            type = self.state.values.types[held]
            if isinstance(type, Broken):
                raise Unreadable
            return value.name, held, type
        if not isinstance(value.tuple, ast.Local | ast.Project):
            raise NotADim("only a variable, or a field of one, has a size here", value.span)
        spelling, held, whole = self._part(value.tuple)
        if not isinstance(whole, TupleType) or not 0 <= value.index < len(whole.fields):
            message = f"`{spelling}` has no field {value.index}"
            raise NotADim(message, value.span, "E0309", "type.project")
        return f"{spelling}.{value.index}", held, whole.fields[value.index]

    def _size(self, value: ast.Local | ast.Project, axis: int) -> Dim:
        """A size of a value in scope.  [dim.size]"""
        spelling, held, type = self._part(value)
        if isinstance(type, UnrankedType):
            return self._size_of_unranked(spelling, held, type, axis, value.span)
        if not isinstance(type, TensorType):
            raise NotADim(f"`{spelling}` is not a tensor", value.span, "E0307", "type.structure")
        if not -type.rank <= axis < type.rank:
            return self._absent(f"`{spelling}` has rank {type.rank}, so it has no dimension {axis}", value.span)
        return type.shape[axis]

    def _absent(self, message: str, span: Span) -> Dim:
        """Report a missing axis or element: emit a check that always fails in a branch of a test, else raise NotADim.

        [op.axis] [type.if.fails]
        """
        if self.declares or not (self.state.reach.tests or self.state.reach.unreachable):
            raise NotADim(message, span, "E0305", "op.axis")
        refuse(self.state, Diagnostic("E0305", "op.axis", message, span))
        return constant(1)

    def _size_of_unranked(self, spelling: str, held: str, type: UnrankedType, axis: int, span: Span) -> Dim:
        """A size of a value of unknown rank, which must have that axis.  [type.unranked.demand]"""
        if self.declares or axis < 0:
            what = (
                "a declaration cannot refer to its dimensions"
                if self.declares
                else "its axes can only be counted from the front"
            )
            raise NotADim(f"`{spelling}` has unknown rank, so {what}", span, "E0305", "op.axis")
        if not demanded_axis(self.state, held, type, axis, span):
            raise Unreadable
        assert type.origin is not None
        return size_of(type.origin, axis)

    def _whole(self, name: str, value: ast.Local | ast.Project) -> Dim:
        """The rank of a value in scope, or its number of elements.  [dim.rank]"""
        spelling, _, type = self._part(value)
        if isinstance(type, TensorType):
            return constant(type.rank) if name == "ndim" else product(type.shape)
        if not isinstance(type, UnrankedType):
            raise NotADim(f"`{spelling}` is not a tensor", value.span, "E0307", "type.structure")
        if self.declares:
            message = f"`{spelling}` has unknown rank, so a declaration cannot refer to its rank"
            raise NotADim(message, value.span, "E0305", "op.axis")
        assert type.origin is not None
        return rank_of(type.origin) if name == "ndim" else numel_of(type.origin)

    def _element(self, value: ast.Local, index: int, span: Span) -> Dim:
        """An element of an integer vector; if the length is unknown, require that the element exists.  [dim.element]"""
        if self.declares:
            raise NotADim("a declaration cannot refer to elements of its parameters", span, "E0206", "name.dimension")
        spelling, held, vector = self._part(value)
        if index < 0:
            raise NotADim(f"`{spelling}` has no element {index}: they count from 0", span, "E0305", "op.axis")
        settle_length(self.state, held, vector)
        type = self.state.contents(held, True)
        if type is None and _may_be_vector(vector):
            element = demanded_element(self.state, held, index, span)
            if element is None:
                raise Unreadable
            return element
        if type is None or type.rank != 1:
            raise NotADim(f"`{spelling}` is not a vector of integers", span, "E0206", "name.dimension")
        contents = type.contents or ()
        if index >= len(contents):
            return self._absent(f"`{spelling}` has {len(contents)} elements, so it has no element {index}", span)
        content = contents[index]
        assert isinstance(content, Dim), content
        return content

    def _meta(self, kind: str, index: int, span: Span) -> Dim:
        entry = self.state.program.surface.metadata.get((kind, index))
        if isinstance(entry, int):
            return constant(entry)
        if isinstance(entry, ast.MetaTensor) and len(entry.elements) == 1 and type(entry.elements[0]) is int:
            return constant(entry.elements[0])
        raise NotADim(f"`meta[{kind}][{index}]` is not a known size", span, "E0106", "syntax.metadata")

    # ---------------------------------------------------------------------------------------------- predicates
    def predicate(self, expr: ast.Expr) -> Constraint:
        """Read an expression as a predicate on dims.  Raises NotADim."""
        match expr:
            case ast.Infix("and", left, right):
                return all_of(*self._all(self.predicate, (left, right)))
            case ast.Infix("or", left, right):
                return any_of(*self._all(self.predicate, (left, right)))
            case ast.Infix(op, left, right) if op in _COMPARISONS:
                return _COMPARISONS[op](*self._all(self.dim, (left, right)))
            case ast.Call(ast.Name("broadcasts"), (_, _) as sizes, ()):
                return broadcasts(*self._all(self.dim, sizes))
            case ast.Call(ast.Name("divides"), (by, _) as sizes, ()):
                divisor, dividend = self._all(self.dim, sizes)
                self._divisor(divisor, by.span)
                return divides(divisor, dividend)
            case ast.Unary("not", operand):
                return negated(self.predicate(operand))
            case ast.Tuple((inner,)) | ast.Block((), inner):
                return self.predicate(inner)
            case ast.Number(value=bool() as value):
                return all_of() if value else any_of()
            case _:
                raise NotADim("this is not a predicate on dimensions", expr.span)


def _may_be_vector(type: OpenedType) -> bool:
    """Whether a value is a vector of integers, or may be one."""
    match type:
        case TensorType((_,), dtype):
            return dtype.is_integer
        case UnrankedType(dtype):
            return dtype.is_integer
        case _:
            return False


def discharge_divisions(state: Elaboration, reading: Sizes) -> None:
    """Discharge the obligation that each symbolic divisor is at least 1.  [dim.division]"""
    for goal, span in reading.owed:
        owed = Obligation(goal, "dim.division", Site.ANNOTATION, "the divisor may be less than 1", span)
        require(state, owed)
    reading.owed.clear()
