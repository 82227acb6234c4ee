"""What stands where a type is left out.  [type.omitted]"""

from __future__ import annotations

from gradual.checker.elaboration import Elaboration
from gradual.checker.inference import solution
from gradual.checker.outlines import annotation
from gradual.source import Span
from gradual.syntax import ast


def omitted_type(state: Elaboration, place: object, span: Span) -> ast.Type | None:
    """The type that could have been written at a place, as if it stood at a span; None if it is not determined."""
    if not state.program.functions:  # the file's types are still being read
        return None
    return annotation(solution(state.program).of(place, state.calls), span)
