"""Incremental checking of a text in an editor: only the functions that changed are checked again.

Other functions depend on a function only by its types, if these are all written, and by its residual checks, which a
call may always fail.  The findings of an unchanged function are kept, and moved to its new position.  While others are
checked, its body is replaced by a call of itself, which has the written type and no obligations; functions with
residual checks, and their callers, keep their bodies.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property, partial
from typing import Protocol, TypeVar

from gradual.codes import LINTS
from gradual.compilation import Compilation
from gradual.compiler import compile_source
from gradual.core.check import Check
from gradual.diagnostic import Diagnostic, Edit, Related, Severity
from gradual.interface.input.allowed import allowed
from gradual.interface.input.levels import Levels
from gradual.limits import Options
from gradual.lints.lint import lints_of_names
from gradual.record import record
from gradual.report.bindings import Binding
from gradual.report.residual import residual
from gradual.source import NOWHERE, Source, Span
from gradual.syntax.tree import ast
from gradual.syntax.tree.names import everything


class Placed(Protocol):
    """Anything with a span in a text."""

    @property
    def span(self) -> Span:
        """The span of the object in the text."""
        ...


P = TypeVar("P", bound=Placed)


@record(slots=False)
class Findings:
    """The findings of the checker in a text.
    Attributes:
        diagnostics: errors and warnings.
        checks: residual checks, as notes.
        types: the types of functions.
    """

    diagnostics: tuple[Diagnostic, ...]
    checks: tuple[Diagnostic, ...]
    bindings: tuple[Binding, ...]
    types: Mapping[str, str]

    @cached_property
    def bound(self) -> Mapping[int, Binding]:
        """Start offset of a name -> its binding; the first of several."""
        return {one.span.start: one for one in reversed(self.bindings)}


def at_levels(found: Findings, source: Source, levels: Levels) -> Findings:
    """The findings with their severities set by the text's comments and the configuration."""
    comments = allowed(source)
    said, checks = (
        tuple(levels.graded(comments.kept(source, some)))
        for some in ((*found.diagnostics, *comments.unknown), found.checks)
    )
    return replace(found, diagnostics=said, checks=checks)


@record(slots=False)
class _Part:
    """A function as it was last checked; the spans of its findings are relative to its start."""

    text: str
    type: str
    findings: Findings


class Checker:
    """Checks one text after another."""

    def __init__(self, options: Options | None = None) -> None:
        self._options = options or Options()
        self._parts: dict[str, _Part] = {}
        self._around: tuple[object, ...] = ()
        self.checked: tuple[str, ...] = ()
        """The functions that the last call of `check` checked."""

    def check(self, source: Source, module: ast.Module) -> Findings:
        """The findings of a text, which was parsed to `module`; lints only if it has no errors."""
        found = self._check(source, module)
        if any(one.severity is Severity.ERROR for one in found.diagnostics):
            kept = [one for one in found.diagnostics if one.code not in LINTS]
        else:
            kept = [*found.diagnostics, *lints_of_names(module, source.text)]
        return replace(found, diagnostics=tuple(kept))

    def _check(self, source: Source, module: ast.Module) -> Findings:
        functions = _functions(module)
        around = _around(source.text, module)
        if functions is None or around != self._around or not self._parts:
            self._around = around
            return self._whole(source, functions)
        texts = {name: source.text[one.span.start : one.span.end] for name, one in functions.items()}
        changed = {name for name in texts if name not in self._parts or self._parts[name].text != texts[name]}
        gone = self._parts.keys() - texts.keys()
        changed |= _reaching(functions, gone | (texts.keys() - self._parts.keys()))
        while True:
            checking = {name for name, part in self._parts.items() if part.findings.checks} & functions.keys()
            compilation = compile_source(_without(source, functions, changed, checking), self._options)
            known = changed & self._parts.keys()
            other = {name for name in known if compilation.types.get(name) != self._parts[name].type}
            more = (
                _users(functions, other) | _reaching(functions, self._checking_others(compilation, functions, known))
            ) - changed
            if not more:
                break
            changed |= more
        if not _are_inside(compilation.diagnostics, functions):
            return self._whole(source, functions)
        self.checked = tuple(sorted(changed))
        self._keep(compilation, functions, changed, texts)
        self._parts = {name: self._parts[name] for name in texts}
        return _joined([_moved(self._parts[name].findings, functions[name].span.start) for name in texts])

    def _checking_others(self, compilation: Compilation, functions: Mapping[str, ast.Def], known: set[str]) -> set[str]:
        """The functions whose residual checks changed."""
        now = _by_function(map(_left, compilation.checks), functions)
        before = {name: [one.message for one in self._parts[name].findings.checks] for name in known}
        return {name for name in known if before[name] != [one.message for one in now[name]]}

    def _whole(self, source: Source, functions: Mapping[str, ast.Def] | None) -> Findings:
        compilation = compile_source(source, self._options)
        self._parts = {}
        self.checked = tuple(compilation.types)
        if functions is not None and _are_inside(compilation.diagnostics, functions):
            texts = {name: source.text[one.span.start : one.span.end] for name, one in functions.items()}
            self._keep(compilation, functions, set(texts), texts)
        return _found(compilation)

    def _keep(
        self, compilation: Compilation, functions: Mapping[str, ast.Def], names: set[str], texts: Mapping[str, str]
    ) -> None:
        found = _parted(_found(compilation), functions)
        for name in names:
            place, own = functions[name].span, found[name]
            text = texts[name] if all(map(partial(_stays, place), own.diagnostics + own.checks)) else ""
            self._parts[name] = _Part(text, own.types.get(name, ""), _moved(own, -place.start))


