"""Chapter 5: types, values, and the interfaces of functions."""

from __future__ import annotations

from dataclasses import dataclass, field

from .dims import Con, Dim, Var
from .text import Node, Place

INTS = ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64")
FLOATS = ("float16", "float32", "float64", "bfloat16")
DTYPES = (*INTS, *FLOATS, "bool")


@dataclass(frozen=True)
class Tensor:
    shape: tuple[Dim, ...]
    dtype: str


@dataclass(frozen=True)
class Tuple:
    parts: tuple[Type, ...]


Type = Tensor | Tuple


@dataclass
class Value:
    """A typed value: its contents [type.contents], the condition that it is, whether it is in error."""

    type: Type
    elems: tuple[Dim, ...] | None = None
    cond: tuple[Con, Con, bool] | None = None
    test: bool = False
    weak: bool = False
    error: bool = False
    name: str = ""
    parts: list[Value] = field(default_factory=list)

    @property
    def tensor(self) -> Tensor:
        assert isinstance(self.type, Tensor)
        return self.type


@dataclass
class Written:
    """A type as written: for each size a dim, None for `?`, or a bound; with the places."""

    kind: str
    place: Place
    dtype: str = ""
    dims: list[tuple[str, Dim | None, tuple[Var, Con] | None, Place]] = field(default_factory=list)
    parts: list[Written] = field(default_factory=list)

    @property
    def holes(self) -> bool:
        return any(k != "dim" for k, *_ in self.dims) or any(p.holes for p in self.parts)


@dataclass
class Function:
    """The interface that callers know [type.call.result]."""

    node: Node
    params: list[tuple[str, Written]] = field(default_factory=list)
    dims: dict[str, Var] = field(default_factory=dict)
    pre: list[Con] = field(default_factory=list)
    scalars: dict[Var, int] = field(default_factory=dict)
    sizes: dict[Var, tuple[int, tuple[int, ...], int]] = field(default_factory=dict)
    result: Type | None = None
    written: Written | None = None
    open: set[Var] = field(default_factory=set)
    holes: bool = False
    broken: bool = False
    types: list[str] = field(default_factory=list)
