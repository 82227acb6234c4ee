"""The verified checker as an adapter of the conformance suite: `python adapter.py CHECKER`.

The surface language is parsed by the reference implementation and written as an s-expression for the extracted checker;
neither is verified.  A program with anything that the checker's language lacks is skipped, with the reason, and so is
one of which the checker decides nothing.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator, Sequence
from typing import Any

from gradual.source import Source
from gradual.syntax.parse import parse
from gradual.syntax.tree import ast

FLOATS = ("float16", "float32", "float64", "bfloat16")
INTEGERS = tuple(f"{kind}{bits}" for kind in ("int", "uint") for bits in (8, 16, 32, 64))
NUMBERS = (*INTEGERS, *FLOATS)
DTYPES = ("bool", *NUMBERS)

KEEP = {
    **dict.fromkeys(("copy", "zeros_like", "ones_like"), DTYPES),
    **dict.fromkeys(("abs", "ceil", "floor", "negative", "nn.relu", "round", "sign", "trunc"), NUMBERS),
    **dict.fromkeys(("acos", "acosh", "asin", "asinh", "atan", "atanh", "cos", "cosh", "erf", "exp"), FLOATS),
    **dict.fromkeys(("log", "log10", "log2", "rsqrt", "sigmoid", "sin", "sinh", "sqrt", "tan", "tanh"), FLOATS),
    "logical_not": ("bool",),
}
ZIP = {
    **dict.fromkeys(("add", "multiply", "maximum", "minimum"), DTYPES),
    **dict.fromkeys(("subtract", "divide", "power"), NUMBERS),
    **dict.fromkeys(("logical_and", "logical_or", "logical_xor"), ("bool",)),
}
COMPARE = ("equal", "not_equal", "less", "less_equal", "greater", "greater_equal")
REDUCE = {"sum": DTYPES}
SOFTMAX = ("nn.softmax", "nn.log_softmax")
INFIX = {"+": "add", "-": "subtract", "*": "multiply", "/": "divide"}
CREATE = ("zeros", "ones")


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
    """The names of a definition, its variables from the innermost on, and the sizes of variables that one dim mentions."""

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
            if any(_is_integer(size) and integer(size) < 0 for size in shape):
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


class Writer:
    """Writes a program, and gives each place a label."""

    def __init__(self, functions: dict[str, ast.Def]) -> None:
        self.functions = functions
        self.order: list[str] = []
        self.pending: list[str] = []
        self.written: list[str] = []
        self.labels = 0

    def label(self) -> int:
        """A new label."""
        self.labels += 1
        return self.labels

    def require(self, name: str) -> int:
        """The position of a function, which is written first."""
        if name not in self.functions:
            raise Beyond("a function that is not defined")
        if name in self.pending:
            raise Beyond("recursion")
        if name not in self.order:
            self.pending.append(name)
            text = self.definition(self.functions[name].function)
            self.pending.pop()
            self.order.append(name)
            self.written.append(text)
        return self.order.index(name)

    def definition(self, function: ast.Fn) -> str:
        """A function definition."""
        if function.binders or function.attributes:
            raise Beyond("a function with parameters in brackets or with attributes")
        types = [param.annotation for param in function.params]
        names = list(dict.fromkeys(name for type in types for name in bare_names(type)))
        variables = tuple(param.name.name for param in function.params)
        if len(set(variables)) < len(variables):
            raise Beyond("two parameters of one name")
        outer = Scope(names)
        takes = chained([annotation(type, outer) for type in types], "pair", "unit")
        given = listed([constraint(each, outer) for each in function.where])
        gives = "none" if function.result is None else annotation(function.result, outer)
        body = self.expression(function.body, Scope(names, variables))
        return f"(def {len(names)} {takes} {given} {body} {gives} {self.label()})"

    def expression(self, expr: ast.Expr, scope: Scope) -> str:
        """An expression."""
        match expr:
            case ast.Local(name=name):
                return f"(var {scope.variable(name)})"
            case ast.Block(items=items, result=result):
                return self.block(items, result, scope)
            case ast.Tuple(items=items):
                return self.operands(items, scope)
            case ast.Project(tuple=value, index=index):
                return f"(proj {index} {self.expression(value, scope)})"
            case ast.Number(dtype=dtype, explicit=explicit) if explicit or dtype in ("bool", *FLOATS):
                return f"(lit () {code(dtype)})"
            case ast.If(condition=ast.Local() | ast.Number() as condition, then=then, orelse=orelse):
                parts = [self.expression(each, scope) for each in (condition, then, orelse)]
                return f"(branch {self.label()} {' '.join(parts)})"
            case ast.Cast(value=value, type=target):
                return self.ascribed(self.expression(value, scope), target, scope)
            case ast.Infix(op=op, left=left, right=right) if op in INFIX:
                return self.operator(INFIX[op], (left, right), {}, scope)
            case ast.Call(function=ast.Global(name=name), arguments=arguments, attributes=()):
                position = self.require(name)
                return f"(call {self.label()} {position} {self.operands(arguments, scope)})"
            case ast.Call(function=ast.Name(name=name), arguments=arguments, attributes=attributes):
                named = {each.key: each.value for each in attributes}
                if len(named) < len(attributes):
                    raise Beyond("an attribute that is written twice")
                return self.operator(name, arguments, named, scope)
        raise Beyond(f"an expression: {type(expr).__name__}")

    def block(self, items: Sequence[ast.Item], result: ast.Expr, scope: Scope) -> str:
        """Items, and the result after them."""
        opened: list[str] = []
        for item in items:
            match item:
                case ast.Let(name=ast.Local(name=name), annotation=annotated, value=value, attributes=()):
                    text = self.expression(value, scope)
                    if annotated is not None:
                        text = self.ascribed(text, annotated, scope)
                    opened.append(f"(let {text} ")
                    scope = scope.within(name)
                case ast.Assert(condition=condition):
                    inner = scope.fresh()
                    text = constraint(condition, inner)
                    opened.append(f"(assert {self.label()} {text} {inner.refs()} ")
                case _:
                    raise Beyond("a block item of another form")
        return "".join(opened) + self.expression(result, scope) + ")" * len(opened)

    def ascribed(self, value: str, type: ast.Type, scope: Scope) -> str:
        """A value that is required to have a type."""
        inner = scope.fresh()
        text = annotation(type, inner)
        return f"(as {self.label()} {text} {inner.refs()} {value})"

    def operands(self, arguments: Sequence[ast.Expr], scope: Scope) -> str:
        """A tuple of values."""
        return chained([self.expression(each, scope) for each in arguments], "cons", "nil")

    def operator(self, name: str, arguments: Sequence[ast.Expr], attributes: dict[str, ast.Expr], scope: Scope) -> str:
        """An application of an operator."""
        inner = scope.fresh()
        rest = dict(attributes)
        text = applied(name, rest, inner)
        if rest:
            raise Beyond(f"attributes of {name}")
        if name == "concatenate":
            if len(arguments) != 1 or not isinstance(arguments[0], ast.Tuple) or not arguments[0].items:
                raise Beyond("concatenate of another form")
            arguments = arguments[0].items
        elif len(arguments) != ARITY.get(name, 2 if name in ZIP or name in COMPARE else 1):
            raise Beyond(f"{name} with other arguments")
        given = self.operands(arguments, scope)
        return f"(op {self.label()} {text} {inner.refs()} {given})"


ARITY = {"nn.dense": 2, "nn.batch_matmul": 2, "nn.bias_add": 2, "zeros": 0, "ones": 0}


def applied(name: str, rest: dict[str, ast.Expr], scope: Scope) -> str:
    """An operator with its attributes, which are taken out of `rest`."""
    if name in KEEP:
        return f"(keep {codes(KEEP[name])})"
    if name in ZIP:
        return f"(zip {codes(ZIP[name])} none)"
    if name in COMPARE:
        return f"(zip {codes(DTYPES)} {code('bool')})"
    if name in SOFTMAX:
        return f"(softmax {codes(FLOATS)} {number(rest, 'axis', -1)})"
    if name in REDUCE:
        return f"(reduce {codes(REDUCE[name])} {axes(rest, 'axis')} {flag(rest, 'keepdims', False)})"
    if name in CREATE:
        return f"(create {listed([dim(each, scope) for each in entries(rest, 'shape')])} {dtype_of(rest)})"
    match name:
        case "nn.dense":
            units = rest.pop("units", None)
            text = "none" if units is None or isinstance(units, ast.Nothing) else dim(units, scope)
            return f"(dense {codes(NUMBERS)} {text})"
        case "nn.batch_matmul":
            return f"(batch {codes(NUMBERS)} {flag(rest, 'transpose_a', False)} {flag(rest, 'transpose_b', True)})"
        case "nn.bias_add":
            return f"(bias {number(rest, 'axis', 1)})"
        case "transpose":
            return f"(transpose {axes(rest, 'axes')})"
        case "concatenate":
            return f"(concat {number(rest, 'axis', 0)})"
        case "expand_dims":
            return f"(expand {number(rest, 'axis', None)} {number(rest, 'num_newaxis', 1)})"
        case "reshape":
            return reshaped(entries(rest, "newshape"), scope)
    raise Beyond(f"operator {name}")


def reshaped(sizes: Sequence[ast.Expr], scope: Scope) -> str:
    """A reshape to sizes, or to numbers with one -1."""
    rest = [place for place, size in enumerate(sizes) if _is_integer(size) and integer(size) == -1]
    if not rest:
        if any(_is_integer(size) and integer(size) < 1 for size in sizes):
            raise Beyond("a code of reshape")
        return f"(reshape {listed([dim(size, scope) for size in sizes])})"
    if len(rest) > 1 or not all(_is_integer(size) and (integer(size) >= 1 or place in rest) for place, size in enumerate(sizes)):
        raise Beyond("a code of reshape")
    numbers = [integer(size) for size in sizes]
    return f"(rest {listed(numbers[: rest[0]])} {listed(numbers[rest[0] + 1 :])})"


def _is_integer(size: ast.Expr) -> bool:
    return isinstance(size, ast.Number) or (isinstance(size, ast.Unary) and isinstance(size.operand, ast.Number))


def entries(rest: dict[str, ast.Expr], key: str) -> tuple[ast.Expr, ...]:
    """A list as an attribute."""
    value = rest.pop(key, None)
    if isinstance(value, (ast.Listing, ast.Tuple)):
        return value.items
    raise Beyond(f"attribute {key} of another form")


def axes(rest: dict[str, ast.Expr], key: str) -> str:
    """Axes as an attribute, a list or one of them."""
    value = rest.pop(key, None)
    if value is None or isinstance(value, ast.Nothing):
        return "none"
    if isinstance(value, (ast.Listing, ast.Tuple)):
        return listed([integer(each) for each in value.items])
    return listed([integer(value)])


def number(rest: dict[str, ast.Expr], key: str, default: int | None) -> int:
    """An integer as an attribute."""
    value = rest.pop(key, None)
    if value is None:
        if default is None:
            raise Beyond(f"attribute {key} is missing")
        return default
    return integer(value)


def flag(rest: dict[str, ast.Expr], key: str, default: bool) -> int:
    """A boolean as an attribute."""
    value = rest.pop(key, None)
    if value is None:
        return int(default)
    if isinstance(value, ast.Number) and isinstance(value.value, bool):
        return int(value.value)
    raise Beyond(f"attribute {key} of another form")


def dtype_of(rest: dict[str, ast.Expr]) -> int:
    """The element type as an attribute."""
    value = rest.pop("dtype", None)
    if isinstance(value, ast.Text):
        return code(value.value)
    raise Beyond("attribute dtype of another form")


def translated(name: str, text: str) -> str:
    """A program as an s-expression.

    Raises:
        Beyond: the checker's language lacks something.
    """
    module, errors = parse(Source(name, text), mend=False)
    if errors:
        raise Beyond("a syntax error, which is the reader's answer")
    if module.settings or not all(isinstance(each, ast.Def) for each in module.definitions):
        raise Beyond("a definition that is no function")
    functions = {each.name.name: each for each in module.definitions if isinstance(each, ast.Def)}
    if len(functions) < len(module.definitions):
        raise Beyond("two functions of one name")
    writer = Writer(functions)
    for each in functions:
        writer.require(each)
    return listed(writer.written)


def checked(request: dict[str, Any], process: subprocess.Popen[str]) -> dict[str, object]:
    """The verified checker's answer about a program."""
    if request["passes"]:
        return {"skipped": "passes"}
    try:
        program = translated(request["name"], request["text"])
    except Beyond as lacking:
        return {"skipped": str(lacking)}
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write(program + "\n")
    process.stdin.flush()
    answer, _, rest = process.stdout.readline().strip().partition(" ")
    match answer:
        case "accepted" | "rejected":
            return {"accepted": answer == "accepted"}
        case "undecided":
            return {"skipped": f"not decided: {rest}"}
    return {"errored": f"{answer} {rest}"}


def main(command: Sequence[str]) -> None:
    """Answer the runner's requests, a line each, until the input ends."""
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    for line in sys.stdin:
        request = json.loads(line)
        match request["cmd"]:
            case "hello":
                reply: dict[str, object] = {"protocol": 1, "name": "verified", "version": "1", "profiles": ["verdict"]}
            case "check":
                reply = checked(request, process)
            case "bye":
                reply = {"bye": True}
            case _:
                reply = {"skipped": "no runs"}
        print(json.dumps({"seq": request["seq"], **reply}), flush=True)
    process.communicate()


if __name__ == "__main__":
    main(sys.argv[1:])
