"""Scopes: resolve every name of a program to its definition.

The scope rules are those of the language (`name.*` in the specification): a `def` is in scope in the whole file, a
size from its first occurrence in a parameter's type or a cast, a variable from its `let` to the end of its block.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import fields, is_dataclass
from enum import StrEnum
from typing import Any

from gradual.ops.catalogue import CATALOGUE
from gradual.record import record
from gradual.source import Span
from gradual.syntax.tree import ast


class Kind(StrEnum):
    """The kind of entity that a name denotes."""

    FUNCTION = "function"
    OPERATOR = "operator"
    VARIABLE = "variable"
    PARAMETER = "parameter"
    SIZE = "size"
    TYPE = "type"
    CONSTRUCTOR = "constructor"


@record(eq=False)
class Symbol:
    """The entity that a name denotes.

    Attributes:
        span: where it is defined; None for an operator of the language.
        function: the definition in which it is in scope, `@f`; empty if that is the whole file.
        hides: the symbol that it shadows, in this scope or an enclosing one.
    """

    name: str
    kind: Kind
    span: Span | None
    function: str
    hides: Symbol | None = None


class Scope:
    """The names in scope, with the enclosing scope."""

    __slots__ = ("_around", "_names")

    def __init__(self, around: Scope | None = None) -> None:
        self._around = around
        self._names: dict[str, Symbol] = {}

    def __getitem__(self, name: str) -> Symbol | None:
        scope: Scope | None = self
        while scope is not None:
            found = scope._names.get(name)
            if found is not None:
                return found
            scope = scope._around
        return None

    def define(self, symbol: Symbol) -> None:
        """Bind the symbol's name to it from here on."""
        self._names[symbol.name] = symbol


