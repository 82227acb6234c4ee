"""Fixes for attributes with a computed value; each is verified before it is offered.

Attributes are static: `size=[take(%s, 0), 4]` is rejected.  But a variable that holds an integer is a size, so the
call can be bound with `let`; and an operator with a `dyn.` variant takes the attribute as an argument.
[name.attribute]
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import count

from gradual.checker.declarations.dims import READ
from gradual.checker.fixes.suggested import Findings, Trials, findings, mends
from gradual.diagnostic import Diagnostic, Edit, Help
from gradual.ops.declaration.dynamic_variant import twin_of
from gradual.ops.declaration.operator import Operator
from gradual.record import record
from gradual.source import Span
from gradual.syntax.tree import ast
from gradual.syntax.tree.subexpressions import items_within, within

COMPUTED = "computed"
"""The key of the attribute's name in a diagnostic's data."""
LENGTH = "length"
"""The key of the number of elements of a vector attribute in a diagnostic's data."""
NOTE = (
    "an attribute takes numbers, names of sizes, variables that hold one integer, and their arithmetic; "
    "bind what is computed with `let`"
)


def computed(
    found: Sequence[Diagnostic], module: ast.Module, operators: Mapping[str, Operator], trials: Trials
) -> list[Diagnostic]:
    """Add to each diagnostic about a computed attribute a fix that works, or else a note."""
    if not any(COMPUTED in one.data for one in found):
        return list(found)
    before = findings(found)
    return [_helped(one, module, operators, before, trials) if COMPUTED in one.data else one for one in found]


def _helped(
    error: Diagnostic, module: ast.Module, operators: Mapping[str, Operator], before: Findings, trials: Trials
) -> Diagnostic:
    for help in _ways(error, module, operators, trials.text):
        outcome = trials.outcome(help.edits[0])
        if outcome is not None and mends(outcome.errors, before):
            return replace(error, help=(help,))
    return replace(error, notes=(*error.notes, NOTE))


@record
class _Place:
    """A call, its computed attribute, and the span of the block item that contains them."""

    call: ast.Call
    attribute: ast.Attribute
    item: Span


def _ways(error: Diagnostic, module: ast.Module, operators: Mapping[str, Operator], text: str) -> Iterator[Help]:
    place = _place(error.span, module)
    if place is None:
        return
    if (bound := _bound(place, text)) is not None:
        yield bound
    if (dynamic := _dynamic(place, operators, text)) is not None:
        yield dynamic
    length = error.data.get(LENGTH, 0)
    if isinstance(place.attribute.value, ast.Local) and isinstance(length, int) and length > 0:
        yield _elements(place.attribute.value, length)


def _place(span: Span, module: ast.Module) -> _Place | None:
    """The innermost call whose attribute contains the span, with the innermost block item around it."""
    found = None
    for definition in module.definitions:
        if not isinstance(definition, ast.Def | ast.OperatorDef) or not _holds(definition.span, span):
            continue
        function = definition.function if isinstance(definition, ast.Def) else definition.body
        body = function.body if isinstance(function, ast.Fn) else function
        for item, expr in items_within(body) if body is not None else ():
            for part in within(expr):
                for attribute in part.attributes if isinstance(part, ast.Call) else ():
                    if isinstance(part, ast.Call) and _holds(attribute.span, span):
                        found = _Place(part, attribute, item)
    return found


def _holds(outer: Span, inner: Span) -> bool:
    return outer.start <= inner.start and inner.end <= outer.end


def _elements(vector: ast.Local, length: int) -> Help:
    """Replace a vector by the list of its elements."""
    written = f"[{', '.join(f'{vector.name}[{index}]' for index in range(length))}]"
    return Help(f"the elements of a vector are sizes: write `{written}`", (Edit(vector.span, written),))


# ------------------------------------------------------------------------------------------------------------- let
def _bound(place: _Place, text: str) -> Help | None:
    """Bind each computed part of the attribute to a variable before the item."""
    calls = _calls(place.attribute.value)
    if not calls:
        return None
    free = (name for number in count() if (name := f"%size{number or ''}") not in text)
    names = [next(free) for _ in calls]
    lets = " ".join(f"let {name} = {_text(text, call)};" for name, call in zip(names, calls, strict=True))
    at, rest = place.item.start, ""
    for name, call in zip(names, calls, strict=True):
        rest += text[at : call.span.start] + name
        at = call.span.end
    edit = Edit(Span(place.item.start, at), f"{lets} {rest}")
    return Help(f"a variable that holds an integer is a size: write `{lets}` before it", (edit,))


def _calls(value: ast.Expr) -> list[ast.Call]:
    """The outermost calls in a value, left to right, except those that denote sizes, such as `dim(%x, 0)`."""
    found: list[ast.Call] = []
    for part in within(value):
        inside = any(_holds(call.span, part.span) for call in found)
        is_read = isinstance(part, ast.Call) and isinstance(part.function, ast.Name) and part.function.name in READ
        if isinstance(part, ast.Call) and not inside and not is_read:
            found.append(part)
    return found


def _text(text: str, expr: ast.Expr) -> str:
    return text[expr.span.start : expr.span.end]


# --------------------------------------------------------------------------------------------------- dynamic form
def _dynamic(place: _Place, operators: Mapping[str, Operator], text: str) -> Help | None:
    """Call the operator's dynamic variant (`dyn.`), which takes the attributes as arguments."""
    call = place.call
    name = call.function.name if isinstance(call.function, ast.Name) else ""
    operator = operators.get(f"dyn.{name}")
    twin = twin_of(operator) if operator is not None else None
    if operator is None or twin is None:
        return None
    values = {attribute.key: attribute.value for attribute in call.attributes}
    moved = [spec.name for spec in twin.promoted]
    if place.attribute.key not in moved or not values.keys() >= set(moved) or len(call.arguments) != len(twin.kept):
        return None
    arguments = dict(zip(twin.kept, (_text(text, one) for one in call.arguments), strict=True))
    arguments |= {at: _vector(text, values[key]) for at, key in zip(twin.places, moved, strict=True)}
    kept = [text[one.span.start : one.span.end] for one in call.attributes if one.key not in moved]
    written = f"{operator.name}({', '.join([*(arguments[at] for at in sorted(arguments)), *kept])})"
    return Help(f"the dynamic form takes it as a value: write `{written}`", (Edit(call.span, written),))


def _vector(text: str, value: ast.Expr) -> str:
    """The text of a list as a run-time vector: a list of numbers is one already, any other is stacked."""
    if not isinstance(value, ast.Listing) or all(isinstance(item, ast.Number) for item in value.items):
        return _text(text, value)
    items = ", ".join(_text(text, item) for item in value.items)
    return f"stack(({items}{',' * (len(value.items) == 1)}))"
