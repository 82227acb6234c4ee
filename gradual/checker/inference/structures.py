"""Inference for constructors of data types and for mutable references."""

from __future__ import annotations

from collections.abc import Sequence

from gradual.checker.inference import terms as sk
from gradual.checker.inference.conversion import of_type
from gradual.checker.inference.solver import Flows
from gradual.checker.inference.terms import InferenceType, Unknown, seen
from gradual.types.declared import Constructor, Data
from gradual.types.type import TypeVariable


def constructed(constructor: Constructor, data: Data) -> tuple[tuple[InferenceType, ...], sk.Data]:
    """The types of a constructor's fields and of its result, instantiated with fresh unknowns."""
    chosen: dict[TypeVariable, InferenceType] = {v: Unknown() for v in data.types}
    fields = tuple(of_type(field, chosen) for field in constructor.fields)
    return fields, sk.Data(constructor.data, tuple(chosen.values()))


def accessed(flows: Flows, kind: str, operands: Sequence[InferenceType]) -> InferenceType:
    """The type of a `ref`, `ref_read` or `ref_write`."""
    content: InferenceType = Unknown()
    if kind == "ref":
        flows.flow(operands[0], content)
        return sk.Reference(content)
    cell = seen(operands[0])
    if isinstance(cell, sk.Reference):
        content = cell.content
    else:
        flows.flow(cell, sk.Reference(content))
    if kind == "ref_read":
        return content
    flows.flow(operands[1], content)
    return sk.Product(())
