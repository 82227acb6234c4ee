"""Values of a run, and the two ways in which a run stops without one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from gradual.core.check import Blame as Label
from gradual.core.check import Check
from gradual.core.terms import Function, Layer, Step
from gradual.diagnostic import Diagnostic, Related
from gradual.dims.term.dim import Variable
from gradual.dims.term.print import brief
from gradual.source import Span
from gradual.tensors.tensor import Tensor
from gradual.tensors.value import Constructed


@dataclass(slots=True, eq=False)
class Frame:
    """One activation of a function: its values, the sizes it measured, and the frame its literal was written in."""

    values: dict[str, Held] = field(default_factory=dict)
    sizes: dict[Variable, int] = field(default_factory=dict)
    outer: Frame | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Procedure:
    """A function as a value: its core and the frame it sees (None for a function of the file)."""

    function: Function
    frame: Frame | None


@dataclass(slots=True, eq=False)
class Cell:
    """What `ref(e)` makes: the one thing that changes."""

    value: Held


@dataclass(frozen=True, slots=True, eq=False)
class Part:
    """One side of a layer: its steps, and the numbers that they read from outside.

    Attributes:
        sizes: by variable; no frame is kept alive for them.
        equations: sizes of a use's own values that have to be these numbers, where the part says nothing else.
    """

    layer: Layer
    steps: tuple[Step, ...]
    sizes: Mapping[Variable, int]
    equations: Mapping[Variable, int] | None


@dataclass(frozen=True, slots=True, eq=False)
class Proxied:
    """A function or a reference with the layers around it.  [run.proxy]

    Attributes:
        before: what meets the context's values, outermost first.
        after: what meets the wrapped value's, innermost first.
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
        """Where it happened."""
        return self.diagnostic.span

    @property
    def line(self) -> int | None:
        """The line on which it happened, counted from 1."""
        return self.diagnostic.line

    @property
    def column(self) -> int | None:
        """The column at which it happened, in code points, counted from 1."""
        return self.diagnostic.column

    @property
    def message(self) -> str:
        """What happened, in one line."""
        return self.diagnostic.message


class NotStatic(Exception):
    """A function that the graph runtime does not take; `diagnostics` has every obstacle."""

    def __init__(self, function: str, diagnostics: Sequence[Diagnostic]) -> None:
        super().__init__(f"`{function}` is not static: {len(diagnostics)} obstacles")
        self.function = function
        self.diagnostics = tuple(diagnostics)


class Fault(Stop):
    """The program's own fault: an index out of bounds, a division by zero, an overflow, an assertion."""


class Blame(Stop):
    """A check failed.

    Attributes:
        check: the check, or None where a caller from outside passed a value of another structure.
        required: what had to hold, by which rule.
        came: the sizes that came instead.
        through: the position through which they came.
        promised_by: who left the sizes open.
        blamed: the blamed party.
        sizes: the sizes by name.
        blames: the blamed places.
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
    """What had to hold, in words; of a check that was found false before it ran, what its rule demands."""
    if check is None:
        return label.says
    return brief(label.owed, label.worded) if check.goal.value is False else check.shown


def blame_of(label: Label, check: Check | None, code: str, message: str, came: str, sizes: Mapping[str, int]) -> Blame:
    """The blame of a failed check with all five fields of its report.  [run.check.blame]"""
    related = tuple(Related(span, f"blame: {label.blamed}") for span in label.blames if span != label.span)
    related += tuple(
        Related(promise.span, promise.says)
        for promise in label.promises
        if promise.span != label.span and promise.span not in label.blames
    )
    notes = (
        f"required: {demanded(label, check)} by rule {label.rule}",
        f"actual: {label.worded(came)}",
        f"through: {label.through}",
        f"promised by: {'; '.join(promise.says for promise in label.promises) or 'nobody'}",
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
    """A fault at a place of the program, with the sizes that led there if there are any.  [run.fault]"""
    data = {} if sizes is None else {"sizes": dict(sizes)}
    return Fault(Diagnostic(code, rule, message, span, notes=notes, data=data))
