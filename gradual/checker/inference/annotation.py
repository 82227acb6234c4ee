"""The annotation inferred for an omitted type.  [type.omitted]"""

from __future__ import annotations

from gradual.checker.declarations.binders import parts
from gradual.checker.inference.conversion import annotation
from gradual.checker.inference.walk import solution
from gradual.checker.state.context import Elaboration
from gradual.source import Span
from gradual.syntax.tree import ast


def omitted_type(state: Elaboration, place: object, span: Span) -> ast.Type | None:
    """The annotation inferred for an omitted type, located at `span`; None if the type is not determined."""
    if not state.program.functions:  # the file's declarations are still being read
        return None
    found = annotation(solution(state.program).of(place, state.scope.calls), span)
    return found if found is not None and _is_seen(state, found) else None


def _is_seen(state: Elaboration, found: ast.Type) -> bool:
    """Whether every type name in the annotation is in scope: a type parameter of an expected type is not."""
    inside = list(parts(found))
    own = {binder.name for part in inside if isinstance(part, ast.FnType) for binder in part.binders}
    named = {part.name for part in inside if isinstance(part, ast.NamedType)}
    return all(name in state.scope.types or name in state.program.data for name in named - own)
