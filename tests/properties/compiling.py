"""The compiler under test, its variant that proves nothing, and runs as outcomes that can be compared."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import gradual.compilation
import gradual.compiler
from gradual.compilation import Compilation
from gradual.compiler import compile_source
from gradual.core.terms import Module
from gradual.dims.solver.decide import Decider
from gradual.dims.store.facts import Facts
from gradual.dims.term.constraint import Constraint
from gradual.dims.term.dim import Dim
from gradual.limits import LIMITS, Limits, Options
from gradual.ops.declaration.unknown_rank import remembered_cases
from gradual.run.value import Blame, Cell, Fault, Procedure, Proxied
from gradual.source import Source
from gradual.tensors.value import Constructed, Value
from gradual.verdict import Refuted, Unknown, Verdict
from tests.properties.watching import Endless, Trace, Watched, run_watched

_REMEMBERED = 20_000
_TEXTS = 64


class Shared:
    """One decider of each budget for many programs, so that its answers are shared; renewed when it remembers too much.

    What a question is answered does not depend on who asked before (law `determinism`).
    """

    def __init__(self) -> None:
        self._deciders: dict[tuple[Limits, bool], Decider] = {}

    def __call__(self, limits: Limits = LIMITS, smt: bool = True) -> Decider:
        found = self._deciders.get((limits, smt))
        if found is None or len(found._answers) > _REMEMBERED:
            found = self._deciders[limits, smt] = Decider(limits, smt)
        return found

    def forget(self) -> None:
        """Answers from here on are found anew, texts are checked anew, and rules are asked anew."""
        self._deciders.clear()
        _compiled.cache_clear()
        remembered_cases.cache_clear()


SHARED = Shared()


class Doubtful(Decider):
    """Proves nothing: every goal that is not refuted becomes a check, as in T7.

    What is refuted stays so: a branch in which a check always fails is none.  [type.if.fails]
    """

    def decide(self, facts: Facts, goal: Constraint) -> Verdict:
        """Refuted or unknown."""
        found = SHARED().decide(facts, goal)
        return found if isinstance(found, Refuted) else Unknown("nothing is proved here")

    def simplified(self, facts: Facts, dim: Dim) -> Dim:
        """The dim as it is."""
        return dim


@contextmanager
def deciding(make: Any) -> Iterator[None]:
    """Compile with another decider."""
    original = gradual.compiler.Decider
    for module in (gradual.compilation, gradual.compiler):
        vars(module)["Decider"] = make
    try:
        yield
    finally:
        for module in (gradual.compilation, gradual.compiler):
            vars(module)["Decider"] = original


_ORDINARY = Options(advise=False)

ROOMY = Options(limits=Limits(nodes=1000), advise=False)
"""Where no size is too large to be kept: one that is forgotten agrees with every other, as a `?` of its definition."""


def compiled(text: str, options: Options = _ORDINARY) -> Compilation:
    """The text checked by the decider that all generated programs share, once for the laws that ask for it."""
    return _compiled(text, options)


@lru_cache(_TEXTS)
def _compiled(text: str, options: Options) -> Compilation:
    with deciding(SHARED):
        return compile_source(Source("p.relay", text), options)


def all_checks(text: str) -> Compilation:
    """The text elaborated with every goal left to run time."""
    with deciding(Doubtful):
        return compile_source(Source("p.relay", text), _ORDINARY)


# ------------------------------------------------------------------------------------------------------------ runs
@dataclass(frozen=True)
class Outcome:
    """How a run ended: `value`, `blame`, `fault`, `stuck` (an assertion of the machine failed), or not: `endless`.

    `label` is what tells a blame or fault from another: code, rule and place.
    """

    kind: str
    value: Value | None = None
    label: tuple[str, str, int, int] | None = None
    says: str = ""

    @property
    def at_entry(self) -> bool:
        """Whether the caller from outside is blamed."""
        return self.label is not None and self.label[0] == "E0602"


def outcome(core: Module, arguments: Sequence[Value], entry: str = "@main", trace: Trace | None = None) -> Outcome:
    """The outcome of a run, with the predictions of every step checked."""
    try:
        return Outcome("value", run_watched(core, entry, arguments, trace or Trace()))
    except (Blame, Fault) as stop:
        kind = "blame" if isinstance(stop, Blame) else "fault"
        label = (stop.code, stop.diagnostic.rule, stop.span.start, stop.span.end)
        return Outcome(kind, None, label, stop.message)
    except (AssertionError, Watched) as stuck:
        return Outcome("stuck", says=f"{type(stuck).__name__}: {stuck}")
    except Endless:
        return Outcome("endless")


def same(left: Outcome, right: Outcome) -> bool:
    """Whether two runs ended alike: equal values, or the same label."""
    return left.kind == right.kind and left.label == right.label and alike(left.value, right.value)


def alike(left: Any, right: Any) -> bool:
    """Whether two values are equal; data structures part by part, without recursion."""
    waiting = [(left, right)]
    while waiting:
        match waiting.pop():
            case Constructed(one, fields), Constructed(other, others):
                if one != other:
                    return False
                waiting += zip(fields, others, strict=True)
            case tuple() as fields, tuple() as others:
                if len(fields) != len(others):
                    return False
                waiting += zip(fields, others, strict=True)
            case Procedure() | Proxied() | Cell(), Procedure() | Proxied() | Cell():
                pass
            case one, other:
                if one != other:
                    return False
    return True
