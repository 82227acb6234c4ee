"""Inputs of a session: definitions, which are kept even if they are refuted, and expressions, which are run."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import field, replace

from gradual.checker.fixes.suggested import edited
from gradual.core.check import Check
from gradual.diagnostic import Diagnostic, Edit, Severity, counted
from gradual.interface.terminal import Output, Trouble
from gradual.limits import Options
from gradual.record import record
from gradual.report import render
from gradual.run.value import Stop
from gradual.source import Source
from gradual.syntax.parse import parse_fragment
from gradual.syntax.printing.line_breaks import broken_type
from gradual.syntax.tree import ast
from gradual.tensors.value import Value, shown_value
from gradual.tools.session import session
from gradual.tools.session.program import Piece, Program
from gradual.tools.session.session import Bound, Compiled, Refused, State
from gradual.tools.session.session import piece as piece_of
from gradual.tools.session.values import LAST, Words, asks_for_last, words_of
from gradual.types.print import shown
from gradual.types.type import ReferenceType

DEFINITIONS = (ast.Def, ast.TypeDef, ast.ExternType, ast.OperatorDef)
UNKNOWN = ("E0202", "E0203", "E0205")
"""The codes of names that are not defined."""
ROUNDS = 16
"""How often helps are applied; one may reveal errors that were hidden before."""


@record(frozen=False)
class Inputs:
    """The inputs of a session, and its current state.

    Attributes:
        seed: the seed of tensors that are drawn.
        last: the last value that was shown, if it can be kept.
        typed: the last input that was no command.
    """

    out: Output
    options: Options = field(default_factory=Options)
    seed: int = 0
    state: State = field(default_factory=State)
    last: Value | None = None
    inputs: int = 0
    typed: str = ""

    def entered(self, text: str) -> Iterator[str]:
        """Process definitions, items or an expression."""
        self.inputs += 1
        self.typed = text
        source = Source(f"<input {self.inputs}>", text)
        fragment, flaws = parse_fragment(source)
        if flaws:
            yield from self.flaws(flaws, source)
        elif fragment:
            definitions = [entry for entry in fragment if isinstance(entry, DEFINITIONS)]
            if definitions:
                yield from self.define(source, definitions, self.state)
            for entry in fragment:
                if not isinstance(entry, DEFINITIONS):
                    yield from self.evaluate(source, entry)

    # --------------------------------------------------------------------------------------------- definitions
    def define(self, source: Source, definitions: Sequence[ast.Definition], base: State) -> Iterator[str]:
        """Add definitions and show their types; those with an error are kept as refuted, the others are added."""
        left = session.pieces(source, definitions)
        made = self.compiled(session.defined(base, left))
        yield from self.shown(made.found([source]), made.program)
        while left and not made.compilation.ok:
            bad = _refuted(made, left)
            base, left = session.refuted(base, bad), tuple(piece for piece in left if piece.name not in bad)
            self.state = base
            yield from (f"{name}   refuted{_hint(one)}" for name, one in bad.items())
            made = self.compiled(session.defined(base, left))
        if left:
            self.state = session.defined(base, left)
            names = {piece.name for piece in left}
            yield from (type_line(made, name) for name in made.compilation.types if name in names)
            yield from self._again(names)

    def _again(self, names: Iterable[str]) -> Iterator[str]:
        """Try the refuted definitions again that only lacked one of these names; each may have other errors."""
        lacking = [one.piece for one in self.state.refuted.values() if _lacks(one, names)]
        for piece in lacking:
            made = self.compiled(session.defined(self.state, [piece]))
            if made.compilation.ok:
                self.state = session.defined(self.state, [piece])
                yield type_line(made, piece.name) if piece.name in made.compilation.types else piece.name
                yield from self._again([piece.name])
            else:
                self.state = session.refuted(self.state, _refuted(made, [piece]))

    def compiled(self, state: State, body: Sequence[session.Line] = ()) -> Compiled:
        """The program of a state, with the body of an input; without one, the values are checked with it."""
        return session.compiled(state, self.options, body or ([("()",)] if state.bound else []))

    # --------------------------------------------------------------------------------------------- expressions
    def evaluate(self, source: Source, entry: ast.Item | ast.Expr) -> Iterator[str]:
        """Check and run one entry; a `let` keeps its value."""
        words, body = self._body(source, entry)
        state = words.within(self.state)
        made = self.compiled(state, body)
        yield from self.shown(made.found([source]), made.program)
        if not made.compilation.ok:
            return
        kept = not session.is_made_again(made.result)
        try:
            held = session.value(state, made) if session.can_be_shown(made.result) else None
        except Stop as stop:
            yield from self.shown([stop.diagnostic], made.program)
            return
        if isinstance(entry, ast.Let) and entry.name is not None:
            piece = piece_of(source, entry)
            new = Bound(entry.name.name, held if kept else None, piece, words.parts)
            self.state = session.bound(self.state if kept else state, new)
            yield f"{entry.name.name} : {shown(made.result)}"
        elif held is None:
            yield f"a {'reference' if isinstance(made.result, ReferenceType) else 'function'} : {shown(made.result)}"
        elif not isinstance(entry, ast.Let | ast.FreeVar | ast.Assert):
            self.last = held if kept else None
            yield shown_value(held)

    def type(self, text: str) -> Iterator[str]:
        """The type of an expression, which is checked but not run."""
        source = Source("<type>", text)
        fragment, flaws = parse_fragment(source)
        entry = fragment[0] if len(fragment) == 1 else None
        if flaws:
            yield from self.flaws(flaws, source)
        elif entry is None or isinstance(entry, (*DEFINITIONS, ast.FreeVar, ast.Assert)):
            yield "`:type` takes one expression"
        else:
            words, body = self._body(source, entry)
            made = self.compiled(words.within(self.state), body)
            yield from self.shown(made.found([source]), made.program)
            if made.compilation.ok:
                yield f"{text} : {shown(made.result)}"

    def _body(self, source: Source, entry: ast.Item | ast.Expr) -> tuple[Words, list[session.Line]]:
        """The words of an entry, and the body of the hidden function.  Raises Trouble for values that are not there."""
        if self.last is None and asks_for_last(entry):
            raise Trouble("E0202", f"`{LAST}` is the last value if it is a tensor or a tuple of tensors; there is none")
        try:
            words = words_of(source, entry, self.last, self.inputs, self.seed)
        except ValueError as error:
            raise Trouble("E0702", f"a tensor cannot be drawn: {error}") from error
        return words, session.body(entry, words.parts)

    # ------------------------------------------------------------------------------------------------- reports
    def shown(self, found: Iterable[Diagnostic], program: Program) -> Iterator[str]:
        """Diagnostics in full; notes tell of unknown names that were refuted, and of variables in definitions."""
        for diagnostic in found:
            told = program.told(diagnostic)
            notes = (*told.notes, *self._of_session(told))
            yield render.full(replace(told, notes=notes), program.locate, self.out.paint)

    def flaws(self, found: Iterable[Diagnostic], source: Source) -> Iterator[str]:
        """Syntax errors in full."""
        return (render.full(flaw, render.within(source), self.out.paint) for flaw in found)

    def _of_session(self, found: Diagnostic) -> Iterator[str]:
        for name, one in self.state.refuted.items():
            if found.code in UNKNOWN and f"`{name}`" in found.message:
                yield f"`{name}` was refuted: {one.why}"
        for bound in dict.fromkeys(one.name for one in self.state.bound):
            if found.code == "E0202" and f"`{bound}`" in found.message:
                yield f"`{bound}` is a variable of the session; a definition does not see it: make it a parameter"

    # ------------------------------------------------------------------------------------------------- helps
    def fixed(self, text: str) -> str:
        """A text to which the helps of its findings are applied, until none is left."""
        seen = {text}
        for _ in range(ROUNDS):
            edits = self._edits(Source("<fix>", text))
            if (changed := edited(text, edits)) in seen:
                break
            seen.add(changed)
            text = changed
        return text

    def _edits(self, source: Source) -> list[Edit]:
        """The edits of the errors in a text; if there is no error, those of its warnings and residual checks."""
        fragment, flaws = parse_fragment(source)
        if flaws:
            return _disjoint(help.edits for flaw in flaws for help in flaw.help[:1])
        definitions = [entry for entry in fragment if isinstance(entry, DEFINITIONS)]
        entries: list[ast.Item | ast.Expr] = [entry for entry in fragment if not isinstance(entry, DEFINITIONS)]
        state = session.defined(self.state, session.pieces(source, definitions))
        found = [_found(self.compiled(state), source)] if definitions else []
        for entry in entries:
            words, body = self._body(source, entry)
            found.append(_found(self.compiled(words.within(state), body), source))
        chosen = [help for errors, _ in found for help in errors] or [help for _, rest in found for help in rest]
        return _disjoint(chosen)


def type_line(made: Compiled, name: str) -> str:
    """A function's type and the number of its residual checks."""
    count = len(checks_of(made, name))
    text = broken_type(f"{name} : {made.compilation.types[name]}")
    return text + (f"   ({counted(count, 'residual check')})" if count else "")


