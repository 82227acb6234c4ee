"""A surface program as an s-expression for the verified checker, or the reason why its language lacks something.

The text is parsed by the reference implementation.  Nothing here is verified, and nothing here decides anything: what
cannot be written as a term of `Check.v` is refused.
"""

from __future__ import annotations

from collections.abc import Sequence

from dims import FLOATS, Beyond, Scope, annotation, bare_names, chained, code, constraint, listed
from operators import ARITY, COMPARE, INFIX, ZIP, applied

from gradual.source import Source
from gradual.syntax.parse import parse
from gradual.syntax.tree import ast


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
