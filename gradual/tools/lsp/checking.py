"""Incremental checking of a text in an editor: only the functions that changed are checked again.

Other functions depend on a function only by its types, if these are all written, and by its residual checks: a call at
which one of them cannot hold is an error.  The findings of an unchanged function are kept, and moved to its new
position.  While other functions are checked, its body is replaced by a call of itself, which has the written type and
no obligations; functions with residual checks, and their callers, keep their bodies.  Something else stands for a
definition with syntax errors (`recovery`), so that the other definitions are checked as before.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

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
from gradual.tools.lsp.definitions import Definitions, needed, text_of, text_with_errors
from gradual.tools.lsp.document import Document
from gradual.tools.lsp.findings import Findings, found_by, joined, moved_diagnostic, parted, stays
from gradual.tools.lsp.pieces import Place
from gradual.tools.lsp.reading import Reading
from gradual.tools.lsp.shown import in_text
from gradual.tools.lsp.usage import UsedNames


@record(slots=False)
class _Part:
    """A definition as it was last checked.

    Attributes:
        text: its text then; empty if it has to be checked again.
        findings: its findings, with positions relative to its start.
        leaves: what its callers have to know of its body.
    """

    text: str
    type: str
    findings: Findings
    leaves: tuple[str, ...]


@record(slots=False)
class _Errors:
    """The syntax errors of a stretch, with positions relative to its start.

    Attributes:
        texts: the stretch, and the definitions before and after it.
    """

    texts: tuple[str, ...]
    found: tuple[Diagnostic, ...]


class Checker:
    """Checks one text after another."""

    def __init__(self, options: Options | None = None) -> None:
        self._options = options or Options()
        self._parts: dict[str, _Part] = {}
        self._circles: set[str] = set()
        self._around: tuple[object, ...] = ()
        self._names = UsedNames()
        self._errors: _Errors | None = None
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
        reading, around = document.reading, _around(document.reading)
        if known is None or around != self._around or not self._parts:
            found = self._whole(document, known)
        else:
            found = self._again(document, known)
        self._around = around
        return in_text(found, reading, self._syntax(document, known))

    def _again(self, document: Document, known: Definitions) -> Findings:
        changed = self._changed(known)
        if changed and not self._checked(document, known, changed):
            return self._whole(document, known)
        self.checked = tuple(sorted(changed))
        self._circles = known.circles
        self._parts = {name: self._parts[name] for name in known.places}
        return joined(self._parts[name].findings.moved(place.start) for name, place in known.places.items())

    def _syntax(self, document: Document, known: Definitions | None) -> tuple[Diagnostic, ...]:
        """The syntax errors of a text, with helps; their messages depend on the definitions before and after them."""
        reading, broken = document.reading, document.reading.broken
        if broken is None:
            return ()
        beside = [one for one in reading.places if one.end == broken.start or one.start == broken.end]
        texts = (reading.text[broken.start : broken.end], *(one.piece.text for one in beside))
        if self._errors is None or self._errors.texts != texts:
            found = self._errors_in(document, known, broken, beside)
            self._errors = _Errors(texts, tuple(moved_diagnostic(one, -broken.start) for one in found))
        return tuple(moved_diagnostic(one, broken.start) for one in self._errors.found)

    def _errors_in(
        self, document: Document, known: Definitions | None, broken: Span, beside: Sequence[Place]
    ) -> list[Diagnostic]:
        around, typed = set(beside), set[str]()
        if known is not None:
            whole, typed = needed(known, {one.piece.name for one in beside} & known.functions, self._leaving(known))
            around |= {known.places[name] for name in whole | typed | known.others}
        text = text_with_errors(document.reading, broken, around, typed)
        found = compile_source(Source(document.source.name, text), self._options).diagnostics
        return [one for one in found if one.code in SYNTAX]

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
            before, types = changed & parts.keys(), compilation.types
            retyped = {name for name in before if types.get(name) != parts[name].type}
            left = {name: _left_by(compilation, name) for name in changed}
            others = {name for name in changed if left[name] != (parts[name].leaves if name in parts else ())}
            more = known.users(retyped) | known.reaching(others)
            if more <= changed:
                found = found_by(compilation)
                return self._keep(compilation, found, known, changed | known.others)
            changed |= more

    def _leaving(self, known: Definitions) -> set[str]:
        """The functions whose bodies matter to their callers."""
        leaving = {name for name in known.functions & self._parts.keys() if self._parts[name].leaves}
        return leaving | known.reaching(leaving)

    def _compiled(self, document: Document, known: Definitions, changed: set[str]) -> Compilation:
        """A compilation in which the functions that changed are checked."""
        whole, typed = needed(known, changed, self._leaving(known))
        if len(whole) == len(known.functions):
            return _complete(document, self._options)
        kept = (known.places[name] for name in whole | known.others | typed)
        return compile_source(Source(document.source.name, text_of(document.reading, kept, typed)), self._options)

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
        """Keep the findings of some definitions; False if there is a finding outside all definitions."""
        parts = parted(found, known.places)
        for name in names:
            own, text = parts[name], known.text(name)
            text = text if stays(own, len(text)) else ""
            self._parts[name] = _Part(text, own.types.get(name, ""), own, _left_by(compilation, name))
        return sum(len(part.diagnostics) for part in parts.values()) == len(found.diagnostics)


def _complete(document: Document, options: Options) -> Compilation:
    """The compilation of a text; if it has syntax errors, of its other definitions and stand-ins."""
    reading = document.reading
    if reading.broken is None:
        return compile_parsed(document.source, document.module, [], options)
    return compile_source(Source(document.source.name, text_of(reading, reading.placed)), options)


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
    places = {place.piece.name: place for place in reading.placed}
    if len(places) < len(reading.placed) or any(not place.piece.is_separate for place in reading.placed):
        return None
    return Definitions(places)


def _around(reading: Reading) -> tuple[object, ...]:
    """Everything outside the functions, which all functions may mention."""
    others = sorted(place.piece.text for place in reading.placed if not isinstance(place.piece.tree, ast.Def))
    settings = ((key, value) for key, value, _ in reading.head.settings)
    return reading.head.version, *settings, *others, reading.head.metadata_text
