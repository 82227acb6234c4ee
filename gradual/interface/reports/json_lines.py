"""The JSON forms: one object per line, keys in a fixed order, nothing that differs between machines."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from gradual.diagnostic import Diagnostic, Help, Related
from gradual.origin import Origin
from gradual.source import Position, Source, Span, visible

if TYPE_CHECKING:
    from gradual.compilation import Compilation
    from gradual.core.check import Check
    from gradual.report.bindings import Binding
    from gradual.run.value import Blame, Fault

Object = dict[str, Any]


def line(form: Object) -> str:
    """One object as one line."""
    return written(form)


def written(form: object, indent: int | None = None) -> str:
    """The text of a JSON form; terminal control characters are escaped, all other characters stay as they are."""
    text = json.dumps(form, ensure_ascii=False, indent=indent)
    if text.isprintable():
        return text
    return "".join(one if one == "\n" or visible(one) == one else json.dumps(one)[1:-1] for one in text)


def span(source: Source, where: Span) -> Object:
    """A span with both its ends: 1-based lines and columns, 0-based offsets, all in code points, half-open.

    In an imported model it has the node that its text was made from, with the lines of the user's code.
    """
    start, end = source.position(where.start), source.position(where.end)
    found = {"file": source.name, "start": _position(start), "end": _position(end)}
    node = source.origin(where)
    return found if node is None else found | {"origin": origin(node)}


def origin(found: Origin) -> Object:
    """The node of a model, with the frames of the user's own code, the outermost first."""
    return {
        "node": found.node,
        "text": found.said,
        "value": found.value,
        "module": found.module,
        "frames": [
            {"file": one.file, "line": one.line, "function": one.function, "text": one.text} for one in found.frames
        ],
    }


def _position(at: Position) -> Object:
    return {"line": at.line, "column": at.column, "offset": at.offset}


def compiled(compilation: Compilation, annotate: bool) -> Iterator[Object]:
    """The types of a compilation's functions, its bindings if wanted, and its residual checks."""
    for name, type_ in compilation.types.items():
        yield {"kind": "function", "name": name, "type": type_}
    if annotate:
        for found in compilation.bindings:
            yield from bindings(compilation.source, found)
        if compilation.source.origins is not None:
            yield from map(folded, compilation.source.origins.folded.items())
    yield from (check(compilation.source, found) for found in compilation.checks)


def bindings(source: Source, found: Binding) -> Iterator[Object]:
    """The row of a variable; in an imported model, a row for each name that the model has for the value."""
    row, node = binding(source, found), source.origin(found.span)
    names = () if node is None or not node.value else (node.value, *node.also)
    yield from [row | {"value": name} for name in names] or [row]


def folded(one: tuple[str, tuple[str, tuple[int, ...]]]) -> Object:
    """The row of a model's value that was computed while importing: it has no name in the program."""
    value, (type, shape) = one
    row = {"kind": "binding", "function": "@main", "name": "", "type": type}
    return row | {"shape": [str(size) for size in shape], "value": value}


def binding(source: Source, found: Binding) -> Object:
    """A variable with its inferred type, and its elements if they are known."""
    known = {"contents": found.contents} if found.contents is not None else {}
    where = {"span": span(source, found.span)}
    shape = {} if found.shape is None else {"shape": list(found.shape)}
    row = {"kind": "binding", "function": found.function, "name": found.name, "type": found.type}
    return row | shape | known | where


def check(source: Source, found: Check) -> Object:
    """A residual check: what is required, by which rule, where, and who is blamed if it fails."""
    blame = found.blame
    return {
        "kind": "check",
        "id": found.id,
        "condition": found.shown,
        "goal": found.condition,
        "not_empty": found.not_empty,
        "rule": blame.rule,
        "span": span(source, found.span),
        "blames": [span(source, where) for where in blame.blames],
        "site": str(blame.site),
        "says": blame.says,
        "through": blame.through,
        "promises": [{"span": span(source, p.span), "says": p.says} for p in blame.promises],
        "blamed": blame.blamed,
        "polarity": str(blame.polarity),
        "because": blame.because,
    }


def diagnostic(source: Source, found: Diagnostic) -> Object:
    """A diagnostic with everything that its text form shows."""
    return {
        "kind": "diagnostic",
        "code": found.code,
        "severity": str(found.severity),
        "rule": found.rule,
        "message": found.message,
        "span": span(source, found.span),
        "label": found.label,
        "related": [_related(source, related) for related in found.related],
        "notes": list(found.notes),
        "help": [_help(source, help_) for help_ in found.help],
        "data": plain(found.data),
    }


def _related(source: Source, related: Related) -> Object:
    return {"span": span(source, related.span), "label": related.label}


def _help(source: Source, help_: Help) -> Object:
    edits = [{"span": span(source, edit.span), "text": edit.text} for edit in help_.edits]
    return {"text": help_.text, "edits": edits, "safe": help_.safe}


def plain(data: object) -> Any:
    """Data of a diagnostic as JSON: mappings and sequences are kept, any other object becomes its text."""
    if isinstance(data, Mapping):
        return {str(key): plain(value) for key, value in data.items()}
    if isinstance(data, list | tuple):
        return [plain(part) for part in data]
    return data if data is None or type(data) in (bool, int, float, str) else str(data)


def summary(counts: Mapping[str, int]) -> Object:
    """The summary, which is the last line."""
    return {"kind": "summary", **counts}


# ------------------------------------------------------------------------------------------------------- outcomes
def blame(source: Source, found: Blame) -> Object:
    """A run that ended in a failed check: the five fields of blame, the check, and the sizes at run time."""
    return {
        "outcome": "blame",
        "code": found.code,
        "check": found.check.id if found.check else None,
        "rule": found.diagnostic.rule,
        "message": found.diagnostic.message,
        "required": found.required,
        "came": found.came,
        "through": found.through,
        "promised_by": found.promised_by,
        "blamed": found.blamed,
        "span": span(source, found.diagnostic.span),
        "blames": [span(source, where) for where in found.blames],
        "sizes": dict(found.sizes),
    }


def fault(source: Source, found: Fault) -> Object:
    """A run that ended in a fault of the program."""
    where = span(source, found.diagnostic.span)
    rule = found.diagnostic.rule
    return {"outcome": "fault", "code": found.code, "rule": rule, "span": where, "message": found.message}


def rejected(source: Source, found: Iterable[Diagnostic]) -> Object:
    """A run that did not start, because the program has errors."""
    return {"outcome": "rejected", "diagnostics": [diagnostic(source, each) for each in found]}
