"""The grammar's LALR automaton in the form that the reader needs: what each production consumes and builds."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, cached_property
from operator import itemgetter
from typing import Any, NamedTuple

from gradual.record import record
from gradual.syntax.parsing.build import LISTS, NODES, ROWS
from gradual.syntax.parsing.lexer import END
from gradual.syntax.parsing.tables import REPETITION, Production, tables


class Step(NamedTuple):
    """A production: symbols to pop, the symbol to push, its builder, the selection of children, its sort (below)."""

    size: int
    origin: int
    build: Callable[..., Any]
    children: Callable[[list[Any]], Any]
    sort: int


UNIT, EXTEND, NODE, LIST, ROW = range(5)


@record(eq=False)
class Symbols:
    """The symbols of tokens that are whole phrases: items of a block, a parameter, parameters after the first one."""

    items: int
    param: int
    params: int


class Machine:
    """The grammar's LALR automaton; chains of unit reductions are memoized in `jumps`.

    Attributes:
        lists: the symbols of the phrases that are lists, each with the states in which its list is the last value.
    """

    def __init__(self) -> None:
        grammar = tables()
        self.symbols = grammar.symbols
        self.terminals = 1 + len(grammar.terminals)
        self.starts = grammar.starts
        self.gotos = grammar.gotos
        self.steps = tuple(map(_step, grammar.productions))
        self.actions = tuple(map(dict, grammar.actions))
        self.lists: dict[int, frozenset[int]] = {}
        self.jumps: dict[tuple[int, int, int], int] = {}
        self.definition = grammar.number("DEF")
        self.resuming = frozenset(map(grammar.number, ("$END", "DEF", "TYPE", "EXTERN", "OPERATOR", "METADATA")))
        for phrase, first in (("attribute", "NAME"), ("tensor_type", "TENSOR")):
            self._admit(grammar.number(phrase), grammar.number(first))

    @cached_property
    def phrases(self) -> Symbols:
        """The symbols of phrases; the first use of this property lets the parser accept them as tokens."""
        number = tables().number
        found = Symbols(self._repetition(number("item")), number("param"), self._repetition(number("param")))
        self.lists = {several: self._ends(several) for several in (found.items, found.params)}
        for phrase, first in ((found.items, "LET"), (found.param, "LOCAL"), (found.params, "COMMA")):
            self._admit(phrase, number(first))
        return found

    def _repetition(self, repeated: int) -> int:
        """The symbol of a list of one or more repetitions of a symbol."""
        productions = tables().productions
        after = (self.actions[gotos[repeated]] for gotos in self.gotos if repeated in gotos)
        reduced = (productions[~action] for actions in after for action in actions.values() if action < 0)
        return next(production.origin for production in reduced if production.builder == REPETITION)

    def _ends(self, several: int) -> frozenset[int]:
        """The states after a list; from now on a further list of the same kind is accepted in them, and extends it."""
        ends = frozenset(gotos[several] for gotos in self.gotos if several in gotos)
        for state in ends:
            self.actions[state][several] = state
        return ends

    def _admit(self, phrase: int, first: int) -> None:
        """Let the lexer return a whole phrase as one token wherever its first token may be shifted."""
        for actions, gotos in zip(self.actions, self.gotos, strict=True):
            action = actions.get(first)
            if action is not None and action < 0:
                actions[phrase] = action
            elif action is not None and phrase in gotos:
                actions[phrase] = gotos[phrase]

    def jump(self, key: tuple[int, int, int]) -> int:
        """The state above `below` after `origin` and all unit reductions that lookahead `kind` causes."""
        below, origin, kind = key
        state = self.gotos[below][origin]
        while (action := self.actions[state].get(kind, 0)) < 0 and self.steps[~action].sort == UNIT:
            state = self.gotos[below][self.steps[~action].origin]
        self.jumps[key] = state
        return state

    def accepts(self, states: list[int], kind: int, last: int) -> bool:
        """Whether a symbol can come next on this stack; `last` is the state that accepts the end."""
        height, above = len(states) - 1, [states[-1]]
        while True:
            action = self.actions[above[-1]].get(kind)
            if action is None or action >= 0:
                return action is not None
            step = self.steps[~action]
            taken = min(step.size, len(above))
            del above[len(above) - taken :]
            height -= step.size - taken
            above.append(self.gotos[above[-1] if above else states[height - 1]][step.origin])
            if kind == END and above[-1] == last:
                return True


@cache
def machine() -> Machine:
    """The machine of the grammar."""
    return Machine()


def _step(production: Production) -> Step:
    """The production with its builder; raises KeyError if `build.py` has none of that name."""
    name, size, origin = production.builder, production.size, production.origin
    if name is None:
        return Step(1, origin, list, list, UNIT)
    if name == REPETITION:
        assert production.picks[-1] == size - 1, "a repetition ends with what it repeats"
        return Step(size, origin, list, itemgetter(slice(size - 1, size)), EXTEND if production.lists else LIST)
    if name in NODES:
        return Step(size, origin, NODES[name], _positional(production), NODE)
    joined = _joined(production)
    return (
        Step(size, origin, ROWS[name], joined, ROW) if name in ROWS else Step(size, origin, LISTS[name], joined, LIST)
    )


def _positional(production: Production) -> Callable[[list[Any]], Any]:
    """A function that selects the kept children in order, with None for an absent option."""
    picks = production.picks
    if picks == tuple(range(production.size)):
        return tuple
    if None not in picks and len(picks) > 1:
        return itemgetter(*picks)
    return lambda values: [None if pick is None else values[pick] for pick in picks]


def _joined(production: Production) -> Callable[[list[Any]], list[Any]]:
    """A function that puts the kept children into one list; the lists of repetitions are concatenated."""
    lists = production.lists
    picks = [pick for pick in production.picks if pick is not None]

    def joined(values: list[Any]) -> list[Any]:
        children: list[Any] = []
        for pick in picks:
            if pick in lists:
                children += values[pick]
            else:
                children.append(values[pick])
        return children

    return joined
