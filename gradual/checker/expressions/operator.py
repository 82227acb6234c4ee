"""Applying an operator: attributes are read, the judgement is asked, its needs are discharged, its result opened."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from sys import intern
from typing import Any, TypeGuard

from gradual.checker.declarations.binders import Unreadable
from gradual.checker.declarations.dims import NotADim, Sizes, discharge_divisions
from gradual.checker.joins.unreachable import at_any_rank, of_any_rank
from gradual.checker.obligations.discharge import discharge, refuse
from gradual.checker.obligations.obligation import Owed
from gradual.checker.obligations.origins import birth
from gradual.checker.obligations.unknown_rank import Application, asked
from gradual.checker.program.rule_cache import Answer, Asked, question
from gradual.checker.program.suggestions import similar
from gradual.checker.state.context import TypingContext
from gradual.checker.state.values import BROKEN, Broken, Made
from gradual.core.refinement import of_result
from gradual.core.terms import Apply, Promise, Site
from gradual.diagnostic import Diagnostic, Related, counted
from gradual.dims.rewrite.readable import is_large
from gradual.dims.term.atom import Ite, Max, Min, bottom_up
from gradual.dims.term.constraint import Constraint, Or, equal
from gradual.dims.term.dim import Dim
from gradual.limits import LIMITS, Limits
from gradual.ops.declaration.attributes import bound, coerced, unread
from gradual.ops.declaration.operator import Contents, IllFormed, Need, Operator
from gradual.ops.declaration.unknown_rank import Asking
from gradual.ops.other.not_supported import reason
from gradual.ops.two_forms import PREFIX, forms
from gradual.source import Span
from gradual.syntax.tree import ast
from gradual.types.type import Content, OpenedType, TensorType, TupleType
from gradual.types.unpacking import shapes_unknown, size_of, sizes, tracked_length

_CODES = {
    "op.rank": "E0303",
    "op.dtype": "E0306",
    "op.axis": "E0305",
    "op.attribute": "E0312",
    "op.structure": "E0307",
}
_OF_RANKS = ("op.rank", "op.axis", "op.attribute")
"""What an operator refuses for the ranks of its operands, or may."""


def apply(
    state: TypingContext,
    operator: Operator,
    operands: Sequence[str],
    given: Mapping[str, Any],
    span: Span,
    spans: Sequence[Span],
    hint: str | None = None,
    written: Sequence[ast.Attribute] = (),
) -> str:
    """The core variable that holds `operator(operands)`.  [type.operator]"""
    name = state.values.fresh(hint)
    if any(isinstance(state.values.types[operand], Broken) for operand in operands):
        return state.values.define(name, BROKEN)
    if len(operands) != len(operator.arguments):
        _wrong_number(state, operator, len(operands), span)
        return state.values.define(name, BROKEN)
    _open_contents(state, operator, operands)
    answer = _answer(state, operator, operands, given, span, spans, written)
    if answer is None:
        return state.values.define(name, BROKEN)
    found, judgement = answer.asked, answer.asked.judgement
    for need in judgement.needs:
        goal = _goal(state, need, operands)
        if not discharge(state, goal, partial(_owed, state, operator, need, goal, operands, span, spans)):
            state.values.failed.add(name)
            break
    made, values = intern(f"`{operator.name}`"), tuple(operands)
    promise = found.promise or Promise(span, f"the elements that {made} met")
    type = state.enter(judgement.result, name, lambda path, axis: promise, values)
    for fact in found.together.relations(name) if found.together is not None else ():
        state.facts.assume(fact)
    type = settled(state, type, name, promise)
    if found.types is None:
        _unknown_sizes(state, type, promise)
    type = _settled_contents(state, _whole(operator, answer, type, state.program.limits))
    if answer.forgets:
        state.values.forgetful.add(name)
    truth = of_result(operator, type, lambda: [state.values.implied(operand) for operand in values])
    if truth is not None:
        state.values.implications[name] = truth
    state.output.steps.append(Apply(name, operator, values, answer.settings, type, span, found.accepts))
    return state.values.define(name, type, Made(made, values, span, operator.comparison))


def form(state: TypingContext, operator: Operator, count: int, attributes: Sequence[ast.Attribute]) -> Operator | None:
    """The form of an operator that takes so many arguments: its twin reads as values what it has as attributes.

    None after reporting an attribute beside the argument that stands for it.   [op.dyn.form]
    """
    if count <= len(operator.arguments) or operator.name.startswith(PREFIX):
        return operator
    both = forms().get(operator.name)
    if both is None or count != len(both.dynamic.arguments):
        return operator
    twice = next((attribute for attribute in attributes if attribute.key in both.promoted), None)
    if twice is None:
        return both.dynamic
    message = f"`{operator.name}` takes {twice.key} as an argument or as an attribute, not both"
    state.output.report("E0207", "op.dyn.form", message, twice.span)
    return None


def _answer(
    state: TypingContext,
    operator: Operator,
    operands: Sequence[str],
    given: Mapping[str, Any],
    span: Span,
    spans: Sequence[Span],
    written: Sequence[ast.Attribute],
) -> Answer | None:
    """What the operator's rule says; None after reporting that it says no.

    An answer that no fact took part in, nor the name of an operand, is the same wherever the same is asked.
    """
    types = [state.values.opened(operand) for operand in operands]
    asking = question(operator, types, given)
    known = state.program.answers.get(asking)
    if known is not None:
        return known
    try:
        attributes = bound(operator, given)
    except IllFormed as wrong:
        at = next((attribute.span for attribute in written if _is_wrong(operator, attribute.key, given)), span)
        state.output.report("E0207", "name.attribute", f"`{operator.name}`: {wrong.message}", at)
        return None
    application, reported = (
        Application(Asking(operator, operands, attributes), span, spans),
        len(state.output.diagnostics),
    )
    found = _asked(state, application)
    if found is None and state.reach.unreachable and len(state.output.diagnostics) == reported:
        found = _asked(state, at_any_rank(state, application))
        return None if found is None else Answer(of_any_rank(found), attributes, attributes)
    if found is None:
        return None
    changed = found.judgement.attributes
    answer = Answer(found, attributes, {**attributes, **changed} if changed else attributes)
    are_as_asked = all(state.values.types[operand] is type for operand, type in zip(operands, types, strict=True))
    are_read = state.program.limits.contents >= LIMITS.contents  # no rule names elements by their operand
    if found.types is not None and are_as_asked and are_read and not any(map(_has_unknown_rank, types)):
        state.program.answers.put(asking, answer)
    return answer


def _asked(state: TypingContext, application: Application) -> Asked | None:
    """What the operator's rule says; None after reporting that it says no, or that it would at every rank."""
    try:
        return asked(state, application)
    except IllFormed as wrong:
        spans, span = application.spans, application.span
        at = spans[wrong.operand] if wrong.operand is not None and wrong.operand < len(spans) else span
        error = Diagnostic(_CODES[wrong.rule], wrong.rule, f"{application.name}: {wrong.message}", at)
        if wrong.rule in _OF_RANKS:
            refuse(state, error)
        else:
            state.output.diagnostics.append(error)
        return None


