"""Lints: warnings about accepted programs that are unlikely to do what was meant.

Lints do not affect checking: types, obligations and acceptance are the same with and without them.  They are computed
from the syntax tree and the typed core.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import starmap

from gradual.core.terms import Module
from gradual.diagnostic import Diagnostic, Edit, Help, Related, Severity
from gradual.lints.branches import Decided, decided
from gradual.lints.names import UNUSED, Uses
from gradual.lints.stretched import Stretched, stretched
from gradual.source import Span
from gradual.syntax.tree import ast
from gradual.syntax.tree.scopes import Kind, Symbol
from gradual.syntax.tree.subexpressions import within
from gradual.types.print import shown_shape

STRETCHED = "E0801"
UNUSED_VALUE = "E0802"
UNUSED_DEFINITION = "E0803"
HIDING = "E0804"
NEVER_TAKEN = "E0805"

HELPED = 8
"""How many applications get helps; each help requires another check of the file."""

_UNUSED_NAMES = re.compile(rf"{UNUSED}\w*")

Works = Callable[[Edit], bool]
"""Whether a program is accepted with an edit."""


def lints_of_names(surface: ast.Module, text: str) -> Iterator[Diagnostic]:
    """The lints that need only the syntax tree."""
    uses = Uses(surface, text)
    return lints_of_uses(uses.unused_values(), uses.unused_definitions(), uses.hiding(), text)


def lints_of_uses(
    values: Iterable[Symbol], definitions: Iterable[Symbol], hiding: Iterable[tuple[Symbol, Symbol]], text: str
) -> Iterator[Diagnostic]:
    """The lints of unused values, unused definitions, and names that shadow others."""
    taken = frozenset(_UNUSED_NAMES.findall(text))
    yield from (_unused_value(symbol, taken) for symbol in values)
    yield from map(_unused_definition, definitions)
    yield from starmap(_hiding, hiding)


def lints_of_types(
    surface: ast.Module, text: str, core: Module, taken: Mapping[Span, bool], works: Works
) -> Iterator[Diagnostic]:
    """The lints that need types, each once even if a function literal is inlined several times; `works` tests helps.

    `taken` maps the span of an `if` that elaboration replaced by one of its branches to the value of its condition.
    """
    ifs = {span: Decided(span, holds) for span, holds in taken.items()} | {one.span: one for one in decided(core)}
    applications = {one.step.span: one for one in stretched(core)}
    if ifs or applications:
        written = _written(surface)
        yield from (_never_taken(one, written[span]) for span, one in ifs.items() if span in written)
        for number, (span, one) in enumerate(applications.items()):
            yield _stretched(one, written.get(span), text, works if number < HELPED else _nothing)


def _nothing(edit: Edit) -> bool:
    """Reject every edit."""
    return False


def _written(surface: ast.Module) -> Mapping[Span, ast.Expr]:
    """Span -> call, infix application or `if` of a program."""
    bodies = [one.function.body for one in surface.definitions if isinstance(one, ast.Def)]
    bodies += [one.body for one in surface.definitions if isinstance(one, ast.OperatorDef) and one.body is not None]
    parts = (part for body in bodies for part in within(body))
    return {part.span: part for part in parts if isinstance(part, ast.Call | ast.Infix | ast.If)}


# ---------------------------------------------------------------------------------------------------------- names
def _unused_value(symbol: Symbol, taken: frozenset[str]) -> Diagnostic:
    is_parameter = symbol.kind is Kind.PARAMETER
    what = f"the parameter `{symbol.name}`" if is_parameter else f"`{symbol.name}`"
    name = UNUSED + symbol.name[1:]
    is_new = symbol.name[1:].isidentifier() and name not in taken  # renaming to an unused name is safe
    edits = (Edit(_span(symbol), name),) if is_new else ()
    return _warning(
        UNUSED_VALUE,
        f"{what} is never used",
        _span(symbol),
        help=(Help(f"if it is meant to be unused, write `{name}`", edits),),
    )


def _unused_definition(symbol: Symbol) -> Diagnostic:
    return _warning(UNUSED_DEFINITION, f"`{symbol.name}` is never used: `@main` does not reach it", _span(symbol))


def _hiding(symbol: Symbol, hidden: Symbol) -> Diagnostic:
    related = (Related(_span(hidden), "this one is shadowed"),)
    return _warning(HIDING, f"this `{symbol.name}` shadows a {hidden.kind} of the same name", _span(symbol), related)


def _span(symbol: Symbol) -> Span:
    assert symbol.span is not None, symbol.name
    return symbol.span


# ---------------------------------------------------------------------------------------------------------- types
def _never_taken(one: Decided, written: ast.Expr) -> Diagnostic:
    assert isinstance(written, ast.If), written
    branch = written.orelse if one.holds else written.then
    always = "true" if one.holds else "false"
    return _warning(
        NEVER_TAKEN,
        f"this branch is never taken: the condition is always {always}",
        branch.span,
        label="never taken",
        related=(Related(written.condition.span, f"always {always}"),),
    )


def _stretched(one: Stretched, written: ast.Expr | None, text: str, works: Works) -> Diagnostic:
    high, low = one.shapes
    shapes = [shown_shape(shape) for shape in (one.shapes if one.operands[0] < one.operands[1] else (low, high))]
    parts = _operands(written)
    related: tuple[Related, ...] = ()
    if parts:
        first, second = (parts[place] for place in one.operands)
        related = (
            Related(first.span, f"{shown_shape(high)}: dimension {one.axis} is stretched"),
            Related(second.span, f"{shown_shape(low)}: stretched along dimension {one.lead} of the result"),
        )
    says = f"stretches both operands: {' and '.join(shapes)} give {shown_shape(one.result)}"
    return _warning(
        STRETCHED,
        f"`{one.step.operator.name}` {says}",
        one.step.span,
        related=tuple(sorted(related, key=lambda one: one.span.start)),
        notes=("each element of one operand meets each element of the other, as in an outer product",),
        help=tuple(help for help in _helps(one, parts, text) if all(map(works, help.edits))),
    )


def _operands(written: ast.Expr | None) -> Sequence[ast.Expr]:
    match written:
        case ast.Infix(_, left, right):
            return left, right
        case ast.Call(arguments=arguments):
            return arguments
        case _:
            return ()


def _helps(one: Stretched, parts: Sequence[ast.Expr], text: str) -> Iterator[Help]:
    """The edits to try: combine the operands elementwise, or as an explicit outer product."""
    if not parts:
        return
    first, second = (parts[place].span for place in one.operands)
    squeezed = f"squeeze({text[first.start : first.end]}, axis=[{one.axis}])"
    more = len(one.shapes[0]) - len(one.shapes[1])
    axes = "" if more == 1 else f", num_newaxis={more}"
    expanded = f"expand_dims({text[second.start : second.end]}, axis=0{axes})"
    yield Help(f"for one element with one element, write `{squeezed}`", (Edit(first, squeezed),))
    yield Help(f"for each element with each, say so: `{expanded}`", (Edit(second, expanded),))


def _warning(
    code: str,
    message: str,
    span: Span,
    related: tuple[Related, ...] = (),
    *,
    label: str = "",
    notes: tuple[str, ...] = (),
    help: tuple[Help, ...] = (),
) -> Diagnostic:
    return Diagnostic(code, "", message, span, Severity.WARNING, label, related, notes, help)
