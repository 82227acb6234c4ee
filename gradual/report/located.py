"""The locations that spans are shown at: the text itself or, of an imported model, the user's Python line or a node."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Iterator
from dataclasses import field, replace
from pathlib import Path

from gradual.diagnostic import PRESUMED, Diagnostic, Help
from gradual.limits import LIMITS
from gradual.origin import Frame, Origin
from gradual.record import record
from gradual.source import Source, Span

_NOT_EMPTY = re.compile(r"requires `(?P<size>dim\(%[^(),]+, [0-9]+\)) >= 1`$")
"""Matches the end of the message that an open size of a model's input has to be at least 1."""

Locate = Callable[[Span], tuple[Source, Span]]
"""Span of a diagnostic -> its text, and its span in that text."""


def within(source: Source) -> Locate:
    """Locate spans in one source; for an imported model, in the user's Python lines or, without these, in its nodes."""
    return (lambda span: (source, span)) if source.origins is None else _Model(source).located


def generated(source: Source) -> Locate:
    """Locate spans in the text of the program itself, also if it was imported."""
    return lambda span: (source, span)


@record(frozen=False)
class _Model:
    """Locates spans of an imported model; `made` caches the texts that they are shown in."""

    source: Source
    made: dict[object, Source] = field(default_factory=dict)

    def located(self, span: Span) -> tuple[Source, Span]:
        """The line of the user's code that made the text at the span; else its node; else the generated text."""
        origin = self.source.origin(span)
        if origin is None:
            return self.source, span
        frame = origin.line
        shown = self.node(origin) if frame is None else self.line(frame)
        start = 0 if frame is None else frame.line - 1
        end = len(shown.text)
        first = start + len(shown.text[start:]) - len(shown.text[start:].lstrip())
        return shown, Span(min(first, end), end)

    def line(self, frame: Frame) -> Source:
        """A text with a single line, preceded by blank lines so that it has its number."""
        key = frame.file, frame.line
        if key not in self.made:
            self.made[key] = Source(frame.path, "\n" * (frame.line - 1) + (frame.text or _read(frame)))
        return self.made[key]

    def node(self, origin: Origin) -> Source:
        """A text with the node in the notation of the model's format."""
        if origin not in self.made:
            self.made[origin] = Source(f"{self.source.name}: {origin.node}", origin.said, is_numbered=False)
        return self.made[origin]


def place_of(source: Source, span: Span) -> str:
    """A place in words: `file:line:column`, or the node of a model whose program users do not see."""
    shown, at = within(source)(span)
    position = shown.position(at.start)
    return f"{shown.name}:{position.line}:{position.column}" if shown.is_numbered else shown.name


def of_model(source: Source, found: Diagnostic, errors: int = 1) -> Diagnostic:
    """Adapt a diagnostic to users of an imported model: add the node, and keep only helps that they can follow.

    `errors` is how many errors the program has.
    """
    if source.origins is None:
        return found
    helps = (followed(help, source, errors) for help in found.help)
    known = (*found.notes, *notes(source, found.span))
    return replace(found, notes=known, help=tuple(help for help in helps if help is not None))


def of_model_run(source: Source, found: Diagnostic) -> Diagnostic:
    """Adapt the diagnostic of a stopped run to users of a model.

    The node is added; if a size was refused because it is 0, so is the option that allows this.
    """
    if source.origins is None:
        return found
    helps = (Help(f"if it may be 0: add {_allowing(source, size)}") for size in _refused_as_empty(source, found))
    said = (*map(_once, found.notes), *notes(source, found.span))
    return replace(found, notes=said, help=(*found.help, *helps))


def _refused_as_empty(source: Source, found: Diagnostic) -> Iterator[str]:
    """The size of an input that is refused because it is 0, if that is what stops a run."""
    if found.label.endswith(PRESUMED):
        yield found.label.split("`")[3].partition(" ")[0]
    elif (match := _NOT_EMPTY.search(found.label)) is not None and source.origin(found.span) is not None:
        yield match["size"]  # a condition of the user's own has no origin


def _allowing(source: Source, size: str) -> str:
    """The option by which a size may be 0."""
    if source.demand.endswith('"'):
        return f'`empty=["{size}"]`'
    return f"`--empty {shlex.quote(size)}`"


def _once(note: str) -> str:
    """A note without repetitions in its list of promises: two sizes of one input are promised in the same words."""
    kind, colon, listed = note.partition(": ")
    return kind + colon + "; ".join(dict.fromkeys(listed.split("; "))) if kind == "promised by" else note


def followed(help: Help, source: Source, errors: int = 1) -> Help | None:
    """A help as users of a model can follow it: a `where` becomes an option; None for a help with any other edit."""
    if not help.edits:
        return help
    condition = help.edits[0].text.strip(" ,").removeprefix("where ")
    if len(help.edits) > 1 or condition == help.edits[0].text.strip():
        return None
    many = "both" if help.mends == errors == 2 else f"all {errors}" if help.mends == errors else f"{help.mends} of the"
    which = f", for {many} errors" if help.mends > 1 else ""
    return Help(f"if inputs always have `{condition}`{which}: {source.demand}{condition}{source.demand[-1]}`")


def notes(source: Source, span: Span) -> tuple[str, ...]:
    """Notes on the origin of a span in an imported model: the node, if a line is shown for it, and its module."""
    origin = source.origin(span)
    if origin is None:
        return ()
    module = f" in module `{origin.module}`" if origin.module else ""
    if origin.line is not None:
        lent = (f"no line is recorded for this node; that of `{origin.lent}`, which it uses, is shown",)
        return (f"the model's node is {origin.node}{module}: {origin.said}", *(lent if origin.lent else ()))
    return (f"the node is{module}",) if module else ()


def _read(frame: Frame) -> str:
    """The line of a frame, read from its Python file as it is now; empty if the file is missing or too large.

    Only Python files are read: a model must not be able to bring other files into a report.
    """
    try:
        path = Path(frame.file)
        if path.suffix != ".py" or not path.is_file() or path.stat().st_size > LIMITS.source:
            return ""
        lines = path.read_text(encoding="utf-8", errors="replace").split("\n")
    except (OSError, ValueError):
        return ""
    return lines[frame.line - 1] if frame.line <= len(lines) else ""
