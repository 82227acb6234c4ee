"""Expressions, blocks and their items, patterns and types, which contain each other."""

from __future__ import annotations

from gradual.record import record
from gradual.source import Span
from gradual.syntax.tree.leaves import Absent, Global, Local, Name, Nothing, Number, Text


@record(eq=False, repr=False)
class Meta:
    """`meta[kind][index]`, a key of `Module.metadata`; as the last argument of a call it may give its attributes.

    Attributes:
        attributes: the decoded entry if it holds an operator's attributes; None for any other entry.
    """

    kind: str
    index: int
    span: Span
    attributes: tuple[Attribute, ...] | None = None


@record(eq=False, repr=False)
class Attribute:
    """`key=value` of a call, a function or a parameter; the key may be dotted."""

    key: str
    value: Expr
    span: Span


@record(eq=False, repr=False)
class Listing:
    """`[a, b, c]`, an attribute value; as an expression it is an integer vector literal."""

    items: tuple[Expr, ...]
    span: Span


@record(eq=False, repr=False)
class Call:
    """`function(arguments, key=value)`; `function` is a `Name` for operators and constructors."""

    function: Expr
    arguments: tuple[Expr, ...]
    attributes: tuple[Attribute, ...]
    span: Span


@record(eq=False, repr=False)
class Instance:
    """`function[d, T]`: a function at given dims and types; a type that is no tensor type is read as an expression."""

    function: Expr
    arguments: tuple[Expr | Type, ...]
    span: Span


@record(eq=False, repr=False)
class Infix:
    """`left op right`.

    `op` is one of `* / + - < <= > >= == !=` everywhere, and `// % and or` in dims and predicates only.
    """

    op: str
    left: Expr
    right: Expr
    span: Span


@record(eq=False, repr=False)
class Unary:
    """`-d` or `not p`, in dims and predicates (and `-` before a non-literal expression)."""

    op: str
    operand: Expr
    span: Span


@record(eq=False, repr=False)
class Choose:
    """`if p then a else b` on dims."""

    condition: Expr
    then: Expr
    orelse: Expr
    span: Span


@record(eq=False, repr=False)
class Hole:
    """`?` (or `Any`), or `?{u. p}` with its bound name and bound."""

    span: Span
    binder: str | None = None
    bound: Expr | None = None


@record(eq=False, repr=False)
class Tuple:
    """`(a, b)`, `(a,)`, `()`."""

    items: tuple[Expr, ...]
    span: Span


@record(eq=False, repr=False)
class Project:
    """`e.i`."""

    tuple: Expr
    index: int
    span: Span


@record(eq=False, repr=False)
class If:
    """`if (c) { a } else { b }`; `else if` nests."""

    condition: Expr
    then: Expr
    orelse: Expr
    span: Span


@record(eq=False, repr=False)
class Arm:
    """`pattern => body`."""

    pattern: Pattern
    body: Expr
    span: Span


@record(eq=False, repr=False)
class Match:
    """`match (e) { … }`; `complete` is False for `match?`."""

    scrutinee: Expr
    arms: tuple[Arm, ...]
    complete: bool
    span: Span


@record(eq=False, repr=False)
class Fn:
    """A function literal, also the function of a `def`."""

    binders: tuple[Binder, ...]
    params: tuple[Param, ...]
    attributes: tuple[Attribute, ...]
    result: Type | None
    where: tuple[Expr, ...]
    body: Expr
    span: Span


@record(eq=False, repr=False)
class Ref:
    """`ref(e)`, `ref_read(e)`, `ref_write(e, e)`: `kind` is the keyword."""

    kind: str
    operands: tuple[Expr, ...]
    span: Span


@record(eq=False, repr=False)
class Cast:
    """`e as T`."""

    value: Expr
    type: Type
    span: Span


@record(eq=False, repr=False)
class Block:
    """`{ items; result }`: a scope, whose items are one flat tuple.  The body of a `def` is a block too."""

    items: tuple[Item, ...]
    result: Expr
    span: Span


# --------------------------------------------------------------------------------------------- block items
@record(eq=False, repr=False)
class Let:
    """`let %x {attributes} : T = value;`, `%0 = value;` (no annotation) or `value;` (`name` is None)."""

    name: Local | None
    annotation: Type | None
    value: Expr
    span: Span
    attributes: tuple[Attribute, ...] = ()


@record(eq=False, repr=False)
class FreeVar:
    """`free_var %x: T;`."""

    name: Local
    annotation: Type | None
    span: Span


@record(eq=False, repr=False)
class Assert:
    """`assert p, "message";`: a predicate on dims and scalars, or a boolean tensor expression."""

    condition: Expr
    message: str | None
    span: Span


# -------------------------------------------------------------------------------------------------- patterns
@record(eq=False, repr=False)
class WildcardPattern:
    """`_`."""

    span: Span


@record(eq=False, repr=False)
class VariablePattern:
    """`%x` or `%x: T`."""

    name: Local
    annotation: Type | None
    span: Span


@record(eq=False, repr=False)
class ConstructorPattern:
    """`Cons(p, q)` or `Nil`."""

    constructor: str
    fields: tuple[Pattern, ...]
    span: Span


@record(eq=False, repr=False)
class TuplePattern:
    """`(p, q)`."""

    fields: tuple[Pattern, ...]
    span: Span


# ------------------------------------------------------------------------------------------------------ types
@record(eq=False, repr=False)
class TensorType:
    """`Tensor[(d, …), dtype]`, a bare dtype (`shape` is `()`), or `Tensor[*, dtype]` (`shape` is None)."""

    shape: tuple[Expr, ...] | None
    dtype: str
    span: Span


@record(eq=False, repr=False)
class TupleType:
    """`(T, …)`: always a tuple, so `(int32)` is a 1-tuple type."""

    fields: tuple[Type, ...]
    span: Span


@record(eq=False, repr=False)
class FnType:
    """`fn [n, A](T, …) -> T where p`."""

    binders: tuple[Binder, ...]
    params: tuple[Type, ...]
    result: Type
    where: tuple[Expr, ...]
    span: Span


@record(eq=False, repr=False)
class NamedType:
    """`List[A]`, `Storage[]`, or a type variable `A`."""

    name: str
    arguments: tuple[Type, ...]
    span: Span


@record(eq=False, repr=False)
class RefType:
    """`ref(T)`."""

    content: Type
    span: Span


@record(eq=False, repr=False)
class Omitted:
    """`_`: a type left to inference."""

    span: Span


# ------------------------------------------------------------------------------------------------ definitions
@record(eq=False, repr=False)
class Binder:
    """`n`, `n: Dim` or `A: Type` in brackets after a name; `kind` is "Dim", "Type" or None when not written."""

    name: str
    kind: str | None
    span: Span


@record(eq=False, repr=False)
class Param:
    """`%x {attributes} : T`."""

    name: Local
    annotation: Type | None
    attributes: tuple[Attribute, ...]
    span: Span


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
