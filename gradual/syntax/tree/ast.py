"""The surface language: what a parsed text is, every node with its span.

Nodes are frozen and compared by identity (a generated `==`, `hash` or `repr` would recurse over programs).
Names keep their sigils: `%x`, `%0`, `@main`; a dimension or type name has none.
A dim is an expression over `Name`, `Local`, `Number`, `SizeOf`, `Infix`, `Unary`, `Apply`, `Choose`, `Hole`;
the checker says which expressions may stand where.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from gradual.source import Span


# --------------------------------------------------------------------------------------------- expressions
@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Local:
    """A variable `%x`, or a graph variable `%0`."""

    name: str
    span: Span


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Global:
    """A function `@f`."""

    name: str
    span: Span


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Name:
    """A bare, possibly dotted name: an operator, a constructor, a dimension or a type variable."""

    name: str
    span: Span


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Number:
    """A scalar literal: `value` is a bool, an int or a float (already rounded to `dtype`).

    `explicit` tells whether the text wrote the dtype (`1i64`, `1f16`).
    """

    value: bool | int | float
    dtype: str
    explicit: bool
    span: Span


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Text:
    """A string literal, escapes resolved (attribute values, assertion messages)."""

    value: str
    span: Span


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Nothing:
    """`None` or `nullptr` as an attribute value."""

    span: Span


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Meta:
    """`meta[kind][index]`; resolved through `Module.metadata`, and as the last argument of a call by its attributes.

    Attributes:
        attributes: what the entry writes, where it is an operator's attributes; None of any other kind.
    """

    kind: str
    index: int
    span: Span
    attributes: tuple[Attribute, ...] | None = None


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Absent:
    """The body of an operator that is declared without one; no text is read as it."""

    span: Span


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Attribute:
    """`key=value` of a call, a function or a parameter; the key may be dotted."""

    key: str
    value: Expr
    span: Span


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Listing:
    """`[a, b, c]`, an attribute value; as an expression it is an integer vector literal."""

    items: tuple[Expr, ...]
    span: Span


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Call:
    """`function(arguments, key=value)`; `function` is a `Name` for operators and constructors."""

    function: Expr
    arguments: tuple[Expr, ...]
    attributes: tuple[Attribute, ...]
    span: Span


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Instance:
    """`function[d, T]`: a function at given dims and types; a type that is no tensor type is read as an expression."""

    function: Expr
    arguments: tuple[Expr | Type, ...]
    span: Span


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Infix:
    """`left op right`.

    `op` is one of `* / + - < <= > >= == !=` everywhere, and `// % and or` where dims and predicates stand.
    """

    op: str
    left: Expr
    right: Expr
    span: Span


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Unary:
    """`-d` or `not p`, in dims and predicates (and `-` before a non-literal expression)."""

    op: str
    operand: Expr
    span: Span


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Choose:
    """`if p then a else b` on dims."""

    condition: Expr
    then: Expr
    orelse: Expr
    span: Span


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Hole:
    """`?` (or `Any`), or `?{u. p}` with its bound name and bound."""

    span: Span
    binder: str | None = None
    bound: Expr | None = None


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Tuple:
    """`(a, b)`, `(a,)`, `()`."""

    items: tuple[Expr, ...]
    span: Span


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Project:
    """`e.i`."""

    tuple: Expr
    index: int
    span: Span


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class If:
    """`if (c) { a } else { b }`; `else if` nests."""

    condition: Expr
    then: Expr
    orelse: Expr
    span: Span


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Arm:
    """`pattern => body`."""

    pattern: Pattern
    body: Expr
    span: Span


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Match:
    """`match (e) { … }`; `match?` is not `complete`."""

    scrutinee: Expr
    arms: tuple[Arm, ...]
    complete: bool
    span: Span


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Fn:
    """A function literal, also the function of a `def`."""

    binders: tuple[Binder, ...]
    params: tuple[Param, ...]
    attributes: tuple[Attribute, ...]
    result: Type | None
    where: tuple[Expr, ...]
    body: Expr
    span: Span


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Ref:
    """`ref(e)`, `ref_read(e)`, `ref_write(e, e)`: `kind` is the keyword."""

    kind: str
    operands: tuple[Expr, ...]
    span: Span


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Cast:
    """`e as T`."""

    value: Expr
    type: Type
    span: Span


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Block:
    """`{ items; result }`: a scope, flat however long.  A `def`'s body is one too."""

    items: tuple[Item, ...]
    result: Expr
    span: Span


