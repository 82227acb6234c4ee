"""The language features that a case uses, computed from its program and its request.  [conformance.level]"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import field
from functools import cache

from gradual.conformance.cases.case import Request
from gradual.record import record
from gradual.source import Source, Span
from gradual.syntax.parse import parse
from gradual.syntax.tree import ast

SYNTAX_ERROR = "syntax-error"
"""The only feature of a text that is no program."""

_SIZES = {
    (ast.TensorType, "shape"),
    (ast.Fn, "where"),
    (ast.FnType, "where"),
    (ast.OperatorDef, "where"),
    (ast.Hole, "bound"),
    (ast.Assert, "condition"),
    (ast.Attribute, "value"),
}
"""The fields of the tree that hold sizes, or conditions on sizes."""

_OF_NODE: Mapping[type, str] = {
    ast.Assert: "assertions",
    ast.Cast: "casts",
    ast.Choose: "choices",
    ast.ConstructorPattern: "declared-types",
    ast.ExternType: "operator-declarations",
    ast.FnType: "function-values",
    ast.FreeVar: "inference",
    ast.If: "if",
    ast.Let: "let",
    ast.Match: "match",
    ast.Meta: "metadata",
    ast.Omitted: "inference",
    ast.OperatorDef: "operator-declarations",
    ast.Project: "tuples",
    ast.Ref: "references",
    ast.RefType: "references",
    ast.Tuple: "tuples",
    ast.TupleType: "tuples",
    ast.TypeDef: "declared-types",
}
_OF_INFIX = {
    **dict.fromkeys(("+", "-", "*"), "arithmetic"),
    **dict.fromkeys(("//", "%"), "quotients"),
    **dict.fromkeys(("or", "!="), "disjunctions"),
}
"""What an operation on sizes or conditions is; comparisons and `and` are everywhere."""
_OF_SIZE = {
    "broadcast": "choices",
    "broadcasts": "disjunctions",
    "dim": "measures",
    "divides": "quotients",
    "max": "choices",
    "min": "choices",
    "ndim": "measures",
    "numel": "measures",
}
"""What a function of sizes is: measures are those of values, such as `dim(%x, 0)`."""


@record
class Features:
    """What a case uses.

    Attributes:
        constructs: features of the language and of the request, such as `where`, `references`, `passes`.
        operators: the operators that are called, as the program names them.
        computed: (operator, position) for each operand, and (operator, name) for each attribute, that is the value of
            an expression, and not written out.
    """

    constructs: frozenset[str]
    operators: frozenset[str] = frozenset()
    computed: frozenset[tuple[str, int | str]] = frozenset()


@cache
def features_of(request: Request) -> Features:
    """The features of a request; those of a text with a syntax error are not known.  [conformance.level]"""
    named = {"passes": request.passes, "static": request.static, "plans": request.plan}
    asked = {name for name, wanted in named.items() if wanted}
    module, errors = parse(Source(request.name, request.text), mend=False)
    if errors:
        return Features(frozenset({SYNTAX_ERROR, *asked}))
    found = _Found(module)
    return Features(frozenset(found.constructs | asked), frozenset(found.operators), frozenset(found.computed))


@record(frozen=False)
class _Found:
    """The features of a module, collected node by node."""

    module: ast.Module
    constructs: set[str] = field(default_factory=set)
    operators: set[str] = field(default_factory=set)
    computed: set[tuple[str, int | str]] = field(default_factory=set)

    def __post_init__(self) -> None:
        definitions = self.module.definitions
        data = [one for one in definitions if isinstance(one, ast.TypeDef)]
        declared = {one.name for one in definitions if isinstance(one, ast.TypeDef | ast.ExternType)}
        defined = {id(one.function) for one in definitions if isinstance(one, ast.Def)}
        constructors = {constructor.name for one in data for constructor in one.constructors}
        if self.module.settings:
            self.constructs.add("settings")
        if _is_recursive(definitions):
            self.constructs.add("recursion")
        for node, in_size in _nodes(self.module):
            if in_size:
                self._of_size(node)
            else:
                self._of_value(node, declared, constructors)
            if isinstance(node, ast.Fn) and id(node) not in defined:
                self.constructs.add("function-values")

    def _of_size(self, node: object) -> None:
        """A node inside of a size or of a condition on sizes."""
        match node:
            case ast.Hole(bound=bound):
                self.constructs.add("unknown-sizes" if bound is None else "refinements")
            case ast.Infix(op, left, right):
                self.constructs |= {_OF_INFIX[op]} if op in _OF_INFIX else set()
                if op in ("//", "%") and not isinstance(right, ast.Number):
                    self.constructs.add("quotients-by-names")
                elif op == "*" and not any(isinstance(side, ast.Number) for side in (left, right)):
                    self.constructs.add("products")
            case ast.Unary("not"):
                self.constructs.add("disjunctions")
            case ast.Call(ast.Name(name)) if name in _OF_SIZE:
                self.constructs.add(_OF_SIZE[name])
            case ast.Local():
                self.constructs.add("elements-as-sizes")
            case ast.Choose():
                self.constructs.add("choices")

    def _of_value(self, node: object, declared: set[str], constructors: set[str]) -> None:
        """A node of an expression, a type or a definition."""
        if (feature := _OF_NODE.get(type(node))) is not None:
            self.constructs.add(feature)
        match node:
            case ast.Call(ast.Name(name)):
                if name in constructors:
                    self.constructs.add("declared-types")
                elif _is_measure(node):
                    self.constructs.add("measures")
                else:
                    self._operator(name, node)
            case ast.Call(function):
                self.constructs.add("calls" if isinstance(function, ast.Global) else "function-values")
            case ast.Global():
                self.constructs.add("function-values")
            case ast.TensorType(shape=None):
                self.constructs.add("unknown-rank")
            case ast.NamedType(name):
                self.constructs.add("declared-types" if name in declared else "type-parameters")
            case ast.Binder(kind="Type"):
                self.constructs.add("type-parameters")
            case ast.Param(annotation=annotation, attributes=attributes):
                self.constructs |= {"inference"} if annotation is None else set()
                self.constructs |= {"attributes"} if attributes else set()
            case ast.Instance():
                self.constructs.add("instances")
            case ast.Fn(where=where, attributes=attributes):
                self.constructs |= {"where"} if where else set()
                self.constructs |= {"attributes"} if attributes else set()
            case ast.Infix(op):
                self.operators.add(op)

    def _operator(self, name: str, call: ast.Call) -> None:
        self.operators.add(name)
        self.computed |= {(name, k) for k, part in enumerate(call.arguments) if _is_computed(part)}
        self.computed |= {(name, one.key) for one in call.attributes if _is_computed(one.value)}


def _is_computed(part: object) -> bool:
    """Whether an operand is more than numbers and sizes: it mentions a variable otherwise than by a measure of it."""
    return any(
        isinstance(node, ast.Local | ast.Global) or (isinstance(node, ast.Call) and not _is_size(node))
        for node in _within(part, _is_measure)
    )


def _is_size(node: object) -> bool:
    return isinstance(node, ast.Call) and isinstance(node.function, ast.Name) and node.function.name in _OF_SIZE


def _is_measure(node: object) -> bool:
    match node:
        case ast.Call(ast.Name(name)):
            return _OF_SIZE.get(name) == "measures"
    return False


def _fields(node: object) -> tuple[str, ...]:
    """The names of the fields of a node; a span, a number or a text has none that count."""
    return () if isinstance(node, Span) else getattr(node, "__match_args__", ())


def _within(part: object, leaf: Callable[[object], bool] = lambda node: False) -> Iterator[object]:
    """A part of the tree and every node inside, except those inside of a `leaf`."""
    waiting = [part]
    while waiting:
        node = waiting.pop()
        if isinstance(node, tuple):
            waiting += node
            continue
        yield node
        if not leaf(node):
            waiting += [getattr(node, name) for name in _fields(node)]


def _nodes(module: ast.Module) -> Iterator[tuple[object, bool]]:
    """Every node of the definitions, and whether it is part of a size."""
    waiting: list[tuple[object, bool]] = [(one, False) for one in module.definitions]
    while waiting:
        node, in_size = waiting.pop()
        if isinstance(node, tuple):
            waiting += [(part, in_size) for part in node]
            continue
        yield node, in_size
        if isinstance(node, ast.Call) and _is_measure(node):
            waiting += [(part, in_size) for part in node.arguments if not isinstance(part, ast.Local)]
            continue
        naming = _naming(node)
        waiting += [
            (getattr(node, name), in_size or (type(node), name) in _SIZES) for name in _fields(node) if name != naming
        ]


def _naming(node: object) -> str | None:
    """The field with the name of the function that is defined or called, which is no value of its own."""
    match node:
        case ast.Def():
            return "name"
        case ast.Call(ast.Global() | ast.Name()):
            return "function"
    return None


def _is_recursive(definitions: tuple[ast.Definition, ...]) -> bool:
    """Whether some function mentions itself, perhaps by way of others."""
    mentions = {
        one.name.name: {node.name for node in _within(one.function) if isinstance(node, ast.Global)}
        for one in definitions
        if isinstance(one, ast.Def)
    }
    return any(name in _reached(name, mentions) for name in mentions)


def _reached(start: str, mentions: Mapping[str, set[str]]) -> set[str]:
    """The functions that are mentioned by a function, by those, and so on."""
    found: set[str] = set()
    waiting = list(mentions[start])
    while waiting:
        name = waiting.pop()
        if name not in found:
            found.add(name)
            waiting += mentions.get(name, ())
    return found
