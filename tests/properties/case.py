"""A generated program with everything that a law asks of it, and what laws share."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from random import Random
from typing import Any

from gradual.compilation import Compilation
from gradual.core.check import Check
from gradual.core.terms import Block, Closure, Function, If, Match, Step, Wrap, WrapReference
from gradual.core.verify.function import Violation, violations
from gradual.source import Span
from gradual.tensors.value import Value
from tests.generators.program_terms import Program
from tests.properties.compiling import SHARED, Outcome, all_checks, compiled, outcome
from tests.properties.inputs import arguments, spoiled
from tests.properties.precision import randomly_blurred
from tests.properties.watching import Trace

INPUTS = 6


@dataclass(frozen=True, eq=False)
class Case:
    """A generated program with all that laws ask of it, each found once."""

    program: Program
    seed: int

    @cached_property
    def text(self) -> str:
        """The program's text."""
        return str(self.program)

    @cached_property
    def found(self) -> Compilation:
        """The program checked."""
        return compiled(self.text)

    @cached_property
    def doubtful(self) -> Compilation:
        """The program with every goal left to run time."""
        return all_checks(self.text)

    @cached_property
    def gave_up(self) -> bool:
        """Whether some goal was not decided for want of budget."""
        return gave_up(self.found)

    @cached_property
    def inputs(self) -> tuple[tuple[Value, ...], ...]:
        """Arguments of `@main`; one in ten does not fit the declaration."""
        random, main = Random(f"inputs {self.seed}"), self.found.core.functions.get("@main")
        if main is None:
            return ()
        drawn = [arguments(main, random) for _ in range(INPUTS)]
        fitting = [values for values in drawn if values is not None]
        return tuple(spoiled(values, random) if random.random() < 0.1 else values for values in fitting)

    @cached_property
    def outcomes(self) -> tuple[Outcome, ...]:
        """How the program runs on its inputs, watched."""
        return tuple(outcome(self.found.core, values, trace=self.trace) for values in self.inputs)

    @cached_property
    def trace(self) -> Trace:
        """The steps that runs came to; complete once the outcomes are known."""
        return Trace()

    @cached_property
    def violations(self) -> tuple[Violation, ...]:
        """What the verifier has against the core."""
        return tuple(violations(self.found.core, SHARED()))

    @cached_property
    def less_precise(self) -> tuple[tuple[Program, Compilation], ...]:
        """The program blurred to several degrees."""
        programs = randomly_blurred(self.program, Random(f"blur {self.seed}"))
        return tuple((program, compiled(str(program))) for program in programs)


Law = Callable[[Case], str | None]
"""Answers with what is wrong, or None."""


def gave_up(found: Compilation) -> bool:
    """Whether some goal was not decided for want of budget."""
    return any(diagnostic.code == "E0501" for diagnostic in found.diagnostics)


def errors(found: Compilation) -> list[str]:
    """The errors in words."""
    return [f"{d.code} {d.message}" for d in found.diagnostics if d.severity == "error"]


def owner_of(found: Compilation, span: Span) -> Function | None:
    """The function of the file in which a place lies."""
    return next((f for f in found.core.functions.values() if f.span.start <= span.start < f.span.end), None)


def checks_of(found: Compilation) -> list[Check]:
    """Every check of a core, those of branches and literals too."""
    functions = found.core.functions.values()
    return [step for function in functions for step in steps_of(function.body) if isinstance(step, Check)]


def steps_of(block: Block) -> Iterator[Any]:
    """Every step of a block, those of branches, arms, literals and layers too, in no order."""
    waiting: list[Sequence[Step]] = [block.steps]
    while waiting:
        for step in waiting.pop():
            yield step
            match step:
                case If(then=then, orelse=orelse):
                    waiting += (then.steps, orelse.steps)
                case Closure(function=inner):
                    waiting.append(inner.body.steps)
                case Match(arms=arms):
                    waiting += (arm.block.steps for arm in arms)
                case Wrap(layer=layer):
                    waiting += (layer.before, layer.after)
                case WrapReference(read=read, write=write):
                    waiting += (read.after, write.before)