# --------------------------------------------------------------------------------------------- block items
@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Let:
    """`let %x {attributes} : T = value;`, `%0 = value;` (no annotation) or `value;` (`name` is None)."""

    name: Local | None
    annotation: Type | None
    value: Expr
    span: Span
    attributes: tuple[Attribute, ...] = ()


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class FreeVar:
    """`free_var %x: T;`."""

    name: Local
    annotation: Type | None
    span: Span


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Assert:
    """`assert p, "message";`: a predicate on dims and scalars, or a boolean tensor expression."""

    condition: Expr
    message: str | None
    span: Span


# -------------------------------------------------------------------------------------------------- patterns
@dataclass(frozen=True, slots=True, eq=False, repr=False)
class WildcardPattern:
    """`_`."""

    span: Span


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class VariablePattern:
    """`%x` or `%x: T`."""

    name: Local
    annotation: Type | None
    span: Span


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class ConstructorPattern:
    """`Cons(p, q)` or `Nil`."""

    constructor: str
    fields: tuple[Pattern, ...]
    span: Span


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class TuplePattern:
    """`(p, q)`."""

    fields: tuple[Pattern, ...]
    span: Span


# ------------------------------------------------------------------------------------------------------ types
@dataclass(frozen=True, slots=True, eq=False, repr=False)
class TensorType:
    """`Tensor[(d, …), dtype]`, a bare dtype (`shape` is `()`), or `Tensor[*, dtype]` (`shape` is None)."""

    shape: tuple[Expr, ...] | None
    dtype: str
    span: Span


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class TupleType:
    """`(T, …)`: always a tuple, so `(int32)` is a 1-tuple type."""

    fields: tuple[Type, ...]
    span: Span


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class FnType:
    """`fn [n, A](T, …) -> T where p`."""

    binders: tuple[Binder, ...]
    params: tuple[Type, ...]
    result: Type
    where: tuple[Expr, ...]
    span: Span


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class NamedType:
    """`List[A]`, `Storage[]`, or a type variable `A`."""

    name: str
    arguments: tuple[Type, ...]
    span: Span


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class RefType:
    """`ref(T)`."""

    content: Type
    span: Span


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Omitted:
    """`_`: a type left to inference."""

    span: Span


# ------------------------------------------------------------------------------------------------ definitions
@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Binder:
    """`n`, `n: Dim` or `A: Type` in brackets after a name; `kind` is "Dim", "Type" or None when not written."""

    name: str
    kind: str | None
    span: Span


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Param:
    """`%x {attributes} : T`."""

    name: Local
    annotation: Type | None
    attributes: tuple[Attribute, ...]
    span: Span


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Def:
    """`def @f …`; a file that is one expression becomes `@main` with `implicit` set."""

    name: Global
    function: Fn
    span: Span
    implicit: bool = False


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Constructor:
    """`Cons(A, List[A])` of a type definition."""

    name: str
    fields: tuple[Type, ...]
    span: Span


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class TypeDef:
    """`type List[A] { … }`."""

    name: str
    binders: tuple[Binder, ...]
    constructors: tuple[Constructor, ...]
    span: Span


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class ExternType:
    """`extern type S[A]`."""

    name: str
    binders: tuple[Binder, ...]
    span: Span


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class OperatorDef:
    """`operator my.op<n>(…) -> T where p;` or with a body `{ … }` (`function.body` is None without one)."""

    name: Name
    binders: tuple[Binder, ...]
    params: tuple[Param, ...]
    result: Type
    where: tuple[Expr, ...]
    body: Expr | None
    span: Span


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class MetaTensor:
    """A decoded `relay.Constant`: elements row-major, floats and bools as such."""

    dtype: str
    shape: tuple[int, ...]
    elements: tuple[bool | int | float, ...]


@dataclass(frozen=True, slots=True, eq=False, repr=False)
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


Expr = (
    Local
    | Global
    | Name
    | Number
    | Text
    | Nothing
    | Meta
    | Listing
    | Call
    | Instance
    | Infix
    | Unary
    | Choose
    | Hole
    | Tuple
    | Project
    | If
    | Match
    | Fn
    | Ref
    | Cast
    | Block
    | TensorType
    | Absent
)
Item = Let | FreeVar | Assert
Pattern = WildcardPattern | VariablePattern | ConstructorPattern | TuplePattern
Type = TensorType | TupleType | FnType | NamedType | RefType | Omitted
Definition = Def | TypeDef | ExternType | OperatorDef
