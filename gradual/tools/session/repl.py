"""The read-evaluate-print loop: inputs and commands of a session, with the same output on a terminal and in a pipe."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import field, replace

from gradual.conformance.cases.read import CASE_ID
from gradual.conformance.implementations.making import called, made
from gradual.core.check import Check
from gradual.core.print import printed
from gradual.core.terms import Module
from gradual.diagnostic import Diagnostic, Severity
from gradual.interface.input.arguments import Argument, read_call, values
from gradual.interface.input.files import too_long
from gradual.interface.input.program_text import read as read_file
from gradual.interface.pages import Page, explained
from gradual.interface.reports.operators import entry
from gradual.interface.terminal import Output, Trouble, save_text
from gradual.limits import LIMITS, Options
from gradual.ops.catalogue import CATALOGUE
from gradual.record import record
from gradual.report import render
from gradual.report.residual import residual
from gradual.run.value import Stop
from gradual.source import Source, visible
from gradual.syntax.parse import parse, parse_fragment, parse_incomplete
from gradual.syntax.printing.line_breaks import broken_type
from gradual.syntax.tree import ast
from gradual.tensors.value import shown_value
from gradual.tools.session import session
from gradual.tools.session.session import Compiled, State
from gradual.types.print import shown
from gradual.types.type import ReferenceType

PROMPT, CONTINUED = "gradual> ", "      .. "
_DEFINITIONS = (ast.Def, ast.TypeDef, ast.ExternType, ast.OperatorDef)

Ask = Callable[[str], str]
"""A function from a prompt to a line; raises EOFError at the end, KeyboardInterrupt to abandon the input."""


class Quit(Exception):
    """Raised to end the session."""


@record(frozen=False)
class Session:
    """A session: its current state, and the state before each input."""

    out: Output
    options: Options = field(default_factory=Options)
    state: State = field(default_factory=State)
    past: list[State] = field(default_factory=list)
    inputs: int = 0
    said: list[str] = field(default_factory=list)
    calls: list[tuple[str, list[Argument]]] = field(default_factory=list)

    # ------------------------------------------------------------------------------------------------- reading
    def loop(self, ask: Ask) -> None:
        """Read and answer until the end of input or `:quit`; an interrupt abandons the input, never the session."""
        while True:
            try:
                self.answer(self.input(ask))
            except KeyboardInterrupt:
                self.out.line("interrupted")
            except (EOFError, Quit):
                return

    def input(self, ask: Ask) -> str:
        """Read one input: lines until it is complete for the parser, or until a blank line."""
        text = ask(PROMPT)
        while not text.startswith(":") and parse_incomplete(text):
            try:
                line = ask(CONTINUED)
            except EOFError:
                break
            if not line.strip():
                break
            text += "\n" + line
            if len(text) > LIMITS.message:
                raise too_long("an input", "message")
        return text

    def answer(self, text: str) -> None:
        """Execute an input, and write its result."""
        before, depth = self.state, len(self.past)
        if text.strip():
            self.said.append(text)
        try:
            rows = self.command(text[1:]) if text.startswith(":") else self.entered(text)
            for row in rows:
                self.out.line(row)
        except Trouble as trouble:
            self.out.line(visible(f"error[{trouble.code}]: {trouble.message}"))
        self.out.stream.flush()
        if self.state is not before and len(self.past) == depth:
            self.past.append(before)

    # -------------------------------------------------------------------------------------------------- inputs
    def entered(self, text: str) -> Iterator[str]:
        """Process definitions, items or an expression."""
        self.inputs += 1
        source = Source(f"<input {self.inputs}>", text)
        fragment, flaws = parse_fragment(source)
        if flaws:
            yield from self.shown(flaws, render.within(source))
        elif fragment:
            definitions = [entry for entry in fragment if isinstance(entry, _DEFINITIONS)]
            if definitions:
                yield from self.define(source, definitions, self.state)
            for entry in fragment:
                if not isinstance(entry, _DEFINITIONS):
                    yield from self.evaluate(source, entry)

    def define(self, source: Source, definitions: list[ast.Definition], base: State) -> Iterator[str]:
        """Add definitions to the session and show their types, unless the program would have an error."""
        new = session.pieces(source, definitions)
        state = session.defined(base, new)
        made = session.compiled(state, self.options, ("()",) if state.bound else ())
        found = made.found([source])
        yield from self.shown(found, made.program.locate)
        if made.compilation.ok:
            self.state = state
            names = {piece.name for piece in new}
            yield from (self.type_line(made, name) for name in made.compilation.types if name in names)

    def type_line(self, made: Compiled, name: str) -> str:
        """A function's type and the number of its residual checks."""
        count = len(checks_of(made, name))
        noun = "check" if count == 1 else "checks"
        return broken_type(f"{name} : {made.compilation.types[name]}") + (
            f"   ({count} residual {noun})" if count else ""
        )

    def evaluate(self, source: Source, entry: ast.Item | ast.Expr) -> Iterator[str]:
        """Check and run one entry; a `let` keeps its value."""
        body = session.body(source, entry)
        made = session.compiled(self.state, self.options, body)
        yield from self.shown(made.found([source]), made.program.locate)
        if not made.compilation.ok:
            return
        kept = session.is_made_again(made.result)
        try:
            held = session.value(self.state, made) if session.can_be_shown(made.result) else None
        except Stop as stop:
            yield from self.shown([stop.diagnostic], made.program.locate)
            return
        if isinstance(entry, ast.Let) and entry.name is not None:
            piece = next(part for part in body if isinstance(part, session.Piece))
            self.state = session.bound(self.state, entry.name.name, None if kept else held, piece)
            yield f"{entry.name.name} : {shown(made.result)}"
        elif held is None:
            yield f"a {'reference' if isinstance(made.result, ReferenceType) else 'function'} : {shown(made.result)}"
        elif not isinstance(entry, ast.Let | ast.FreeVar | ast.Assert):
            yield shown_value(held)

    def shown(self, found: list[Diagnostic], locate: render.Locate) -> Iterator[str]:
        """Diagnostics in full."""
        for diagnostic in found:
            yield render.full(diagnostic, locate, self.out.paint)

    # ------------------------------------------------------------------------------------------------ commands
    def command(self, text: str) -> Iterator[str]:
        """Execute a command, given by its name or an unambiguous prefix."""
        word, _, rest = text.strip().partition(" ")
        fitting = [name for name in COMMANDS if name.startswith(word)] if word not in COMMANDS else [word]
        if word == "?":
            fitting = ["help"]
        if len(fitting) != 1:
            near = f"it could be {', '.join(':' + name for name in fitting)}" if fitting else "see :help"
            yield f"`:{word}` is not clear: {near}" if fitting else f"there is no command `:{word}`; {near}"
            return
        yield from COMMANDS[fitting[0]].does(self, rest.strip())

    def program(self) -> Compiled:
        """Compile the definitions."""
        return session.compiled(self.state, self.options)

    def type(self, text: str) -> Iterator[str]:
        """The type of an expression, which is checked but not run."""
        source = Source("<type>", text)
        fragment, flaws = parse_fragment(source)
        entry = fragment[0] if len(fragment) == 1 else None
        if flaws or entry is None or isinstance(entry, (*_DEFINITIONS, ast.FreeVar, ast.Assert)):
            yield from self.shown(flaws, render.within(source)) if flaws else ["`:type` takes one expression"]
            return
        made = session.compiled(self.state, self.options, session.body(source, entry))
        yield from self.shown(made.found([source]), made.program.locate)
        if made.compilation.ok:
            yield f"{text} : {shown(made.result)}"

    def checks(self, name: str) -> Iterator[str]:
        """The residual checks of the session, or of one function."""
        made = self.program()
        found = checks_among(made, name)
        for check in found:
            source, span = made.program.locate(check.span)
            place = render.place(source, span)
            yield f"{check.id}  {check.shown}   at {place}   by {check.blame.rule}   blames {check.blame.blamed}"
        if not found:
            yield "no residual checks"

    def why(self, name: str) -> Iterator[str]:
        """What a residual check guards, why it is not proved, where its unknowns come from, and what would prove it."""
        made = self.program()
        check = next((each for each in made.compilation.checks if each.id == name), None)
        if check is None:
            yield no_check(made, name)
            return
        found = residual(check, Severity.NOTE, made.compilation.help(check))
        yield render.full(found, made.program.locate, self.out.paint)

    def precise(self, name: str) -> Iterator[str]:
        """For each residual check, of the session or of one function, the annotation that would remove it."""
        made = self.program()
        found = checks_among(made, name)
        helps = {check.id: help for check, help in made.compilation.helps()} if found else {}
        for check in found:
            help = helps.get(check.id)
            where = [render.place(*made.program.locate(edit.span)) + ": " for edit in help.edits[:1]] if help else []
            yield f"{check.id}  {check.shown}   {''.join(where)}{help.text if help else 'no annotation was found'}"
        if not found:
            yield "no residual checks"

    def core(self, name: str) -> Iterator[str]:
        """The elaborated program, or one function of it."""
        functions = self.program().compilation.core.functions
        chosen = {key: function for key, function in functions.items() if name in ("", key)}
        yield printed(Module(chosen)).rstrip("\n") if chosen else f"there is no function `{name}`"

    def smt(self, name: str) -> Iterator[str]:
        """The SMT query of a residual check."""
        made = self.program()
        known = name in (check.id for check in made.compilation.checks)
        yield made.compilation.question(name).rstrip("\n") if known else no_check(made, name)

    def run(self, text: str) -> Iterator[str]:
        """Run a call, with the syntax of `gradual run`."""
        made = self.program()
        functions = made.compilation.functions
        try:
            name, written = read_call(text)
            if name not in functions:
                yield f"there is no function `{name}`"
                return
            given = values(written, functions[name].params, 0, made.compilation.core.data)
            self.calls.append((name, written))
        except ValueError as error:
            raise Trouble("E0702", f"the arguments cannot be read: {error}") from error
        try:
            yield shown_value(made.compilation.run(name, *given))
        except Stop as stop:
            yield from self.shown([stop.diagnostic], made.program.locate)

    def load(self, path: str) -> Iterator[str]:
        """Add the definitions of a file; they replace definitions of the same names."""
        text = read_file(path)
        module, flaws = parse(text.source)
        flaws = [text.flaw] if text.flaw else flaws
        if flaws:
            yield from self.shown(flaws, render.within(text.source))
            return
        settings = tuple(f'#[{key} = "{value}"]' for key, value, _ in module.settings)
        files = tuple(dict.fromkeys((*self.state.files, path)))
        base = replace(self.state, files=files, settings=settings or self.state.settings)
        yield from self.define(text.source, list(module.definitions), base)

    def reload(self, text: str) -> Iterator[str]:
        """Load every loaded file again."""
        for path in self.state.files:
            yield from self.load(path)
        if not self.state.files:
            yield "no file is loaded"

    def save(self, path: str) -> Iterator[str]:
        """Write the definitions to a file."""
        if not path:
            yield "`:save` takes the name of a file"
            return
        save_text(path, session.text(self.state))

    def case(self, id: str) -> Iterator[str]:
        """The definitions and the calls that were run, as a case of a conformance suite."""
        functions = self.program().compilation.functions
        calls = [called(name, written) for name, written in self.calls if name in functions]
        if not CASE_ID.match(id):
            yield "`:case` takes the name of a case, such as `op/nn.dense/unknown-width`"
        elif not functions:
            yield "no function is defined"
        else:
            yield from made(id, session.text(self.state), [*dict.fromkeys(calls)], self.options.smt)

    def history(self, text: str) -> Iterator[str]:
        """Every input so far."""
        yield from self.said[:-1]

    def explain(self, what: str) -> Iterator[str]:
        """A code's page or a rule's section."""
        page = explained(what)
        yield page.text if isinstance(page, Page) else f"there is no code or rule `{what}`"

    def info(self, name: str) -> Iterator[str]:
        """An operator's entry."""
        yield entry(CATALOGUE[name]) if name in CATALOGUE else f"there is no operator `{name}`"

    def undo(self, text: str) -> Iterator[str]:
        """Restore the state before the last input that changed it."""
        if self.past:
            self.state = self.past.pop()
        yield from ()

    def reset(self, text: str) -> Iterator[str]:
        """Empty the session."""
        self.state = State()
        yield from ()

    def help(self, text: str) -> Iterator[str]:
        """All commands."""
        width = max(len(f"{name} {command.takes}") for name, command in COMMANDS.items())
        for name, command in COMMANDS.items():
            yield f":{f'{name} {command.takes}':<{width}}  {command.says}"

    def quit(self, text: str) -> Iterator[str]:
        """End the session."""
        raise Quit


