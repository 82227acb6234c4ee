"""Incremental checking of a text in an editor: only the functions that changed are checked again.

Other functions depend on a function only by its types, if these are all written, and by its residual checks: a call at
which one of them cannot hold is an error.  The findings of an unchanged function are kept, and moved to its new
position.  While other functions are checked, its body is replaced by a call of itself, which has the written type and
no obligations; functions with residual checks, and their callers, keep their bodies.  A function that cannot be parsed
is treated as absent.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Set
from dataclasses import replace
from functools import cached_property

from gradual.checker.definition_order import in_circles
from gradual.codes import LINTS, SYNTAX
from gradual.compilation import Compilation
from gradual.compiler import compile_parsed, compile_source
from gradual.diagnostic import Diagnostic, Severity
from gradual.gc_paused import collector_paused
from gradual.limits import Options
from gradual.lints.lint import lints_of_names
from gradual.record import record
from gradual.source import Source, Span
from gradual.syntax.tree import ast
from gradual.tools.lsp.document import Document
from gradual.tools.lsp.findings import Findings, found_by, joined, parted, stays
from gradual.tools.lsp.pieces import Place, Reading, is_open
from gradual.tools.lsp.usage import UsedNames


@record(slots=False)
class _Part:
    """A definition as it was last checked.

    Attributes:
        text: its text then; empty if it has to be checked again.
        findings: its findings, with positions relative to its start.
        leaves: what its callers have to know of its body.
        beside: whether it has errors for which no help was searched for, since the text had syntax errors.
    """

    text: str
    type: str
    findings: Findings
    leaves: tuple[str, ...]
    beside: bool


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
        """The names of definitions other than functions, on which all functions may depend."""
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
        self._syntax: tuple[Diagnostic, ...] = ()
        self.checked: tuple[str, ...] = ()
        """The functions that the last call of `check` checked."""

    def check(self, document: Document) -> Findings:
        """The findings of a text; lints only if it has no errors."""
        with collector_paused():
            known = _definitions(document.reading)
            found = self._check(document, known)
            if _has_errors(found):
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
        changed = self._changed(known) | _inside(document.reading) | self._otherwise(known, document.reading.broken)
        self._syntax = ()
        if (changed or document.reading.broken) and not self._checked(document, known, changed):
            return self._whole(document, known)
        self.checked = tuple(sorted(changed))
        self._circles = known.circles
        self._parts = {name: self._parts[name] for name in known.places}
        found = joined(self._parts[name].findings.moved(place.start) for name, place in known.places.items())
        return replace(found, diagnostics=(*found.diagnostics, *self._syntax))

    def _changed(self, known: Definitions) -> set[str]:
        """The functions that have to be checked again, as far as is known before any is."""
        parts, functions = self._parts, known.functions
        changed = {name for name in functions if name not in parts or parts[name].text != known.text(name)}
        gone = parts.keys() - known.places.keys()
        changed |= known.users(gone | (functions - parts.keys()))
        changed |= known.reaching(name for name in gone if parts[name].leaves)
        circles = (known.circles | self._circles) & functions
        return changed | circles | known.users(circles) if changed & circles else changed

    def _otherwise(self, known: Definitions, broken: Span | None) -> set[str]:
        """The functions with errors found when there were syntax errors, if there are none now, or the reverse."""
        wrong = {name for name in known.functions & self._parts.keys() if _has_errors(self._parts[name].findings)}
        return {name for name in wrong if self._parts[name].beside != (broken is not None)}

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
                found = found_by(compilation)
                return self._keep(compilation, found, document.reading.broken, known, changed | known.others)
            changed |= more

    def _compiled(self, document: Document, known: Definitions, changed: set[str]) -> Compilation:
        """A compilation in which the functions that changed are checked."""
        leaving = {name for name in known.functions & self._parts.keys() if self._parts[name].leaves}
        bodies = leaving | known.reaching(leaving)
        whole, typed = _needed(known, changed | _neighbours(document.reading), bodies)
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
            if not self._keep(compilation, found, document.reading.broken, known, set(known.places)):
                self._parts = {}
        return found

    def _keep(
        self, compilation: Compilation, found: Findings, broken: Span | None, known: Definitions, names: set[str]
    ) -> bool:
        """Keep the findings of some definitions; False if a finding outside all definitions is no syntax error."""
        self._syntax = tuple(one for one in found.diagnostics if broken and _is_of_syntax(one, broken))
        others = tuple(one for one in found.diagnostics if not (broken and _is_of_syntax(one, broken)))
        parts = parted(replace(found, diagnostics=others), known.places)
        for name in names:
            own, text = parts[name], known.text(name)
            text, beside = text if stays(own, len(text)) else "", _has_errors(own) and broken is not None
            self._parts[name] = _Part(text, own.types.get(name, ""), own, _left_by(compilation, name), beside)
        return sum(len(part.diagnostics) for part in parts.values()) == len(others)


def _complete(document: Document, options: Options) -> Compilation:
    """The compilation of a text, which is parsed again if it has syntax errors, to find helps."""
    if document.reading.broken is not None:
        return compile_source(document.source, options)
    return compile_parsed(document.source, document.module, [], options)


def _inside(reading: Reading) -> set[str]:
    """The functions among syntax errors; their text is always checked, together with the errors."""
    broken = reading.broken
    if broken is None:
        return set()
    inside = (place.piece for place in reading.places if broken.start <= place.start < broken.end)
    return {piece.name for piece in inside if isinstance(piece.tree, ast.Def)}


def _neighbours(reading: Reading) -> set[str]:
    """The functions before and after syntax errors, on which the messages of these depend."""
    broken, places = reading.broken, reading.places
    around = [] if broken is None else [one for one in places if one.end == broken.start or one.start == broken.end]
    return {one.piece.name for one in around if isinstance(one.piece.tree, ast.Def)}


def _is_of_syntax(found: Diagnostic, broken: Span) -> bool:
    return found.code in SYNTAX and broken.start <= found.span.start <= broken.end


def _has_errors(found: Findings) -> bool:
    return any(one.severity is Severity.ERROR for one in found.diagnostics)


def _left_by(compilation: Compilation, name: str) -> tuple[str, ...]:
    """What the callers of a function depend on besides its type: its checks, and whether it forgets sizes."""
    state = compilation.elaborations.get(name)
    if state is None:
        return ()
    latent = (f"{one.goal} in {one.within}" for one in state.program.latent.get(name, ()))
    forgets = ("forgets",) if name in state.program.forgetful else ()
    return (*latent, *(check.shown for check in state.obligations.checks), *forgets)


def _definitions(reading: Reading) -> Definitions | None:
    """The definitions of a text, or None if each of them may depend on all others.

    They may if a parameter has no type, which is then inferred from uses anywhere, if an operator has a body, or if a
    name is defined twice.
    """
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

    Everything else is replaced by blanks, so that the offsets of what is left do not change.
    """
    text, places, broken = document.text, document.reading.places, document.reading.broken
    kept = [(known.places[name].start, known.places[name].end, name) for name in whole | typed]
    if broken is not None:
        kept = [(start, end, name) for start, end, name in kept if not broken.start <= start < broken.end]
        kept.append((broken.start, broken.end, ""))
    at = min([start for start, _, _ in kept] + [places[0].start])
    parts = [text[:at]]
    for start, end, name in sorted(kept):
        parts.append(_blank(text, at, start))
        parts.append(_with_call(text, known.places[name]) if name in typed else text[start:end])
        at = end
    last = max(places[-1].end, at)
    return Source(document.source.name, "".join([*parts, _blank(text, at, last), text[last:]]))


def _with_call(text: str, place: Place) -> str:
    """The text of a function, with a call of itself as its body."""
    assert isinstance(place.piece.tree, ast.Def), place.piece.name
    body, call = place.piece.tree.function.body.span, _call_of_itself(place.piece.tree)
    start, end = body.start + place.by, body.end + place.by
    return "".join((text[place.start : start], call, _blank(text, start + len(call), end), text[end : place.end]))


def _call_of_itself(one: ast.Def) -> str:
    return f"{{ {one.name.name}({', '.join(param.name.name for param in one.function.params)}) }}"


def _blank(text: str, start: int, end: int) -> str:
    """Blanks in place of a stretch of a text: of the same length, with as many line breaks and a last line as long."""
    lines = text.count("\n", start, end)
    rest = end - text.rfind("\n", start, end) - 1 if lines else end - start
    return " " * (end - start - lines - rest) + "\n" * lines + " " * rest
