"""How large a type is, and whether the types of its parts grow for ever.

If each step of a program pairs a value with itself, its type doubles each time.  Data such as
`Nest[A] { Deep(A, Nest[(A, A)]), End }` has parts of ever larger types.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterator, Mapping, Set
from typing import TypeVar

from gradual.types.declared import Data
from gradual.types.substitution import type_variables
from gradual.types.type import Composite, DataType, FunctionType, GradualType, ReferenceType, TupleType

Node = TypeVar("Node", bound=Hashable)

Parameter = tuple[str, int]
"""A declared type, and the place of one of its parameters."""


def parts_of(type: GradualType) -> int:
    """How many parts a type has, counting itself and, recursively, the parts of its parts."""
    if not isinstance(type, Composite):
        return 1
    try:
        return type._parts
    except AttributeError:
        found = 1 + sum(map(parts_of, inside(type)))
        object.__setattr__(type, "_parts", found)
        return found


def inside(type: GradualType) -> tuple[GradualType, ...]:
    """The parts of a type that are types."""
    match type:
        case TupleType(parts) | DataType(_, parts):
            return parts
        case FunctionType(_, params, result):
            return (*params, result)
        case ReferenceType(content):
            return (content,)
        case _:
            return ()


def growing(data: Mapping[str, Data]) -> Set[str]:
    """The names of the declared types with parts of ever larger types.  [type.unsupported]

    A parameter of a declared type flows to a parameter of another where it occurs in the argument, and grows if it is
    only a part of the argument.  The types are infinitely many just if a parameter grows on its way back to itself.
    """
    parts: defaultdict[str, set[str]] = defaultdict(set)
    flows: defaultdict[Parameter, set[Parameter]] = defaultdict(set)
    grows: list[tuple[Parameter, Parameter]] = []
    for declared in data.values():
        for used in _used(declared):
            parts[declared.name].add(used.name)
            for place, argument in enumerate(used.arguments):
                for variable in set(type_variables(argument)).intersection(declared.types):
                    flow = (declared.name, declared.types.index(variable)), (used.name, place)
                    flows[flow[0]].add(flow[1])
                    if argument != variable:
                        grows.append(flow)
    circles: Set[str] = {start[0] for start, end in grows if start in _reached(end, flows)}
    return {name for name in data if circles & _reached(name, parts)}


def _used(declared: Data) -> Iterator[DataType]:
    """The data types in the fields of a declared type, at any depth."""
    waiting = [part for constructor in declared.constructors.values() for part in constructor.fields]
    while waiting:
        part: GradualType = waiting.pop()
        waiting.extend(inside(part))
        if isinstance(part, DataType):
            yield part


def _reached(start: Node, edges: Mapping[Node, set[Node]]) -> Set[Node]:
    """The nodes that can be reached from a node, itself included."""
    seen, waiting = {start}, [start]
    while waiting:
        fresh = set(edges.get(waiting.pop(), ())) - seen
        seen |= fresh
        waiting.extend(fresh)
    return seen