def _has_unknown_rank(type: OpenedType) -> bool:
    return next(iter(shapes_unknown(type)), None) is not None


def settled(state: TypingContext, type: OpenedType, path: str, promise: Promise) -> OpenedType:
    """The type with each size simplified and known not to be negative.

    Path facts are left out: what a size is must not depend on them, or they would take part in refutations.
    """
    match type:
        case TensorType(shape, dtype, contents):
            if all(dim.value is not None for dim in shape):
                return type
            sizes = tuple(_settled_size(state, dim, path, axis, promise) for axis, dim in enumerate(shape))
            return type if sizes == shape else TensorType(sizes, dtype, contents)
        case TupleType(fields):
            return TupleType(tuple(settled(state, f, f"{path}#{i}", promise) for i, f in enumerate(fields)))
        case _:
            return type


def _settled_size(state: TypingContext, dim: Dim, path: str, axis: int, promise: Promise) -> Dim:
    """The size as a formula if it is small enough to be kept as one, else a new unknown."""
    if dim.value is not None or (dim in state.unknowns.sized and not _chooses(dim)):
        return dim
    simple = state.rewritten(dim)
    if is_large(simple, state.program.limits.nodes):
        simple = size_of(path, axis)
        state.unknowns.ghosts.update((variable, promise) for variable in simple.variables())
        state.strictness.forget(simple.variables())
    state.is_size(simple)
    state.strictness.owes(simple)
    return simple


