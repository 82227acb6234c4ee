"""Reading of type syntax into types, in a definition's scope."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TypeVar

from gradual.checker.declarations.binders import Unreadable, bind_declared, bind_own
from gradual.checker.declarations.dims import NotADim, Sizes
from gradual.checker.program.foreign_dtypes import element_type
from gradual.checker.program.suggestions import closest, similar
from gradual.diagnostic import Edit, Help, counted
from gradual.dims.term.constraint import Constraint, all_of
from gradual.dims.term.dim import Dim, Kind, Variable, of_atom, variable
from gradual.source import Span
from gradual.syntax.tree import ast
from gradual.types.binder_solving import measured, measuring
from gradual.types.dtype import DType
from gradual.types.positive import positive, presumed
from gradual.types.type import (
    DataType,
    FunctionType,
    GradualType,
    Hole,
    ReferenceType,
    TensorType,
    TupleType,
    TypeVariable,
    UnrankedType,
)
from gradual.verdict import Proved

Part = TypeVar("Part")
Read = TypeVar("Read")

CAUSAL = (
    "it must be a whole dimension of a parameter, or occur in one that can be solved for it, such as `n + 1` or `2 * n`"
)


class Reading(Sizes):
    """Reader of one annotation, attribute or clause."""

    def type(self, written: ast.Type) -> GradualType:
        """Read a type.  Raises Unreadable after reporting why."""
        match written:
            case ast.TensorType():
                return self._tensor_type(written)
            case ast.TupleType(fields):
                return TupleType(_each(self.type, fields))
            case ast.FnType():
                return self._function_type(written)
            case ast.NamedType():
                return self._named_type(written)
            case ast.RefType(content):
                return ReferenceType(self.type(content))
            case ast.Omitted(span):
                found = self.state.judge.omitted_type(self.state, written, span)
                if found is None:
                    self.state.output.report("E0310", "type.omitted", "this type cannot be inferred; write it", span)
                    raise Unreadable
                return self.type(found)

    def _tensor_type(self, written: ast.TensorType) -> GradualType:
        """Read a tensor type, or a name that is written like a scalar.  Raises Unreadable after reporting why."""
        program, shape, name = self.state.program, written.shape, written.dtype
        if shape is None:
            return UnrankedType(self.dtype(name, written.span))
        if not shape and (name in self.state.scope.types or name in program.data):
            return self._named_type(ast.NamedType(name, (), written.span))
        numbers = _numbers(shape)
        known = program.tensors.get((name, numbers)) if numbers is not None else None
        if known is not None:
            return known
        if len(shape) > program.limits.rank:
            message = f"rank {len(shape)} is above the limit of {program.limits.rank}"
            self.state.output.report("E0303", "op.rank", message, written.span)
            raise Unreadable
        try:
            extents = _each(self.extent, shape)
        finally:  # reported in addition to errors in the dims
            element = self.dtype(name, written.span)
        type: GradualType = TensorType(extents, element)
        if numbers is not None:
            program.tensors[name, numbers] = type
        return type

    def extent(self, written: ast.Expr) -> Dim | Hole:
        """Read one dim of an annotation.  Raises Unreadable after reporting why."""
        if isinstance(written, ast.Hole):
            return self._hole(written)
        self._no_sentinel(written)
        try:
            return self.dim(written)
        except NotADim as found:
            found.report(self.state)
            raise Unreadable from None

    def _no_sentinel(self, written: ast.Expr) -> None:
        """Refuse `None` and numbers below 0 as sizes.  Raises Unreadable after reporting them.  [name.dimension]"""
        match written:
            case ast.Name("None"):
                message, is_sentinel = "`None` is not a size", True
            case ast.Number(value=value) if type(value) is int and value < 0:
                message, is_sentinel = f"a size cannot be negative: {value}", value == -1
            case _:
                return
        help = Help("an unknown size is written `?`", (Edit(written.span, "?"),), safe=is_sentinel)
        self.state.output.report("E0206", "name.dimension", message, written.span, help=(help,))
        raise Unreadable

    def _hole(self, written: ast.Hole) -> Hole:
        """Read `?`, or `?{u. p}` if some size u satisfies p.  Raises Unreadable after reporting why.

        Given facts may refute a bound. Goals accepted before may not: the type may be that of a field that no run
        reaches, such as an element of an empty list, so a contradiction with an earlier check is no error.
        [type.bound] [check.apart]
        """
        if written.bound is None or written.binder is None:
            return Hole()
        state = self.state
        with state.scope.block():
            unknown = variable(written.binder, Kind.EXISTENTIAL)
            state.scope.bind_dim(written.binder, unknown)
            bound = self.clause(written.bound)
        (binder,) = unknown.variables()
        bound = all_of(*self._divisions({binder}), bound)
        met, given = all_of(state.program.not_negative(unknown), bound), state.facts.apart(state.facts.learnt)
        if state.program.decider.excludes(given, met):
            state.output.report("E0311", "type.bound", f"no size satisfies `{bound}`", written.bound.span)
            raise Unreadable
        return Hole(binder=binder, bound=bound)

    def dtype(self, name: str, span: Span) -> DType:
        """Read a dtype's name.  Raises Unreadable after reporting an unknown one."""
        try:
            return DType(name)
        except ValueError:
            help = _element_type(self.state.program.source.text, name, span) or similar("an element type", name, DType)
            self.state.output.report("E0306", "type.dtype", f"`{name}` is not an element type", span, help=help)
            raise Unreadable from None

    def _named_type(self, written: ast.NamedType) -> GradualType:
        """Read a type parameter, or a declared type with the right number of arguments.  [name.type] [type.data]"""
        state, name = self.state, written.name
        variable, declared = state.scope.types.get(name), state.program.data.get(name)
        if variable is not None and not written.arguments:
            return variable
        if declared is None and variable is None:
            is_dim = name in state.scope.dims
            message = f"`{name}` is a dimension here, not a type" if is_dim else f"unknown type `{name}`"
            known = (*DType, *state.program.data, *state.scope.types, "Tensor")
            help = _element_type(state.program.source.text, name, written.span) or similar("a type", name, known)
            state.output.report("E0205", "name.type", message, written.span, help=help)
            if "Tensor" not in closest(name, known):  # a misspelt `Tensor` takes sizes, not types
                _tried(lambda: _each(self.type, written.arguments))
            raise Unreadable
        arguments = _tried(lambda: _each(self.type, written.arguments))
        takes = len(declared.types) if declared is not None and variable is None else 0
        if len(written.arguments) != takes:
            message = f"`{name}` takes {counted(takes, 'type argument')}, not {len(written.arguments)}"
            state.output.report("E0304", "type.data", message, written.span)
            raise Unreadable
        if arguments is None:
            raise Unreadable
        return DataType(name, arguments)

    def _function_type(self, written: ast.FnType) -> FunctionType:
        """Read a function type; new dimension names in its parameters become its binders.  [type.function.dims]"""
        state = self.state
        order: list[Variable | TypeVariable] = []
        spans: dict[Variable, Span] = {}

        def bound(name: str, span: Span) -> Dim:
            state.scope.bind_dim(name, dim := state.scope.rigid(name))
            order.extend(dim.variables())
            spans.update((variable, span) for variable in dim.variables())
            return dim

        with state.scope.block():
            everything = (*written.params, written.result)
            whole = bind_declared(state, written.binders, everything, written.where, bound, order)
            bind_own(state, written.params, bound)
            params = _tried(lambda: _each(Reading(state, bound, self.owed, self.declares).type, written.params))
            result = _tried(lambda: self.type(written.result))
            binders = tuple(one for one in order if isinstance(one, Variable))
            where = _tried(lambda: self._where(written.where, binders, params or ()))
        if params is None or result is None or where is None or not whole:
            raise Unreadable
        names = tuple(f"%?{i}" for i in range(len(params)))
        types = tuple(one for one in order if isinstance(one, TypeVariable))
        type = FunctionType(names, params, result, binders, where, types, tuple(order))
        self._is_causal(type, spans)
        return type

    def _divisions(self, own: set[Variable]) -> list[Constraint]:
        """Remove and return the division obligations that mention dims bound here; they do not apply outside."""
        inside = [goal for goal, _ in self.owed if not own.isdisjoint(goal.variables())]
        self.owed[:] = [(goal, span) for goal, span in self.owed if own.isdisjoint(goal.variables())]
        return list(dict.fromkeys(inside))

    def _where(
        self, written: Sequence[ast.Expr], binders: Sequence[Variable], params: Sequence[GradualType]
    ) -> tuple[Constraint, ...]:
        """The preconditions of a function type: its named sizes and its divisors are at least 1, and its clauses hold.

        The obligation of a divisor precedes the clause that divides, and is omitted if preceding ones prove it.
        [dim.division] [type.positive] [type.function.dims]
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
        clauses = [clause for _, (clause,) in read]
        sizes = tuple(positive(one.size) for one in presumed(params, own, clauses))
        for divisions, goals in (([], sizes), *read, (of_types, ())):
            unsaid = [goal for goal in divisions if not isinstance(program.decider.decide(facts, goal), Proved)]
            for goal in (*unsaid, *goals):
                facts.assume(goal)
                owed.append(goal)
        facts.rollback(mark)
        return tuple(dict.fromkeys(owed))

    def _is_causal(self, type: FunctionType, spans: Mapping[Variable, Span]) -> None:
        """Require that the parameters determine every dim; raises Unreadable after an error.  [type.function.dims]"""
        arguments = [measuring(param, name) for param, name in zip(type.params, type.names, strict=True)]
        for unsolved in measured(type, arguments).unsolved:
            message = f"dimension `{unsolved.name}` of this function type cannot be inferred from its parameters"
            self.state.output.report("E0206", "name.dimension", message, spans[unsolved], notes=(CAUSAL,))
            raise Unreadable

    def clause(self, written: ast.Expr) -> Constraint:
        """Read a `where` clause.  Raises Unreadable after reporting why."""
        try:
            return self.predicate(written)
        except NotADim as found:
            found.report(self.state)
            raise Unreadable from None


def _numbers(shape: Sequence[ast.Expr]) -> tuple[int, ...] | None:
    """The sizes of a shape if all are integers as written; else None."""
    numbers = tuple([size.value for size in shape if isinstance(size, ast.Number) and type(size.value) is int])
    return numbers if len(numbers) == len(shape) else None


def _each(read: Callable[[Part], Read], written: Sequence[Part]) -> tuple[Read, ...]:
    """Read every part.  Raises Unreadable at the end if any part failed."""
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
    """The result of `read`; None if it raises Unreadable, which was reported."""
    try:
        return read()
    except Unreadable:
        return None


def _element_type(text: str, name: str, span: Span) -> tuple[Help, ...]:
    """A help that renames another system's element type, where it last occurs."""
    meant = element_type(name)
    at = text.rfind(name, span.start, span.end)
    if meant is None or at < 0:
        return ()
    edit = Edit(Span(at, at + len(name)), meant)
    return (Help(f"this element type is called `{meant}`: write it for `{name}`", (edit,), safe=True),)
