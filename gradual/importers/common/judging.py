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
from gradual.limits import LIMITS
from gradual.ops.declaration.operator import IllFormed, OpenRank, Operator
from gradual.ops.declaration.rank_cases import unranked
from gradual.ops.declaration.unknown_rank import Asking
from gradual.types.dtype import DType
from gradual.types.type import GradualType, Hole, OpenedType, TensorType, TupleType, UnrankedType
from gradual.types.unpacking import opened, tracked_length, with_contents

Judged = tuple[OpenedType, bool]
"""The type of an application, and whether it has a requirement that is not trivially true."""


class Judging:
    """Judges applications; each unknown size gets a separate path.

    Attributes:
        count: the number of paths.
    """

    def __init__(self) -> None:
        self.count = 0

    def unknown(self) -> str:
        """A fresh path for unknowns."""
        self.count += 1
        return f"%.{self.count}"

    def is_before(self, count: int, size: Dim) -> bool:
        """Whether a size is one of the first `count` unknowns, or of parameters."""
        paths = (getattr(name.witness, "value", "") for name in size.variables() if name.is_existential)
        return all(not path.startswith("%.") or int(path[2:].partition(".")[0]) <= count for path in paths)

    def open(self, type: Any) -> OpenedType:
        """The type with a fresh unknown in place of each `?`."""
        return opened(type, self.unknown(), lambda *_: None)[0]

    def judged(self, operator: Operator, types: Sequence[OpenedType], settings: Mapping[str, Any]) -> Judged:
        """Judge an application; `Judged` is its type, and whether it has a nontrivial requirement."""
        if any(map(_is_unranked, types)):
            return self._at_any_rank(operator, types, settings), True
        readable = [
            self.readable(type) if index in operator.reads or operator.contents is not None else type
            for index, type in enumerate(types)
        ]
        try:
            judgement = operator.judge(*readable, **settings)
        except OpenRank:
            return self._at_any_rank(operator, types, settings), True
        except IllFormed as error:
            raise Unsupported(f"`{operator.name}`: {error.message}") from error
        result = self.open(_legible(judgement.result))
        owes = any(need.goal is not TRUE for need in judgement.needs)
        length = tracked_length(result, TRACKED)
        if operator.contents is None or length is None:
            return result, owes
        contents = operator.contents(*readable, **settings)
        assert isinstance(result, TensorType)
        known = contents if contents is not None and len(contents) == length else None
        return TensorType(result.shape, result.dtype, known), owes

    def _at_any_rank(self, operator: Operator, types: Sequence[OpenedType], settings: Mapping[str, Any]) -> OpenedType:
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
        return self.open(_legible(found))

    def readable(self, type: OpenedType) -> OpenedType:
        """The type with a variable for each element of a small integer tensor, for rules that use elements."""
        if not isinstance(type, TensorType) or type.dtype is DType.BOOL or type.contents is not None:
            return type
        return type if tracked_length(type, TRACKED, True) is None else with_contents(type, self.unknown())


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
