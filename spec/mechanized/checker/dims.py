"""Dims, constraints and types of the surface language as s-expressions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from gradual.syntax.tree import ast

FLOATS = ("float16", "float32", "float64", "bfloat16")
INTEGERS = tuple(f"{kind}{bits}" for kind in ("int", "uint") for bits in (8, 16, 32, 64))
NUMBERS = (*INTEGERS, *FLOATS)
DTYPES = ("bool", *NUMBERS)


class Beyond(Exception):
    """What the checker's language lacks."""


def code(dtype: str) -> int:
    """The number of an element type."""
    if dtype not in DTYPES:
        raise Beyond(f"element type {dtype}")
    return DTYPES.index(dtype)


def codes(dtypes: Sequence[str]) -> str:
    """The numbers of element types."""
    return listed(map(code, dtypes))


def listed(items: Iterator[object] | Sequence[object]) -> str:
    """A list of the s-expression."""
    return f"({' '.join(map(str, items))})"


def chained(items: Sequence[str], pair: str, end: str) -> str:
    """A tuple as nested pairs."""
    text = f"({end})"
    for item in reversed(items):
        text = f"({pair} {item} {text})"
    return text


class Scope:
    """A definition's names, its variables from the innermost on, and the sizes of variables that one place mentions."""

    def __init__(self, names: Sequence[str], variables: tuple[str, ...] = ()) -> None:
        self.names = names
        self.variables = variables
        self.sizes: list[tuple[int, int]] = []

    def within(self, name: str) -> Scope:
        """The scope of the rest of a block after `let name`."""
        return Scope(self.names, (name, *self.variables))

    def fresh(self) -> Scope:
        """This scope, for the dims of one place."""
        return Scope(self.names, self.variables)

    def variable(self, name: str) -> int:
        """How far outside a variable was bound."""
        if name not in self.variables:
            raise Beyond("a variable that is not in scope")
        return self.variables.index(name)

    def size(self, name: str, axis: int) -> str:
        """The variable for the size of an axis."""
        place = (self.variable(name), axis)
        if axis < 0:
            raise Beyond("a negative axis of a size")
        if place not in self.sizes:
            self.sizes.append(place)
        return f"(v {len(self.names) + self.sizes.index(place)})"

    def refs(self) -> str:
        """The sizes that the dims mention."""
        return listed([f"({x} {i})" for x, i in self.sizes])


def integer(expr: ast.Expr) -> int:
    """An integer that is written."""
    match expr:
        case ast.Number(value=int(value)) if not isinstance(value, bool):
            return value
        case ast.Unary(op="-", operand=ast.Number(value=int(value))):
            return -value
    raise Beyond("an attribute that is no integer")


def dim(expr: ast.Expr, scope: Scope) -> str:
    """A dim over names, numbers and sizes of variables."""
    match expr:
        case ast.Number(value=int(value)) if not isinstance(value, bool):
            return str(value)
        case ast.Name(name=name):
            if name not in scope.names or name in ("_", "None"):
                raise Beyond("a name that no parameter binds")
            return f"(v {scope.names.index(name)})"
        case ast.Infix(op="+" | "-" | "*" as op, left=left, right=right):
            return f"({op} {dim(left, scope)} {dim(right, scope)})"
        case ast.Infix(op="//" | "%" as op, left=left, right=right):
            if integer(right) < 1:
                raise Beyond("a divisor that is no positive number")
            return f"({op} {dim(left, scope)} {integer(right)})"
        case ast.Unary(op="-", operand=operand):
            return f"(- 0 {dim(operand, scope)})"
        case ast.Choose(condition=condition, then=then, orelse=orelse):
            return f"(if {constraint(condition, scope)} {dim(then, scope)} {dim(orelse, scope)})"
        case ast.Call(function=ast.Name(name="max" | "min" as op), arguments=(first, *rest), attributes=()) if rest:
            text = dim(first, scope)
            for each in rest:
                text = f"({op} {text} {dim(each, scope)})"
            return text
        case ast.Call(function=ast.Name(name="broadcast"), arguments=(left, right), attributes=()):
            d, e = dim(left, scope), dim(right, scope)
            return f"(if (== {d} 1) {e} {d})"
        case ast.Call(function=ast.Name(name="dim"), arguments=(ast.Local(name=name), axis), attributes=()):
            return scope.size(name, integer(axis))
    raise Beyond("a dim of another form")


def constraint(expr: ast.Expr, scope: Scope) -> str:
    """A constraint on dims."""
    match expr:
        case ast.Number(value=bool(value)):
            return str(value).lower()
        case ast.Infix(op="and" | "or" as op, left=left, right=right):
            return f"({op} {constraint(left, scope)} {constraint(right, scope)})"
        case ast.Unary(op="not", operand=operand):
            return f"(not {constraint(operand, scope)})"
        case ast.Infix(op="==" | "!=" | "<" | "<=" | ">" | ">=" as op, left=left, right=right):
            d, e = dim(left, scope), dim(right, scope)
            return {
                "==": f"(== {d} {e})",
                "!=": f"(not (== {d} {e}))",
                "<=": f"(<= {d} {e})",
                ">=": f"(<= {e} {d})",
                "<": f"(<= (+ {d} 1) {e})",
                ">": f"(<= (+ {e} 1) {d})",
            }[op]
        case ast.Call(function=ast.Name(name="broadcasts"), arguments=(left, right), attributes=()):
            d, e = dim(left, scope), dim(right, scope)
            return f"(or (== {d} {e}) (or (== {d} 1) (== {e} 1)))"
        case ast.Call(function=ast.Name(name="divides"), arguments=(left, right), attributes=()):
            if integer(left) < 1:
                raise Beyond("a divisor that is no positive number")
            return f"(== (% {dim(right, scope)} {integer(left)}) 0)"
    raise Beyond("a constraint of another form")


def annotation(type: ast.Type | None, scope: Scope) -> str:
    """A type as written."""
    match type:
        case ast.TensorType(shape=tuple(shape), dtype=dtype):
            if any(is_integer(size) and integer(size) < 0 for size in shape):
                raise Beyond("a negative size")
            sizes = ["?" if _is_hole(size) else dim(size, scope) for size in shape]
            return f"(t {listed(sizes)} {code(dtype)})"
        case ast.TupleType(fields=fields):
            return chained([annotation(field, scope) for field in fields], "pair", "unit")
    raise Beyond("a type that is no tensor of known rank and no tuple")


def _is_hole(size: ast.Expr) -> bool:
    if isinstance(size, ast.Hole) and size.bound is not None:
        raise Beyond("a bound of an unknown size")
    return isinstance(size, ast.Hole)


def bare_names(type: ast.Type | None) -> Iterator[str]:
    """The names that stand alone as a size."""
    if isinstance(type, ast.TensorType):
        yield from (size.name for size in type.shape or () if isinstance(size, ast.Name))
    elif isinstance(type, ast.TupleType):
        for field in type.fields:
            yield from bare_names(field)


def is_integer(size: ast.Expr) -> bool:
    return isinstance(size, ast.Number) or (isinstance(size, ast.Unary) and isinstance(size.operand, ast.Number))
