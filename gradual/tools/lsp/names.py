"""Every name of a program with what it stands for: definitions, uses and scopes.

The rules of scope are those of the language (`name.*` in the specification): a `def` is known in the whole file, a
size is bound where a parameter's type or a cast first speaks of it, a variable from its `let` to the end of its block.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields, is_dataclass
from enum import StrEnum
from functools import partial

from gradual.ops.catalogue import CATALOGUE
from gradual.source import Span
from gradual.syntax import ast


class Kind(StrEnum):
    """What a name stands for."""

    FUNCTION = "function"
    OPERATOR = "operator"
    VARIABLE = "variable"
    PARAMETER = "parameter"
    SIZE = "size"
    TYPE = "type"
    CONSTRUCTOR = "constructor"


@dataclass(frozen=True, slots=True, eq=False)
class Symbol:
    """What a name stands for.

    Attributes:
        span: where it is defined; None for an operator of the language.
        function: the definition in which it is known, `@f`; empty for what the whole file knows.
    """

    name: str
    kind: Kind
    span: Span | None
    function: str


@dataclass(frozen=True, slots=True)
class Occurrence:
    """A name in the text."""

    span: Span
    symbol: Symbol


class Scope:
    """The names that are known in a place, those around included."""

    __slots__ = ("_around", "_names")

    def __init__(self, around: Scope | None = None) -> None:
        self._around = around
        self._names: dict[str, Symbol] = {}

    def __getitem__(self, name: str) -> Symbol | None:
        scope: Scope | None = self
        while scope is not None:
            if name in scope._names:
                return scope._names[name]
            scope = scope._around
        return None

    def define(self, symbol: Symbol) -> None:
        """From here on the name is this."""
        self._names[symbol.name] = symbol


class Names:
    """The names of a module."""

    def __init__(self, module: ast.Module, text: str) -> None:
        self.occurrences: list[Occurrence] = []
        self.symbols: list[Symbol] = []
        self._text = text
        self._function = ""
        self._root = Scope()
        self._operators: dict[str, Symbol] = {}
        for definition in module.definitions:
            self._declare(definition)
        for definition in module.definitions:
            self._inside(definition)
        self.occurrences.sort(key=lambda one: one.span.start)

    def at(self, offset: int) -> Occurrence | None:
        """The name at a place, or one that ends there."""
        found = None
        for one in self.occurrences:
            if one.span.start > offset:
                break
            if offset <= one.span.end:
                found = one
        return found

    def uses(self, symbol: Symbol) -> list[Occurrence]:
        """Every place of a name, its definition included."""
        return [one for one in self.occurrences if one.symbol is symbol]

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
        """Where a name stands in what defines it, behind the words that begin it."""
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
        symbol = Symbol(name, kind, span, self._function)
        self.symbols.append(symbol)
        scope.define(symbol)
        self.occurrences.append(Occurrence(span, symbol))

    def _use(self, name: str, start: int, scope: Scope) -> None:
        symbol = scope[name] or self._operator(name)
        if symbol is not None:
            self.occurrences.append(Occurrence(Span(start, start + len(name)), symbol))

    def _operator(self, name: str) -> Symbol | None:
        if name not in CATALOGUE:
            return None
        return self._operators.setdefault(name, Symbol(name, Kind.OPERATOR, None, ""))

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
        """The names of a type; `binds` tells whether a size that is not known yet is bound by it."""
        match type:
            case ast.TensorType(shape=tuple(shape)):
                for extent in shape:
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
    def _node(self, node: object, scope: Scope) -> None:
        match node:
            case ast.Local(name, span) | ast.Global(name, span) | ast.Name(name, span):
                self._use(name, span.start, scope)
            case ast.Fn():
                self._fn(node, scope)
            case ast.Block(items, result):
                inner = Scope(scope)
                for item in items:
                    self._item(item, inner)
                self._node(result, inner)
            case ast.Cast(value, type):
                self._node(value, scope)
                self._type(type, scope, True)
            case ast.Match(scrutinee, arms):
                self._node(scrutinee, scope)
                for arm in arms:
                    self._arm(arm, Scope(scope))
            case ast.Instance(function, arguments):
                self._node(function, scope)
                for argument in arguments:
                    self._node(argument, scope)
            case ast.TensorType() | ast.TupleType() | ast.NamedType() | ast.RefType() | ast.FnType():
                self._type(node, scope, False)
            case ast.Hole():
                pass  # what a bound speaks of has no place of its own
            case tuple():
                for part in node:
                    self._node(part, scope)
            case _ if is_dataclass(node) and not isinstance(node, Span):
                for one in fields(node):
                    self._node(getattr(node, one.name), scope)

    def _item(self, item: ast.Item, scope: Scope) -> None:
        match item:
            case ast.Let(name, annotation, value):
                define = partial(self._new, scope, name.name, Kind.VARIABLE, name.span) if name is not None else None
                if define is not None and isinstance(value, ast.Fn):
                    define()  # a function literal that a name is given to may call itself
                self._node(value, scope)
                self._type(annotation, scope, True)
                if define is not None and not isinstance(value, ast.Fn):
                    define()
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


def outline(module: ast.Module) -> Iterator[tuple[str, Kind, Span, list[tuple[str, Kind, Span]]]]:
    """The definitions of a file, and the constructors of its types."""
    for definition in module.definitions:
        match definition:
            case ast.Def(name=ast.Global(name), span=span):
                yield name, Kind.FUNCTION, span, []
            case ast.OperatorDef(name=ast.Name(name), span=span):
                yield name, Kind.OPERATOR, span, []
            case ast.TypeDef(name, _, constructors, span):
                yield name, Kind.TYPE, span, [(one.name, Kind.CONSTRUCTOR, one.span) for one in constructors]
            case ast.ExternType(name, _, span):
                yield name, Kind.TYPE, span, []


def everything(node: object) -> Iterator[object]:
    """A node and all that is in it, in no order that means something."""
    waiting = [node]
    while waiting:
        part = waiting.pop()
        if isinstance(part, tuple):
            waiting += part
        elif is_dataclass(part) and not isinstance(part, Span):
            yield part
            waiting += [getattr(part, one.name) for one in fields(part)]
