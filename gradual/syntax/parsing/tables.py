"""The grammar's LALR tables: Lark computes them from `grammar/gradual.lark`, and a file caches them.

Only this module uses Lark, and it imports Lark only if the cache has no tables for this grammar.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator
from contextlib import suppress
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gradual.record import record
from gradual.resources import folder

if TYPE_CHECKING:
    from lark import Lark
    from lark.grammar import Rule, Symbol
    from lark.lexer import TerminalDef

STARTS = ("module", "fragment")
REPETITION = "+"


@record
class Terminal:
    """A kind of token: a literal text, or a regular expression."""

    name: str
    pattern: str
    literal: bool


@record
class Production:
    """One rule of the tables.

    Attributes:
        builder: the rule's name in the grammar or its alias, `+` for a repetition (whose value is a list), None for a
            unit production, whose value is that of its only child.
        origin: the number of its left-hand side.
        size: the number of symbols of its right-hand side.
        picks: the indices of the children that are kept, None for an absent option.
        lists: the indices among them of repetitions, whose lists are concatenated.
    """

    builder: str | None
    origin: int
    size: int
    picks: tuple[int | None, ...]
    lists: frozenset[int]


@record(eq=False)
class Tables:
    """An LALR automaton over numbered symbols.

    An action is a state to shift to, or the complement `~p` of a production to reduce by.
    """

    symbols: tuple[str, ...]
    terminals: tuple[Terminal, ...]
    productions: tuple[Production, ...]
    actions: tuple[dict[int, int], ...]
    gotos: tuple[dict[int, int], ...]
    starts: dict[str, tuple[int, int]]

    def number(self, symbol: str) -> int:
        """The number of a terminal or rule by its name."""
        return self.symbols.index(symbol)


@cache
def tables() -> Tables:
    """The tables of the grammar, cached in the user's cache folder."""
    grammar = (folder("grammar") / "gradual.lark").read_bytes()
    mark = sha256(grammar + Path(__file__).read_bytes()).hexdigest()
    kept = _cache_folder() / f"grammar-{mark[:20]}.json"
    stored = _load(kept) or _store(kept, json.dumps(_made(grammar.decode())))
    return _read(json.loads(stored))


# ---------------------------------------------------------------------------------------------- the cache
def _cache_folder() -> Path:
    if sys.platform == "win32":
        home = os.environ.get("LOCALAPPDATA") or "~/AppData/Local"
    elif sys.platform == "darwin":
        home = "~/Library/Caches"
    else:
        home = os.environ.get("XDG_CACHE_HOME") or "~/.cache"
    return Path(os.path.expanduser(home)) / "gradual"


def _load(path: Path) -> str | None:
    """The stored tables; None if they are absent or damaged (the first line is the digest of the rest)."""
    try:
        digest, _, stored = path.read_text().partition("\n")
    except (OSError, ValueError):
        return None
    return stored if sha256(stored.encode()).hexdigest() == digest else None


def _store(path: Path, stored: str) -> str:
    """Write the tables atomically, so that concurrent runs see all or nothing; an error in writing is ignored."""
    import tempfile  # only when something is stored

    with suppress(OSError):
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(dir=path.parent)
        with open(handle, "w") as file:
            file.write(f"{sha256(stored.encode()).hexdigest()}\n{stored}")
        os.replace(name, path)
    return stored


def _read(stored: dict[str, Any]) -> Tables:
    return Tables(
        symbols=tuple(stored["symbols"]),
        terminals=tuple(Terminal(*row) for row in stored["terminals"]),
        productions=tuple(
            Production(builder, origin, size, tuple(picks), frozenset(lists))
            for builder, origin, size, picks, lists in stored["productions"]
        ),
        actions=tuple(dict(zip(row[::2], row[1::2], strict=True)) for row in stored["actions"]),
        gotos=tuple(dict(zip(row[::2], row[1::2], strict=True)) for row in stored["gotos"]),
        starts={name: (first, last) for name, first, last in stored["starts"]},
    )


# ------------------------------------------------------------------------------------ computation by Lark
def compiled(grammar: str) -> Lark:
    """Lark's own parser of the grammar; `strict` makes every conflict an error."""
    from lark import Lark
    from lark.lexer import Lexer

    class NoLexer(Lexer):
        def __init__(self, _: object) -> None: ...

        def lex(self, _: object, __: object) -> Iterator[Any]:
            raise AssertionError("tokens come from gradual.syntax.parsing.lexer")

    return Lark(grammar, parser="lalr", lexer=NoLexer, start=list(STARTS), strict=True, maybe_placeholders=True)


def _made(grammar: str) -> dict[str, Any]:
    lark = compiled(grammar)
    table = lark.parser.parser._parse_table
    terminals = [t for t in lark.terminals if t.name not in lark.ignore_tokens]
    symbols = ["$END", *(t.name for t in terminals), *sorted({rule.origin.name for rule in lark.rules})]
    numbers = {name: number for number, name in enumerate(symbols)}
    productions = {rule: number for number, rule in enumerate(lark.rules)}
    rows = [_row(row, numbers, productions, len(terminals)) for _, row in sorted(table.states.items())]
    return {
        "symbols": symbols,
        "terminals": [_terminal(terminal) for terminal in terminals],
        "productions": [_production(rule, numbers) for rule in lark.rules],
        "actions": [actions for actions, _ in rows],
        "gotos": [gotos for _, gotos in rows],
        "starts": [(name, table.start_states[name], table.end_states[name]) for name in STARTS],
    }


def _terminal(terminal: TerminalDef) -> tuple[str, str, bool]:
    literal = terminal.pattern.type == "str"
    return terminal.name, terminal.pattern.value if literal else terminal.pattern.to_regexp(), literal


def _row(row: dict[str, Any], numbers: dict[str, int], productions: dict[Rule, int], last: int) -> Any:
    """One state's actions and gotos, each a flat list: symbol, entry, symbol, entry, …"""
    actions: list[int] = []
    gotos: list[int] = []
    for symbol, (action, argument) in row.items():
        number = numbers[symbol]
        if number > last:
            gotos += number, argument
        else:
            actions += number, ~productions[argument] if action.name == "Reduce" else argument
    return actions, gotos


def _production(rule: Rule, numbers: dict[str, int]) -> Any:
    """The stored form of a `Production`."""
    places = [place for place, symbol in enumerate(rule.expansion) if not getattr(symbol, "filter_out", False)]
    lists = [place for place in places if _repeats(rule.expansion[place])]
    name: str | None = rule.alias or rule.origin.name
    if _repeats(rule.origin):
        name = REPETITION
    elif rule.alias is None and rule.options.expand1 and len(rule.expansion) == 1:
        name = None
    return name, numbers[rule.origin.name], len(rule.expansion), _picks(rule, set(places)), lists


def _picks(rule: Rule, places: set[int]) -> list[int | None]:
    """The kept indices in order, with None for each option that Lark marks as absent."""
    picks: list[int | None] = []
    place = 0
    for absent in rule.options.empty_indices or [False] * len(rule.expansion):
        if absent:
            picks.append(None)
        else:
            picks += [place] if place in places else []
            place += 1
    return picks


def _repeats(symbol: Symbol) -> bool:
    return not symbol.is_term and symbol.name.startswith("__")
