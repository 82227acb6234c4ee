"""The definitions of a text by their names, and texts that have only some of them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Set
from functools import cached_property

from gradual.checker.definition_order import in_circles
from gradual.record import record
from gradual.source import Span
from gradual.syntax.tree import ast
from gradual.tools.lsp.pieces import Place, is_open
from gradual.tools.lsp.reading import Reading
from gradual.tools.lsp.recovery.chunks import headers_end


@record(eq=False, slots=False)
class Definitions:
    """The definitions of a text by their names, each of which is defined once."""

    places: Mapping[str, Place]

    @cached_property
    def functions(self) -> Set[str]:
        """The names of functions."""
        return {name for name, place in self.places.items() if isinstance(place.piece.tree, ast.Def)}

    @cached_property
    def others(self) -> Set[str]:
        """The names of definitions other than functions, on which all functions may depend."""
        return self.places.keys() - self.functions

    @cached_property
    def _users(self) -> Mapping[str, Set[str]]:
        """Function -> the functions that mention it."""
        users: defaultdict[str, set[str]] = defaultdict(set)
        for name in self.functions:
            for mentioned in self.places[name].piece.mentions:
                users[mentioned].add(name)
        return users

    def users(self, names: Iterable[str]) -> set[str]:
        """The functions that mention some of the names."""
        return {user for name in names for user in self._users.get(name, ())}

    def reaching(self, names: Iterable[str]) -> set[str]:
        """The functions that mention some of the names, directly or transitively."""
        found, new = set[str](), self.users(names)
        while new:
            found |= new
            new = self.users(new) - found
        return found

    @cached_property
    def circles(self) -> set[str]:
        """The functions that may call each other in a circle."""
        return in_circles({name: sorted(self.mentioned(name)) for name in self.functions})

    def text(self, name: str) -> str:
        """The text of a definition."""
        return self.places[name].piece.text

    def function(self, name: str) -> ast.Def:
        """The tree of a function, with the spans that it was parsed with."""
        tree = self.places[name].piece.tree
        assert isinstance(tree, ast.Def), name
        return tree

    def mentioned(self, name: str) -> Set[str]:
        """The functions of the text that a function mentions."""
        return self.places[name].piece.mentions & self.functions


# ------------------------------------------------------------------------------------------------ what is compiled
def needed(known: Definitions, changed: set[str], bodies: set[str]) -> tuple[set[str], set[str]]:
    """`(whole, typed)`: the needed functions that keep their bodies, and those whose types suffice."""
    whole, typed, waiting = set(changed), set[str](), list(changed)
    while waiting:
        for name in known.mentioned(waiting.pop()) - whole - typed:
            one = known.function(name)
            body = one.function.body.span
            if name in bodies or is_open(one.function.result) or len(_call_of_itself(one)) > body.end - body.start:
                whole.add(name)
                waiting.append(name)
            else:
                typed.add(name)
    return whole, typed


def text_of(reading: Reading, kept: Iterable[Place], typed: Set[str] = frozenset()) -> str:
    """The extended text with only some of its definitions, of which those in `typed` have trivial bodies.

    Everything else is replaced by blanks, so that the offsets of what is left do not change.
    """
    text = reading.extended
    end = len(text) - len(reading.text) + reading.end
    return _blanked(text, headers_end(text), end, _parts(text, kept, typed))


def text_with_errors(reading: Reading, broken: Span, kept: Iterable[Place], typed: Set[str] = frozenset()) -> str:
    """The text with only its syntax errors, and some of the definitions outside of these."""
    text, end = reading.text, reading.end
    outside = [one for one in kept if one.end <= broken.start or broken.end <= one.start < end]
    stop = min(broken.end, end)
    parts = [(broken.start, stop, text[broken.start : stop]), *_parts(text, outside, typed)]
    return _blanked(text, min(headers_end(text), broken.start), end, parts)


def _parts(text: str, kept: Iterable[Place], typed: Set[str]) -> list[tuple[int, int, str]]:
    return [(one.start, one.end, _with_call(text, one) if one.piece.name in typed else one.piece.text) for one in kept]


def _blanked(text: str, begin: int, end: int, parts: Iterable[tuple[int, int, str]]) -> str:
    """A text, in which everything between two offsets is blank but for some parts."""
    at, kept = begin, [text[:begin]]
    for start, stop, part in sorted(parts):
        kept += [_blank(text, at, start), part]
        at = stop
    return "".join([*kept, _blank(text, at, end), text[end:]])


def _with_call(text: str, place: Place) -> str:
    """The text of a function, with a call of itself as its body."""
    assert isinstance(place.piece.tree, ast.Def), place.piece.name
    body, call = place.piece.tree.function.body.span, _call_of_itself(place.piece.tree)
    start, end = body.start + place.by, body.end + place.by
    return "".join((text[place.start : start], call, _blank(text, start + len(call), end), text[end : place.end]))


def _call_of_itself(one: ast.Def) -> str:
    return f"{{ {one.name.name}({', '.join(param.name.name for param in one.function.params)}) }}"


def _blank(text: str, start: int, end: int) -> str:
    """Blanks in place of a stretch of a text: of the same length, with as many line breaks and a last line as long."""
    lines = text.count("\n", start, end)
    rest = end - text.rfind("\n", start, end) - 1 if lines else end - start
    return " " * (end - start - lines - rest) + "\n" * lines + " " * rest
