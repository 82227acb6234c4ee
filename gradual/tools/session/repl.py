"""The read-evaluate-print loop: inputs and commands of a session, with the same output on a terminal and in a pipe."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import field, replace

from gradual.conformance.cases.read import CASE_ID
from gradual.conformance.implementations.making import called, made
from gradual.core.check import Check
from gradual.core.print import printed
from gradual.core.terms import Module
from gradual.diagnostic import Severity
from gradual.interface.input.arguments import Argument, read_call, values
from gradual.interface.input.files import too_long
from gradual.interface.input.program_text import read as read_file
from gradual.interface.pages import Page
from gradual.interface.reports.explanations import explanation
from gradual.interface.reports.operators import entry
from gradual.interface.terminal import Trouble, save_text
from gradual.limits import LIMITS
from gradual.ops.catalogue import CATALOGUE
from gradual.record import record
from gradual.report import render
from gradual.report.residual import residual
from gradual.run.value import Stop
from gradual.source import visible
from gradual.syntax.parse import parse, parse_incomplete
from gradual.tensors.value import shown_value
from gradual.tools.session import session
from gradual.tools.session.inputs import Inputs, checks_of, type_line
from gradual.tools.session.program import Piece
from gradual.tools.session.session import Compiled, State

BANNER = "Gradual Relay: definitions are checked, expressions are run; `:help` lists the commands, `:quit` leaves."
PROMPT, CONTINUED = "gradual> ", "      .. "
WORDS = {"help": "help", "?": "help", "exit": "quit", "quit": "quit", "exit()": "quit", "quit()": "quit"}
"""Words that are understood as commands though no colon is in front of them; `:?` and `:exit` are commands too."""

Ask = Callable[[str], str]
"""A function from a prompt to a line; raises EOFError at the end, KeyboardInterrupt to abandon the input."""
Edited = Callable[[str], str | None]
"""A function from a text to the text that the user's editor makes of it; None if it is left as it was."""


class Quit(Exception):
    """Raised to end the session."""