def _settled_contents(state: TypingContext, type: OpenedType) -> OpenedType:
    """The type with each element simplified that makes a choice, since what is known may have made it.

    [type.contents]
    """
    if not isinstance(type, TensorType) or type.contents is None:
        return type
    contents = tuple(state.rewritten(part) if _chooses(part) else part for part in type.contents)
    return type if contents == type.contents else TensorType(type.shape, type.dtype, contents)


def _chooses(part: Content) -> TypeGuard[Dim]:
    return isinstance(part, Dim) and any(isinstance(node, Ite | Max | Min) for node in bottom_up(part))


def _unknown_sizes(state: TypingContext, type: OpenedType, promise: Promise) -> None:
    """The sizes that an operand of unknown rank turns out to have, by whom they were left open."""
    for size in sizes(type):
        for variable in size.variables():
            if variable.is_ghost:
                state.unknowns.ghosts.setdefault(variable, promise)


def _open_contents(state: TypingContext, operator: Operator, operands: Sequence[str]) -> None:
    """Name the elements of the integer operands that the operator's rules may read."""
    for index, operand in enumerate(operands):
        if index in operator.reads or operator.contents is not None:
            state.contents(operand, index in operator.reads)


def _whole(operator: Operator, answer: Answer, result: OpenedType, limits: Limits) -> OpenedType:
    """The result's type with its elements, where they are tracked."""
    if answer.whole is None or answer.whole[0] is not result:
        contents = _contents(operator, answer, result, limits)
        whole = result
        if contents is not None:
            assert isinstance(result, TensorType)
            whole = TensorType(result.shape, result.dtype, contents)
        answer.whole = result, whole
    return answer.whole[1]


def _contents(operator: Operator, answer: Answer, result: OpenedType, limits: Limits) -> Contents:
    types = answer.asked.types
    if types is None:
        return answer.asked.contents
    if operator.contents is None or tracked_length(result, limits.contents) is None:
        return None
    contents = operator.contents(*types, **answer.attributes)
    answer.forgets = contents is not None and any(is_large(c, limits.nodes) for c in contents)
    return None if answer.forgets else contents


def _is_wrong(operator: Operator, key: str, given: Mapping[str, Any]) -> bool:
    """Whether an attribute is unknown to an operator or has a value of another form."""
    spec = next((spec for spec in operator.attributes if spec.name == key), None)
    if spec is None or key not in given:
        return spec is None
    try:
        coerced(spec, given[key])
    except IllFormed:
        return True
    return False


def _wrong_number(state: TypingContext, operator: Operator, found: int, span: Span) -> None:
    wanted = len(operator.arguments)
    both = None if operator.name.startswith(PREFIX) else forms().get(operator.name)
    other = "" if both is None else f" (or {len(both.dynamic.arguments)}, with {' and '.join(both.promoted)} as values)"
    message = f"`{operator.name}` takes {counted(wanted, 'argument')}{other}, not {found}"
    notes = (f"its arguments: {', '.join(operator.arguments)}",) if wanted else ()
    state.output.report("E0304", "type.call.arity", message, span, notes=notes)


# ---------------------------------------------------------------------------------------------------------- needs
def _owed(
    state: TypingContext,
    operator: Operator,
    need: Need,
    goal: Constraint,
    operands: Sequence[str],
    span: Span,
    spans: Sequence[Span],
) -> Owed:
    """Everything that a report about an operator's need says."""
    places = [_place(state, place, operands, spans) for place in need.operands]
    at = places[0][0] if places else span
    label = places[0][1] if places else ""
    related = [Related(where, words) for where, words in places[1:] if where != at]
    for place in need.operands:
        related += _birth(state, place, operands, spans)
    through = (
        f"argument {(need.operands[0][0] or 0) + 1} of `{operator.name}`" if need.operands else f"`{operator.name}`"
    )
    unique = tuple(dict.fromkeys(r for r in related if r.span != at))
    sizes = [size for place in need.operands if (size := _size(state, place, operands)) is not None]
    sides = need.sides
    if sides is None and len(sizes) == 2 and len(need.operands) == 2 and sizes[0] != sizes[1]:
        sides = sizes[0], sizes[1]
    return Owed(
        goal, need.rule, Site.OPERATOR, need.says, at, label, through, unique, sides=sides, values=tuple(operands)
    )  # fmt: skip