def _stays(place: Span, found: Diagnostic) -> bool:
    """Whether all spans of a finding are in one function, so that they move with it."""
    spans = [related.span for related in found.related] + [edit.span for help in found.help for edit in help.edits]
    return all(span == NOWHERE or place.start <= span.start <= place.end for span in spans)


def _functions(module: ast.Module) -> Mapping[str, ast.Def] | None:
    """Name -> function, or None if some function lacks a parameter type, or a name is defined twice."""
    found: dict[str, ast.Def] = {}
    for definition in module.definitions:
        if not isinstance(definition, ast.Def):
            continue
        params = definition.function.params
        name = definition.name.name
        if definition.implicit or name in found or any(_is_open(param.annotation) for param in params):
            return None
        found[name] = definition
    return found


def _is_open(type: ast.Type | None) -> bool:
    """Whether a type, or a part of it, is omitted."""
    match type:
        case None | ast.Omitted():
            return True
        case ast.TupleType(fields=parts):
            return any(map(_is_open, parts))
        case ast.RefType(content):
            return _is_open(content)
        case ast.NamedType(_, arguments):
            return any(map(_is_open, arguments))
        case ast.FnType(_, params, result):
            return any(map(_is_open, (*params, result)))
        case _:
            return False


def _around(text: str, module: ast.Module) -> tuple[object, ...]:
    """Everything outside the functions, which all functions may mention."""
    others = [one.span for one in module.definitions if not isinstance(one, ast.Def)]
    settings = [(key, value) for key, value, _ in module.settings]
    return module.version, *settings, *(text[span.start : span.end] for span in others), module.metadata_text


def _users(functions: Mapping[str, ast.Def], names: Iterable[str]) -> set[str]:
    """The functions that mention some of the names."""
    wanted = set(names)
    return {name for name, one in functions.items() if wanted & _globals(one.function)} if wanted else set()


def _reaching(functions: Mapping[str, ast.Def], names: Iterable[str]) -> set[str]:
    """The functions that mention some of the names, directly or transitively."""
    found = set[str]()
    while more := _users(functions, {*names, *found}) - found:
        found |= more
    return found


def _globals(node: object) -> set[str]:
    return {part.name for part in everything(node) if isinstance(part, ast.Global)}


def _without(source: Source, functions: Mapping[str, ast.Def], changed: set[str], checking: set[str]) -> Source:
    """The text with only the changed functions and those that they mention, the latter with trivial bodies.

    The functions in `checking`, which have residual checks, and their callers keep their bodies.
    """
    text, at, parts = source.text, 0, []
    whole, typed = _needed(functions, changed, checking | _reaching(functions, checking))
    for name, one in functions.items():
        body = one.function.body.span
        if name in whole:
            continue
        if name in typed:
            call = _call_of_itself(one)
            parts += [text[at : body.start], call, _blank(text[body.start + len(call) : body.end])]
            at = body.end
        else:
            parts += [text[at : one.span.start], _blank(text[one.span.start : one.span.end])]
            at = one.span.end
    return Source(source.name, "".join([*parts, text[at:]]))