class Scopes:
    """A visitor of a module that calls `defined` and `used` for each name, in scope order."""

    def __init__(self, module: ast.Module, text: str) -> None:
        self._text = text
        self._function = ""
        self._root = Scope()
        self._operators: dict[str, Symbol] = {}
        for definition in module.definitions:
            self._declare(definition)
        for definition in module.definitions:
            self._inside(definition)

    def defined(self, symbol: Symbol, span: Span) -> None:
        """Hook: called for each symbol with the span of its definition."""

    def used(self, symbol: Symbol, start: int) -> None:
        """Hook: called for each use of a symbol with its start offset."""

    # -------------------------------------------------------------------------------------------------- definitions
    def _declare(self, definition: ast.Definition) -> None:
        match definition:
            case ast.Def(name=ast.Global(name, span), implicit=False):
                self._new(self._root, name, Kind.FUNCTION, span)
            case ast.OperatorDef(name=ast.Name(name, span)):
                self._new(self._root, name, Kind.OPERATOR, span)
            case ast.TypeDef(name, _, constructors, span):
                self._new(self._root, name, Kind.TYPE, self._found(name, span))
                for constructor in constructors:
                    place = Span(constructor.span.start, constructor.span.start + len(constructor.name))
                    self._new(self._root, constructor.name, Kind.CONSTRUCTOR, place)
            case ast.ExternType(name, _, span):
                self._new(self._root, name, Kind.TYPE, self._found(name, span))

    def _found(self, name: str, span: Span) -> Span:
        """The span of a name in its definition, after the keywords."""
        words = 2 if self._text.startswith("extern", span.start) else 1
        at = self._text.find(name, span.start + len("type") * words)
        return Span(at, at + len(name))

    def _inside(self, definition: ast.Definition) -> None:
        match definition:
            case ast.Def(name=ast.Global(name), function=function):
                self._function = name
                self._fn(function, self._root)
            case ast.OperatorDef(name=ast.Name(name)):
                self._function = name
                self._fn(definition, self._root)
            case ast.TypeDef(_, binders, constructors):
                self._function, scope = definition.name, Scope(self._root)
                self._binders(binders, scope)
                for constructor in constructors:
                    for type in constructor.fields:
                        self._type(type, scope, False)
            case ast.ExternType():
                self._binders(definition.binders, Scope(self._root))
        self._function = ""

    def _new(self, scope: Scope, name: str, kind: Kind, span: Span) -> None:
        symbol = Symbol(name, kind, span, self._function, scope[name])
        scope.define(symbol)
        self.defined(symbol, span)

    def _use(self, name: str, start: int, scope: Scope) -> None:
        symbol = scope[name] or self._operators.get(name) or self._operator(name)
        if symbol is not None:
            self.used(symbol, start)

    def _operator(self, name: str) -> Symbol | None:
        if name not in CATALOGUE:
            return None
        found = self._operators[name] = Symbol(name, Kind.OPERATOR, None, "")
        return found

    # -------------------------------------------------------------------------------------------- functions and types
    def _binders(self, binders: Sequence[ast.Binder], scope: Scope) -> None:
        for binder in binders:
            kind = Kind.TYPE if binder.kind == "Type" else Kind.SIZE
            self._new(scope, binder.name, kind, Span(binder.span.start, binder.span.start + len(binder.name)))

    def _fn(self, node: ast.Fn | ast.OperatorDef, around: Scope) -> None:
        scope = Scope(around)
        self._binders(node.binders, scope)
        for param in node.params:
            self._new(scope, param.name.name, Kind.PARAMETER, param.name.span)
        for param in node.params:
            self._type(param.annotation, scope, True)
            for attribute in param.attributes:
                self._node(attribute.value, scope)
        self._type(node.result, scope, False)
        for condition in node.where:
            self._node(condition, scope)
        self._node(node.body, scope)

    def _type(self, type: ast.Type | None, scope: Scope, binds: bool) -> None:
        """Visit the names of a type; with `binds`, a size name that is not in scope is bound here."""
        match type:
            case ast.TensorType(shape=tuple(shape)):
                for extent in shape:
                    if extent.__class__ is not ast.Number:
                        self._extent(extent, scope, binds)
            case ast.TupleType(fields=parts):
                for part in parts:
                    self._type(part, scope, binds)
            case ast.NamedType(name, arguments, span):
                self._use(name, span.start, scope)
                for argument in arguments:
                    self._type(argument, scope, binds)
            case ast.RefType(content):
                self._type(content, scope, binds)
            case ast.FnType(binders, params, result, where):
                inner = Scope(scope)
                self._binders(binders, inner)
                for param in params:
                    self._type(param, inner, True)
                self._type(result, inner, False)
                for condition in where:
                    self._node(condition, inner)

    def _extent(self, extent: ast.Expr, scope: Scope, binds: bool) -> None:
        if binds and isinstance(extent, ast.Name) and scope[extent.name] is None:
            self._new(scope, extent.name, Kind.SIZE, extent.span)
        else:
            self._node(extent, scope)

    # ---------------------------------------------------------------------------------------------------- expressions
    def _node(self, node: Any, scope: Scope) -> None:
        kind = node.__class__
        if kind in _NAMES:
            self._use(node.name, node.span.start, scope)
        elif kind not in _LEAVES:
            _VISITS.get(kind, Scopes._parts)(self, node, scope)

    def _nodes(self, nodes: Iterable[Any], scope: Scope) -> None:
        for node in nodes:
            if node.__class__ not in _LEAVES:
                self._node(node, scope)

    def _parts(self, node: object, scope: Scope) -> None:
        if is_dataclass(node):
            for one in fields(node):
                self._node(getattr(node, one.name), scope)

    def _call(self, node: ast.Call, scope: Scope) -> None:
        self._node(node.function, scope)
        self._nodes(node.arguments, scope)
        for attribute in node.attributes:
            value = attribute.value
            if value.__class__ not in _LEAVES:
                self._node(value, scope)

    def _block(self, node: ast.Block, scope: Scope) -> None:
        inner = Scope(scope)
        for item in node.items:
            self._item(item, inner)
        self._node(node.result, inner)

    def _cast(self, node: ast.Cast, scope: Scope) -> None:
        self._node(node.value, scope)
        self._type(node.type, scope, True)

    def _match(self, node: ast.Match, scope: Scope) -> None:
        self._node(node.scrutinee, scope)
        for arm in node.arms:
            self._arm(arm, Scope(scope))

    def _written(self, node: ast.Type, scope: Scope) -> None:
        self._type(node, scope, False)

    def _many(self, node: ast.Listing | ast.Tuple, scope: Scope) -> None:
        self._nodes(node.items, scope)

    def _infix(self, node: ast.Infix, scope: Scope) -> None:
        self._node(node.left, scope)
        self._node(node.right, scope)

    def _project(self, node: ast.Project, scope: Scope) -> None:
        self._node(node.tuple, scope)

    def _instance(self, node: ast.Instance, scope: Scope) -> None:
        self._node(node.function, scope)
        self._nodes(node.arguments, scope)

    def _item(self, item: ast.Item, scope: Scope) -> None:
        match item:
            case ast.Let(name, annotation, value):
                is_known = name is not None and isinstance(value, ast.Fn)  # a function literal may call itself
                if name is not None and is_known:
                    self._new(scope, name.name, Kind.VARIABLE, name.span)
                self._node(value, scope)
                if annotation is not None:
                    self._type(annotation, scope, True)
                if name is not None and not is_known:
                    self._new(scope, name.name, Kind.VARIABLE, name.span)
            case ast.FreeVar(name, annotation):
                self._type(annotation, scope, True)
                self._new(scope, name.name, Kind.VARIABLE, name.span)
            case ast.Assert(condition):
                self._node(condition, scope)

    def _arm(self, arm: ast.Arm, scope: Scope) -> None:
        waiting: list[ast.Pattern] = [arm.pattern]
        while waiting:
            match waiting.pop():
                case ast.VariablePattern(name, annotation):
                    self._type(annotation, scope, True)
                    self._new(scope, name.name, Kind.VARIABLE, name.span)
                case ast.ConstructorPattern(constructor, parts, span):
                    self._use(constructor, span.start, scope)
                    waiting += reversed(parts)
                case ast.TuplePattern(parts):
                    waiting += reversed(parts)
        self._node(arm.body, scope)


_NAMES = frozenset({ast.Local, ast.Global, ast.Name})

_LEAVES = frozenset({ast.Number, ast.Text, ast.Nothing, ast.Meta, ast.Hole, Span, str, int, float, bool, type(None)})
"""Nodes without names that have spans; a hole's binder, and the names in its bound, have no spans."""

_VISITS: dict[type, Callable[[Scopes, Any, Scope], None]] = {
    ast.Call: Scopes._call,
    ast.Listing: Scopes._many,
    ast.Tuple: Scopes._many,
    ast.Infix: Scopes._infix,
    ast.Project: Scopes._project,
    ast.Fn: Scopes._fn,
    ast.Block: Scopes._block,
    ast.Cast: Scopes._cast,
    ast.Match: Scopes._match,
    ast.Instance: Scopes._instance,
    tuple: Scopes._nodes,
    **dict.fromkeys((ast.TensorType, ast.TupleType, ast.NamedType, ast.RefType, ast.FnType), Scopes._written),
}
"""Node type -> visitor, for nodes whose fields are not just visited in order."""
