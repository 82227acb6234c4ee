"""Ranges of the integers in the values of a function, computed on demand.   [op.index.known]"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import field
from functools import partial
from typing import Any

from gradual.core.terms import Apply, Constant, MakeTuple, Project, Step
from gradual.dims.rewrite.readable import is_large
from gradual.dims.term.dim import Dim, constant
from gradual.limits import LIMITS
from gradual.ops.declaration.element_ranges import Operands, Range, Ranges, is_natural_number, known_range
from gradual.ops.declaration.lookups import Bound, Lookup
from gradual.ops.declaration.operator import Operator
from gradual.record import record
from gradual.tensors.tensor import Tensor
from gradual.types.type import OpenedType, TensorType, TupleType


@record(eq=False)
class _Unasked:
    """A step whose value's range is not computed yet, with the types of its operands at that point."""

    step: Apply | MakeTuple | Project
    operands: tuple[str, ...]
    types: tuple[OpenedType, ...]


@record(frozen=False, eq=False)
class KnownRanges:
    """The ranges of integer values whose types do not track each element.

    Steps are recorded, and a range is computed at its first query.  Parameters, results of calls and of branches, and
    ascribed values have no range.

    Attributes:
        natural: tells whether a dim is known not to be negative.
    """

    natural: Callable[[Dim], bool] = is_natural_number
    _found: dict[str, Ranges | Tensor | _Unasked] = field(default_factory=dict)

    def step(self, step: Step, types: Mapping[str, Any]) -> None:
        """Record a step."""
        if isinstance(step, Apply):
            self.apply(step, types)
        elif isinstance(step, Constant):
            self.constant(step)
        elif isinstance(step, MakeTuple | Project):
            self.part(step, types)

    def apply(self, step: Apply, types: Mapping[str, Any]) -> None:
        """Record the application of an operator."""
        if step.operator.ranges is not None and _holds_unknown_integers(step.type):
            self._found[step.name] = _Unasked(step, step.operands, tuple([types[one] for one in step.operands]))

    def constant(self, step: Constant) -> None:
        """Record a constant."""
        if step.value.dtype.is_integer and isinstance(step.type, TensorType) and step.type.contents is None:
            self._found[step.name] = step.value

    def part(self, step: MakeTuple | Project, types: Mapping[str, Any]) -> None:
        """Record a tuple or one of its fields."""
        operands = step.fields if isinstance(step, MakeTuple) else (step.operand,)
        if any(one in self._found for one in operands):
            whole = step.type if isinstance(step, MakeTuple) else TupleType((types[step.operand],))
            assert isinstance(whole, TupleType), step
            self._found[step.name] = _Unasked(step, operands, whole.fields)

    def of(self, name: str, type: OpenedType) -> Ranges:
        """The range of a value of this type: by its type, or else by the step that made it."""
        match type:
            case TensorType():
                return known_range(type) or self.known(name)
            case TupleType(fields):
                whole = self.known(name)
                parts = whole if isinstance(whole, tuple) else (None,) * len(fields)
                return tuple(known_range(type) or part for type, part in zip(fields, parts, strict=True))
            case _:
                return None

    def known(self, name: str) -> Ranges:
        """The range of a value by the step that made it, computed after those of its operands, without recursion."""
        waiting = [name]
        while waiting:
            found = self._found.get(waiting[-1])
            if isinstance(found, _Unasked):
                before = [one for one in found.operands if isinstance(self._found.get(one), _Unasked)]
                if before:
                    waiting += before
                    continue
                self._found[waiting[-1]] = self._asked(found)
            elif isinstance(found, Tensor):
                self._found[waiting[-1]] = _of_literal(found)
            waiting.pop()
        answer = self._found.get(name)
        assert not isinstance(answer, _Unasked | Tensor), name
        return answer

    def _asked(self, made: _Unasked) -> Ranges:
        """Compute the range of a step's value, once those of its operands are computed."""
        ranges = tuple(self.of(*pair) for pair in zip(made.operands, made.types, strict=True))
        match made.step:
            case Apply() as step:
                rule = step.operator.form(step.operands).ranges
                if rule is None or not all(map(_is_ranked, made.types)):
                    return None
                found = rule(Operands(ranges, made.types, step.attributes, self.natural))
                return None if _is_large(found) else found
            case MakeTuple():
                return ranges
            case Project(index=index):
                return ranges[0][index] if isinstance(ranges[0], tuple) else None

    def bounds(
        self,
        operator: Operator,
        operands: Sequence[str],
        types: Sequence[OpenedType],
        attributes: Mapping[str, Any],
    ) -> Iterator[tuple[Lookup, Bound]]:
        """The bounds that an application requires of the indices it looks up.   [op.index.bounds]"""
        for lookup in operator.lookups(*types, **attributes) if operator.lookups is not None else ():
            place, *field = lookup.indices
            whole = types[place]
            type = whole.fields[field[0]] if field and isinstance(whole, TupleType) else whole
            contents = type.contents if isinstance(type, TensorType) else None
            for bound in lookup.bounds(contents, partial(self._range, operands[place], whole, field)):
                yield lookup, bound

    def _range(self, name: str, type: OpenedType, field: Sequence[int]) -> Range | None:
        """The range of a tensor, or of a field of a tuple."""
        found = self.of(name, type)
        for index in field:
            found = found[index] if isinstance(found, tuple) else None
        return found if isinstance(found, Range) else None


def _of_literal(value: Tensor) -> Range | None:
    """The range of a constant; computed on demand, since the constant may be large."""
    return Range(constant(min(value.elements)), constant(max(value.elements))) if value.size else None


def _holds_unknown_integers(type: OpenedType) -> bool:
    if isinstance(type, TensorType):
        return type.dtype.is_integer and type.contents is None
    return isinstance(type, TupleType) and any(map(_holds_unknown_integers, type.fields))


def _is_ranked(type: OpenedType) -> bool:
    """Whether a value is a tensor of known rank, or a tuple of such tensors."""
    return all(map(_is_ranked, type.fields)) if isinstance(type, TupleType) else isinstance(type, TensorType)


def _is_large(found: Ranges) -> bool:
    """Whether a bound is too large to be kept as a formula."""
    match found:
        case Range(least, greatest):
            return is_large(least, LIMITS.nodes) or is_large(greatest, LIMITS.nodes)
        case tuple():
            return any(map(_is_large, found))
        case None:
            return False
