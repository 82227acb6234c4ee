"""Parameters of declarations; omitted types come from an expected function type or from inference."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import field, replace

from gradual.checker.declarations.binders import Unreadable, parts
from gradual.checker.declarations.dims import OF_SIZES
from gradual.checker.declarations.types import Reading
from gradual.checker.obligations.origins import written_at
from gradual.checker.program.elided import is_omitted
from gradual.checker.state.context import Elaboration
from gradual.checker.state.values import BROKEN, Broken, Written
from gradual.core.check import Promise
from gradual.core.terms import Param
from gradual.dims.term.constraint import Constraint
from gradual.dims.term.dim import ContentOf, Dim, Kind, Variable
from gradual.record import record
from gradual.source import Span
from gradual.syntax.tree import ast
from gradual.types.binder_solving import named_parts, read_off, unbound
from gradual.types.dtype import DType
from gradual.types.substitution import instantiated, substituted
from gradual.types.type import FunctionType, GradualType, NeverType, OpenedType, TensorType, TypeVariable
from gradual.types.unpacking import base_of, closed, content_of

Given = dict[str, GradualType]
"""Parameter name -> its omitted type; `NeverType` if that cannot be determined."""


NOTHING = FunctionType((), (), NeverType())
"""A stand-in for the expected type of a literal that has none."""


@record(frozen=False, eq=False)
class HandedDown:
    """The information that an expected function type passes to a literal, in terms of the literal's own dims and types.

    Attributes:
        expected: the function type.
        params: spelling of a parameter with omitted type -> its type, which mentions parameters of the expected type.
        order: the dims and types of the expected type, renamed to the literal's own.
        where: the preconditions of the expected type.
    """

    expected: FunctionType = NOTHING
    params: Given = field(default_factory=dict)
    order: tuple[Variable | TypeVariable, ...] = ()
    where: tuple[Constraint, ...] = ()

    def numbers(self) -> set[int]:
        """The indices of the scalar parameters that sizes of the expected type mention."""
        parts = (part for part in named_parts(self.expected) if isinstance(part.witness, ContentOf))
        return {self.expected.names.index(str(base_of(part))) for part in parts}

    def resolved(self, type: GradualType, values: Sequence[OpenedType | None]) -> GradualType:
        """A passed type, with the expected parameters replaced by the literal's values so far.

        A size of a parameter that has no value yet becomes `?`.
        """
        own = [part for part in dict.fromkeys(unbound(type)) if base_of(part) in self.expected.names]
        known = read_off(own, self.expected, values)
        hidden = set(own) - known.keys()
        return substituted(closed(type, lambda part: part not in hidden) if hidden else type, known)

    def clauses(self, values: Sequence[OpenedType | None]) -> Iterator[Constraint]:
        """The preconditions over the literal's parameter values, without those that mention anything unknown yet."""
        for clause in self.where:
            own = [part for part in clause.variables() if base_of(part) in self.expected.names]
            known = read_off(own, self.expected, values)
            if len(known) == len(own):
                yield clause.substitute(known)


def handed_down(
    state: Elaboration, literal: ast.Fn, expected: FunctionType | None, binders: dict[str, tuple[Dim, Span]]
) -> HandedDown:
    """The parameter types and preconditions that an expected function type gives a literal.

    Its dims and types have no names inside the literal.  [type.fn.expected]
    """
    if expected is None:
        return HandedDown()
    fresh: dict[Variable, Dim] = {}
    for binder in expected.binders:
        fresh[binder] = dim = state.scope.rigid(binder.name)
        (own,) = dim.variables()
        state.unknowns.rigids[own] = literal.span
        binders[own.name] = dim, literal.span
    types: dict[TypeVariable, GradualType] = {one: state.scope.type_parameter(one.name) for one in expected.types}
    given = {
        param.name.name: instantiated(substituted(type, fresh), types)
        for param, type in zip(literal.params, expected.params, strict=True)
        if is_omitted(param.annotation)
    }
    where = tuple(clause.substitute(fresh) for clause in expected.where)
    own_dims = tuple(variable for dim in fresh.values() for variable in dim.variables())
    own_types = tuple(one for one in types.values() if isinstance(one, TypeVariable))
    return HandedDown(expected, given, own_dims + own_types, where)


