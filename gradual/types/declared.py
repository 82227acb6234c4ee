"""Types that a file declares: their parameters and their constructors."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from gradual.types.type import GradualType, TypeVariable


@dataclass(frozen=True, slots=True)
class Constructor:
    """`Cons(A, List[A])`: its fields' types over the parameters of the data type `data`."""

    name: str
    data: str
    fields: tuple[GradualType, ...]


@dataclass(frozen=True, slots=True)
class Data:
    """`type List[A] { … }`, or `extern type S` with no constructor.  [type.data]

    Attributes:
        types: its parameters.
        constructors: by name, in the order of the declaration.
    """

    name: str
    types: tuple[TypeVariable, ...]
    constructors: Mapping[str, Constructor] = field(default_factory=dict)
