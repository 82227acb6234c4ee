"""What a file defines: functions, types and operators; and the whole file."""

from __future__ import annotations

from dataclasses import field

from gradual.record import record
from gradual.source import Span
from gradual.syntax.tree.expressions import Binder, Expr, Fn, Param, Type
from gradual.syntax.tree.leaves import Global, Name


@record(eq=False, repr=False)
class Def:
    """`def @f …`; a file that is one expression becomes `@main` with `implicit` set."""

    name: Global
    function: Fn
    span: Span
    implicit: bool = False


@record(eq=False, repr=False)
class Constructor:
    """`Cons(A, List[A])` of a type definition."""

    name: str
    fields: tuple[Type, ...]
    span: Span


@record(eq=False, repr=False)
class TypeDef:
    """`type List[A] { … }`."""

    name: str
    binders: tuple[Binder, ...]
    constructors: tuple[Constructor, ...]
    span: Span


@record(eq=False, repr=False)
class ExternType:
    """`extern type S[A]`."""

    name: str
    binders: tuple[Binder, ...]
    span: Span


@record(eq=False, repr=False)
class OperatorDef:
    """`operator my.op<n>(…) -> T where p;` or with a body `{ … }` (`function.body` is None without one)."""

    name: Name
    binders: tuple[Binder, ...]
    params: tuple[Param, ...]
    result: Type
    where: tuple[Expr, ...]
    body: Expr | None
    span: Span


@record(eq=False, repr=False)
class MetaTensor:
    """A decoded `relay.Constant`: elements row-major, as Python bools, ints or floats."""

    dtype: str
    shape: tuple[int, ...]
    elements: tuple[bool | int | float, ...]


@record(eq=False, repr=False)
class Module:
    """A parsed file.

    Attributes:
        version: the text of the header's version, `0.0.5`, or None without a header.
        settings: other `#[key = "value"]` headers, such as `broadcast`.
        metadata: decoded entries of the metadata section by (kind, index); a kind that could not be
            decoded is absent, and its use is an error that names the key.
        metadata_text: the section as written, for printing back.
    """

    version: str | None
    settings: tuple[tuple[str, str, Span], ...]
    definitions: tuple[Definition, ...]
    metadata: dict[tuple[str, int], MetaTensor | int] = field(default_factory=dict)
    metadata_text: str | None = None


Definition = Def | TypeDef | ExternType | OperatorDef
