"""A session: definitions and values, and how an input changes them.

A session's program is its definitions in order, followed by a hidden function whose body is the input, so that an
input is checked and run exactly like a file.  Spans in that text are mapped back to the text that was typed, and
names in it to the user's words.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field, replace

from gradual.compilation import Compilation
from gradual.compiler import compile_source
from gradual.diagnostic import Diagnostic, Severity
from gradual.limits import Options
from gradual.record import record
from gradual.source import Source, Span
from gradual.syntax.tree import ast
from gradual.syntax.tree.literals import written
from gradual.tensors.tensor import Tensor
from gradual.tensors.value import Value
from gradual.tools.session.program import HIDDEN, Part, Piece, Program, Stand
from gradual.types.type import DataType, FunctionType, GradualType, ReferenceType, TensorType, TupleType, UnrankedType

Line = tuple[Part, ...]
"""A line of a program."""
UNNAMED = "%_value_of_this_session_"
"""How the variable of a value begins that has no name of the user's."""
WRITTEN_OUT = 64
"""Integer vectors up to this length are written into the program, so that their contents are known."""


@record
class Bound:
    """A variable of the session.

    Attributes:
        value: its value; None if it cannot be kept, so that each input binds it again by the `parts`.
        origin: the user's text that made it.
    """

    name: str
    value: Value | None
    origin: Piece
    parts: tuple[Part, ...] = ()


@record
class Refused:
    """A definition that the session does not have, with the message and the code of its first error."""

    piece: Piece
    why: str
    code: str


@record
class State:
    """The state of a session.

    Attributes:
        refuted: name -> the last definition of this name, if it was refuted.
        files: the loaded files, to load them again.
        settings: the headers of loaded files, such as the broadcasting mode.
    """

    pieces: tuple[Piece, ...] = ()
    bound: tuple[Bound, ...] = ()
    refuted: Mapping[str, Refused] = field(default_factory=dict)
    files: tuple[str, ...] = ()
    settings: tuple[str, ...] = ()

    @property
    def named(self) -> dict[str, object]:
        """What each name stands for: a definition, a refuted one, or a variable."""
        return {piece.name: piece for piece in self.pieces} | dict(self.refuted) | {one.name: one for one in self.bound}


@record
class Compiled:
    """A compiled session, with the mapping of its text to the typed or loaded sources."""

    compilation: Compilation
    program: Program

    def found(self, new: Iterable[Source]) -> list[Diagnostic]:
        """Every error, and the warnings of the new texts."""
        names = {source.name for source in new}
        return [
            self.program.told(d)
            for d in self.compilation.diagnostics
            if d.severity is Severity.ERROR or self.program.locate(d.span)[0].name in names
        ]

    @property
    def result(self) -> GradualType:
        """The type of the input."""
        return self.compilation.functions[HIDDEN].result


# ---------------------------------------------------------------------------------------------------- definitions
def pieces(source: Source, definitions: Iterable[ast.Definition]) -> tuple[Piece, ...]:
    """The definitions of a text, each as a piece."""
    return tuple(Piece(_name(definition), source, definition.span) for definition in definitions)


def _name(definition: ast.Definition) -> str:
    name = definition.name
    return name if isinstance(name, str) else name.name


def defined(state: State, new: Iterable[Piece]) -> State:
    """The state with new definitions, each replacing an older one of the same name."""
    fresh = {piece.name: piece for piece in new}
    refuted = {name: one for name, one in state.refuted.items() if name not in fresh}
    kept = [fresh.pop(piece.name, piece) for piece in state.pieces]
    return replace(state, pieces=(*kept, *fresh.values()), refuted=refuted)


def refuted(state: State, new: Mapping[str, Refused]) -> State:
    """The state that remembers definitions as refuted."""
    return replace(state, refuted={**state.refuted, **new})


def parts(state: State) -> tuple[str | Piece, ...]:
    """The session's program: its headers and its definitions, in order."""
    return (*state.settings, *state.pieces)


def text(state: State) -> str:
    """The session's program as the text of a file."""
    rows = "\n\n".join(part if isinstance(part, str) else part.text for part in parts(state))
    return f"{rows}\n" if rows else ""


def compiled(state: State, options: Options, body: Sequence[Line] = ()) -> Compiled:
    """The session's program, with a hidden function of the given body if there is one."""
    program = Program()
    for part in parts(state):
        program.add(part)
    if body:
        _add_hidden(program, state, body)
    return Compiled(compile_source(Source("<session>", program.text), options), program)


