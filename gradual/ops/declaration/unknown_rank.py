"""Unknown ranks: an operator's own rule is evaluated at every rank that is possible.

What is not known is the rank of an operand of type `*`, or a size that determines a rank, such as the length of a
shape.  Rules do not deal with this: each is evaluated on tensors of known rank only.   [op.dynamic]
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import count
from typing import Any

from gradual.dims.term.dim import Dim
from gradual.limits import LIMITS
from gradual.ops.declaration.operator import Contents, IllFormed, Judgement, OpenRank, Operator
from gradual.ops.declaration.rank_cases import ENUMERATED, Case, Cases, Together, Types, Unknown
from gradual.record import record
from gradual.types.dtype import DType
from gradual.types.type import GradualType, OpenedType, TensorType, TupleType, UnrankedType
from gradual.types.unpacking import numel_of, rank_of, shapes_unknown, tracked_length, with_contents

_TRIALS = 4_000


@record(eq=False)
class Asking:
    """An application whose rule is evaluated.

    Attributes:
        names: the paths of the operands, from which unknown elements get their names.
    """

    operator: Operator
    names: Sequence[str]
    attributes: Mapping[str, Any]

    def flattened(self, types: Types) -> Types:
        """The types, with vectors for operands of which only the number of elements matters.   [op.dynamic.flat]"""
        if self.operator.flat is None:
            return types
        flat = self.operator.flat(*types, **self.attributes)
        return tuple(_vector(type) if place in flat else type for place, type in enumerate(types))

    def judged(self, types: Types) -> Judgement:
        """The judgement for operands of known rank.  Raises IllFormed, also for a result of too high a rank."""
        judgement = self.operator.judge(*types, **self.attributes)
        _within_limit(judgement.result)
        return judgement

    def contents(self, types: Types, result: GradualType) -> Contents:
        """The contents of the result, if its elements are tracked."""
        rule = self.operator.contents
        if rule is None or not isinstance(result, TensorType):
            return None
        shape = tuple(extent for extent in result.shape if isinstance(extent, Dim))
        known = len(shape) == len(result.shape)
        tracked = known and tracked_length(TensorType(shape, result.dtype), LIMITS.contents) is not None
        return rule(*types, **self.attributes) if tracked else None

    def step(self, types: Types) -> Judgement | Unknown:
        """The judgement, or the first unknown on which it depends.  Raises IllFormed."""
        for type in types:
            for origin in shapes_unknown(type):
                bearing = (place for place, other in enumerate(types) if origin in shapes_unknown(other))
                return Unknown(rank_of(origin), tuple(bearing), origin)
        try:
            return self.judged(self._read(types))
        except OpenRank as open:
            assert open.operand is not None
            type = types[open.operand]
            assert isinstance(type, TensorType)
            size = type.shape[open.axis]
            bearing = (place for place, other in enumerate(types) if size in _extents(other))
            return Unknown(size, tuple(bearing), None)

    def _read(self, types: Types) -> Types:
        """The types, with a variable for each untracked element on which the result type may depend."""
        read = range(len(types)) if self.operator.contents is not None else self.operator.reads
        return tuple(
            self._named(type, place) if place in read and isinstance(type, TensorType) else type
            for place, type in enumerate(types)
        )

    def _named(self, type: TensorType[Dim], place: int) -> TensorType[Dim]:
        if type.dtype is DType.BOOL or type.contents is not None:
            return type
        length = tracked_length(type, LIMITS.contents, read=place in self.operator.reads)
        return type if length is None else with_contents(type, self.names[place])

    def cases(self, types: Types) -> Cases | None:
        """The cases of all ranks, or only some if these already have nothing in common.

        None if more than two numbers are unknown.
        """
        return remembered_cases(self.operator, tuple(self.names), tuple(self.attributes.items()), types)

    def _every(self, types: Types) -> Cases | None:
        found: list[Case] = []
        for case in self._cases(types, ()):
            if case is None:
                return None
            found.append(case)
            fitting = sum(each.judgement is not None for each in found)
            several = case.judgement is not None and len(case.at) == ENUMERATED
            if several and fitting & (fitting - 1) == 0 and Together.of(found).says_nothing(found):
                return Cases(tuple(found), complete=False)
        return Cases(tuple(found), complete=True)

    def at_any_rank(self, types: Types) -> GradualType | None:
        """The result's type as far as it is the same at every rank; None if that is not known.  Raises IllFormed.

        [op.dynamic.result]
        """
        cases = self.cases(types)
        if cases is None or not cases.complete:
            return None
        if not cases.fitting:
            raise next(case.refusal for case in cases.every if case.refusal is not None).anew()
        return Together(cases.fitting).result()

    def _cases(self, types: Types, at: tuple[tuple[Unknown, int], ...]) -> Iterator[Case | None]:
        try:
            found = self.step(types)
        except IllFormed as refusal:
            yield Case(at, self._read(types), None, refusal.anew())
            return
        if isinstance(found, Judgement):
            yield Case(at, self._read(types), found)
        elif len(at) == ENUMERATED:
            yield None
        else:
            for value in found.values:
                yield from self._cases(found.at(types, value), (*at, (found, value)))

    def sample(self, types: Types) -> Case:
        """One well-formed case, for any number of unknowns; if possible one in which all unknowns have the same value.

        Raises IllFormed if none is found.
        """
        alike = (self._alike(types, value) for value in range(LIMITS.rank + 1))
        found = next((case for case in alike if case is not None), None)
        if found is not None:
            return found
        try:
            return self._search(types, (), count())
        except _Conflict as conflict:
            raise conflict.refusal from None

    def _alike(self, types: Types, value: int) -> Case | None:
        at: list[tuple[Unknown, int]] = []
        try:
            while not isinstance(found := self.step(types), Judgement):
                types = found.at(types, value)
                at.append((found, value))
        except IllFormed:
            return None
        return Case(tuple(at), self._read(types), found)

    def _search(self, types: Types, at: tuple[tuple[Unknown, int], ...], trials: Iterator[int]) -> Case:
        """Search depth first; a refusal that names an operand jumps back to the last choice that concerns it."""
        try:
            found = self.step(types)
        except IllFormed as refusal:
            concerned = [level for level, (one, _) in enumerate(at) if refusal.operand in one.operands]
            level = concerned[-1] if concerned else len(at) - 1
            raise _Conflict(level if next(trials) < _TRIALS else -1, refusal) from None
        if isinstance(found, Judgement):
            return Case(at, self._read(types), found)
        for value in range(LIMITS.rank + 1):
            try:
                return self._search(found.at(types, value), (*at, (found, value)), trials)
            except _Conflict as conflict:
                last = conflict
                if conflict.level < len(at):
                    raise
        raise _Conflict(len(at) - 1, last.refusal)


@lru_cache(maxsize=256)
def remembered_cases(
    operator: Operator, names: tuple[str, ...], attributes: tuple[tuple[str, Any], ...], types: Types
) -> Cases | None:
    """`Asking.cases` with a memo table, since passes and the verifier repeat the questions of the checker."""
    return Asking(operator, names, dict(attributes))._every(types)


class _Conflict(Exception):
    """A refusal that no choice after the one at `level` can avoid."""

    def __init__(self, level: int, refusal: IllFormed) -> None:
        super().__init__(level)
        self.level, self.refusal = level, refusal


def _vector(type: OpenedType) -> OpenedType:
    if isinstance(type, UnrankedType) and type.origin is not None:
        return TensorType((numel_of(type.origin),), type.dtype)
    return type


def _extents(type: OpenedType) -> tuple[Dim, ...]:
    return type.shape if isinstance(type, TensorType) else ()


def _within_limit(result: GradualType) -> None:
    match result:
        case TensorType(shape) if len(shape) > LIMITS.rank:
            raise IllFormed("op.rank", f"rank {len(shape)} is above the limit of {LIMITS.rank}")
        case TupleType(fields):
            for field in fields:
                _within_limit(field)
