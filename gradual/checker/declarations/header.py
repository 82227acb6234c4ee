"""Headers of a `def` or function literal: unpack its parameters, bind its dims, assume its preconditions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import islice

from gradual.checker.declarations.binders import Unreadable, bind_declared, bind_own
from gradual.checker.declarations.dims import discharge_divisions
from gradual.checker.declarations.entry import EntryChecks, data_parts
from gradual.checker.declarations.parameters import (
    declared_parameters,
    handed_down,
    handed_facts,
    read_type,
    with_parameters,
    written_types,
)
from gradual.checker.declarations.preconditions import Clause, Declared, assumed, read_clauses
from gradual.checker.declarations.types import CAUSAL, Reading
from gradual.checker.state.context import Elaboration
from gradual.core.check import Check
from gradual.core.terms import Param
from gradual.dims.term.dim import Dim, Variable
from gradual.record import record
from gradual.source import Span
from gradual.syntax.tree import ast
from gradual.types.binder_solving import extents, measured, measuring, named_parts
from gradual.types.type import FunctionType, GradualType, NeverType, OpenedType, TupleType, TypeVariable
from gradual.types.unpacking import base_of, closed, sizes


@record(eq=False)
class Header:
    """A function's declaration, translated in its own scope.

    Attributes:
        interface: its type, with an empty tuple as the result if that is omitted.
        type: the interface if the result is written, else None.
        binders: rigid dim -> its value as a dim over the sizes and elements of the parameters.
        entry: the checks for a caller from outside.
        whole: whether the header has no error; only then is there a function.
        before: the number of values before the body; later ones are the body's own.
    """

    params: tuple[Param, ...]
    interface: FunctionType
    type: FunctionType | None
    binders: tuple[tuple[Variable, Dim], ...]
    entry: Sequence[Check]
    whole: bool
    before: int


def read_header(state: Elaboration, literal: ast.Fn, name: str, expected: FunctionType | None = None) -> Header | None:
    """Read a declaration and put its parameters in scope.

    None after reporting clauses that no size satisfies, or a name that is declared both as a dim and as a type.
    A parameter without a type gets that of the expected function type, or an inferred one. Parts with errors are
    reported and left out, so that errors in the rest are found; `reach.after_error` is set then.
    [name.dimension] [type.open] [type.where]
    """
    try:
        return _read(state, literal, name, expected)
    except Unreadable:
        return None


def _read(state: Elaboration, literal: ast.Fn, name: str, expected: FunctionType | None) -> Header:
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

    annotations = [annotation for annotation in written_types(literal) if annotation is not None]
    whole = bind_declared(state, literal.binders, annotations, literal.where, bound, order)
    bind_own(state, [param.annotation for param in literal.params if param.annotation is not None], bound)
    reading = Reading(state, bound, declares=True)
    params = declared_parameters(state, literal, reading, handed)
    written = tuple(param.written for param in params)
    rigid = tuple(variable for dim, _ in binders.values() for variable in dim.variables())
    for dim, _ in binders.values():
        state.is_size(dim)
    for held in {id(param.type): param.type for param in params}.values():
        for size in sizes(held):
            state.is_size(size)
    spelled = [param.name.name for param in literal.params]
    whole = whole and len(set(spelled)) == len(spelled) and not any(isinstance(one, NeverType) for one in written)
    state.reach.after_error = state.reach.after_error or not whole
    preconditions = read_clauses(state, literal)
    given = tuple(handed_facts(state, params, handed))
    own = [NeverType() if name in handed.params else type for name, type in zip(spelled, written, strict=True)]
    clauses = assumed(state, literal, Declared(own, frozenset(rigid), given), preconditions)
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
    result = None if declared is None else read_type(reading, declared)
    discharge_divisions(state, reading)
    if clauses is None:
        raise Unreadable
    whole = whole and len(preconditions) == len(literal.where)
    whole = whole and solved is not None and not isinstance(result, NeverType)
    state.reach.after_error = state.reach.after_error or not whole
    type = replace(interface, result=result) if result is not None else None
    measures = solved or ()
    demands = (*(Clause(goal, literal.span) for goal in given), *clauses)
    entry = EntryChecks(params, measures, demands, literal, name)
    return Header(params, interface, type, measures, entry, whole, len(state.values.types))


Measures = tuple[tuple[Variable, Dim], ...]
"""Rigid dim -> its value as a dim over the sizes and elements of the parameters."""


def _solved(
    state: Elaboration, interface: FunctionType, params: tuple[Param, ...], spans: Mapping[Variable, Span]
) -> Measures | None:
    """The rigid dims as dims over sizes and elements of the parameters; None after reporting one without a value."""
    named = {base_of(part) for part in named_parts(interface)}
    arguments = [
        measuring(param.written, param.name) if param.name in named or mentions_names(param.written) else NeverType()
        for param in params
    ]
    choice = measured(interface, arguments)
    if choice.unsolved:
        in_data = {v for part in data_parts(interface.params) for extent in extents(part) for v in extent.variables()}
        _not_causal(state, [(variable.name, spans[variable], variable in in_data) for variable in choice.unsolved])
        return None
    return tuple((variable, choice.mapping[variable]) for variable in interface.binders)


# -------------------------------------------------------------------------------------------------- preconditions


def _not_causal(state: Elaboration, unsolved: list[tuple[str, Span, bool]]) -> None:
    for spelling, span, in_data in unsolved:
        message = f"dimension `{spelling}` cannot be inferred from any parameter"
        notes = (CAUSAL,)
        if in_data:
            notes = ("sizes are not inferred from inside a data structure, which may have no elements",)
        state.output.report("E0206", "name.dimension", message, span, notes=notes)


# ---------------------------------------------------------------------------------------------- packing of results
def closed_result(state: Elaboration, header: Header, type: OpenedType) -> GradualType:
    """The inferred result type for the interface: sizes known only inside the body become `?`.  [type.close]"""
    own = {param.name for param in header.params}
    outside = set(islice(state.values.types, header.before)) if mentions_values(type) else set()

    def visible(variable: Variable) -> bool:
        base = base_of(variable)
        if base in own:
            return not variable.is_existential
        return base is None or (base in outside and base in state.values.live)

    return closed(type, visible)


def mentions_names(type: GradualType) -> bool:
    """Whether a size in a type contains a variable; a type of which all sizes are numbers determines no named size."""
    return any(extent.variables() for extent in extents(type))


def mentions_values(type: GradualType) -> bool:
    """Whether a size in a type is, or depends on, a size or an element of a value, such as `dim(%x, 0)`."""
    return any(base_of(variable) is not None for extent in extents(type) for variable in extent.variables())