def checks_among(made: Compiled, name: str) -> list[Check]:
    """The residual checks of a function, or of all functions if no name is given."""
    functions = [function for function in made.compilation.types if name in ("", function)]
    return [check for function in functions for check in checks_of(made, function)]


def no_check(made: Compiled, name: str) -> str:
    """The error for an unknown residual check, which lists those that exist."""
    known = ", ".join(check.id for check in made.compilation.checks)
    return f"there is no residual check `{name}`; there are {known or 'none'}"


def checks_of(made: Compiled, name: str) -> list[Check]:
    """The residual checks inside a function."""
    function = made.compilation.core.functions[name].span
    return [c for c in made.compilation.checks if function.start <= c.span.start < function.end]


@record
class Command:
    """A command of the session."""

    takes: str
    says: str
    does: Callable[[Session, str], Iterator[str]]


COMMANDS = {
    "type": Command("E", "the type of an expression", Session.type),
    "checks": Command("[@f]", "the residual checks", Session.checks),
    "why": Command("c1", "why a check is left, who left it open, what would prove it", Session.why),
    "precise": Command("[@f]", "the annotations that would remove the checks", Session.precise),
    "core": Command("[@f]", "the elaborated program", Session.core),
    "smt": Command("c1", "the question behind a check, as SMT-LIB", Session.smt),
    "run": Command("@f(…)", "a call, its arguments as for `gradual run`", Session.run),
    "load": Command("FILE", "take in the definitions of a file", Session.load),
    "reload": Command("", "the loaded files, again", Session.reload),
    "save": Command("FILE", "write the definitions to a file", Session.save),
    "case": Command("NAME", "the definitions and the calls of `:run`, as a conformance case", Session.case),
    "history": Command("", "what was typed", Session.history),
    "explain": Command("CODE", "the page of a code or rule", Session.explain),
    "info": Command("OP", "an operator's signature and rules", Session.info),
    "undo": Command("", "as it was before the last input", Session.undo),
    "reset": Command("", "forget everything", Session.reset),
    "help": Command("", "this list", Session.help),
    "quit": Command("", "leave (also Ctrl-D)", Session.quit),
}
