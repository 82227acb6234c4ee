"""From a text to a `Compilation`: the one path that every tool takes."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from gradual.checker.fixes.computed_attributes import computed
from gradual.checker.fixes.suggested import Trials, divided
from gradual.checker.module import Checked, checked
from gradual.checker.obligations.obligation import RIGID, rigid_error
from gradual.checker.program.program import Program
from gradual.compilation import Compilation, room, trials_of
from gradual.core.def_use import checks_in
from gradual.diagnostic import Diagnostic, Severity, counted
from gradual.dims.solver.decide import Decider
from gradual.limits import ORDINARY, Options
from gradual.ops.catalogue import CATALOGUE
from gradual.report.located import of_model
from gradual.source import Source
from gradual.syntax.parse import parse
from gradual.syntax.tree import ast


def compile_source(source: Source, options: Options = ORDINARY) -> Compilation:
    """Parse and check a source; never raises, whatever the text."""
    with room():
        surface, found = parse(source, mend=options.advise)
    return compile_parsed(source, surface, found, options)


def compile_parsed(source: Source, surface: ast.Module, found: list[Diagnostic], options: Options) -> Compilation:
    """Check a source that was parsed to a tree and syntax errors."""
    with room():
        decider = Decider(options.limits, options.smt)
        program = Program(source, surface, CATALOGUE, decider, options.limits, _strict(surface))
        result = checked(program)
    graded = list(_graded(result.diagnostics, options))
    if found:
        graded = list(_not_following(graded, source))
    if options.advise and found:
        found = _mended(found, graded, trials_of(source, options, compile_source))
    elif options.advise:
        if source.origins is None:
            graded = computed(graded, surface, CATALOGUE, trials_of(source, options, compile_source))
        graded = _repaired(graded, surface, result, trials_of(source, options, compile_source), source.origins is None)
    for state in result.elaborations.values():
        state.forget()
    errors = sum(one.severity is Severity.ERROR for one in (*found, *graded))
    diagnostics = sorted((*found, *graded), key=lambda d: (d.span.start, d.span.end))
    return Compilation(
        source,
        surface,
        result.core,
        tuple(replace(of_model(source, one, errors), source=source) for one in diagnostics),
        result.checks,
        result.proved,
        result.refuted,
        decider.smt_queries,
        dict(decider.counts),
        options,
        compile_source,
        _checked=result,
    )


_DEFINED = re.compile(r"^\s*def\s+(@[\w.]+)", re.MULTILINE)


def _not_following(found: list[Diagnostic], source: Source) -> Iterator[Diagnostic]:
    """The diagnostics without those on uses of functions whose definitions have syntax errors.  [name.function]"""
    begun = set(_DEFINED.findall(source.text))
    return (one for one in found if one.code != "E0203" or source.text[one.span.start : one.span.end] not in begun)


def _mended(found: list[Diagnostic], graded: list[Diagnostic], trials: Trials) -> list[Diagnostic]:
    """The syntax errors, with a fix added to those whose fix only type checking can choose."""
    from gradual.checker.fixes.products import by_rank

    return by_rank(divided(found, graded, trials), trials)


def _repaired(
    found: list[Diagnostic], surface: ast.Module, result: Checked, trials: Trials, is_text: bool
) -> list[Diagnostic]:
    """The diagnostics; add to each error a fix if one is found: an edit, or else a `where` or a cast.

    A user does not edit a program that was imported from a model: only conditions on its inputs are offered.
    The modules of repairs are imported only if there is an error.
    """
    if not any(one.severity is Severity.ERROR for one in found):
        return found
    from gradual.checker.fixes.requirements import advised
    from gradual.checker.fixes.trying import repaired

    states = result.definitions(surface)
    if is_text:
        found = repaired(found, surface, CATALOGUE, [state for state, _ in states], trials)
    return advised(found, states, trials)


def check(text: str, name: str = "<text>", *, smt: bool = True) -> Compilation:
    """Check a text; the result is always a `Compilation`, whose `diagnostics` say what is wrong with the text.

    Args:
        text: the program.
        name: its name in diagnostics, such as the name of its file.
        smt: whether Z3 is used where no other stage decides; another version of Z3 may prove more or less.

    >>> check("def @f(%x: Tensor[(n,), float32]) { nn.relu(%x) }").types["@f"]
    'fn (Tensor[(n,), float32]) -> Tensor[(n,), float32]'
    """
    return compile_source(Source(name, text), Options(smt=smt))


def apply(compilation: Compilation, *passes: str, verify: bool = True) -> Compilation:
    """The compilation after passes, each given by its name and then its arguments: `"specialize", "n=3"`.

    Labels of checks, diagnostics and spans are those of the text that was checked.  Raises ValueError if the program
    has errors, `Unusable` (`passes.framework.pass_`) if a pass cannot do what its arguments ask.  [pass.verified]

    >>> c = check("def @f(%x: Tensor[(2, 3), float32]) { dyn.reshape(%x, [3, 2]) }")
    >>> "dyn." in apply(c, "dynamic-to-static").text
    False
    """
    if not compilation.ok:
        raise ValueError(
            f"{compilation.source.name} has {counted(compilation.errors, 'error')}, so no pass can take it"
        )
    from gradual.passes.pipeline import read_uses, transformed

    words = [word for given in passes for word in given.split()]
    with room():
        after = transformed(compilation.core, read_uses(words), compilation.decider(), verify)
    checks = {id(check): check for one in after.module.functions.values() for check in checks_in(one.body)}
    return replace(
        compilation,
        core=after.module,
        checks=tuple(checks.values()),
        notes=(*compilation.notes, *after.notes),
        _checked=None,
    )


def _strict(surface: ast.Module) -> bool:
    return any(key == "broadcast" and value == "strict" for key, value, _ in surface.settings)


def _graded(diagnostics: tuple[Diagnostic, ...], options: Options) -> Iterator[Diagnostic]:
    for diagnostic in diagnostics:
        if options.rigid == "error" and diagnostic.code == RIGID:
            yield rigid_error(diagnostic)
        else:
            yield diagnostic
