"""What a `def` or a function literal declares: its parameters opened, its dims bound, its preconditions assumed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any

from gradual.checker.declarations.binders import Unreadable, bind_declared, bind_own, parts
from gradual.checker.declarations.dims import OF_SIZES, discharge_divisions
from gradual.checker.declarations.parameters import HandedDown, handed_down, with_parameters
from gradual.checker.declarations.types import CAUSAL, Reading
from gradual.checker.obligations.origins import written_at
from gradual.checker.state.context import TypingContext
from gradual.checker.state.values import BROKEN, Broken, Written
from gradual.core.terms import Blame, Check, Param, Promise, Site
from gradual.dims.term.constraint import Constraint, at_least, equal
from gradual.dims.term.dim import Dim, Kind, Variable, constant
from gradual.source import Span
from gradual.syntax.tree import ast
from gradual.types.binder_solving import bare, extents, measured, measuring, requirements
from gradual.types.dtype import DType
from gradual.types.positive import positive, presumed
from gradual.types.type import (
    DataType,
    FunctionType,
    GradualType,
    Hole,
    NeverType,
    OpenedType,
    TensorType,
    TupleType,
    TypeVariable,
)
from gradual.types.unpacking import base_of, closed, content_of, sizes


@dataclass(frozen=True, slots=True, eq=False)
class Header:
    """A function's declaration, read in its own scope.

    Attributes:
        interface: its type, with an empty tuple for a result that is not written.
        type: the interface if the result is written, else None.
        binders: each rigid dim with how it is measured off the parameters.
        entry: what a caller from outside owes.
        whole: whether nothing of it was reported; only then is there a function.
        before: how many values there were when the body began; those that follow are the body's own.
    """

    params: tuple[Param, ...]
    interface: FunctionType
    type: FunctionType | None
    binders: tuple[tuple[Variable, Dim], ...]
    entry: Sequence[Check]
    whole: bool
    before: int


def read_header(
    state: TypingContext, literal: ast.Fn, name: str, expected: FunctionType | None = None
) -> Header | None:
    """The declaration with its parameters in scope; None after reporting clauses that no size meets.

    A parameter without a type has that of the expected function type, or what is inferred.  What cannot be read is
    reported and left out, for the sake of what else there is to report; the state is astray then.
    [name.dimension] [type.open] [type.where]
    """
    try:
        return _read(state, literal, name, expected)
    except Unreadable:
        return None


def _read(state: TypingContext, literal: ast.Fn, name: str, expected: FunctionType | None) -> Header:
    binders: dict[str, tuple[Dim, Span]] = {}
    handed = handed_down(state, literal, expected, binders)
    literal = with_parameters(state, literal, handed.params)
    order: list[Variable | TypeVariable] = list(handed.order)

    def bound(spelling: str, span: Span) -> Dim:
        dim = state.scope.rigid(spelling)
        state.scope.bind_dim(spelling, dim)
        binders[spelling] = dim, span
        (variable,) = dim.variables()
        state.unknowns.rigids[variable] = span
        order.append(variable)
        return dim

    annotations = [annotation for annotation in _annotations(literal) if annotation is not None]
    whole = bind_declared(state, literal.binders, annotations, literal.where, bound, order)
    bind_own(state, [param.annotation for param in literal.params if param.annotation is not None], bound)
    reading = Reading(state, bound, declares=True)
    params = _params(state, literal, reading, handed)
    written = tuple(param.written for param in params)
    rigid = tuple(variable for dim, _ in binders.values() for variable in dim.variables())
    for dim, _ in binders.values():
        state.is_size(dim)
    for param in params:
        for size in sizes(param.type):
            state.is_size(size)
    spelled = [param.name.name for param in literal.params]
    whole = whole and len(set(spelled)) == len(spelled) and not any(isinstance(one, NeverType) for one in written)
    state.reach.after_error = state.reach.after_error or not whole
    preconditions = _read_clauses(state, literal)
    given = tuple(_handed(state, params, handed))
    own = [NeverType() if name in handed.params else type for name, type in zip(spelled, written, strict=True)]
    clauses = _assumed(state, literal, _Declared(own, frozenset(rigid), given), preconditions)
    where = (*given, *(clause.goal for clause in clauses or ()))
    discharge_divisions(state, reading)
    names = tuple(param.name for param in params)
    types = tuple(one for one in order if isinstance(one, TypeVariable))
    interface = FunctionType(names, written, TupleType(()), rigid, where, types, tuple(order))
    solved: Measures | None = ()
    if whole and interface.binders:
        solved = _solved(state, interface, params, {v: s for d, s in binders.values() for v in d.variables()})
    reading = Reading(state, declares=True)
    declared = None if isinstance(literal.result, ast.Omitted) else literal.result
    result = None if declared is None else _read_type(reading, declared)
    discharge_divisions(state, reading)
    if clauses is None:
        raise Unreadable
    whole = whole and len(preconditions) == len(literal.where)
    whole = whole and solved is not None and not isinstance(result, NeverType)
    state.reach.after_error = state.reach.after_error or not whole
    type = replace(interface, result=result) if result is not None else None
    measures = solved or ()
    demands = (*(_Clause(goal, literal.span) for goal in given), *clauses)
    entry = EntryChecks(params, measures, demands, literal, name)
    return Header(params, interface, type, measures, entry, whole, len(state.values.types))


def _read_type(reading: Reading, annotation: ast.Type) -> GradualType:
    """The type that is written; one that cannot be read was reported, and is unknown."""
    try:
        return reading.type(annotation)
    except Unreadable:
        return NeverType()


Measures = tuple[tuple[Variable, Dim], ...]
"""Rigid dims, each with how it is measured off the parameters."""


def _solved(
    state: TypingContext, interface: FunctionType, params: tuple[Param, ...], spans: Mapping[Variable, Span]
) -> Measures | None:
    """How each rigid dim is measured off the parameters; None after reporting those that cannot be."""
    choice = measured(interface, [measuring(param.written, param.name) for param in params])
    if choice.unsolved:
        in_data = {v for part in data_parts(interface.params) for extent in extents(part) for v in extent.variables()}
        _not_causal(state, [(variable.name, spans[variable], variable in in_data) for variable in choice.unsolved])
        return None
    return tuple((variable, choice.mapping[variable]) for variable in interface.binders)


def _annotations(literal: ast.Fn) -> tuple[ast.Type | None, ...]:
    """The types that a declaration writes."""
    return (*(param.annotation for param in literal.params), literal.result)


# ----------------------------------------------------------------------------------------------------- parameters
def _params(state: TypingContext, literal: ast.Fn, reading: Reading, handed: HandedDown) -> tuple[Param, ...]:
    """The parameters in scope, scalars first so that a type may name one that comes later."""
    names = [state.values.fresh(param.name.name) for param in literal.params]
    sized, numbers = _scalars_in_dims(literal), handed.numbers()
    seen: set[str] = set()
    for place, (param, name) in enumerate(zip(literal.params, names, strict=True)):
        if param.name.name in seen:
            message = f"parameter `{param.name.name}` is declared twice"
            state.output.report("E0204", "name.duplicate", message, param.name.span)
        seen.add(param.name.name)
        if param.name.name in sized or place in numbers:
            _number(state, param, name, handed.params.get(param.name.name))
    made: list[Param] = []
    for param, name in zip(literal.params, names, strict=True):
        given = handed.params.get(param.name.name)
        if given is not None and not isinstance(given, NeverType):
            given = handed.resolved(given, [_opened(state, one) for one in names])
        made.append(_param(state, param, name, reading, given, handed.expected in state.strictness.agreed))
    return tuple(made)


def _number(state: TypingContext, param: ast.Param, name: str, given: GradualType | None) -> None:
    """A scalar of which sizes may speak has a number from the beginning."""
    annotation = param.annotation
    assert annotation is not None
    if given is None and _is_scalar(annotation):
        assert isinstance(annotation, ast.TensorType)
        dtype = DType(annotation.dtype)
    elif isinstance(given, TensorType) and given.shape == () and given.dtype.counts:
        dtype = given.dtype
    else:
        if isinstance(annotation, ast.NamedType) and annotation.name not in (*state.scope.types, *state.program.data):
            state.scope.bind(param.name.name, state.values.define(name, BROKEN))  # its type will be reported
        return
    state.scope.bind(param.name.name, name)
    content = content_of(name, (), Kind.RIGID)
    state.unknowns.rigids.update((variable, annotation.span) for variable in content.variables())
    state.values.define(name, TensorType((), dtype, (content,)), Written(annotation))


def _opened(state: TypingContext, name: str) -> OpenedType | None:
    """What a parameter has, if that is known by now."""
    held = state.values.types.get(name)
    return None if isinstance(held, Broken) else held


def _handed(state: TypingContext, params: Sequence[Param], handed: HandedDown) -> Iterator[Constraint]:
    """The preconditions that the expected type has, each assumed."""
    for clause in handed.clauses([_opened(state, param.name) for param in params]):
        state.facts.assume(clause, learnt=True)
        yield clause


def _param(
    state: TypingContext, param: ast.Param, name: str, reading: Reading, given: GradualType | None, agreed: bool
) -> Param:
    annotation = param.annotation
    assert annotation is not None
    written = given if given is not None else _read_type(reading, annotation)
    says = f"the value supplied for parameter `{param.name.name}` of `{state.function}`"

    def promise(path: str, axis: int | None) -> Promise:
        return Promise(written_at(annotation, path.split("#")[1:], axis), says)

    if given is None:
        state.strictness.wrote(written)
    held = state.values.types.get(name)
    type: OpenedType = state.enter_part(written, name, promise, agreed and given is not None)
    if isinstance(held, TensorType) and isinstance(type, TensorType):
        type = TensorType(type.shape, type.dtype, held.contents)
    state.values.define(name, BROKEN if isinstance(written, NeverType) else type, Written(annotation))
    state.scope.show(param.name.name, name, param.name.span)
    return Param(name, type, written, param.name.span)


def _is_scalar(annotation: ast.Type) -> bool:
    return (
        isinstance(annotation, ast.TensorType)
        and annotation.shape == ()
        and annotation.dtype in DType.__members__.values()
        and DType(annotation.dtype).counts
    )


def _scalars_in_dims(literal: ast.Fn) -> set[str]:
    """The variables that the declaration names as sizes: `Tensor[(%n,), …]`, `where %h > 0`."""
    found: set[str] = set()
    waiting: list[ast.Expr | ast.Type] = list(literal.where)
    for annotation in _annotations(literal):
        for part in parts(annotation) if annotation is not None else ():
            if isinstance(part, ast.TensorType):
                waiting.extend(part.shape or ())
            if isinstance(part, ast.FnType):
                waiting.extend(part.where)
    while waiting:
        match waiting.pop():
            case ast.Local(name):
                found.add(name)
            case ast.Infix(_, left, right):
                waiting += (left, right)
            case ast.Unary(_, operand):
                waiting.append(operand)
            case ast.Call(ast.Name(name), arguments) if name in OF_SIZES:
                waiting += arguments
            case ast.Choose(condition, then, orelse):
                waiting += (condition, then, orelse)
            case ast.Tuple(items):
                waiting += items
            case ast.Block((), inner):
                waiting.append(inner)
            case ast.Hole(bound=bound) if bound is not None:
                waiting.append(bound)
            case ast.Instance(ast.Name("dim"), arguments):
                waiting += arguments
            case _:
                pass
    return found


# -------------------------------------------------------------------------------------------------- preconditions
PRESUMED = "a size that contains a name is at least 1; `where n >= 0` lets the size `n` be 0 too"


@dataclass(frozen=True, slots=True)
class _Declared:
    """What the preconditions of a function speak of: the types that it writes, its names, and what it was given."""

    params: Sequence[GradualType]
    own: frozenset[Variable]
    given: Sequence[Constraint]


@dataclass(frozen=True, slots=True)
class _Clause:
    """What callers owe, and where the declaration says so; `presumed` of a named size, which is at least 1."""

    goal: Constraint
    span: Span
    presumed: bool = False


def _assumed(
    state: TypingContext, literal: ast.Fn, declared: _Declared, read: Sequence[tuple[_Clause, Reading]]
) -> list[_Clause] | None:
    """What the declaration demands: that named sizes are at least 1, and its `where` clauses; each is assumed.

    Each is assumed before the next is looked at.  None after reporting one that no size satisfies together with those
    before: everything would be proved.  [type.positive] [type.where]
    """
    written = {clause.goal: clause.span for clause, _ in read}
    named = presumed(declared.params, declared.own, (*declared.given, *written))
    clauses: list[_Clause] = []
    for size in named:
        goal = positive(size.size)
        annotation = literal.params[size.param].annotation
        assert annotation is not None
        place = written_at(annotation, list(map(str, size.path)), size.axis)
        if not _assume(state, goal, place, bool(clauses)):
            return None
        clauses.append(_Clause(goal, written.get(goal, place), goal not in written))
    known = {clause.goal for clause in clauses}
    for clause, reading in read:
        discharge_divisions(state, reading)
        if clause.goal in known:
            continue
        if not _assume(state, clause.goal, clause.span, bool(clauses), (PRESUMED,) if named else ()):
            return None
        clauses.append(clause)
    return clauses


def _read_clauses(state: TypingContext, literal: ast.Fn) -> list[tuple[_Clause, Reading]]:
    """The `where` clauses, each with what reading it owes; one that cannot be read is reported and left out."""
    read: list[tuple[_Clause, Reading]] = []
    for written in literal.where:
        reading = Reading(state, declares=True)
        try:
            read.append((_Clause(reading.clause(written), written.span), reading))
        except Unreadable:
            state.reach.after_error = True
    return read


def _assume(state: TypingContext, goal: Constraint, span: Span, follows: bool, notes: tuple[str, ...] = ()) -> bool:
    """Whether some size satisfies a precondition together with those before; then it is assumed, else reported."""
    if state.program.decider.excludes(state.facts, goal):
        message = f"no size satisfies `{goal}`" + (" together with the conditions before it" if follows else "")
        state.output.report("E0311", "type.where", message, span, notes=notes)
        return False
    state.facts.assume(goal, learnt=True)
    return True


def data_parts(types: Sequence[GradualType]) -> Iterator[DataType]:
    """The data types that stand in some types, outside functions and references."""
    for type in types:
        match type:
            case DataType():
                yield type
            case TupleType(fields):
                yield from data_parts(fields)


def _not_causal(state: TypingContext, unsolved: list[tuple[str, Span, bool]]) -> None:
    for spelling, span, in_data in unsolved:
        message = f"dimension `{spelling}` cannot be inferred from any parameter"
        notes = (CAUSAL,)
        if in_data:
            notes = ("sizes are not inferred from inside a data structure, which may have no elements",)
        state.output.report("E0206", "name.dimension", message, span, notes=notes)


@dataclass(slots=True, eq=False)
class EntryChecks(Sequence[Check]):
    """The checks of `_entry`, made when they are first asked for: most functions are never entered from outside."""

    params: tuple[Param, ...]
    solved: tuple[tuple[Variable, Dim], ...]
    demands: tuple[_Clause, ...]
    literal: ast.Fn
    name: str
    _made: tuple[Check, ...] | None = None

    def _checks(self) -> tuple[Check, ...]:
        if self._made is None:
            self._made = tuple(_entry(self.params, dict(self.solved), self.demands, self.literal, self.name))
        return self._made

    def __getitem__(self, index: Any) -> Any:
        return self._checks()[index]

    def __len__(self) -> int:
        return len(self._checks())


def _entry(
    params: tuple[Param, ...], solved: dict[Variable, Dim], demands: tuple[_Clause, ...], literal: ast.Fn, name: str
) -> Iterator[Check]:
    """What a caller from outside owes: repeated and computed dims as declared, and the preconditions.  [run.entry]"""
    for index, (param, declared) in enumerate(zip(params, literal.params, strict=True)):
        for extent, size, path, axis in requirements(param.written, param.name):
            variable = None if isinstance(extent, Hole) else bare(extent)
            if variable is not None and solved.get(variable) is size:
                continue
            goals = extent.bounds(size) if isinstance(extent, Hole) else (equal(size, extent),)
            assert declared.annotation is not None
            span = written_at(declared.annotation, path.split("#")[1:], axis)
            says = f"dimension {axis} of argument {index + 1} is not the declared one"
            for goal in goals:
                yield entry_check(goal, span, says, f"argument {index + 1} of `{name}`")
    for variable, solution in solved.items():
        if bare(solution) is None:
            says = f"no size `{variable.name}` fits the arguments"
            yield entry_check(at_least(solution, constant(0)), literal.span, says, f"the arguments of `{name}`")
    for clause in demands:
        says = f"`{name}` requires `{clause.goal}`" + (", as of every named size" if clause.presumed else "")
        yield entry_check(clause.goal, clause.span, says, f"the arguments of `{name}`")


def entry_check(goal: Constraint, span: Span, says: str, through: str) -> Check:
    """A demand on a caller from outside, who is blamed.  [run.entry]"""
    promise = Promise(span, "the declaration")
    blame = Blame(
        "run.entry", Site.ENTRY, span, says, through, (promise,), "the caller from outside", (span,), "", goal
    )
    return Check("entry", goal, blame, span)


# --------------------------------------------------------------------------------------------------------- closing
def closed_result(state: TypingContext, header: Header, type: OpenedType) -> GradualType:
    """The inferred result type as an interface shows it: sizes that only the body knows become `?`.  [type.close]"""
    own = {param.name for param in header.params}
    outside = set(islice(state.values.types, header.before)) if mentions_values(type) else set()

    def visible(variable: Variable) -> bool:
        base = base_of(variable)
        if base in own:
            return not variable.is_ghost
        return base is None or (base in outside and base in state.values.live)

    return closed(type, visible)


def mentions_values(type: GradualType) -> bool:
    """Whether a size in a type is read off a value."""
    return any(base_of(variable) is not None for extent in extents(type) for variable in extent.variables())
