"""The code around an error, as repairs see it: calls and their operands, bindings of variables, types."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence

from gradual.checker.state.context import Elaboration
from gradual.checker.state.values import Broken, Made
from gradual.diagnostic import Diagnostic, Edit, Help
from gradual.dims.term.dim import Dim
from gradual.ops.declaration.operator import Operator
from gradual.record import record
from gradual.source import Span
from gradual.syntax.tree import ast
from gradual.syntax.tree.subexpressions import within
from gradual.types.type import OpenedType, TensorType

INFIX = {"+": "add", "-": "subtract", "*": "multiply", "/": "divide"}


@record
class Application:
    """A call, or an infix application as the call of its operator.

    Attributes:
        name: the name of the operator or of the function (`@f`).
        at: the span of the name, or the span between the operands.
    """

    name: str
    at: Span
    operands: tuple[ast.Expr, ...]
    attributes: tuple[ast.Attribute, ...]
    span: Span
    is_infix: bool


class Program:
    """An index of a file's expressions, with their types.

    Attributes:
        text: the source text.
        functions: name -> function.
    """

    def __init__(
        self,
        text: str,
        module: ast.Module,
        operators: Mapping[str, Operator],
        states: Sequence[Elaboration],
    ) -> None:
        self.text = text
        self.module = module
        self.operators = operators
        self.functions = {one.name.name: one.function for one in module.definitions if isinstance(one, ast.Def)}
        self._nodes: list[ast.Expr] = []
        self._at: defaultdict[Span, list[Application]] = defaultdict(list)
        self._lets: defaultdict[str, list[ast.Let]] = defaultdict(list)
        self._definitions = [one for one in module.definitions if isinstance(one, ast.Def)]
        for one in self._definitions:
            self._read(one.function.body)
        self._made = {
            origin.span: (state, name)
            for state in states
            for name, origin in state.values.origins.items()
            if isinstance(origin, Made)
        }
        self._bound: defaultdict[str, list[tuple[Span, Elaboration, str]]] = defaultdict(list)
        for state in states:
            for binding in state.scope.bindings:
                self._bound[binding.name].append((binding.span, state, binding.value))

    def _read(self, body: ast.Expr) -> None:
        for node in within(body):
            self._nodes.append(node)
            if isinstance(node, ast.Block):
                for item in node.items:
                    if isinstance(item, ast.Let) and item.name is not None:
                        self._lets[item.name.name].append(item)
            application = self.application(node)
            if application is not None:
                self._at[node.span].append(application)
                for operand in application.operands:
                    fields = operand.items if isinstance(operand, ast.Tuple) else ()
                    for part in (operand, *fields):
                        self._at[part.span].append(application)

    @property
    def size(self) -> int:
        """The number of expressions."""
        return len(self._nodes)

    # --------------------------------------------------------------------------------------------- expressions
    def words(self, node: ast.Expr | ast.Attribute | Span) -> str:
        """The source text of a node or a span."""
        span = node if isinstance(node, Span) else node.span
        return self.text[span.start : span.end]

    def application(self, node: ast.Expr) -> Application | None:
        """The node as an application; None if it is anything else."""
        match node:
            case ast.Call(ast.Name(name, at) | ast.Global(name, at) | ast.Local(name, at), operands, attributes, span):
                return Application(name, at, operands, attributes, span, False)
            case ast.Infix(op, left, right, span) if op in INFIX:
                return Application(INFIX[op], Span(left.span.end, right.span.start), (left, right), (), span, True)
            case _:
                return None

    def applications(self, span: Span) -> list[Application]:
        """The applications at exactly a span, or with an operand there; outer ones first."""
        return self._at.get(span, [])

    def applications_in(self, span: Span) -> Iterator[Application]:
        """All applications in the function that contains a span."""
        definition = self.definition(span)
        for node in self._nodes if definition is not None else ():
            made = self.application(node)
            if made is not None and definition is not None and _holds(definition.span, node.span):
                yield made

    def application_of(self, error: Diagnostic) -> Iterator[Application]:
        """The applications that an error may be about; first those with an operand at a related span."""
        found = self.applications(error.span)
        spans = {related.span for related in error.related}
        both = [one for one in found if spans & {operand.span for operand in one.operands}]
        yield from dict.fromkeys((*both, *found))

    def named(self, span: Span) -> Iterator[Application]:
        """The applications whose name is at exactly a span."""
        found = (self.application(node) for node in self.enclosing(span))
        yield from (one for one in found if one is not None and one.at == span)

    def lets(self, definition: ast.Def) -> Iterator[ast.Let]:
        """The `let` bindings of a function, grouped by name."""
        for some in self._lets.values():
            yield from (one for one in some if _holds(definition.span, one.span))

    def nodes_at(self, span: Span) -> Iterator[ast.Expr]:
        """The expressions at exactly a span, inner ones last."""
        yield from (node for node in self._nodes if node.span == span)

    def enclosing(self, span: Span) -> Iterator[ast.Expr]:
        """The expressions around a span, outer ones first."""
        yield from (node for node in self._nodes if node.span.start <= span.start and span.end <= node.span.end)

    def definition(self, span: Span) -> ast.Def | None:
        """The function definition that contains a span."""
        return next((one for one in self._definitions if _holds(one.span, span)), None)

    def value(self, expr: ast.Expr) -> ast.Expr:
        """Resolve a variable to the expression that an earlier `let` binds it to, transitively."""
        for _ in range(8):
            if not isinstance(expr, ast.Local):
                return expr
            lets = [one for one in self._lets.get(expr.name, ()) if one.span.end <= expr.span.start]
            if not lets or self.definition(lets[-1].span) is not self.definition(expr.span):
                return expr
            expr = lets[-1].value
        return expr

    # --------------------------------------------------------------------------------------------------- types
    def type(self, expr: ast.Expr) -> OpenedType | None:
        """The type of an expression; None if it is unknown or broken."""
        state, name = self._held(expr)
        type = None if state is None else state.values.types.get(name)
        return None if isinstance(type, Broken) else type

    def _held(self, expr: ast.Expr) -> tuple[Elaboration | None, str]:
        if isinstance(expr, ast.Local):
            before = [one for one in self._bound.get(expr.name, ()) if one[0].start < expr.span.start]
            return before[-1][1:] if before else (None, "")
        if isinstance(expr, ast.Block) and not expr.items:
            return self._held(expr.result)
        return self._made.get(expr.span, (None, ""))

    def shape(self, expr: ast.Expr) -> tuple[Dim, ...] | None:
        """The shape of an expression; None if it is not a tensor of known rank."""
        type = self.type(expr)
        return type.shape if isinstance(type, TensorType) and type.rank is not None else None

    def rank(self, expr: ast.Expr) -> int | None:
        """The rank of an expression; None if it is not a tensor of known rank."""
        shape = self.shape(expr)
        return None if shape is None else len(shape)


def _holds(outer: Span, inner: Span) -> bool:
    return outer.start <= inner.start and inner.end <= outer.end


def instead(says: str, span: Span, text: str, *, safe: bool = False) -> Help:
    """A help that replaces a span by a text; its message is `says` and the text."""
    return Help(f"{says} `{shortened(text)}`", (Edit(span, text),), safe)


def shortened(text: str) -> str:
    """Put a text on one line and truncate it to 100 characters."""
    line = " ".join(text.split())
    return line if len(line) <= 100 else f"{line[:99]}…"


def called(name: str, operands: Sequence[str], attributes: Mapping[str, str] | None = None) -> str:
    """The source text of a call."""
    named = [f"{key}={value}" for key, value in (attributes or {}).items()]
    return f"{name}({', '.join([*operands, *named])})"