def checks_of(made: Compiled, name: str) -> list[Check]:
    """The residual checks inside a function."""
    function = made.compilation.core.functions[name].span
    return [c for c in made.compilation.checks if function.start <= c.span.start < function.end]


def _refuted(made: Compiled, pieces: Sequence[Piece]) -> dict[str, Refused]:
    """The definitions that have an error, each with the first one; all of them if the errors are elsewhere."""
    errors = [found for found in made.found(()) if found.severity is Severity.ERROR]
    bad: dict[str, Refused] = {}
    for error in errors:
        source, span = made.program.locate(error.span)
        for piece in pieces:
            if piece.source is source and piece.span.start <= span.start < piece.span.end:
                bad.setdefault(piece.name, Refused(piece, error.message, error.code))
    return bad or {piece.name: Refused(piece, errors[0].message, errors[0].code) for piece in pieces}


def _lacks(one: Refused, names: Iterable[str]) -> bool:
    return one.code in UNKNOWN and any(f"`{name}`" in one.why for name in names)


def _hint(one: Refused) -> str:
    """What to do about a refuted definition; why, if it was not shown."""
    name = one.piece.name
    return f": {one.why}" if one.code in UNKNOWN else f"; `:edit {name}` changes it"


Helps = list[tuple[Edit, ...]]


def _found(made: Compiled, source: Source) -> tuple[Helps, Helps]:
    """The edits in a text of what errors advise, and of what warnings and residual checks advise."""
    compilation = made.compilation
    errors = [d for d in compilation.diagnostics if d.severity is Severity.ERROR]
    others = [d for d in compilation.diagnostics if d.severity is not Severity.ERROR]
    first = [help for d in errors for help in d.help[:1]]
    rest = [help for d in others for help in d.help[:1]]
    rest += [help for _, help in compilation.helps() if help is not None] if not errors else []
    return [made.program.edits(help, source) for help in first], [made.program.edits(help, source) for help in rest]


def _disjoint(helps: Iterable[tuple[Edit, ...]]) -> list[Edit]:
    """The edits of the helps that do not touch an edit of an earlier one."""
    taken: list[Edit] = []
    for edits in helps:
        if not any(a.span.start <= b.span.end and b.span.start <= a.span.end for a in edits for b in taken):
            taken += edits
    return taken