def _goal(state: TypingContext, need: Need, operands: Sequence[str]) -> Constraint:
    """What a need demands; in strict mode a broadcasting need demands that the two sizes are equal."""
    goal = need.goal
    if not state.program.strict_broadcast or need.rule != "op.broadcast.agree" or not isinstance(goal, Or):
        return goal
    sizes = [size for place in need.operands if (size := _size(state, place, operands)) is not None]
    return equal(sizes[0], sizes[1]) if len(sizes) == 2 else goal


def _value(place: tuple[int | None, ...], operands: Sequence[str]) -> tuple[str, int | None]:
    """The path of the operand (or of its field) that a need speaks of, and the axis."""
    if len(place) == 3:
        return f"{operands[place[0] or 0]}#{place[1]}", place[2]
    return operands[place[0] or 0], place[1]


def _size(state: TypingContext, place: tuple[int | None, ...], operands: Sequence[str]) -> Dim | None:
    path, axis = _value(place, operands)
    base, *fields = path.split("#")
    type: Any = state.values.types[base]
    for field in fields:
        type = type.fields[int(field)]
    size: Dim | None = type.shape[axis] if axis is not None and isinstance(type, TensorType) else None
    return size


def _place(
    state: TypingContext, place: tuple[int | None, ...], operands: Sequence[str], spans: Sequence[Span]
) -> tuple[Span, str]:
    size, (_, axis) = _size(state, place, operands), _value(place, operands)
    words = f"dimension {axis} is {size}" if size is not None else ""
    return spans[place[0] or 0], words


def _birth(
    state: TypingContext, place: tuple[int | None, ...], operands: Sequence[str], spans: Sequence[Span]
) -> list[Related]:
    path, axis = _value(place, operands)
    if axis is None or (size := _size(state, place, operands)) is None:
        return []
    born = birth(state, path, axis)
    if born is None or born.span == spans[place[0] or 0]:
        return []
    return [Related(born.span, f"{size} comes from here" if born.written else f"{size} is made by {born.by} here")]


# ----------------------------------------------------------------------------------------------------- attributes
def read_attributes(
    state: TypingContext, operator: Operator, written: Sequence[ast.Attribute]
) -> dict[str, Any] | None:
    """Attribute values as numbers, strings, dims and tuples of them; None after reporting a wrong one.

    An attribute that only repeats an argument is not read.  [name.attribute]
    """
    repeated = unread(operator) if written else frozenset()
    given: dict[str, Any] = {}
    for attribute in written:
        if attribute.key == "attrs_type_key" or attribute.key in repeated:
            continue
        if attribute.key in given:
            state.output.report(
                "E0207", "name.attribute", f"attribute `{attribute.key}` is given twice", attribute.span
            )
            return None
        reading = Sizes(state)
        try:
            given[attribute.key] = _value_of(reading, attribute.value)
        except NotADim as found:
            found.report(state, f"attribute `{attribute.key}`: ", {"computed": attribute.key})
            return None
        except Unreadable:
            return None
        discharge_divisions(state, reading)
    return given


def _value_of(reading: Sizes, expr: ast.Expr) -> Any:
    match expr:
        case ast.Number(value=value):
            return value
        case ast.Text(value):
            return value
        case ast.Nothing():
            return None
        case ast.Listing(items) | ast.Tuple(items):
            return tuple(_value_of(reading, item) for item in items)
        case ast.Meta(kind, index):
            entry = reading.state.program.surface.metadata.get((kind, index))
            if isinstance(entry, ast.MetaTensor):
                return entry.elements if entry.shape else entry.elements[0]
            return entry if entry is not None else reading.dim(expr)
        case ast.Unary("-", ast.Number(value=value)):
            return -value
        case _:
            return reading.dim(expr)


def unknown_operator(state: TypingContext, name: str, span: Span) -> None:
    """Report a name that is no operator: why it is refused, or the closest ones.  [name.operator] [name.refused]"""
    if (why := reason(name)) is not None:
        message = f"`{name}` is an operator of Relay that is refused here"
        state.output.report("E0208", "name.refused", message, span, label="not an operator here", notes=(why,))
        return
    help = similar("an operator", name, state.program.operators)
    state.output.report(
        "E0201", "name.operator", f"unknown operator `{name}`", span, label="not an operator", help=help
    )