def _needed(functions: Mapping[str, ast.Def], changed: set[str], bodies: set[str]) -> tuple[set[str], set[str]]:
    """`(whole, typed)`: the needed functions that keep their bodies, and those whose types suffice."""
    whole, typed, waiting = set(changed), set[str](), list(changed)
    while waiting:
        for name in (_globals(functions[waiting.pop()].function) & functions.keys()) - whole - typed:
            one = functions[name]
            body = one.function.body.span
            if name in bodies or _is_open(one.function.result) or len(_call_of_itself(one)) > body.end - body.start:
                whole.add(name)
                waiting.append(name)
            else:
                typed.add(name)
    return whole, typed


def _call_of_itself(one: ast.Def) -> str:
    return f"{{ {one.name.name}({', '.join(param.name.name for param in one.function.params)}) }}"


def _blank(text: str) -> str:
    """The text with blanks for all characters but line breaks."""
    return re.sub(r"[^\n]", " ", text)


# --------------------------------------------------------------------------------------------- findings and places
def _found(compilation: Compilation) -> Findings:
    checks = tuple(map(_left, compilation.checks))
    lints = compilation.lints(names=False, beside_errors=True)  # other functions' errors may be fixed later
    return Findings((*compilation.diagnostics, *lints), checks, compilation.bindings, compilation.types)


def _left(check: Check) -> Diagnostic:
    """A residual check as a diagnostic, without its number, which depends on the other functions."""
    return replace(residual(check), message=f"left to a check at run time: {check.shown}")


def _are_inside(found: Sequence[Diagnostic], functions: Mapping[str, ast.Def]) -> bool:
    """Whether each finding is inside some function."""
    return sum(map(len, _by_function(found, functions).values())) == len(found)


def _parted(found: Findings, functions: Mapping[str, ast.Def]) -> Mapping[str, Findings]:
    """Function name -> the findings inside it."""
    diagnostics, checks = _by_function(found.diagnostics, functions), _by_function(found.checks, functions)
    bindings = _by_function(found.bindings, functions)
    return {
        name: Findings(
            tuple(diagnostics[name]),
            tuple(checks[name]),
            tuple(bindings[name]),
            {name: found.types[name]} if name in found.types else {},
        )
        for name in functions
    }


def _by_function(found: Iterable[P], functions: Mapping[str, ast.Def]) -> Mapping[str, list[P]]:
    """Function name -> the items inside it, in their original order."""
    placed = sorted((one.span.start, one.span.end, name) for name, one in functions.items())
    starts = [start for start, _, _ in placed]
    parts: dict[str, list[P]] = {name: [] for name in functions}
    for one in found:
        at = bisect_right(starts, one.span.start) - 1
        if at >= 0 and one.span.start < placed[at][1]:
            parts[placed[at][2]].append(one)
    return parts


def _joined(parts: Sequence[Findings]) -> Findings:
    return Findings(
        tuple(one for part in parts for one in part.diagnostics),
        tuple(one for part in parts for one in part.checks),
        tuple(one for part in parts for one in part.bindings),
        {name: type for part in parts for name, type in part.types.items()},
    )


def _moved(found: Findings, by: int) -> Findings:
    """The findings shifted by `by` code points."""
    if by == 0:
        return found

    def span(one: Span) -> Span:
        return one if one == NOWHERE else Span(one.start + by, one.end + by)

    def diagnostics(some: Sequence[Diagnostic]) -> Iterator[Diagnostic]:
        for one in some:
            related = tuple(Related(span(other.span), other.label) for other in one.related)
            helps = tuple(replace(h, edits=tuple(Edit(span(e.span), e.text) for e in h.edits)) for h in one.help)
            yield replace(one, span=span(one.span), related=related, help=helps, source=None)

    bindings = tuple(replace(one, span=span(one.span)) for one in found.bindings)
    return Findings(tuple(diagnostics(found.diagnostics)), tuple(diagnostics(found.checks)), bindings, found.types)