def with_parameters(state: Elaboration, literal: ast.Fn, given: Given) -> ast.Fn:
    """The literal with an annotation for every parameter: `_` if its type is in `given`, else the inferred one.

    A type that cannot be inferred is reported, unless an earlier error may be the reason, and added to `given` as
    `NeverType`.  [type.omitted]
    """
    if not any(is_omitted(param.annotation) for param in literal.params):
        return literal
    return replace(literal, params=tuple([_with_type(state, param, given) for param in literal.params]))


def _with_type(state: Elaboration, param: ast.Param, given: Given) -> ast.Param:
    name = param.name
    if not is_omitted(param.annotation):
        return param
    found = None
    if name.name not in given:
        found = state.judge.omitted_type(state, param if param.annotation is None else param.annotation, name.span)
    if found is None and name.name not in given:
        message = f"the type of `{name.name}` cannot be inferred from its uses; write it"
        if not state.reach.after_error:  # the code with the error might have determined it
            state.output.report("E0310", "type.omitted", message, name.span)
        given[name.name] = NeverType()
    return replace(param, annotation=found or ast.Omitted(name.span))


def declared_parameters(state: Elaboration, literal: ast.Fn, reading: Reading, handed: HandedDown) -> tuple[Param, ...]:
    """Put the parameters in scope, scalars first so that a type may mention a later one."""
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
    agreed = handed.expected in state.strictness.agreed
    for param, name in zip(literal.params, names, strict=True):
        given = handed.params.get(param.name.name)
        if given is not None and not isinstance(given, NeverType):
            given = handed.resolved(given, [opened_parameter(state, one) for one in names])
        made.append(_param(state, param, name, reading, given, agreed))
    return tuple(made)


def _number(state: Elaboration, param: ast.Param, name: str, given: GradualType | None) -> None:
    """Bind a scalar parameter that sizes may mention to a symbolic number, before the other parameters."""
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


def opened_parameter(state: Elaboration, name: str) -> OpenedType | None:
    """The unpacked type of a parameter; None if it is not known yet."""
    held = state.values.types.get(name)
    return None if isinstance(held, Broken) else held


def handed_facts(state: Elaboration, params: Sequence[Param], handed: HandedDown) -> Iterator[Constraint]:
    """Assume and yield the preconditions of the expected type."""
    if not handed.where:
        return
    for clause in handed.clauses([opened_parameter(state, param.name) for param in params]):
        state.facts.assume(clause, learnt=True)
        yield clause


def _param(
    state: Elaboration, param: ast.Param, name: str, reading: Reading, given: GradualType | None, agreed: bool
) -> Param:
    annotation = param.annotation
    assert annotation is not None
    written = given if given is not None else read_type(reading, annotation)

    def promise(path: str, axis: int | None) -> Promise:
        says = f"the value supplied for parameter `{param.name.name}` of `{state.function}`"
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
    """The variables that the declaration uses as sizes: `Tensor[(%n,), …]`, `where %h > 0`."""
    found: set[str] = set()
    waiting: list[ast.Expr | ast.Type] = list(literal.where)
    for annotation in written_types(literal):
        for part in parts(annotation) if annotation is not None else ():
            if isinstance(part, ast.TensorType):
                waiting += [size for size in part.shape or () if not isinstance(size, ast.Number)]
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


def written_types(literal: ast.Fn) -> tuple[ast.Type | None, ...]:
    """The type annotations of a declaration."""
    return (*(param.annotation for param in literal.params), literal.result)


def read_type(reading: Reading, annotation: ast.Type) -> GradualType:
    """Read a type; `NeverType` after reporting that it cannot be read."""
    try:
        return reading.type(annotation)
    except Unreadable:
        return NeverType()