@record(frozen=False)
class Session(Inputs):
    """A session: its inputs, its commands, and the state before each input.

    Attributes:
        editor: opens a text in the user's editor; None where there is no terminal.
    """

    past: list[State] = field(default_factory=list)
    said: list[str] = field(default_factory=list)
    calls: list[tuple[str, list[Argument]]] = field(default_factory=list)
    editor: Edited | None = None

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
        if text.strip() in WORDS:
            return f":{WORDS[text.strip()]}"
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

    # ------------------------------------------------------------------------------------------------ commands
    def command(self, text: str) -> Iterator[str]:
        """Execute a command, given by its name or an unambiguous prefix."""
        word, _, rest = text.strip().partition(" ")
        word = WORDS.get(word, word)
        fitting = [name for name in COMMANDS if name.startswith(word)] if word not in COMMANDS else [word]
        if len(fitting) != 1:
            near = f"it could be {', '.join(':' + name for name in fitting)}" if fitting else "see :help"
            yield f"`:{word}` is not clear: {near}" if fitting else f"there is no command `:{word}`; {near}"
            return
        yield from COMMANDS[fitting[0]].does(self, rest.strip())

    def program(self) -> Compiled:
        """Compile the definitions."""
        return session.compiled(self.state, self.options)

    def listed(self, text: str) -> Iterator[str]:
        """The definitions, also the refuted ones, and the variables."""
        made = self.program()
        for piece in self.state.pieces:
            is_typed = piece.name in made.compilation.types
            yield type_line(made, piece.name) if is_typed else piece.text.partition("{")[0].strip()
        yield from (f"{name}   refuted: {one.why}" for name, one in self.state.refuted.items())
        for bound in self.state.bound:
            if session.UNNAMED not in bound.name:
                yield from self.type(bound.name)

    def edit(self, name: str) -> Iterator[str]:
        """Open a definition, or the last input, in the editor, and check it again; without a terminal, print it."""
        text = self.text_of(name)
        if text is None or self.editor is None:
            yield nothing_called(name) if text is None else text
        elif (changed := self.editor(text)) is None or changed.strip() == text.strip():
            yield "nothing was changed"
        else:
            yield changed.rstrip("\n")
            yield from self.entered(changed.rstrip("\n"))

    def fix(self, name: str) -> Iterator[str]:
        """Apply the helps to a definition, or to the last input, and check it again."""
        text = self.text_of(name)
        if text is None or (changed := self.fixed(text)) == text:
            yield nothing_called(name) if text is None else "no help can be applied"
        else:
            yield changed
            yield from self.entered(changed)

    def text_of(self, name: str) -> str | None:
        """The text of a definition, of the refuted one if there are two, or of the last input if no name is given."""
        refuted = [one.piece for one in self.state.refuted.values()]
        named: list[Piece] = [piece for piece in (*refuted, *self.state.pieces) if piece.name in (name, f"@{name}")]
        return next((piece.text for piece in named), None) if name else self.typed or None

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
            given = values(written, functions[name].params, self.seed, made.compilation.core.data)
            self.calls.append((name, written))
        except ValueError as error:
            raise Trouble("E0702", f"the arguments cannot be read: {error}") from error
        try:
            value = made.compilation.run(name, *given)
            self.last = None if session.is_made_again(functions[name].result) else value
            yield shown_value(value)
        except Stop as stop:
            yield from self.shown([stop.diagnostic], made.program)

    def load(self, path: str) -> Iterator[str]:
        """Add the definitions of a file; they replace definitions of the same names."""
        text = read_file(path)
        module, flaws = parse(text.source)
        flaws = [text.flaw] if text.flaw else flaws
        if flaws:
            yield from self.flaws(flaws, text.source)
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
        """The text about a code, a rule, an operator or a word."""
        page = explanation(what)
        near = "" if isinstance(page, Page) or not page else f"; near: {', '.join(page)}"
        yield page.text if isinstance(page, Page) else f"nothing is called `{what}`{near}"

    def info(self, name: str) -> Iterator[str]:
        """An operator's entry."""
        yield entry(CATALOGUE[name]) if name in CATALOGUE else f"there is no operator `{name}`"

    def undo(self, text: str) -> Iterator[str]:
        """Restore the state before the last input that changed it."""
        if not self.past:
            yield "nothing to undo"
            return
        before, self.state = self.state.named, self.past.pop()
        after = self.state.named
        changed = [name for name in before | after if before.get(name) is not after.get(name)]
        yield f"undone: {', '.join(changed) or 'settings'}"

    def reset(self, text: str) -> Iterator[str]:
        """Empty the session."""
        self.state, self.last = State(), None
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


def nothing_called(name: str) -> str:
    """The error for an unknown definition, or for a command about the last input before there is one."""
    return f"there is no definition `{name}`" if name else "nothing was typed yet"


def no_check(made: Compiled, name: str) -> str:
    """The error for an unknown residual check, which lists those that exist."""
    known = ", ".join(check.id for check in made.compilation.checks)
    return f"there is no residual check `{name}`; there are {known or 'none'}"


@record
class Command:
    """A command of the session."""

    takes: str
    says: str
    does: Callable[[Session, str], Iterator[str]]


COMMANDS = {
    "list": Command("", "the definitions and variables, with what was refuted", Session.listed),
    "edit": Command("[NAME]", "a definition or the last input in $EDITOR, checked again", Session.edit),
    "fix": Command("[NAME]", "apply the helps to a definition or to the last input", Session.fix),
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
    "explain": Command("NAME", "a code, a rule, an operator or a word, explained", Session.explain),
    "info": Command("OP", "an operator's signature and rules", Session.info),
    "undo": Command("", "as it was before the last input", Session.undo),
    "reset": Command("", "forget everything", Session.reset),
    "help": Command("", "this list", Session.help),
    "quit": Command("", "leave (also `exit`, Ctrl-D)", Session.quit),
}
