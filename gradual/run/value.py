"""Values of a run, and the two exceptions that end a run without a value: Fault and Blame."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field

from gradual.core.check import Blame as Label
from gradual.core.check import Check
from gradual.core.terms import Function, Layer, Step
from gradual.diagnostic import Diagnostic, Related
from gradual.dims.term.dim import Variable
from gradual.dims.term.print import brief
from gradual.record import record
from gradual.source import Span
from gradual.tensors.tensor import Tensor
from gradual.tensors.value import Constructed


@record(frozen=False, eq=False)
class Frame:
    """One activation of a function: its values, the sizes read from its arguments, and the enclosing frame."""

    values: dict[str, Held] = field(default_factory=dict)
    sizes: dict[Variable, int] = field(default_factory=dict)
    outer: Frame | None = None


@record(eq=False)
class Procedure:
    """A closure: a function and the frame it was created in (None for a declared function)."""

    function: Function
    frame: Frame | None


@record(frozen=False, eq=False)
class Cell:
    """The mutable cell that `ref(e)` creates."""

    value: Held


@record(eq=False)
class Part:
    """One side of a layer: its steps, and the outer sizes on which they depend.

    Attributes:
        sizes: outer variable -> number, copied so that no frame is kept alive.
        equations: size of a use's own values -> the number that it must be; None if any step is not such an equation.
    """

    layer: Layer
    steps: tuple[Step, ...]
    sizes: Mapping[Variable, int]
    equations: Mapping[Variable, int] | None


@record(eq=False)
class Proxied:
    """A function or a reference with the layers around it.  [run.proxy]

    Attributes:
        before: what arguments pass, outermost first.
        after: what results pass, innermost first.
    """

    inner: Procedure | Cell
    before: tuple[Part, ...]
    after: tuple[Part, ...]


Held = Tensor | tuple["Held", ...] | Procedure | Cell | Proxied | Constructed


class Stop(Exception):
    """A run that ends without a value; `diagnostic` is ready to render."""

    def __init__(self, diagnostic: Diagnostic) -> None:
        super().__init__(diagnostic.message)
        self.diagnostic = diagnostic

    @property
    def code(self) -> str:
        """The diagnostic's code."""
        return self.diagnostic.code

    @property
    def span(self) -> Span:
        """The source position at which the run ended."""
        return self.diagnostic.span

    @property
    def line(self) -> int | None:
        """The line on which the run ended, counted from 1."""
        return self.diagnostic.line

    @property
    def column(self) -> int | None:
        """The column at which the run ended, in code points, counted from 1."""
        return self.diagnostic.column

    @property
    def message(self) -> str:
        """What happened, in one line."""
        return self.diagnostic.message


class NotStatic(Exception):
    """Raised for a function that the graph runtime cannot run; `diagnostics` lists all obstacles."""

    def __init__(self, function: str, diagnostics: Sequence[Diagnostic]) -> None:
        super().__init__(f"`{function}` is not static: {len(diagnostics)} obstacles")
        self.function = function
        self.diagnostics = tuple(diagnostics)


class Fault(Stop):
    """The program's own fault: an index out of bounds, a division by zero, an overflow, an assertion."""


class Blame(Stop):
    """A check failed.

    Attributes:
        check: the check, or None if an outside caller passed a value of another structure.
        required: what was required, by which rule.
        came: the actual sizes, in words.
        through: the position through which the value was passed.
        promised_by: the declarations that left the sizes unknown.
        blamed: the blamed party.
        sizes: name -> actual size.
        blames: the blamed source positions.
    """

    def __init__(
        self, diagnostic: Diagnostic, label: Label, check: Check | None, came: str, sizes: Mapping[str, int]
    ) -> None:
        super().__init__(diagnostic)
        self.check = check
        self.rule = label.rule
        self.required = f"{demanded(label, check)} by {label.rule}" if check is not None else label.says
        self.came = came
        self.through = label.through
        self.promised_by = "; ".join(promise.says for promise in label.promises)
        self.blamed = label.blamed
        self.sizes = dict(sizes)
        self.blames = label.blames


def demanded(label: Label, check: Check | None) -> str:
    """What was required, in words: the check's condition or, if that is just `false`, the goal of its rule."""
    if check is None:
        return label.says
    return check.shown if check.says or check.goal.value is not False else brief(label.owed, label.worded)


def blame_of(label: Label, check: Check | None, code: str, message: str, came: str, sizes: Mapping[str, int]) -> Blame:
    """The blame of a failed check; parts of the report that are empty are omitted.  [run.check.blame]"""
    related = tuple(Related(span, f"blame: {label.blamed}") for span in label.blames if span != label.span)
    related += tuple(
        Related(promise.span, promise.says)
        for promise in label.promises
        if promise.span != label.span and promise.span not in label.blames
    )
    notes = (
        f"required: {demanded(label, check)} by rule {label.rule}",
        *((f"actual: {label.worded(came)}",) if came else ()),
        f"through: {label.through}",
        *((f"promised by: {'; '.join(promise.says for promise in label.promises)}",) if label.promises else ()),
        f"blamed: {label.blamed}",
        *label.terms,
    )
    diagnostic = Diagnostic(
        code,
        label.rule,
        message,
        label.span,
        label=label.says,
        related=related,
        notes=notes,
        data={"sizes": dict(sizes)},
    )
    return Blame(diagnostic, label, check, came, sizes)


def fault(
    code: str,
    rule: str,
    message: str,
    span: Span,
    *,
    notes: tuple[str, ...] = (),
    sizes: Mapping[str, int] | None = None,
) -> Fault:
    """A fault at a source position, with the sizes that caused it, if any.  [run.fault]"""
    data = {} if sizes is None else {"sizes": dict(sizes)}
    return Fault(Diagnostic(code, rule, message, span, notes=notes, data=data))
