"""What the checker finds in a text, by functions: the findings of an unchanged function are kept, and move with it."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from functools import cached_property
from typing import Protocol, TypeVar

from gradual.compilation import Compilation
from gradual.core.check import Check
from gradual.diagnostic import Diagnostic, Edit, Related
from gradual.interface.input.allowed import allowed
from gradual.interface.input.levels import Levels
from gradual.record import record
from gradual.report.bindings import Binding, Named
from gradual.report.residual import residual
from gradual.source import NOWHERE, Source, Span
from gradual.tools.lsp.pieces import Place


class Placed(Protocol):
    """Anything with a span in a text."""

    @property
    def span(self) -> Span:
        """The span of the object in the text."""
        ...


P = TypeVar("P", bound=Placed)


@record(eq=False, slots=False)
class Group:
    """Names of a function, in the order of their spans, which may be relative to any offset."""

    names: Sequence[Named]

    @cached_property
    def first(self) -> Mapping[int, Named]:
        """Start of a name -> the first of several that begin there."""
        return {one.span.start: one for one in reversed(self.names)}

    def within(self, start: int, end: int) -> Sequence[Named]:
        """The names that begin between two offsets."""
        first, last = (bisect_left(self.names, at, key=lambda one: one.span.start) for at in (start, end))
        return self.names[first:last]


@record
class Located:
    """A group of names, with where their function begins, and by how much their spans have to be moved."""

    start: int
    by: int
    group: Group


@record
class Bindings:
    """The bindings of a text, in the order of the functions that they are in."""

    groups: tuple[Located, ...] = ()

    def __iter__(self) -> Iterator[Binding]:
        for one in self.groups:
            yield from (_shown(name, one.by) for name in one.group.names)

    def within(self, span: Span) -> Iterator[Binding]:
        """The bindings that begin in a span."""
        for one in self._around(span):
            some = one.group.within(span.start - one.by, span.end - one.by)
            yield from (_shown(name, one.by) for name in some)

    def at(self, offset: int) -> Binding | None:
        """The binding of the name that begins at an offset."""
        for one in self._around(Span(offset, offset + 1)):
            if (name := one.group.first.get(offset - one.by)) is not None:
                return _shown(name, one.by)
        return None

    def moved(self, by: int) -> Bindings:
        """The bindings shifted by `by` code points."""
        return Bindings(tuple(Located(one.start + by, one.by + by, one.group) for one in self.groups))

    def _around(self, span: Span) -> Sequence[Located]:
        """The groups that may have bindings in a span: a function ends before the next one begins."""
        first = max(bisect_right(self.groups, span.start, key=_begins) - 1, 0)
        return self.groups[first : bisect_left(self.groups, span.end, key=_begins)]


def _begins(one: Located) -> int:
    return one.start


def _shown(name: Named, by: int) -> Binding:
    return replace(name, span=_span(name.span, by)).shown()


@record
class Findings:
    """The findings of the checker in a text, or in one function, whose start the spans then count from.

    Attributes:
        diagnostics: errors and warnings.
        checks: residual checks, as notes.
        types: the types of functions.
    """

    diagnostics: tuple[Diagnostic, ...] = ()
    checks: tuple[Diagnostic, ...] = ()
    bindings: Bindings = Bindings()
    types: Mapping[str, str] = field(default_factory=dict)

    def moved(self, by: int) -> Findings:
        """The findings shifted by `by` code points."""
        diagnostics, checks = (
            tuple(moved_diagnostic(one, by) for one in some) for some in (self.diagnostics, self.checks)
        )
        return Findings(diagnostics, checks, self.bindings.moved(by), self.types)


def at_levels(found: Findings, source: Source, levels: Levels) -> Findings:
    """The findings with their severities set by the text's comments and the configuration."""
    comments = allowed(source)
    said, checks = (
        tuple(levels.graded(comments.kept(source, some)))
        for some in ((*found.diagnostics, *comments.unknown), found.checks)
    )
    return replace(found, diagnostics=said, checks=checks)


def found_by(compilation: Compilation) -> Findings:
    """The findings in a text that was compiled, without the lints of names."""
    checks = tuple(map(_left, compilation.checks))
    lints = compilation.lints(names=False, beside_errors=True)  # other functions' errors may be fixed later
    bindings = Bindings((Located(0, 0, Group(compilation.named())),))
    return Findings((*compilation.diagnostics, *lints), checks, bindings, compilation.types)


def _left(check: Check) -> Diagnostic:
    """A residual check as a diagnostic, without its number, which depends on the other functions."""
    return replace(residual(check), message=f"left to a check at run time: {check.shown}")


def stays(found: Findings, length: int) -> bool:
    """Whether all spans of the diagnostics of a function are inside it, so that they move with it."""
    some = found.diagnostics + found.checks
    spans = [related.span for one in some for related in one.related]
    spans += [edit.span for one in some for help in one.help for edit in help.edits]
    return all(span == NOWHERE or 0 <= span.start <= length for span in spans)


def parted(found: Findings, functions: Mapping[str, Place]) -> Mapping[str, Findings]:
    """Function -> the findings inside it, counted from its start."""
    diagnostics, checks = _by_function(found.diagnostics, functions), _by_function(found.checks, functions)
    names = _by_function((name for one in found.bindings.groups for name in one.group.names), functions)
    parts = {}
    for name, place in functions.items():
        parts[name] = Findings(
            tuple(moved_diagnostic(one, -place.start) for one in diagnostics[name]),
            tuple(moved_diagnostic(one, -place.start) for one in checks[name]),
            Bindings((Located(0, -place.start, Group(names[name])),)),
            {name: found.types[name]} if name in found.types else {},
        )
    return parts


def _by_function(found: Iterable[P], functions: Mapping[str, Place]) -> Mapping[str, list[P]]:
    """Function -> the items inside it, in their original order."""
    placed = sorted((place.start, place.end, name) for name, place in functions.items())
    starts = [start for start, _, _ in placed]
    parts: dict[str, list[P]] = {name: [] for name in functions}
    for one in found:
        at = bisect_right(starts, one.span.start) - 1
        if at >= 0 and one.span.start < placed[at][1]:
            parts[placed[at][2]].append(one)
    return parts


def joined(parts: Iterable[Findings]) -> Findings:
    """The findings of a text from those of its functions, in order."""
    diagnostics: list[Diagnostic] = []
    checks: list[Diagnostic] = []
    groups: list[Located] = []
    types: dict[str, str] = {}
    for part in parts:
        diagnostics += part.diagnostics
        checks += part.checks
        groups += part.bindings.groups
        types |= part.types
    return Findings(tuple(diagnostics), tuple(checks), Bindings(tuple(groups)), types)


def moved_diagnostic(one: Diagnostic, by: int) -> Diagnostic:
    """A diagnostic shifted by `by` code points."""
    related = tuple(Related(_span(other.span, by), other.label) for other in one.related)
    helps = tuple(replace(h, edits=tuple(Edit(_span(e.span, by), e.text) for e in h.edits)) for h in one.help)
    return replace(one, span=_span(one.span, by), related=related, help=helps, source=None)


def _span(one: Span, by: int) -> Span:
    return one if one == NOWHERE else Span(one.start + by, one.end + by)
