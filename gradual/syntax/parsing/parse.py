"""Reading a text: the tables of the grammar driven by a loop, the tree built by the rules as they complete.

After an error the parser drops what it was in the middle of and goes on at the next definition, so that one run
reports the errors of every definition, each once.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from operator import itemgetter
from typing import Any, NamedTuple

from gradual.diagnostic import Diagnostic
from gradual.gc_paused import collector_paused
from gradual.limits import LIMITS
from gradual.source import Source, Span
from gradual.syntax.parsing.build import LISTS, NODES, ROWS, Refused
from gradual.syntax.parsing.errors import too_deep, unexpected
from gradual.syntax.parsing.lexer import DEFINING, END, ERROR, METADATA_MARK, Lexer, Token, skipped
from gradual.syntax.parsing.metadata import NO_METADATA, Metadata, Undecodable, decoded
from gradual.syntax.parsing.tables import REPETITION, Production, tables
from gradual.syntax.tree import ast

Fragment = tuple[ast.Definition | ast.Item | ast.Expr, ...]


def parse(source: Source, mend: bool = True) -> tuple[ast.Module, list[Diagnostic]]:
    """The module that a text spells, as far as it can be read, and every syntax error.   [syntax.token]

    Changes with which it could be read are looked for where `mend` says so.
    """
    text = source.text
    section = _section(text)
    metadata, broken = _decoded(text, section)
    reading = _read(text, "module", metadata)
    module = reading.value or ast.Module(None, (), ())
    if reading.section != section:  # the words stood in a comment, or the section begins inside a line
        metadata, broken = _decoded(text, reading.section)
    diagnostics = (_helped(text, "module", metadata, reading) if mend else reading.diagnostics) + broken
    return replace(module, metadata=metadata.constants), _in_order(diagnostics)


def parse_fragment(source: Source) -> tuple[Fragment, list[Diagnostic]]:
    """What was typed into a session: definitions, items (the last may lack its `;`), or an expression."""
    reading = _read(source.text, "fragment", NO_METADATA)
    return reading.value or (), _in_order(_helped(source.text, "fragment", NO_METADATA, reading))


def parse_incomplete(text: str) -> bool:
    """Whether nothing is wrong with a text of a session but that it stops too early."""
    return _read(text, "fragment", NO_METADATA).incomplete


def _in_order(diagnostics: list[Diagnostic]) -> list[Diagnostic]:
    return sorted(diagnostics, key=lambda diagnostic: diagnostic.span.start)


# ----------------------------------------------------------------------------------------------- metadata
_SECTION = re.compile(r"^#\[metadata\]", re.MULTILINE)


def _section(text: str) -> int | None:
    """Where the metadata section begins; it is needed before the keys that stand for sizes are met."""
    match = _SECTION.search(text)
    return match and match.start()


def _decoded(text: str, section: int | None) -> tuple[Metadata, list[Diagnostic]]:
    if section is None:
        return NO_METADATA, []
    start = section + len(METADATA_MARK)
    try:
        return decoded(text[start:]), []
    except Undecodable as problem:
        message = f"the metadata cannot be read: {problem}"
        return NO_METADATA, [Diagnostic("E0106", "syntax.metadata", message, Span(section, start))]


_OPERAND = re.compile(r"//[ \t]*(?:[%(\d-]|[A-Za-z_]\w*[ \t]*[;,()\]}+*/<>=-])(?:[^\n]*([;,){][ \t]*$))?", re.MULTILINE)
"""A comment that begins as an operand does, and whether it ends as a line of code does."""


# ------------------------------------------------------------------------------------------------ reading
class Reading(NamedTuple):
    """The value of the start rule, what is wrong, whether only the end came too early, and where metadata begin."""

    value: Any
    diagnostics: list[Diagnostic]
    incomplete: bool
    section: int | None
    failures: list[Failure]


class Failure(NamedTuple):
    """An error, where the definition begins that it is in, and where the token is that cannot stand there."""

    diagnostic: Diagnostic
    begin: int
    found: Span


MENDED = 8
"""For how many syntax errors of a text a change is looked for."""


def _read(text: str, start: str, metadata: Metadata) -> Reading:
    with collector_paused():
        return _Reader(text, start, metadata).read()


def _helped(text: str, start: str, metadata: Metadata, reading: Reading) -> list[Diagnostic]:
    """What is wrong, with a change that lets it be read where one is found.  [syntax.token]"""
    if not reading.failures:
        return reading.diagnostics
    from gradual.syntax.repair.suggestions import mending

    def reach(changed: str, cut: bool) -> int | None:
        found = _read(changed, start, metadata)
        return None if not found.diagnostics or (cut and found.incomplete) else found.diagnostics[0].span.start

    broken = [failure for failure in reading.failures[:MENDED] if "comment" not in failure.diagnostic.data]
    helps = {id(found): mending(text, begin, at, reach) for found, begin, at in broken}
    return [replace(one, help=(found,)) if (found := helps.get(id(one))) else one for one in reading.diagnostics]


class _Reader:
    """One run of the machine over one text."""

    def __init__(self, text: str, start: str, metadata: Metadata) -> None:
        self.text = text
        self.machine = machine()
        self.lexer = Lexer(text, metadata)
        first, self.last = self.machine.starts[start]
        self.states = [first]
        self.values: list[Any] = []
        self.places: list[int] = []
        self.depths: list[int] = []
        self.errors: list[Diagnostic] = []
        self.failures: list[Failure] = []
        self.early = False

    def read(self) -> Reading:
        value = self._run()
        diagnostics = self.errors + self.lexer.diagnostics
        incomplete = self.early and len(diagnostics) == 1
        return Reading(value, diagnostics, incomplete, self.lexer.section, self.failures)

    def _run(self) -> Any:
        """The loop: shift, follow a child-handing step, extend a list, or build a node."""
        actions, steps, jumps, jump = self.machine.actions, self.machine.steps, self.machine.jumps, self.machine.jump
        states, values, places, depths = self.states, self.values, self.places, self.depths
        deepest = LIMITS.nesting
        skipping, end = False, 0
        for token in self.lexer.tokens():
            kind, value, at, to = token
            if skipping:
                skipping = not self._resumes(token)
                if skipping:
                    continue
            while True:
                action = actions[states[-1]].get(kind)
                if action is None:
                    if self._failed(self._unexpected(token, end), token):
                        continue
                    skipping = True
                    break
                if action >= 0:
                    states.append(action)
                    values.append(value)
                    places.append(at)
                    depths.append(0)
                    end = to
                    break
                size, origin, build, children, sort = steps[~action]
                if sort == UNIT:
                    key = (states[-2], origin, kind)
                    states[-1] = jumps[key] if key in jumps else jump(key)
                    continue
                base = len(values) - size
                if sort == EXTEND:
                    values[base].append(values[-1])
                    depths[base] = max(depths[base], depths[-1])
                    del states[base + 2 :], values[base + 1 :], places[base + 1 :], depths[base + 1 :]
                    continue
                start = places[base] if size else at
                depth = max(depths[base:]) if size else 0
                if sort == NODE:
                    depth += 1
                    span = Span(start, end)
                    problem: Diagnostic | None
                    try:
                        made = build(span, *children(values[base:]))
                    except Refused as refusal:
                        problem = refusal.diagnostic
                    else:
                        problem = too_deep(span) if depth > deepest else None
                    if problem is not None:
                        self._drop()
                        if self._failed(problem, token):
                            continue
                        skipping = True
                        break
                elif sort == LIST:
                    made = build(children(values[base:]))
                else:
                    made = build(Span(start, end), children(values[base:]))
                del states[base + 1 :], values[base:], places[base:], depths[base:]
                key = (states[-1], origin, kind)
                state = jumps[key] if key in jumps else jump(key)
                if kind == END and state == self.last:
                    return made
                states.append(state)
                values.append(made)
                places.append(start)
                depths.append(depth)
        raise AssertionError("the end of the text is always accepted")

    # -------------------------------------------------------------------------------- errors
    def _unexpected(self, token: Token, end: int) -> Diagnostic:
        """The error at a token; where the text ends too early, at the last thing read."""
        kind, value, at, to = token
        if isinstance(value, Diagnostic):
            self.early = not self.errors and at < len(self.text) and self._is_open_comment(token)
            return value
        self.early = not self.errors and kind == END
        machine = self.machine
        wanted = {
            machine.symbols[kind] for kind in range(machine.terminals) if machine.accepts(self.states, kind, self.last)
        }
        place = Span(max(0, end - 1), end) if kind == END else Span(at, to)
        return unexpected(wanted, self.text, Span(at, to), place, self.lexer.open, self._division(at))

    def _division(self, error: int) -> Span | None:
        """A comment that may have been meant as a division: an operand follows, and code ended or stopped there."""
        begins = self.text.startswith(tuple(DEFINING), error)
        start = self.lexer.before if begins else self.lexer.divided
        if start is None or start >= error:
            return None
        meant = _OPERAND.match(self.text, start)
        if meant is None or not (meant[1] or skipped(self.text, start) == error):
            return None
        return Span(start, start + 2)

    def _failed(self, problem: Diagnostic, token: Token) -> bool:
        """Note an error, drop the definition it is in; whether reading can go on with this very token."""
        self.errors.append(problem)
        _, _, at, to = token
        height = self._height()
        if problem.rule == "syntax.token" and at < to:
            self.failures.append(Failure(problem, [*self.places, at][height], Span(at, to)))
        if not self.machine.accepts(self.states, self.machine.definition, self.last):
            self._drop()
        return self._resumes(token)

    def _height(self) -> int:
        """How much of the stack stands before what was begun last, which is where a definition may begin."""
        actions, definition = self.machine.actions, self.machine.definition
        return next(k for k in reversed(range(len(self.states))) if actions[self.states[k]].get(definition, -1) >= 0)

    def _drop(self) -> None:
        """Take what was begun off the stack."""
        height = self._height()
        del self.states[height + 1 :], self.values[height:], self.places[height:], self.depths[height:]

    def _resumes(self, token: Token) -> bool:
        """Whether a token begins a definition or ends the text, so that reading goes on there."""
        kind, value, at, _ = token
        if kind == ERROR and self._is_open_comment(token) and value not in self.errors:
            self.errors.append(value)
        if kind not in self.machine.resuming or not self.machine.accepts(self.states, kind, self.last):
            return False
        if kind != END and self.lexer.open and not self._begins_line(at):
            return False
        self.lexer.reset()
        return True

    def _begins_line(self, at: int) -> bool:
        return not self.text[self.text.rfind("\n", 0, at) + 1 : at].strip()

    def _is_open_comment(self, token: Token) -> bool:
        return self.text.startswith("/*", token[2])


# -------------------------------------------------------------------------------------------- the machine
class Step(NamedTuple):
    """A production made ready: how many symbols it takes, which it makes, by what, and from which of them."""

    size: int
    origin: int
    build: Callable[..., Any]
    children: Callable[[list[Any]], Any]
    sort: int


UNIT, EXTEND, NODE, LIST, ROW = range(5)


class Machine:
    """The automaton of the grammar, with the steps that only hand a child on followed ahead of time."""

    def __init__(self) -> None:
        grammar = tables()
        self.symbols = grammar.symbols
        self.terminals = 1 + len(grammar.terminals)
        self.starts = grammar.starts
        self.gotos = grammar.gotos
        self.steps = tuple(map(_step, grammar.productions))
        self.actions = tuple(map(dict, grammar.actions))
        self.jumps: dict[tuple[int, int, int], int] = {}
        self.definition = grammar.number("DEF")
        self.resuming = frozenset(map(grammar.number, ("$END", "DEF", "TYPE", "EXTERN", "OPERATOR", "METADATA")))
        for phrase, first in (("attribute", "NAME"), ("tensor_type", "TENSOR")):
            self._admit(grammar.number(phrase), grammar.number(first))

    def _admit(self, phrase: int, first: int) -> None:
        """Let the lexer hand in a whole phrase wherever its first token may be shifted."""
        for actions, gotos in zip(self.actions, self.gotos, strict=True):
            action = actions.get(first)
            if action is not None and action < 0:
                actions[phrase] = action
            elif action is not None and phrase in gotos:
                actions[phrase] = gotos[phrase]

    def jump(self, key: tuple[int, int, int]) -> int:
        """The state above `below` once `origin` and every child-handing step that `kind` calls for are done."""
        below, origin, kind = key
        state = self.gotos[below][origin]
        while (action := self.actions[state].get(kind, 0)) < 0 and self.steps[~action].sort == UNIT:
            state = self.gotos[below][self.steps[~action].origin]
        self.jumps[key] = state
        return state

    def accepts(self, states: list[int], kind: int, last: int) -> bool:
        """Whether a symbol could come next on this stack; `last` is the state in which the end is welcome."""
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
    """The production with its builder; a name that `build.py` lacks is an error of ours."""
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
    """The kept children in their places, None where an option is absent."""
    picks = production.picks
    if picks == tuple(range(production.size)):
        return tuple
    if None not in picks and len(picks) > 1:
        return itemgetter(*picks)
    return lambda values: [None if pick is None else values[pick] for pick in picks]


def _joined(production: Production) -> Callable[[list[Any]], list[Any]]:
    """The kept children in one list, repetitions opened."""
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
