"""Types, dims and predicates as people write them, read in a definition's scope.

A dim that divides by something symbolic owes `divisor >= 1`; the obligations met while reading are collected, and
whoever asked for the reading discharges them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

from gradual.checker.binders import NAMELESS, Unreadable, bind_declared, bind_own
from gradual.checker.elaboration import Broken, Elaboration
from gradual.checker.similar import similar
from gradual.checker.unranked import demanded_axis, demanded_element, demanded_scalar, settle_length, settle_ranks
from gradual.diagnostic import Help
from gradual.dims.constraint import (
    Constraint,
    all_of,
    any_of,
    at_least,
    at_most,
    differs,
    equal,
    less,
    more,
    negated,
)
from gradual.dims.decide import Nowhere
from gradual.dims.dim import Dim, Kind, Variable, constant, ite, maximum, minimum, of_atom, product, variable
from gradual.source import Span
from gradual.syntax import ast
from gradual.types.dtype import DType
from gradual.types.measuring import measured, measuring
from gradual.types.opening import numel_of, rank_of, size_of
from gradual.types.type import (
    DataType,
    FunctionType,
    GradualType,
    Hole,
    OpenedType,
    ReferenceType,
    TensorType,
    TupleType,
    TypeVariable,
    UnrankedType,
)
from gradual.verdict import Proved

_COMPARISONS: dict[str, Callable[[Dim, Dim], Constraint]] = {
    "==": equal,
    "!=": differs,
    "<": less,
    "<=": at_most,
    ">": more,
    ">=": at_least,
}


Part = TypeVar("Part")
Read = TypeVar("Read")

CAUSAL = "it must occur alone as a dim of a parameter, or as `n + 1` or `2 * n` that can be solved"


class NotADim(Exception):
    """An expression that speaks of tensors, not of sizes."""

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

    def report(self, state: Elaboration, what: str = "") -> None:
        """Report it, of something."""
        state.report(self.code, self.rule, what + self.message, self.span, help=self.help)


@dataclass(slots=True)
class Reading:
    """One annotation, attribute or clause being read.

    Attributes:
        bind: what to do with a dimension name that is not in scope: give its dim, or None to refuse it.
        declares: whether an interface is read, which demands nothing of a value.
        owed: obligations of the divisions met, with where they stand.
    """

    state: Elaboration
    bind: Callable[[str, Span], Dim | None] = lambda name, span: None
    owed: list[tuple[Constraint, Span]] = field(default_factory=list)
    declares: bool = False

    # ---------------------------------------------------------------------------------------------------- dims
    def dim(self, expr: ast.Expr) -> Dim:
        """An expression as a dim.  Raises NotADim."""
        match expr:
            case ast.Number(value=value) if type(value) is int:
                return constant(value)
            case ast.Name(name, span):
                return self._named(name, span)
            case ast.Local(name, span):
                return self._scalar(name, span)
            case ast.Infix(op, left, right):
                return self._infix(op, self.dim(left), self.dim(right), expr)
            case ast.Unary("-", operand):
                return -self.dim(operand)
            case ast.Choose(condition, then, orelse):
                return ite(self.predicate(condition), self.dim(then), self.dim(orelse))
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
                raise NotADim("`?` may only stand for a whole dim of an annotation", span, "E0206", "name.dimension")
            case _:
                raise NotADim("this is not a dim", expr.span)

    def _named(self, name: str, span: Span) -> Dim:
        if name == NAMELESS:
            message = "`_` names no dimension: `?` is a size that is not known, a name is one size wherever it stands"
            raise NotADim(message, span, "E0206", "name.dimension")
        dim = self.state.dims.get(name)
        if dim is None and name in self.state.type_names:
            raise NotADim(f"`{name}` is a type here, not a dimension", span, "E0206", "name.dimension")
        if dim is None:
            dim = self.bind(name, span)
        if dim is None:
            help = similar("a dimension", name, self.state.dims)
            raise NotADim(f"dimension `{name}` is not bound here", span, "E0206", "name.dimension", help)
        return dim

    def _scalar(self, name: str, span: Span) -> Dim:
        value = self.state.names.get(name)
        if value is None:
            help = similar("a variable", name, self.state.names)
            raise NotADim(f"variable `{name}` is not in scope", span, "E0202", "name.variable", help)
        if isinstance(self.state.types[value], Broken):
            raise Unreadable
        if not self.declares and not demanded_scalar(self.state, value, span, "type.unranked.demand", f"`{name}`"):
            raise Unreadable
        type = self.state.contents(value)
        if type is None or type.rank != 0:
            raise NotADim(f"`{name}` is not an integer scalar", span, "E0206", "name.dimension")
        (content,) = type.contents or ()
        assert isinstance(content, Dim), content
        return content

    def _infix(self, op: str, left: Dim, right: Dim, expr: ast.Infix) -> Dim:
        match op:
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
                raise NotADim(f"`{op}` does not make a dim", expr.span)

    def _divisor(self, divisor: Dim, span: Span) -> None:
        if divisor.value is not None and divisor.value < 1:
            raise NotADim(f"division by {divisor}: a divisor must be at least 1", span, "E0206", "dim.division")
        self.owed.append((at_least(divisor, constant(1)), span))

    def _function(self, name: str, arguments: tuple[ast.Expr, ...], expr: ast.Call) -> Dim:
        match name, arguments:
            case "min" | "max", (_, _, *_):
                dims = [self.dim(argument) for argument in arguments]
                result = dims[0]
                for dim in dims[1:]:
                    result = minimum(result, dim) if name == "min" else maximum(result, dim)
                return result
            case "dim", (ast.Local() | ast.Project() as value, ast.Number(value=axis)) if type(axis) is int:
                return self._size(value, axis)
            case "ndim" | "numel", (ast.Local() | ast.Project() as value,):
                return self._whole(name, value)
            case _:
                raise NotADim(f"`{name}` does not make a dim", expr.span)

    def _part(self, value: ast.Local | ast.Project) -> tuple[str, str, OpenedType]:
        """A value in scope: its spelling, its core variable, its type; a field of a tuple is a value, too."""
        if isinstance(value, ast.Local):
            held = self.state.names.get(value.name)
            if held is None:
                help = similar("a variable", value.name, self.state.names)
                message = f"variable `{value.name}` is not in scope"
                raise NotADim(message, value.span, "E0202", "name.variable", help)
            settle_ranks(self.state, (held,))
            type = self.state.types[held]
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
            message = f"`{spelling}` has rank {type.rank}, so it has no dimension {axis}"
            raise NotADim(message, value.span, "E0305", "op.axis")
        return type.shape[axis]

    def _size_of_unranked(self, spelling: str, held: str, type: UnrankedType, axis: int, span: Span) -> Dim:
        """A size of a value of unknown rank, which must have that axis.  [type.unranked.demand]"""
        if self.declares or axis < 0:
            what = "a declaration names no dimension of it" if self.declares else "its axes count from the front only"
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
            message = f"`{spelling}` has unknown rank, so a declaration does not measure it"
            raise NotADim(message, value.span, "E0305", "op.axis")
        assert type.origin is not None
        return rank_of(type.origin) if name == "ndim" else numel_of(type.origin)

    def _element(self, value: ast.Local, index: int, span: Span) -> Dim:
        """An element of an integer vector, which owes that it is there where the length is not known.  [dim.element]"""
        if self.declares:
            raise NotADim("a declaration names no elements of its parameters", span, "E0206", "name.dimension")
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
            message = f"`{spelling}` has {len(contents)} elements, so it has no element {index}"
            raise NotADim(message, span, "E0305", "op.axis")
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
        """An expression as a predicate on dims.  Raises NotADim."""
        match expr:
            case ast.Infix("and", left, right):
                return all_of(self.predicate(left), self.predicate(right))
            case ast.Infix("or", left, right):
                return any_of(self.predicate(left), self.predicate(right))
            case ast.Infix(op, left, right) if op in _COMPARISONS:
                return _COMPARISONS[op](self.dim(left), self.dim(right))
            case ast.Unary("not", operand):
                return negated(self.predicate(operand))
            case ast.Tuple((inner,)) | ast.Block((), inner):
                return self.predicate(inner)
            case ast.Number(value=bool() as value):
                return all_of() if value else any_of()
            case _:
                raise NotADim("this is not a predicate on dims", expr.span)

    # --------------------------------------------------------------------------------------------------- types
    def type(self, written: ast.Type) -> GradualType:
        """A written type.  Raises Unreadable after reporting why."""
        match written:
            case ast.TensorType(None, dtype, span):
                return UnrankedType(self.dtype(dtype, span))
            case ast.TensorType((), name, span) if name in self.state.type_names or name in self.state.program.data:
                return self._named_type(ast.NamedType(name, (), span))
            case ast.TensorType(shape, dtype, span):
                assert shape is not None
                if len(shape) > self.state.program.limits.rank:
                    message = f"rank {len(shape)} is above the limit of {self.state.program.limits.rank}"
                    self.state.report("E0303", "op.rank", message, span)
                    raise Unreadable
                try:
                    extents = _each(self.extent, shape)
                finally:  # told beside what is wrong with the dims
                    element = self.dtype(dtype, span)
                return TensorType(extents, element)
            case ast.TupleType(fields):
                return TupleType(_each(self.type, fields))
            case ast.FnType():
                return self._function_type(written)
            case ast.NamedType():
                return self._named_type(written)
            case ast.RefType(content):
                return ReferenceType(self.type(content))
            case ast.Omitted(span):
                from gradual.checker.omitted import omitted_type

                found = omitted_type(self.state, written, span)
                if found is None:
                    self.state.report("E0310", "type.omitted", "this type is not determined; write it", span)
                    raise Unreadable
                return self.type(found)

    def extent(self, written: ast.Expr) -> Dim | Hole:
        """One dim of an annotation.  Raises Unreadable after reporting why."""
        if isinstance(written, ast.Hole):
            return self._hole(written)
        try:
            return self.dim(written)
        except NotADim as found:
            found.report(self.state)
            raise Unreadable from None

    def _hole(self, written: ast.Hole) -> Hole:
        """`?`, or `?{u. p}` whose bound is met by some size u.  Raises Unreadable after reporting why.

        What a run has passed before refuses no bound: the type may be that of a field that is not there.
        [type.bound] [check.apart]
        """
        if written.bound is None or written.binder is None:
            return Hole()
        state = self.state
        with state.block():
            unknown = variable(written.binder, Kind.GHOST)
            state.bind_dim(written.binder, unknown)
            bound = self.clause(written.bound)
        (binder,) = unknown.variables()
        bound = all_of(*self._divisions({binder}), bound)
        met, given = all_of(state.program.not_negative(unknown), bound), state.facts.apart(state.facts.learnt)
        if isinstance(state.program.decider.satisfiable(given, met), Nowhere):
            state.report("E0311", "type.bound", f"no size satisfies `{bound}`", written.bound.span)
            raise Unreadable
        return Hole(binder=binder, bound=bound)

    def dtype(self, name: str, span: Span) -> DType:
        """A dtype's name.  Raises Unreadable after reporting an unknown one."""
        try:
            return DType(name)
        except ValueError:
            help = similar("an element type", name, DType)
            self.state.report("E0306", "type.dtype", f"`{name}` is not an element type", span, help=help)
            raise Unreadable from None

    def _named_type(self, written: ast.NamedType) -> GradualType:
        """A type parameter, or a declared type at as many arguments as it has.  [name.type] [type.data]"""
        state, name = self.state, written.name
        variable, declared = state.type_names.get(name), state.program.data.get(name)
        if variable is not None and not written.arguments:
            return variable
        arguments = _tried(lambda: _each(self.type, written.arguments))
        if declared is None and variable is None:
            known = f"`{name}` is a dimension here, not a type" if name in state.dims else f"unknown type `{name}`"
            help = similar("a type", name, (*DType, *state.program.data, *state.type_names))
            state.report("E0205", "name.type", known, written.span, help=help)
            raise Unreadable
        takes = len(declared.types) if declared is not None and variable is None else 0
        if len(written.arguments) != takes:
            message = f"`{name}` takes {takes} type arguments, not {len(written.arguments)}"
            state.report("E0304", "type.data", message, written.span)
            raise Unreadable
        if arguments is None:
            raise Unreadable
        return DataType(name, arguments)

    def _function_type(self, written: ast.FnType) -> FunctionType:
        """A function type: dimension names that are new in its parameters are its own binders.  [type.function.dims]"""
        state = self.state
        order: list[Variable | TypeVariable] = []
        spans: dict[Variable, Span] = {}

        def bound(name: str, span: Span) -> Dim:
            state.bind_dim(name, dim := state.rigid(name))
            order.extend(dim.variables())
            spans.update((variable, span) for variable in dim.variables())
            return dim

        with state.block():
            everything = (*written.params, written.result)
            whole = bind_declared(state, written.binders, everything, written.where, bound, order)
            bind_own(state, written.params, bound)
            params = _tried(lambda: _each(Reading(state, bound, self.owed, self.declares).type, written.params))
            result = _tried(lambda: self.type(written.result))
            binders = tuple(one for one in order if isinstance(one, Variable))
            where = _tried(lambda: self._where(written.where, binders))
        if params is None or result is None or where is None or not whole:
            raise Unreadable
        names = tuple(f"%?{i}" for i in range(len(params)))
        types = tuple(one for one in order if isinstance(one, TypeVariable))
        type = FunctionType(names, params, result, binders, where, types, tuple(order))
        self._is_causal(type, spans)
        return type

    def _divisions(self, own: set[Variable]) -> list[Constraint]:
        """The obligations of divisions by what is bound here: they are of what is bound, and not owed outside."""
        inside = [goal for goal, _ in self.owed if not own.isdisjoint(goal.variables())]
        self.owed[:] = [(goal, span) for goal, span in self.owed if own.isdisjoint(goal.variables())]
        return list(dict.fromkeys(inside))

    def _where(self, written: Sequence[ast.Expr], binders: Sequence[Variable]) -> tuple[Constraint, ...]:
        """What the callers of a function type owe: its clauses, and that what it divides by of its own is at least 1.

        A divisor in a clause is owed before it, unless the clauses that precede say so.
        [dim.division] [type.function.dims]
        """
        facts, program, own = self.state.facts, self.state.program, set(binders)
        of_types = self._divisions(own)

        def clause(one: ast.Expr) -> tuple[list[Constraint], tuple[Constraint, ...]]:
            read = self.clause(one)
            return self._divisions(own), (read,)

        read = _each(clause, written)
        mark, owed = facts.mark(), list[Constraint]()
        for binder in binders:
            facts.assume(program.not_negative(of_atom(binder)))
        for divisions, clauses in (*read, (of_types, ())):
            unsaid = [goal for goal in divisions if not isinstance(program.decider.decide(facts, goal), Proved)]
            for goal in (*unsaid, *clauses):
                facts.assume(goal)
                owed.append(goal)
        facts.rollback(mark)
        return tuple(owed)

    def _is_causal(self, type: FunctionType, spans: Mapping[Variable, Span]) -> None:
        """Every dim of a function type is shown by a parameter, or no call could choose it.  [type.function.dims]"""
        arguments = [measuring(param, name) for param, name in zip(type.params, type.names, strict=True)]
        for unsolved in measured(type, arguments).unsolved:
            message = f"dimension `{unsolved.name}` of this function type cannot be read off any of its parameters"
            self.state.report("E0206", "name.dimension", message, spans[unsolved], notes=(CAUSAL,))
            raise Unreadable

    def clause(self, written: ast.Expr) -> Constraint:
        """A `where` clause.  Raises Unreadable after reporting why."""
        try:
            return self.predicate(written)
        except NotADim as found:
            found.report(self.state)
            raise Unreadable from None


def _each(read: Callable[[Part], Read], written: Sequence[Part]) -> tuple[Read, ...]:
    """What is read of each part.  Raises Unreadable after all of them were tried."""
    found: list[Read] = []
    for part in written:
        try:
            found.append(read(part))
        except Unreadable:
            continue
    if len(found) < len(written):
        raise Unreadable
    return tuple(found)


def _tried(read: Callable[[], Read]) -> Read | None:
    """What is read; None if it cannot be, which was reported."""
    try:
        return read()
    except Unreadable:
        return None


def _may_be_vector(type: OpenedType) -> bool:
    """Whether a value is a vector of integers, or may be one."""
    match type:
        case TensorType((_,), dtype):
            return dtype.is_integer
        case UnrankedType(dtype):
            return dtype.is_integer
        case _:
            return False