def _add_hidden(program: Program, state: State, body: Sequence[Line]) -> None:
    """Add the hidden function: small values are inlined as literals, other values are its parameters."""
    by_param = {_param(index): bound for index, bound in enumerate(state.bound)}
    program.names |= {name: _called(bound) for param, bound in by_param.items() for name in (param, bound.name)}
    params: list[Part] = []
    for param, value in _arguments(state).items():
        params += [", "] if params else []
        params += [f"{param}: ", Stand(type_text(value), by_param[param].origin)]
    program.add(f"def {HIDDEN}(", *params, ") {")
    for param, bound in by_param.items():
        if bound.value is None:
            program.add(*bound.parts, ";")
        else:
            program.add(f"let {bound.name} = ", Stand(_literal(bound.value) or param, bound.origin), ";")
    # A use of each value, so that no help proposes a variable only because the input does not use it.
    used = [bound.name for bound in state.bound if bound.value is not None]
    program.add(*(f"let %_used_of_this_session = {_listed(used)};" for _ in used[:1]))
    for line in body:
        program.add(*line)
    program.add("}")


def _called(bound: Bound) -> str:
    """The user's words for a variable; for a value without a name, the text that made it."""
    return bound.origin.text if UNNAMED in bound.name else bound.name


def _arguments(state: State) -> Mapping[str, Value]:
    """Parameter of the hidden function -> its argument."""
    return {
        _param(index): bound.value
        for index, bound in enumerate(state.bound)
        if bound.value is not None and _literal(bound.value) is None
    }


def _param(index: int) -> str:
    """The parameter for a value, with a name that no user's variable has."""
    return f"%_argument_of_this_session_{index}"


def _literal(value: Value) -> str | None:
    """A small integer or boolean tensor as an expression; None for a value to be passed as an argument."""
    if not isinstance(value, Tensor) or value.dtype.is_float or value.rank > 1 or value.size > WRITTEN_OUT:
        return None
    if value.rank == 0:
        return written(value.item(), value.dtype, True)
    vector = ", ".join(map(str, value.flat()))
    return f'cast([{vector}], dtype="{value.dtype}")' if vector and value.dtype.is_integer else None


# ---------------------------------------------------------------------------------------------------------- inputs
def body(entry: ast.Item | ast.Expr, words: Line) -> list[Line]:
    """The body of the hidden function for one entry of an input."""
    match entry:
        case ast.Let(name=name) if name is not None:
            return [(*words, ";"), (name.name,)]
        case ast.Let() | ast.FreeVar() | ast.Assert():
            return [(*words, ";"), ("()",)]
        case _:
            return [words]


def piece(source: Source, entry: ast.Item | ast.Expr) -> Piece:
    """The typed text of an entry without its semicolon, which is optional."""
    text = source.text[entry.span.start : entry.span.end]
    return Piece(HIDDEN, source, Span(entry.span.start, entry.span.start + len(text.rstrip("; \n\t"))))


def value(state: State, made: Compiled) -> Value:
    """The value of the input.  Raises Blame or Fault."""
    return made.compilation.run(HIDDEN, *_arguments(state).values())


def bound(state: State, new: Bound) -> State:
    """The state with one more variable; a shadowed one is dropped, unless a function may still refer to it."""
    seen = any(each.value is None for each in state.bound)
    kept = (each for each in state.bound if seen or each.name != new.name)
    return replace(state, bound=(*kept, new))


def is_made_again(type: GradualType) -> bool:
    """Whether a value of the type cannot be kept between inputs, so that each input evaluates it again.

    A function or a reference cannot outlive its run, and a data value does not determine its type arguments.
    """
    if isinstance(type, TupleType):
        return any(map(is_made_again, type.fields))
    return not isinstance(type, TensorType | UnrankedType)


def can_be_shown(type: GradualType) -> bool:
    """Whether a value of the type can leave its run at all."""
    match type:
        case TupleType(parts) | DataType(_, parts):
            return all(map(can_be_shown, parts))
        case FunctionType() | ReferenceType():
            return False
        case _:
            return True


def type_text(value: Value) -> str:
    """The type of a value, with constant sizes."""
    if isinstance(value, tuple):
        return _listed([type_text(field) for field in value])
    assert isinstance(value, Tensor), value
    return f"Tensor[{_listed([str(extent) for extent in value.shape])}, {value.dtype}]"


def _listed(parts: list[str]) -> str:
    """The parts in parentheses, with a trailing comma if there is only one."""
    return f"({', '.join(parts)}{',' if len(parts) == 1 else ''})"
