"""Incremental checking of a text in an editor: only the functions that changed are checked again.

Other functions depend on a function only by its types, if these are all written, and by its residual checks, which a
call may always fail.  The findings of an unchanged function are kept, and moved to its new position.  While others are
checked, its body is replaced by a call of itself, which has the written type and no obligations; functions with
residual checks, and their callers, keep their bodies.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Set
from dataclasses import replace
from functools import cached_property

from gradual.checker.definition_order import in_circles
from gradual.codes import LINTS
from gradual.compilation import Compilation, Options
from gradual.compiler import compile_parsed, compile_source
from gradual.diagnostic import Severity
from gradual.gc_paused import collector_paused
from gradual.lints.lint import lints_of_names
from gradual.record import record
from gradual.source import Source
from gradual.syntax.tree import ast
from gradual.tools.lsp.document import Document
from gradual.tools.lsp.findings import Findings, found_by, joined, parted, stays
from gradual.tools.lsp.pieces import Place, Reading, is_open
from gradual.tools.lsp.usage import UsedNames


@record(slots=False)
class _Part:
    """A definition as it was last checked.

    Attributes:
        text: empty if it has to be checked again.
        findings: counted from its start.
        leaves: what its callers have to know of its body.
    """

    text: str
    type: str
    findings: Findings
    leaves: tuple[str, ...]


@record(eq=False, slots=False)
class Definitions:
    """The definitions of a text by their names, each of which is defined once."""

    places: Mapping[str, Place]

    @cached_property
    def functions(self) -> Set[str]:
        """The names of functions."""
        return {name for name, place in self.places.items() if isinstance(place.piece.tree, ast.Def)}

    @cached_property
    def others(self) -> Set[str]:
        """The names of what is no function, on which all functions may depend."""
        return self.places.keys() - self.functions

    @cached_property
    def _users(self) -> Mapping[str, Set[str]]:
        """Function -> the functions that mention it."""
        users: defaultdict[str, set[str]] = defaultdict(set)
        for name in self.functions:
            for mentioned in self.places[name].piece.mentions:
                users[mentioned].add(name)
        return users

    def users(self, names: Iterable[str]) -> set[str]:
        """The functions that mention some of the names."""
        return {user for name in names for user in self._users.get(name, ())}

    def reaching(self, names: Iterable[str]) -> set[str]:
        """The functions that mention some of the names, directly or transitively."""
        found, new = set[str](), self.users(names)
        while new:
            found |= new
            new = self.users(new) - found
        return found

    @cached_property
    def circles(self) -> set[str]:
        """The functions that may call each other in a circle."""
        return in_circles({name: sorted(self.mentioned(name)) for name in self.functions})

    def text(self, name: str) -> str:
        """The text of a definition."""
        return self.places[name].piece.text

    def function(self, name: str) -> ast.Def:
        """The tree of a function, with the spans that it was parsed with."""
        tree = self.places[name].piece.tree
        assert isinstance(tree, ast.Def), name
        return tree

    def mentioned(self, name: str) -> Set[str]:
        """The functions of the text that a function mentions."""
        return self.places[name].piece.mentions & self.functions


class Checker:
    """Checks one text after another."""

    def __init__(self, options: Options | None = None) -> None:
        self._options = options or Options()
        self._parts: dict[str, _Part] = {}
        self._circles: set[str] = set()
        self._around: tuple[object, ...] = ()
        self._names = UsedNames()
        self.checked: tuple[str, ...] = ()
        """The functions that the last call of `check` checked."""

    def check(self, document: Document) -> Findings:
        """The findings of a text; lints only if it has no errors."""
        with collector_paused():
            known = _definitions(document.reading)
            found = self._check(document, known)
            if any(one.severity is Severity.ERROR for one in found.diagnostics):
                kept = [one for one in found.diagnostics if one.code not in LINTS]
            elif known is None:
                kept = [*found.diagnostics, *lints_of_names(document.module, document.text)]
            else:
                kept = [*found.diagnostics, *self._names.lints(document.text, document.reading.places)]
        return replace(found, diagnostics=tuple(kept))

    def _check(self, document: Document, known: Definitions | None) -> Findings:
        around = _around(document.reading)
        if known is None or around != self._around or not self._parts:
            self._around = around
            return self._whole(document, known)
        changed = self._changed(known)
        if changed and not self._checked(document, known, changed):
            return self._whole(document, known)
        self.checked = tuple(sorted(changed))
        self._circles = known.circles
        self._parts = {name: self._parts[name] for name in known.places}
        return joined(self._parts[name].findings.moved(place.start) for name, place in known.places.items())

    def _changed(self, known: Definitions) -> set[str]:
        """The functions that have to be checked again, as far as is known before any is."""
        parts, functions = self._parts, known.functions
        changed = {name for name in functions if name not in parts or parts[name].text != known.text(name)}
        gone = parts.keys() - known.places.keys()
        changed |= known.users(gone | (functions - parts.keys()))
        changed |= known.reaching(name for name in gone if parts[name].leaves)
        circles = (known.circles | self._circles) & functions
        return changed | circles | known.users(circles) if changed & circles else changed

    def _checked(self, document: Document, known: Definitions, changed: set[str]) -> bool:
        """Check functions, and those that depend on what is found; False if something is found outside definitions."""
        parts = self._parts
        while True:
            compilation = self._compiled(document, known, changed)
            before = changed & parts.keys()
            retyped = {name for name in before if compilation.types.get(name) != parts[name].type}
            left = {name: _left_by(compilation, name) for name in changed}
            others = {name for name in changed if left[name] != (parts[name].leaves if name in parts else ())}
            more = known.users(retyped) | known.reaching(others)
            if more <= changed:
                return self._keep(compilation, found_by(compilation), known, changed | known.others)
            changed |= more

    def _compiled(self, document: Document, known: Definitions, changed: set[str]) -> Compilation:
        """A compilation in which the functions that changed are checked."""
        leaving = {name for name in known.functions & self._parts.keys() if self._parts[name].leaves}
        whole, typed = _needed(known, changed, leaving | known.reaching(leaving))
        if len(whole) == len(known.functions):
            return _complete(document, self._options)
        return compile_source(_without(document, known, whole | known.others, typed), self._options)

    def _whole(self, document: Document, known: Definitions | None) -> Findings:
        """The findings of a text of which nothing is known."""
        compilation = _complete(document, self._options)
        found = found_by(compilation)
        self._parts = {}
        self.checked = tuple(compilation.types)
        if known is not None:
            self._circles = known.circles
            if not self._keep(compilation, found, known, set(known.places)):
                self._parts = {}
        return found

    def _keep(self, compilation: Compilation, found: Findings, known: Definitions, names: set[str]) -> bool:
        """Keep the findings of definitions; False if something is found outside of all."""
        parts = parted(found, known.places)
        for name in names:
            own, text = parts[name], known.text(name)
            text = text if stays(own, len(text)) else ""
            self._parts[name] = _Part(text, own.types.get(name, ""), own, _left_by(compilation, name))
        return sum(len(part.diagnostics) for part in parts.values()) == len(found.diagnostics)


def _complete(document: Document, options: Options) -> Compilation:
    reading = document.reading
    return compile_parsed(document.source, reading.module, list(reading.errors), options)


def _left_by(compilation: Compilation, name: str) -> tuple[str, ...]:
    """What a function leaves to its callers to know, beside its type: checks that fail for some arguments."""
    state = compilation.elaborations.get(name)
    if state is None:
        return ()
    latent = (f"{one.goal} in {one.within}" for one in state.program.latent.get(name, ()))
    forgets = ("forgets",) if name in state.program.forgetful else ()
    return (*latent, *(check.shown for check in state.obligations.checks), *forgets)


def _definitions(reading: Reading) -> Definitions | None:
    """The definitions of a text, or None if each of them may depend on all.

    That is so if a parameter has no type, which is inferred from uses anywhere, or an operator has a body; and there is
    nothing to keep of a text that cannot be parsed, or that defines a name twice.
    """
    if reading.errors:
        return None
    places = {place.piece.name: place for place in reading.places}
    if len(places) < len(reading.places) or any(not place.piece.is_separate for place in reading.places):
        return None
    return Definitions(places)


def _around(reading: Reading) -> tuple[object, ...]:
    """Everything outside the functions, which all functions may mention."""
    others = (place.piece.text for place in reading.places if not isinstance(place.piece.tree, ast.Def))
    settings = ((key, value) for key, value, _ in reading.head.settings)
    return reading.head.version, *settings, *others, reading.head.metadata_text


# ------------------------------------------------------------------------------------------------ what is compiled
def _needed(known: Definitions, changed: set[str], bodies: set[str]) -> tuple[set[str], set[str]]:
    """`(whole, typed)`: the needed functions that keep their bodies, and those whose types suffice."""
    whole, typed, waiting = set(changed), set[str](), list(changed)
    while waiting:
        for name in known.mentioned(waiting.pop()) - whole - typed:
            one = known.function(name)
            body = one.function.body.span
            if name in bodies or is_open(one.function.result) or len(_call_of_itself(one)) > body.end - body.start:
                whole.add(name)
                waiting.append(name)
            else:
                typed.add(name)
    return whole, typed


def _without(document: Document, known: Definitions, whole: set[str], typed: set[str]) -> Source:
    """The text with only some of its definitions, of which those in `typed` have trivial bodies.

    Everything else is blank, so that what is left is where it was.
    """
    text, places = document.text, document.reading.places
    at = places[0].start
    parts = [text[:at]]
    for place in sorted((known.places[name] for name in whole | typed), key=lambda place: place.start):
        parts.append(_blank(text, at, place.start))
        at = place.end
        if place.piece.name in typed:
            one = known.function(place.piece.name)
            start, end = (offset + place.by for offset in (one.function.body.span.start, one.function.body.span.end))
            call = _call_of_itself(one)
            parts += [text[place.start : start], call, _blank(text, start + len(call), end), text[end:at]]
        else:
            parts.append(text[place.start : at])
    last = places[-1].end
    return Source(document.source.name, "".join([*parts, _blank(text, at, last), text[last:]]))


def _call_of_itself(one: ast.Def) -> str:
    return f"{{ {one.name.name}({', '.join(param.name.name for param in one.function.params)}) }}"


def _blank(text: str, start: int, end: int) -> str:
    """As much blank text as a stretch of a text, with as many lines, the last one as long."""
    lines = text.count("\n", start, end)
    rest = end - text.rfind("\n", start, end) - 1 if lines else end - start
    return " " * (end - start - lines - rest) + "\n" * lines + " " * rest
