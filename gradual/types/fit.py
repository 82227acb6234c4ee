"""Subtyping by syntax alone: whether every value of one type has another type without a check or conversion."""

from __future__ import annotations

from collections.abc import Mapping, Set
from dataclasses import field
from functools import cached_property

from gradual.dims.term.constraint import TRUE
from gradual.record import record
from gradual.types.declared import Data
from gradual.types.instantiation import is_empty
from gradual.types.relations import Demand, demands, join
from gradual.types.size_of_type import growing
from gradual.types.substitution import instantiated
from gradual.types.subsumption import subsumes
from gradual.types.type import DataType, FunctionType, GradualType, TensorType, TupleType, UnrankedType
from gradual.types.unpacking import opened


@record(frozen=False, slots=False)
class Regular:
    """State of the coinductive comparison of recursive data types.

    Attributes:
        met: the pairs assumed to fit.
    """

    data: Mapping[str, Data]
    met: set[tuple[DataType, DataType]] = field(default_factory=set)

    @cached_property
    def growing(self) -> Set[str]:
        """The data types whose parts have ever larger types, so that a comparison of all parts would never end."""
        return growing(self.data)


def fits(source: GradualType, target: GradualType, regular: Regular) -> bool:
    """Whether each value of the source type has the target type without a conversion.  [type.data.convert]"""
    if source == target:
        return True
    match source, target:
        case _ if is_empty(source):
            return True
        case TensorType() | UnrankedType(), TensorType() | UnrankedType():
            inside, _ = opened(source, "%?", lambda path, axis, hole: None)
            return all(isinstance(need, Demand) and need.goal is TRUE for need in demands(inside, target))
        case TupleType(fields), TupleType(others):
            return len(fields) == len(others) and all(fits(*pair, regular) for pair in zip(fields, others, strict=True))
        case FunctionType(), FunctionType():
            return subsumes(source, target)
        case DataType(), DataType():
            return source.name == target.name and _data_fits(source, target, regular)
        case _:
            return False


def is_alike(source: DataType, target: DataType) -> bool:
    """Whether the arguments of two types of one name differ in sizes and ranks only."""
    return None not in map(join, source.arguments, target.arguments)


def _data_fits(source: DataType, target: DataType, regular: Regular) -> bool:
    """Compare the fields, assuming that a pair met again fits; compare extern types by their arguments' structure."""
    if (source, target) in regular.met:
        return True
    if not regular.data[source.name].constructors:
        return is_alike(source, target)
    if source.name in regular.growing:
        return False
    before = set(regular.met)
    regular.met.add((source, target))
    declared = regular.data[source.name]
    mine = dict(zip(declared.types, source.arguments, strict=True))
    theirs = dict(zip(declared.types, target.arguments, strict=True))
    good = True
    for constructor in declared.constructors.values():
        held = [instantiated(part, mine) for part in constructor.fields]
        if not any(map(is_empty, held)):  # a constructor with a field of an empty type has no values
            wanted = [instantiated(part, theirs) for part in constructor.fields]
            good = good and all(fits(*pair, regular) for pair in zip(held, wanted, strict=True))
    if not good:
        regular.met = before
    return good
