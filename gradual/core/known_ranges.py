"""Ranges of the integers of a function's values, step by step.   [op.index.known]"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from gradual.core.terms import Apply, Constant, MakeTuple, Project, Step
from gradual.dims.rewrite.readable import is_large
from gradual.dims.term.dim import constant
from gradual.limits import LIMITS
from gradual.ops.declaration.element_ranges import Operands, Range, Ranges, known_range
from gradual.ops.declaration.lookups import Bound, Lookup
from gradual.ops.declaration.operator import Operator
from gradual.tensors.tensor import Tensor
from gradual.types.type import OpenedType, TensorType, TupleType


@dataclass(slots=True, eq=False)
class KnownRanges:
    """What is known of all elements of a value together, where its type does not know each of them.

    Ranges do not leave a function, a branch or an annotation: parameters, results of calls and joins have none.
    """

    _found: dict[str, Ranges | Tensor] = field(default_factory=dict)

    def knows(self, name: str) -> bool:
        """Whether more is known of a value than its type says."""
        return name in self._found

    def of(self, name: str, type: OpenedType) -> Ranges:
        """What is known of a value of this type."""
        match type:
            case TensorType():
                found = known_range(type) or self._found.get(name)
                return self._of_literal(name, found) if isinstance(found, Tensor) else found
            case TupleType(fields):
                whole = self._found.get(name)
                parts = whole if isinstance(whole, tuple) else (None,) * len(fields)
                return tuple(known_range(type) or part for type, part in zip(fields, parts, strict=True))
            case _:
                return None

    def _of_literal(self, name: str, value: Tensor) -> Range | None:
        """The range of a constant, which is looked at when it is asked for, as it may be large."""
        ends = (min(value.elements), max(value.elements)) if value.size else None
        found = Range(constant(ends[0]), constant(ends[1])) if ends is not None else None
        self._found[name] = found
        return found

    def step(self, step: Step, types: Mapping[str, Any]) -> None:
        """Record what is known of the value of a step."""
        match step:
            case Constant(name, Tensor() as value, TensorType(contents=None)) if value.dtype.is_integer:
                self._found[name] = value
            case Apply(operator=operator):
                if operator.ranges is not None and _holds_unknown_integers(step.type):
                    self._apply(step, operator.form(step.operands), types)
            case MakeTuple(name, fields):
                if any(part in self._found for part in fields):
                    self._found[name] = tuple(self.of(part, types[part]) for part in fields)
            case Project(name, operand, index):
                whole = self._found.get(operand)
                if isinstance(whole, tuple):
                    self._found[name] = whole[index]

    def _apply(self, step: Apply, operator: Operator, types: Mapping[str, Any]) -> None:
        held = [types[operand] for operand in step.operands]
        if not all(map(_is_ranked, held)):
            return
        given = Operands([self.of(*pair) for pair in zip(step.operands, held, strict=True)], held, step.attributes)
        found = operator.ranges(given) if operator.ranges is not None else None
        if found is not None and not _is_large(found):
            self._found[step.name] = found

    def bounds(
        self,
        operator: Operator,
        operands: Sequence[str],
        types: Sequence[OpenedType],
        attributes: Mapping[str, Any],
    ) -> Iterator[tuple[Lookup, Bound]]:
        """What an application owes for the indices that it looks up.   [op.index.bounds]"""
        for lookup in operator.lookups(*types, **attributes) if operator.lookups is not None else ():
            place, *field = lookup.indices
            type, known = types[place], self.of(operands[place], types[place])
            if field:
                type = type.fields[field[0]] if isinstance(type, TupleType) else type
                known = known[field[0]] if isinstance(known, tuple) else None
            contents = type.contents if isinstance(type, TensorType) else None
            yield from (
                (lookup, bound) for bound in lookup.bounds(contents, known if isinstance(known, Range) else None)
            )


def _holds_unknown_integers(type: OpenedType) -> bool:
    if isinstance(type, TensorType):
        return type.contents is None and type.dtype.is_integer
    return isinstance(type, TupleType) and any(map(_holds_unknown_integers, type.fields))


def _is_ranked(type: OpenedType) -> bool:
    """Whether a value is a tensor of known rank, or a tuple of such."""
    return all(map(_is_ranked, type.fields)) if isinstance(type, TupleType) else isinstance(type, TensorType)


def _is_large(found: Ranges) -> bool:
    """Whether an end is too large to be kept as a formula."""
    match found:
        case Range(least, greatest):
            return is_large(least, LIMITS.nodes) or is_large(greatest, LIMITS.nodes)
        case tuple():
            return any(map(_is_large, found))
        case None:
            return False
