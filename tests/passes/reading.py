"""What a pass prints is a program that means the same: read again it checks, runs alike, and prints the same."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from random import Random

from gradual.core.terms import Module
from gradual.delaborate.program import program_text
from gradual.passes.catalogue import PASSES
from gradual.passes.framework.pass_ import Context, Pass, Unusable
from gradual.tensors.fault import OUT_OF_BOUNDS
from gradual.tensors.value import Value
from tests.passes.given import GIVEN
from tests.passes.meaning import ALL
from tests.properties.case import Case, errors, gave_up
from tests.properties.compiling import SHARED, Outcome, alike, compiled, outcome


def text(case: Case) -> str | None:
    """What a pass prints, drawn from the program's number, means what it made, or is refused and says so.

    [T15] [pass.surface]
    """
    return read(case, [Random(f"text {case.seed}").choice([*PASSES.values(), ALL])], refused=True)


def read(case: Case, some: Iterable[Pass] | None = None, refused: bool = False) -> str | None:
    """What every pass prints means what it made; whether it may be refused when it is read again."""
    if not case.found.ok:
        return None
    for words, after in made(case, (*PASSES.values(), ALL) if some is None else some):
        says = misread(after, case.inputs, refused)
        if says is not None:
            return f"{words}: {says}"
    return None


def made(case: Case, some: Iterable[Pass]) -> Iterator[tuple[str, Module]]:
    """What the passes make of a program, with the words that ask for it."""
    for one in some:
        for given in GIVEN[one.name](case.found.core) if one.takes else ({},):
            try:
                after = one.transform(case.found.core, Context(SHARED(), dict(given))).module
            except Unusable:
                continue
            yield " ".join((one.name, *(f"{key}={value}" for key, value in given.items()))), after


def misread(core: Module, inputs: Iterable[tuple[Value, ...]], refused: bool = False) -> str | None:
    """What is wrong with the text of a core; None for one that no program can write, which says so.

    A text that is refused says so too, in the first line that `Compilation.text` gives it.
    """
    printed = program_text(core)
    if is_unsayable(printed):
        return None
    again = compiled(printed)
    if not again.ok:
        return None if refused else f"refused: {errors(again)}\n{printed}"
    for values in inputs:
        was, now = outcome(core, values), outcome(again.core, values)
        if not ends_alike(was, now):
            return f"ends otherwise on {values}: {was}, read again {now}\n{printed}"
    second = program_text(again.core)
    if is_unsayable(second):
        return None
    third = program_text(compiled(second).core)
    if second != third and not gave_up(again):
        return f"not stable:\n{second}\nread again is printed as\n{third}"
    return None


def is_unsayable(printed: str) -> bool:
    """Whether the first line says that a function of the core is no program."""
    return "cannot be written, for" in printed.partition("\n")[0]


def ends_alike(was: Outcome, now: Outcome) -> bool:
    """Whether two runs end with equal values, or are stopped by what has the same code.

    An index that a pass made known, and reading finds known, is told by a check before the operator faults.
    """
    if was.kind == "fault" and was.label is not None and was.label[0] == OUT_OF_BOUNDS and now.kind == "blame":
        return now.label is not None and now.label[1] == "op.index.bounds"
    stopped = was.label and was.label[0], now.label and now.label[0]
    return was.kind == now.kind and stopped[0] == stopped[1] and alike(was.value, now.value)
