"""The lints of names in a text that is being edited: only functions that changed are searched for names again."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import replace

from gradual.diagnostic import Diagnostic
from gradual.lints.lint import lints_of_uses
from gradual.lints.names import Uses, unreached
from gradual.record import record
from gradual.source import NOWHERE
from gradual.syntax.tree import ast
from gradual.syntax.tree.scopes import Kind, Symbol
from gradual.tools.lsp.pieces import Piece, Place
from gradual.tools.lsp.trees import moved


@record
class Usage:
    """The names in a function, with spans as in its tree.

    Attributes:
        unused: its unused variables and parameters.
        hiding: pairs of a name and the name that it shadows, which may be defined outside the function.
        calls: the functions and operators that it uses.
    """

    unused: tuple[Symbol, ...]
    hiding: tuple[tuple[Symbol, Symbol], ...]
    calls: Set[str]


class UsedNames:
    """Finds the lints of names in one text after another."""

    def __init__(self) -> None:
        self._known: dict[Piece, Usage] = {}
        self._around: list[str] = []

    def lints(self, text: str, places: Sequence[Place]) -> Iterator[Diagnostic]:
        """The lints of a text with these definitions, each of which is defined once."""
        functions = [place for place in places if isinstance(place.piece.tree, ast.Def)]
        others = [place for place in places if not isinstance(place.piece.tree, ast.Def)]
        around = [place.piece.text for place in others]
        before = self._known if around == self._around else {}
        trees = tuple(moved(place.piece.tree, place.by) for place in others)
        names = tuple(map(_only_named, trees))
        pieces = [place.piece for place in functions]
        self._around = around
        self._known = {piece: before.get(piece) or _usage(piece, names, text) for piece in pieces}
        return self._found(text, functions, Uses(ast.Module(None, (), trees), text))

    def _found(self, text: str, functions: Sequence[Place], around: Uses) -> Iterator[Diagnostic]:
        symbols = {symbol.name: symbol for symbol in around.symbols if not symbol.function}
        unused, hiding, calls = list(around.unused_values()), list(around.hiding()), dict(around.calls)
        for place in functions:
            known = self._known[place.piece]
            unused += [_moved(symbol, place.by) for symbol in known.unused]
            hiding += [(_moved(one, place.by), _hidden(other, place.by, symbols)) for one, other in known.hiding]
            calls[place.piece.name] = known.calls
        defined = [_moved(_symbol(place.piece), place.by) for place in functions]
        return lints_of_uses(unused, unreached([*defined, *symbols.values()], calls), hiding, text)


def _usage(piece: Piece, others: tuple[ast.Definition, ...], text: str) -> Usage:
    """The names in a function; of other definitions only the names are needed."""
    mentioned = tuple(map(_function, piece.mentions))
    uses = Uses(ast.Module(None, (), (*others, *mentioned, piece.tree)), text)
    unused = tuple(symbol for symbol in uses.unused_values() if symbol.function == piece.name)
    hiding = tuple((one, other) for one, other in uses.hiding() if one.function == piece.name)
    return Usage(unused, hiding, uses.calls.get(piece.name, frozenset()))


def _function(name: str) -> ast.Def:
    """A function of a name, without anything in it."""
    return ast.Def(ast.Global(name, NOWHERE), ast.Fn((), (), (), None, (), ast.Nothing(NOWHERE), NOWHERE), NOWHERE)


def _only_named(tree: ast.Definition) -> ast.Definition:
    """A type or an operator without anything in it but its name."""
    match tree:
        case ast.TypeDef():
            return replace(tree, binders=(), constructors=())
        case ast.ExternType():
            return replace(tree, binders=())
        case ast.OperatorDef():
            return replace(tree, binders=(), params=(), result=ast.Omitted(NOWHERE), where=())
        case ast.Def():
            return tree


def _symbol(piece: Piece) -> Symbol:
    assert isinstance(piece.tree, ast.Def), piece.name
    return Symbol(piece.name, Kind.FUNCTION, piece.tree.name.span, "")


def _moved(symbol: Symbol, by: int) -> Symbol:
    return replace(symbol, span=moved(symbol.span, by))


def _hidden(symbol: Symbol, by: int, around: Mapping[str, Symbol]) -> Symbol:
    """A symbol that is shadowed in a function: of the same function, or around it."""
    return _moved(symbol, by) if symbol.function else around[symbol.name]
