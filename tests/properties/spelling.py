"""The text does not matter: printed and read again, renamed, shadowed, rearranged.  [T15] [T16]"""

from __future__ import annotations

import re
from collections.abc import Iterator
from random import Random

from gradual.compilation import Compilation
from gradual.core.print import printed as printed_core
from gradual.source import Source
from gradual.syntax.parse import parse
from gradual.syntax.printing.print import printed
from tests.generators.program_terms import SPELLED, Program, respelled, shadowed
from tests.properties.case import Case, errors, gave_up
from tests.properties.compiling import ROOMY, alike, all_checks, compiled, outcome
from tests.properties.rearranging import exchanged, inlined


def printing(case: Case) -> str | None:
    """The printed program is the program: read and printed again the same, and it runs the same.  [T15]"""
    again = printed(case.found.surface)
    surface, wrong = parse(Source("again.relay", again))
    if wrong:
        return f"the printed program does not parse: {wrong[0].message}\n{again}"
    if printed(surface) != again:
        return f"printed twice differs:\n{again}\n{printed(surface)}"
    found = compiled(again)
    if [printed_core(found.core), found.ok] != [printed_core(case.found.core), case.found.ok]:
        return f"the printed program has another core:\n{again}"
    return None


def _is_renamed(case: Case) -> bool:
    """Each program is either renamed or has its names used again."""
    return Random(f"names {case.seed}").random() < 0.5


def renaming(case: Case) -> str | None:
    """Renaming variables and dims changes neither acceptance nor where checks stand.  [T16]"""
    if not _is_renamed(case):
        return None
    random = Random(f"rename {case.seed}")
    names = sorted(set(re.findall(SPELLED, case.text)))
    fresh = [
        f"{'%' if name.startswith('%') else ''}{letters}"
        for name, letters in zip(names, _letters(random, len(names)), strict=False)
    ]
    mapping = dict(zip(names, fresh, strict=True))
    other = compiled(respelled(case.program, lambda name: mapping.get(name, name)))
    if other.ok != case.found.ok:
        return f"renamed: {other.ok} instead of {case.found.ok}: {errors(other)} {errors(case.found)}"
    if _places(other) != _places(case.found) and not (case.gave_up or gave_up(other)):
        return f"renamed, other checks: {_places(other)} instead of {_places(case.found)}\n{other.source.text}"
    return None


def shadowing(case: Case) -> str | None:
    """Names that are used again for other values change nothing.  [T16]"""
    if _is_renamed(case):
        return None
    text = shadowed(case.program, Random(f"shadow {case.seed}"))
    other = compiled(text)
    if other.ok != case.found.ok:
        return f"shadowed: {other.ok} instead of {case.found.ok}: {errors(other)} {errors(case.found)}\n{text}"
    if _places(other) != _places(case.found) and not (case.gave_up or gave_up(other)):
        return f"shadowed, other checks: {_places(other)} instead of {_places(case.found)}\n{text}"
    for values, ended in zip(case.inputs, case.outcomes, strict=True) if other.ok else ():
        again = outcome(other.core, values)
        if again.kind != ended.kind or not alike(again.value, ended.value):
            return f"shadowed, on {values}: {again} instead of {ended}\n{text}"
    return None


def reordering(case: Case) -> str | None:
    """Exchanging neighbours that do not depend on each other changes no acceptance and no value.  [T16]"""
    return _rearranged(case, exchanged(case.program, Random(f"exchange {case.seed}")))


def inlining(case: Case) -> str | None:
    """Writing a value where it is used, once and next, instead of naming it, changes nothing.  [T16]"""
    return _rearranged(case, inlined(case.program, Random(f"inline {case.seed}")))


def _rearranged(case: Case, program: Program) -> str | None:
    """What differs in another arrangement; which one of several checks or faults stops a run may differ.

    What an operator that is asked at run time demands is not known after it, be it that nobody comes there.  A size
    reads under what a run has passed, and a field that no run can pass is refused for what its own goals say of it.
    """
    if program == case.program:
        return None
    other = compiled(str(program))
    if case.gave_up or gave_up(other):
        return None
    differs = other.ok != case.found.ok
    if differs and any(d.code == "E0403" for d in (case.found if case.found.ok else other).diagnostics):
        return None
    if differs and any(
        check.blame.rule == "op.dynamic" for check in all_checks(str(program) if other.ok else case.text).checks
    ):
        return None
    if differs and compiled(str(program), ROOMY).ok != compiled(case.text, ROOMY).ok:
        return f"rearranged: {other.ok} instead of {case.found.ok}: {errors(other)} {errors(case.found)}\n{program}"
    for values, ended in zip(case.inputs, case.outcomes, strict=True) if other.ok else ():
        again = outcome(other.core, values)
        if not alike(again.value, ended.value) or again.kind == "stuck" or again.at_entry != ended.at_entry:
            return f"rearranged, on {values}: {again} instead of {ended}\n{program}"
    return None


def _letters(random: Random, names: int) -> Iterator[str]:
    """Names as a compiler makes them to keep two apart: `x`, `x_1`, `x_2_1`."""
    found = [
        f"{stem}{end}" for number in range(names) for stem in ("x", "k", f"x_{number}") for end in ("", "_1", "_2")
    ]
    found = list(dict.fromkeys(found))[: 2 * names]
    random.shuffle(found)
    return iter(found)


def _places(found: Compilation) -> list[tuple[str, int]]:
    return [(check.blame.rule, found.source.position(check.span.start).line) for check in found.checks]
