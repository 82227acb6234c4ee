"""A conformance case: the request (a program and calls) and, separate from it, the expected answers.

The code that queries an implementation takes a `Request` and has no access to an `Expectation`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from gradual.interface.input.values import Call, Values
from gradual.record import record


@dataclass(frozen=True, slots=True, order=True)
class Place:
    """A half-open range of a program, 1-based lines and columns in code points."""

    line: int
    column: int
    end_line: int
    end_column: int

    def __str__(self) -> str:
        return f"{self.line}:{self.column}-{self.end_line}:{self.end_column}"


@record
class Problem:
    """An error in a suite or chapter itself, with its position; `case` is the case that has it, empty for none.

    A case with an error is malformed: it fails, and the other cases are run.
    """

    file: str
    line: int
    message: str
    case: str = ""

    def __str__(self) -> str:
        return f"{self.file}:{self.line}: {self.message}"


class Malformed(Exception):
    """Suites of which no case can be read; carries every problem found."""

    def __init__(self, problems: list[Problem]) -> None:
        super().__init__("\n".join(map(str, problems)))
        self.problems = problems


@record
class ExpectedRelated:
    """A related span that a diagnostic must have; the label is a comment, which is not compared."""

    place: Place
    label: str


@record
class ExpectedDiagnostic:
    """One `//~` line: an error or warning that must (or, `optional`, may) be reported.

    Attributes:
        place: the primary span; None if only the code is expected.
        related: related spans that it must have.
        witness: sizes at which the program fails; they are checked by substitution, and compared only in the profile
            LEAST.
        line: the line of the expectation in its file.
    """

    code: str
    severity: str
    place: Place | None
    related: tuple[ExpectedRelated, ...]
    witness: Mapping[str, int]
    optional: bool
    line: int


@record
class ExpectedType:
    """An expected type: `@f : T`, `%x : T`, or `@f %x : T` if the name alone is ambiguous."""

    function: str | None
    name: str
    text: str
    line: int


@record
class ExpectedCheck:
    """A residual check: its condition, its span, its rule, and the spans that it blames."""

    condition: str
    place: Place
    rule: str
    blames: tuple[Place, ...]
    optional: bool
    line: int


@record
class ExpectedValue:
    """A value; of a random tensor (`Drawn`) in it, only shape and dtype are compared.

    Attributes:
        ulps: how many numbers of its type away an element may be.   [scalar.float.ulps]
    """

    value: Values
    line: int
    ulps: int = 0


@record
class ExpectedBlame:
    """A failed check, and the spans that it blames."""

    code: str
    blames: tuple[Place, ...]
    line: int


@record
class ExpectedFault:
    """A run-time fault."""

    code: str
    line: int


ExpectedOutcome = ExpectedValue | ExpectedBlame | ExpectedFault


@record
class ExpectedPlace:
    """The place at which a type or a residual check is reported.

    Attributes:
        kind: "type" or "check".
        name: the rule of a check; of a type a function such as `@f`, or a function and its variable, `@f %x`.
    """

    kind: str
    name: str
    place: Place
    line: int


@record
class Request:
    """A request to an implementation: check a program, then run calls of it, in order.

    Attributes:
        static: functions for which to report whether they are static, and if not, the obstacles.
        plan: functions for which to plan memory.
        runtime: how calls are run: by the "vm", by the "graph" runtime, or "measured": by the vm, which asserts at each
            step that the memory plan is respected.
        passes: the words that name the passes to apply before the program is run, such as `specialize`, `n=3`.
        print: whether the report has to include the printed program.
        compared: the profiles that the answer is needed for, None for all; this is not sent.
        typed: the program whose parameters give element types to the arguments of calls; empty for `text` itself.
    """

    name: str
    text: str
    calls: tuple[Call, ...] = ()
    static: tuple[str, ...] = ()
    plan: tuple[str, ...] = ()
    runtime: str = "vm"
    passes: tuple[str, ...] = ()
    print: bool = False
    compared: frozenset[str] | None = None
    typed: str = ""


@record
class Expectation:
    """The expected answers; None means that something is not compared.

    Attributes:
        diagnostics: all errors and warnings.
        checks: all residual checks; None for rejected programs and variants.
        core: the elaborated program.
        static, plan, after, left: the lines of the attribute of `Report` with the same name.
        fmt: the lines of the formatted program.
        places: the places of the functions' types and of the residual checks, and some of the variables' types.
        outcomes: one for each call of the request.
        variant: whether only the verdict and the codes of errors are compared.
    """

    diagnostics: tuple[ExpectedDiagnostic, ...] = ()
    types: tuple[ExpectedType, ...] = ()
    checks: tuple[ExpectedCheck, ...] | None = ()
    core: tuple[str, ...] | None = None
    static: tuple[str, ...] | None = None
    plan: tuple[str, ...] | None = None
    after: tuple[str, ...] | None = None
    left: tuple[str, ...] | None = None
    fmt: tuple[str, ...] | None = None
    places: tuple[ExpectedPlace, ...] | None = None
    outcomes: tuple[ExpectedOutcome, ...] = ()
    variant: bool = False

    @property
    def accepted(self) -> bool | None:
        """Whether the program must be accepted; None if both verdicts are allowed."""
        errors = [d for d in self.diagnostics if d.severity == "error"]
        if any(not d.optional for d in errors):
            return False
        return None if errors else True


@record
class Fence:
    """A fenced block of a file.

    Attributes:
        line: the 1-based number of the first line inside.
        name: the words after the language; the name of a case in a chapter.
    """

    language: str
    line: int
    lines: tuple[str, ...]
    name: str = ""


@record
class Case:
    """One case.

    Attributes:
        id: its name, unique over all suites.
        ulps: how many numbers of its type away the elements of its expected values may be.
        limits: the limits on which its answers depend; an implementation may have others.
        again: whether the program is also printed and formatted, in the profiles `print` and `fmt`.
        fences: its blocks as written, for `show` and `bless`.
    """

    id: str
    file: str
    line: int
    rules: tuple[str, ...]
    request: Request = Request("", "")
    expectation: Expectation = Expectation()
    prose: str = ""
    ulps: int = 0
    limits: tuple[str, ...] = ()
    again: bool = True
    fences: Mapping[str, Fence] = field(default_factory=dict)
