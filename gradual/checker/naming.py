"""What the names of core are that nobody wrote: `%_1` is the value of an expression, in its own words."""

from __future__ import annotations

import re
from collections.abc import Iterator

from gradual.checker.elaboration import Elaboration, Made
from gradual.dims.constraint import Constraint
from gradual.dims.dim import Variable
from gradual.source import Span
from gradual.types.opening import base_of

_UNWRITTEN = re.compile(r"%(?:_[0-9]+|(?:argument|written|read)(?:_[0-9]+)?)")
_ROOM = 40


def terms(state: Elaboration, *goals: Constraint) -> tuple[str, ...]:
    """In words, each value of which goals speak by a name that stands nowhere in the text.  [check.residual]"""
    variables = sorted({one for goal in goals for one in goal.variables()}, key=lambda variable: variable.name)
    return tuple(dict.fromkeys(said for variable in variables for said in _said(state, variable)))


def quoted(state: Elaboration, span: Span) -> str:
    """The words of an expression, on one line and not too long."""
    words = " ".join(state.program.source.text[span.start : span.end].split())
    return words if len(words) <= _ROOM else words[: _ROOM - 1] + "…"


def _said(state: Elaboration, variable: Variable) -> Iterator[str]:
    base = base_of(variable)
    if base is None or not _UNWRITTEN.fullmatch(base) or base in state.scope.names.values():
        return
    origin, promise = state.origins.get(base), state.ghosts.get(variable)
    if isinstance(origin, Made):
        yield f"`{base}` is the value of `{quoted(state, origin.span)}`"
    elif promise is not None:
        yield f"`{base}` is {promise.says}"
