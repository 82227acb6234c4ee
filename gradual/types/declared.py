"""Types that a file declares: their parameters and their constructors."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field

from gradual.record import record
from gradual.types.type import GradualType, TypeVariable


@record
class Constructor:
    """A constructor, such as `Cons(A, List[A])`; the fields' types are over the parameters of `data`."""

    name: str
    data: str
    fields: tuple[GradualType, ...]


@record
class Data:
    """A declared type: `type List[A] { … }`, or `extern type S` with no constructor.  [type.data]

    Attributes:
        types: its parameters.
        constructors: by name, in the order of the declaration.
    """

    name: str
    types: tuple[TypeVariable, ...]
    constructors: Mapping[str, Constructor] = field(default_factory=dict)
