"""Unused values and definitions, and names that shadow others."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Set

from gradual.source import Span
from gradual.syntax.tree import ast
from gradual.syntax.tree.scopes import Kind, Scopes, Symbol
from gradual.syntax.tree.subexpressions import mentioned, within

UNUSED = "%_"
"""The prefix of names of values that may be unused."""

ENTRY = "@main"

_VALUES = frozenset({Kind.VARIABLE, Kind.PARAMETER})
_SIZES = frozenset({Kind.SIZE, Kind.TYPE})
_DEFINED = frozenset({Kind.FUNCTION, Kind.OPERATOR})

Calls = Mapping[str, Set[str]]
"""Definition -> the functions and operators that it uses."""


class Uses(Scopes):
    """The uses of names in a module, with the last use of each."""

    def __init__(self, module: ast.Module, text: str) -> None:
        self._module = module
        self._symbols: dict[Symbol, Span] = {}
        self._last: dict[Symbol, int] = {}
        self._calls: defaultdict[str, set[str]] = defaultdict(set)
        self._hiding: list[tuple[Symbol, Symbol]] = []
        super().__init__(module, text)

    def defined(self, symbol: Symbol, span: Span) -> None:
        """Record a symbol; and unless its definition uses the symbol that it shadows, record that it shadows one."""
        self._symbols[symbol] = span
        hidden = symbol.hides
        if hidden is not None and _alike(symbol, hidden) and self._last.get(hidden, -1) < span.start:
            self._hiding.append((symbol, hidden))

    def used(self, symbol: Symbol, start: int) -> None:
        """Record a use; for a function or operator also an edge of the call graph."""
        self._last[symbol] = start
        if symbol.kind in _DEFINED:
            self._calls[self._function].add(symbol.name)

    @property
    def symbols(self) -> Iterable[Symbol]:
        """The symbols defined in the module."""
        return self._symbols

    @property
    def calls(self) -> Calls:
        """Definition -> the functions and operators that it uses."""
        return self._calls

    # ------------------------------------------------------------------------------------------------------ findings
    def hiding(self) -> Iterator[tuple[Symbol, Symbol]]:
        """Pairs of a name and the name that it shadows, unless its definition uses that one: `let %x = nn.relu(%x)`."""
        return iter(self._hiding)

    def unused_values(self) -> Iterator[Symbol]:
        """The unused variables and parameters, except those with a purpose or a name that marks them as unused."""
        unused = [symbol for symbol in self._symbols if symbol.kind in _VALUES and symbol not in self._last]
        unused = [symbol for symbol in unused if not symbol.name.startswith(UNUSED)]
        if unused:
            serving = set(self._serving())
            yield from (symbol for symbol in unused if symbol.span not in serving)

    def unused_definitions(self) -> Iterator[Symbol]:
        """The functions and operators that `@main` does not reach; none if the file has no `@main`."""
        return unreached(self._symbols, self._calls)

    def _serving(self) -> Iterator[Span]:
        """The spans of names of values that have a purpose without being used."""
        for definition in self._module.definitions:
            match definition:
                case ast.Def(function=function):
                    yield from _in_function(function)
                    yield from _within(function.body)
                case ast.OperatorDef(body=None, params=params):
                    yield from (param.name.span for param in params)
                case ast.OperatorDef(body=body) if body is not None:
                    yield from _in_function(definition)
                    yield from _within(body)


def unreached(symbols: Iterable[Symbol], calls: Calls) -> Iterator[Symbol]:
    """The functions and operators among symbols that `@main` does not reach; none without `@main`."""
    defined = [one for one in symbols if one.kind in _DEFINED]
    if all(one.name != ENTRY for one in defined):
        return
    reached, waiting = set[str](), [ENTRY]
    while waiting:
        name = waiting.pop()
        if name not in reached:
            reached.add(name)
            waiting += calls.get(name, ())
    yield from (one for one in defined if one.name not in reached)


def _alike(one: Symbol, other: Symbol) -> bool:
    return any(one.kind in kinds and other.kind in kinds for kinds in (_VALUES, _SIZES))


def _within(body: ast.Expr) -> Iterator[Span]:
    """The spans of names bound in a body whose values have a purpose without being used."""
    for part in within(body):
        if isinstance(part, ast.Fn):
            yield from _in_function(part)
        elif isinstance(part, ast.Match):
            yield from (name.span for arm in part.arms for name in _bound(arm.pattern))
        elif isinstance(part, ast.Block):
            for item in part.items:
                if isinstance(item, ast.Let) and item.name is not None and _serves(item):
                    yield item.name.span


def _bound(pattern: ast.Pattern) -> Iterator[ast.Local]:
    """The variables of a pattern; they document the parts of the matched value."""
    waiting = [pattern]
    while waiting:
        match waiting.pop():
            case ast.VariablePattern(name):
                yield name
            case ast.ConstructorPattern(_, fields) | ast.TuplePattern(fields):
                waiting += fields


def _serves(item: ast.Let) -> bool:
    """Whether a value has a purpose without being used: a cast checks, a write has an effect, a part is taken."""
    match item:
        case ast.Let(value=ast.Cast() | ast.Ref(kind="ref_write") | ast.Project()):
            return True
        case ast.Let(annotation=ast.TupleType(fields=())):
            return True
        case ast.Let(annotation=annotation, value=ast.Local()):
            return annotation is not None
        case _:
            return False


def _in_function(function: ast.Fn | ast.OperatorDef) -> Iterator[Span]:
    """The parameters whose type alone, of all parameters, has a size that the function mentions elsewhere."""
    sizes = [_sizes_of(param.annotation) for param in function.params]
    shown = Counter(size for some in sizes for size in some)
    elsewhere: frozenset[str] | None = None
    for param, some in zip(function.params, sizes, strict=True):
        own = {size for size in some if shown[size] == 1}
        if own and elsewhere is None:
            elsewhere = mentioned((function.result, function.where, function.body))
        if elsewhere is not None and own & elsewhere:
            yield param.name.span


def _sizes_of(type: ast.Type | None) -> frozenset[str]:
    return frozenset() if type is None else mentioned(type)
