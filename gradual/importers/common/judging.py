"""Types of applications while a program is built, by the operators' own judgements.

Requirements are decided by the checker and not by the importer.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from gradual.dims.rewrite.readable import is_large
from gradual.dims.term.constraint import TRUE
from gradual.dims.term.dim import Dim
from gradual.importers.common.folding import TRACKED
from gradual.importers.common.refusals import Unsupported
from gradual.importers.common.values import are_integers
from gradual.limits import LIMITS
from gradual.ops.declaration.attributes import bound
from gradual.ops.declaration.operator import IllFormed, OpenRank, Operator
from gradual.ops.declaration.rank_cases import unranked
from gradual.ops.declaration.unknown_rank import Asking
from gradual.record import record
from gradual.types.dtype import DType
from gradual.types.type import GradualType, Hole, OpenedType, TensorType, TupleType, UnrankedType
from gradual.types.unpacking import opened, tracked_length, with_contents

MOST = 1024
"""Limit on the judgements kept; at the limit the table is cleared."""


@record(eq=False)
class Judged:
    """The judgement of an application.

    Attributes:
        type: the type of the result; its unknown sizes are holes.
        owes: whether it has a requirement that is not trivially true.
        settings: all attributes, with their defaults.
        is_known: whether the judgement is lasting, and no size of `type` is unknown.
        is_lasting: whether an equal application has the same judgement: no fresh variable was used for an element.
    """

    type: GradualType
    owes: bool
    settings: Mapping[str, Any]
    is_known: bool = False
    is_lasting: bool = False


class Judging:
    """Judges applications; unknown sizes get paths, which are names of values that no program contains.

    Attributes:
        count: the number of paths so far.
    """

    def __init__(self) -> None:
        self.count = 0
        self._known: dict[object, Judged] = {}

    def unknown(self) -> str:
        """A fresh path for unknowns."""
        self.count += 1
        return f"%.{self.count}"

    def is_before(self, count: int, size: Dim) -> bool:
        """Whether a size contains only sizes of parameters and unknowns with the first `count` paths."""
        paths = (getattr(name.witness, "value", "") for name in size.variables() if name.is_existential)
        return all(not path.startswith("%.") or int(path[2:].partition(".")[0]) <= count for path in paths)

    def open(self, type: Any) -> OpenedType:
        """The type with a fresh unknown in place of each `?`."""
        return opened(type, self.unknown(), lambda *_: None)[0]

    def typed(self, judged: Judged) -> OpenedType:
        """The type of an application, with a fresh unknown for each size that is not known."""
        found: Any = judged.type
        return found if judged.is_known else self.open(found)

    def judged(self, operator: Operator, types: Sequence[OpenedType], given: Mapping[str, Any]) -> Judged:
        """The judgement of an application, which is kept: a network repeats its layers, so few applications differ."""
        asking = operator, tuple(types), tuple(given), tuple(map(_exact, given.values()))
        found = self._known.get(asking)
        if found is None:
            found = self._judged(operator, types, _settings(operator, given))
            if found.is_lasting:
                if len(self._known) >= MOST:
                    self._known.clear()
                self._known[asking] = found
        return found

    def _judged(self, operator: Operator, types: Sequence[OpenedType], settings: Mapping[str, Any]) -> Judged:
        if any(map(_is_unranked, types)):
            return Judged(self._at_any_rank(operator, types, settings), True, settings)
        readable = [
            self.readable(type) if index in operator.reads or operator.contents is not None else type
            for index, type in enumerate(types)
        ]
        try:
            judgement = operator.judge(*readable, **settings)
        except OpenRank:
            return Judged(self._at_any_rank(operator, types, settings), True, settings)
        except IllFormed as error:
            raise Unsupported(f"`{operator.name}`: {error.message}") from error
        owes = any(need.goal is not TRUE for need in judgement.needs)
        type = _with_elements(operator, readable, settings, _legible(judgement.result))
        is_lasting = all(one is other for one, other in zip(readable, types, strict=True))
        return Judged(type, owes, settings, is_lasting and self.open(type) == type, is_lasting)

    def _at_any_rank(self, operator: Operator, types: Sequence[OpenedType], settings: Mapping[str, Any]) -> GradualType:
        """The common part of the result's types at all possible ranks of the operands.

        With several unknown ranks it is only their structure and element types, as in the checker.
        """
        asking, given = Asking(operator, [self.unknown() for _ in types], settings), tuple(types)
        try:
            found = asking.at_any_rank(given)
            if found is None:
                judgement = asking.sample(given).judgement
                assert judgement is not None, "a sample that has none is ill-formed"
                found = unranked(judgement.result)
        except IllFormed as error:
            raise Unsupported(f"`{operator.name}`: {error.message}") from error
        return _legible(found)

    def readable(self, type: OpenedType) -> OpenedType:
        """The type with a variable for each element of a small integer tensor, for rules that use elements."""
        if not isinstance(type, TensorType) or type.dtype is DType.BOOL or type.contents is not None:
            return type
        return type if tracked_length(type, TRACKED, True) is None else with_contents(type, self.unknown())


def _exact(value: Any) -> object:
    """A key that is equal only for values of the same type and spelling: 1 is not True, and 0.0 is not -0.0."""
    if isinstance(value, tuple):
        return value if are_integers(value) else (tuple, *map(_exact, value))
    return (value.hex() if isinstance(value, float) else value.__class__), value


def _settings(operator: Operator, given: Mapping[str, Any]) -> Mapping[str, Any]:
    """All attributes of an application, with their defaults."""
    try:
        return bound(operator, given)
    except IllFormed as error:
        raise Unsupported(f"`{operator.name}`: {error.message}") from error


def _with_elements(
    operator: Operator, types: Sequence[OpenedType], settings: Mapping[str, Any], type: GradualType
) -> GradualType:
    """The result type with its elements, if they are tracked and known."""
    if operator.contents is None or not isinstance(type, TensorType):
        return type
    sizes = tuple(size for size in type.shape if isinstance(size, Dim))
    length = tracked_length(TensorType(sizes, type.dtype), TRACKED) if len(sizes) == type.rank else None
    contents = None if length is None else operator.contents(*types, **settings)
    return type if contents is None or len(contents) != length else TensorType(type.shape, type.dtype, contents)


def _is_unranked(type: OpenedType) -> bool:
    """Whether a tensor in the type has an unknown rank."""
    return isinstance(type, UnrankedType) or (isinstance(type, TupleType) and any(map(_is_unranked, type.fields)))


def _legible(type: GradualType) -> GradualType:
    """The type with an unknown for each size that is too large to be written, as in the checker."""
    match type:
        case TensorType(shape, dtype):
            return TensorType(tuple(Hole() if _is_too_large(size) else size for size in shape), dtype)
        case TupleType(fields):
            return TupleType(tuple(map(_legible, fields)))
        case _:
            return type


def _is_too_large(size: Dim | Hole) -> bool:
    return isinstance(size, Dim) and is_large(size, LIMITS.nodes)
