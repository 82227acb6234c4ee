"""The parser's loop over the tables of the grammar; each reduction builds its part of the tree.

After an error the parser drops the unfinished definition and continues at the next one, so that one run reports the
errors of every definition, each once.
"""

from __future__ import annotations

import re
from typing import Any, NamedTuple

from gradual.diagnostic import Diagnostic
from gradual.gc_paused import collector_paused
from gradual.limits import LIMITS
from gradual.source import Span
from gradual.syntax.parsing.blanks import skipped
from gradual.syntax.parsing.errors import Refused, too_deep, unexpected
from gradual.syntax.parsing.lexer import DEFINING, END, ERROR, Lexer, Token
from gradual.syntax.parsing.machine import EXTEND, LIST, NODE, UNIT, machine
from gradual.syntax.parsing.metadata import NO_METADATA, Metadata
from gradual.syntax.parsing.phrases import LONG, Attributes, Phrases, literals, moved
from gradual.syntax.tree import ast

_OPERAND = re.compile(r"//[ \t]*(?:[%(\d-]|[A-Za-z_]\w*[ \t]*[;,()\]}+*/<>=-])(?:[^\n]*([;,){][ \t]*$))?", re.MULTILINE)
"""A comment that begins like an operand; group 1 matches if it ends like a line of code."""


class Reading(NamedTuple):
    """The value of the start rule, its errors, and the offset of the metadata section.

    `incomplete` is whether the only error is that the text ends too early; `depth` is how deep the value's tree is.
    """

    value: Any
    diagnostics: list[Diagnostic]
    incomplete: bool
    section: int | None
    failures: list[Failure]
    depth: int


class Failure(NamedTuple):
    """A syntax error, the start of its definition, and the span of the unexpected token."""

    diagnostic: Diagnostic
    begin: int
    found: Span


def read(text: str, start: str, metadata: Metadata) -> Reading:
    """Parse a text by a start rule; `metadata` gives the values of its keys."""
    with collector_paused():
        return _Reader(text, start, metadata).read()


def _attributes(written: str) -> Attributes | None:
    """The attributes of a call, parsed alone; None if they are not literals."""
    before = "f("
    reading = read(f"{before}{written})", "fragment", NO_METADATA)
    match reading.value:
        case (ast.Call(_, (), attributes),) if not reading.diagnostics and literals(attributes):
            return moved(attributes, -len(before)), reading.depth - 1
    return None


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
        self.depth = 0

    def read(self) -> Reading:
        value = self._run()
        diagnostics = self.errors + self.lexer.diagnostics
        incomplete = self.early and len(diagnostics) == 1
        return Reading(value, diagnostics, incomplete, self.lexer.section, self.failures, self.depth)

    def _run(self) -> Any:
        """The LALR loop: shift, reduce a unit production, extend a list, or build a node."""
        actions, steps, jumps, jump = self.machine.actions, self.machine.steps, self.machine.jumps, self.machine.jump
        states, values, places, depths = self.states, self.values, self.places, self.depths
        deepest = LIMITS.nesting
        skipping, end = False, 0
        lexer = self.lexer
        phrases = Phrases(lexer, states, self.machine, _attributes).following if len(self.text) > LONG else None
        lists = self.machine.lists
        for token in lexer.tokens(phrases):
            kind, value, at, to = token
            if skipping:
                skipping = not self._resumes(token)
                if skipping:
                    continue
            while True:
                if kind in lists and states[-1] in lists[kind]:
                    values[-1] += value
                    depths[-1] = max(depths[-1], lexer.depth)
                    end = to
                    break
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
                    depths.append(lexer.depth)
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
                    self.depth = depth
                    return made
                states.append(state)
                values.append(made)
                places.append(start)
                depths.append(depth)
        raise AssertionError("the end of the text is always accepted")

    # -------------------------------------------------------------------------------- errors
    def _unexpected(self, token: Token, end: int) -> Diagnostic:
        """The error at a token; if the text ends too early, at the last token read."""
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
        """The `//` of a comment that may be meant as a division.

        It is followed by an operand, and the comment ends like a line of code or is directly before the error.
        """
        begins = self.text.startswith(tuple(DEFINING), error)
        start = self.lexer.before if begins else self.lexer.divided
        if start is None or start >= error:
            return None
        meant = _OPERAND.match(self.text, start)
        if meant is None or not (meant[1] or skipped(self.text, start) == error):
            return None
        return Span(start, start + 2)

    def _failed(self, problem: Diagnostic, token: Token) -> bool:
        """Record an error and drop its definition; True if parsing resumes at this same token."""
        self.errors.append(problem)
        _, _, at, to = token
        height = self._height()
        if problem.rule == "syntax.token" and at < to:
            self.failures.append(Failure(problem, [*self.places, at][height], Span(at, to)))
        if not self.machine.accepts(self.states, self.machine.definition, self.last):
            self._drop()
        return self._resumes(token)

    def _height(self) -> int:
        """The index of the topmost state in which a definition may begin: the unfinished definition is above it."""
        actions, definition = self.machine.actions, self.machine.definition
        return next(k for k in reversed(range(len(self.states))) if actions[self.states[k]].get(definition, -1) >= 0)

    def _drop(self) -> None:
        """Pop the unfinished definition off the stack."""
        height = self._height()
        del self.states[height + 1 :], self.values[height:], self.places[height:], self.depths[height:]

    def _resumes(self, token: Token) -> bool:
        """Whether parsing can resume at a token: it begins a definition or ends the text."""
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
