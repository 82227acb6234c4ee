"""The zoo: twenty programs of other systems' evaluations, each with its types, the checks that are left, and runs.

The lines `//: …` at the head of a program are its expectation, and the only place where it is written:

    //: program 3                              its number; a program has an open form, and may have an annotated one
    //: graten 6                               the residual checks that GraTen leaves in this form
    //: type @main : T                         the type of a function
    //: check CONDITION [RULE]                 a residual check; all are listed in order that ask for more than that
                                               something is not empty
    //: run CALL => VALUE                      a call and its value
    //: run CALL => blame CODE CONDITION       a call whose check fails
    //: refused CODE NEW for OLD               the program with the first OLD replaced by NEW has an error, and only it
    //: waits REASON                           the form that it should have is not accepted yet
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import pytest

import gradual
from gradual import Blame, Compilation, Tensor
from gradual.conformance.cases.condition import same_condition
from gradual.interface.input.arguments import read_call, values
from gradual.interface.input.values import Drawn, Fields, Literal, Values, read_value

ROOT = Path(__file__).parents[1]
ZOO = ROOT / "examples" / "zoo"
PAGE = ROOT / "docs" / "explanation" / "zoo.md"
ANNOTATED = "_annotated"

KEYS = ("program", "graten", "type", "check", "run", "refused", "waits")
SOME_RULE = re.compile(r"(.*\S)\s+\[([a-z0-9_.-]+)\]")
CHANGED = re.compile(r"(E\d{4}) (.+) for (.+)")
SHAPE = re.compile(r"Tensor\[\(([^()\[\]{}]*)\), (\w+)\]")
BLAMED = re.compile(r"blame (E\d{4})(?: (.+))?")
ROW = re.compile(r"^\| (\d+) \| (\[.*?) \| (.*?) \| (\S+) \| (\S+) \|", re.MULTILINE)

FASTER = 10
GRATEN_MINGPT = 3.0
"""Seconds that GraTen takes for min-gpt."""


@dataclass(frozen=True)
class Program:
    """A file of the zoo with its expectation, each line by its key."""

    name: str
    text: str
    lines: dict[str, list[str]] = field(default_factory=dict)

    @property
    def number(self) -> int:
        (number,) = self.lines["program"]
        return int(number)

    @property
    def graten(self) -> int | None:
        """The checks that GraTen leaves."""
        counts = self.lines["graten"]
        return int(counts[0]) if counts else None

    @property
    def annotated(self) -> bool:
        return self.name.endswith(ANNOTATED)

    @property
    def base(self) -> str:
        """The name that both forms share."""
        return self.name.removesuffix(ANNOTATED)

    @property
    def body(self) -> str:
        """The program without its head."""
        return self.text.partition("\n\n")[2]

    @property
    def waits(self) -> str | None:
        return self.lines["waits"][0] if self.lines["waits"] else None


def read_program(name: str, text: str) -> Program:
    """The program with its expectation; ValueError for a line that says nothing."""
    lines: dict[str, list[str]] = {key: [] for key in KEYS}
    for line in text.splitlines():
        if line.startswith("//:"):
            key, _, rest = line.removeprefix("//:").strip().partition(" ")
            if key not in KEYS or not rest:
                raise ValueError(f"{name}: `{line}` says nothing")
            lines[key].append(rest.strip())
    return Program(name, text, lines)


@cache
def zoo() -> dict[str, Program]:
    return {path.stem: read_program(path.stem, path.read_text()) for path in sorted(ZOO.glob("*.relay"))}


@cache
def compiled(name: str) -> Compilation:
    return gradual.check(zoo()[name].text, name)


def cases(key: str) -> list[Any]:
    """Each line of a key with its program; those of a program that waits are expected to fail."""
    return [
        pytest.param(program, line, id=f"{program.name}-{index}", marks=marks(program))
        for program in zoo().values()
        for index, line in enumerate(program.lines[key])
    ]


def marks(program: Program) -> list[pytest.MarkDecorator]:
    return [pytest.mark.xfail(reason=program.waits, strict=True)] if program.waits else []


EACH = [pytest.param(program, id=program.name, marks=marks(program)) for program in zoo().values()]


def accepted(program: Program) -> Compilation:
    found = compiled(program.name)
    assert found.ok, [diagnostic.message for diagnostic in found.diagnostics]
    return found


def called(program: Program, call: str) -> Any:
    """The value of a call, with drawn arguments."""
    name, arguments = read_call(call)
    found = accepted(program)
    return found.run(name, *values(arguments, found.functions[name].params, seed=0))


def fits(value: Any, wanted: Values) -> bool:
    """Whether a value has the structure, dtypes and shapes that are wanted, and the elements where they are written."""
    match wanted:
        case Fields(items):
            return isinstance(value, tuple) and len(value) == len(items) and all(map(fits, value, items))
        case Drawn(dtype, shape):
            return isinstance(value, Tensor) and (str(value.dtype), tuple(value.shape)) == (dtype, shape)
        case Literal(dtype, shape, elements):
            return fits(value, Drawn(str(dtype), shape)) and tuple(value.flat()) == elements
        case _:
            raise ValueError(f"{wanted} is no value that a program of the zoo returns")


def test_the_zoo_has_its_twenty_programs() -> None:
    assert {program.number for program in zoo().values() if not program.annotated} == set(range(1, 21))
    assert {(p.base, p.number) for p in zoo().values()} == {
        (p.base, p.number) for p in zoo().values() if not p.annotated
    }


@pytest.mark.parametrize("program", zoo().values(), ids=zoo())
def test_an_expectation_is_complete(program: Program) -> None:
    outcomes = [run.partition(" => ")[2] for run in program.lines["run"]]
    bad = [outcome for outcome in outcomes if BLAMED.fullmatch(outcome)]
    assert program.lines["type"] and program.body, "no type, or no program"
    assert 0 < len(bad) < len(outcomes), "no bad run, or no good one"
    assert (program.number > 15) == (program.graten is None), "the programs 1 to 15 are GraTen's"


@pytest.mark.parametrize(("program", "line"), cases("type"))
def test_a_function_has_its_type(program: Program, line: str) -> None:
    name, _, type = line.partition(" : ")
    assert accepted(program).types[name] == type


@pytest.mark.parametrize("program", EACH)
def test_these_checks_are_left_and_no_others(program: Program) -> None:
    left = [f"{check.goal} [{check.blame.rule}]" for check in accepted(program).checks if not check.not_empty]
    wanted = program.lines["check"]
    assert len(left) == len(wanted) and all(map(same_check, left, wanted)), "\n".join(("these are left:", *left))


def same_check(left: str, wanted: str) -> bool:
    one, other = SOME_RULE.fullmatch(left), SOME_RULE.fullmatch(wanted)
    assert one and other, f"`{wanted}` is no condition with a rule"
    return one[2] == other[2] and same_condition(one[1], other[1])


@pytest.mark.parametrize("program", [param for param in EACH if param.values[0].graten is not None])  # type: ignore[union-attr]
def test_no_more_checks_are_left_than_by_graten(program: Program) -> None:
    assert program.graten is not None
    assert accepted(program).residual - accepted(program).not_empty <= program.graten


@pytest.mark.parametrize("program", EACH)
def test_no_proof_needs_the_solver(program: Program) -> None:
    alone = gradual.check(program.text, smt=False)
    assert [str(check.goal) for check in alone.checks] == [str(check.goal) for check in accepted(program).checks]


@pytest.mark.parametrize(("program", "line"), cases("run"))
def test_a_run_ends_as_it_is_written(program: Program, line: str) -> None:
    call, _, outcome = line.partition(" => ")
    if not (wanted := BLAMED.fullmatch(outcome)):
        assert fits(called(program, call), read_value(outcome))
        return
    with pytest.raises(Blame) as caught:
        called(program, call)
    assert caught.value.code == wanted[1]
    if wanted[2]:
        assert caught.value.check is not None
        assert same_condition(str(caught.value.check.goal), wanted[2]), str(caught.value.check.goal)


def blurred(body: str) -> Iterator[str]:
    """The program with one number of one annotated shape as `?`, or with one shape that binds no name as `*`."""
    for match in SHAPE.finditer(body):
        sizes = [size.strip() for size in match[1].split(",") if size.strip()]
        numbers = [k for k, size in enumerate(sizes) if size.isdigit()]
        shapes = [f"({', '.join((*sizes[:k], '?', *sizes[k + 1 :]))},)" for k in numbers]
        if all(size.isdigit() or size == "?" for size in sizes):
            shapes.append("*")
        for shape in shapes:
            yield f"{body[: match.start()]}Tensor[{shape}, {match[2]}]{body[match.end() :]}"


@pytest.mark.slow
@pytest.mark.parametrize("program", EACH)
def test_whoever_says_less_is_accepted_too(program: Program) -> None:
    variants = list(blurred(program.body))
    assert variants
    for text in variants:
        found = gradual.check(text)
        assert found.ok, (text, [diagnostic.message for diagnostic in found.diagnostics])


@pytest.mark.parametrize(
    ("program", "line"),
    [case for case in cases("run") if case.values[0].annotated and " => blame" not in case.values[1]],
)
def test_annotations_change_no_value(program: Program, line: str) -> None:
    call, _, _ = line.partition(" => ")
    assert repr(plain(called(program, call))) == repr(plain(called(zoo()[program.base], call)))


def plain(value: Any) -> Any:
    """The elements of a value, tuples and all."""
    return tuple(map(plain, value)) if isinstance(value, tuple) else value.tolist()


@pytest.mark.parametrize(("program", "line"), cases("refused"))
def test_a_change_is_refused(program: Program, line: str) -> None:
    wanted = CHANGED.fullmatch(line)
    assert wanted, line
    assert wanted[3] in program.body, f"`{wanted[3]}` does not stand in the program"
    found = gradual.check(program.body.replace(wanted[3], wanted[2], 1))
    assert [d.code for d in found.diagnostics if d.severity == "error"] == [wanted[1]]


@pytest.mark.parametrize("name", [name for name in zoo() if name.startswith("min_gpt")])
def test_min_gpt_is_checked_ten_times_faster_than_by_graten(name: str, tell: Callable[[str], None]) -> None:
    spent = []
    for _ in range(3):
        start = time.process_time()
        gradual.check(zoo()[name].text)
        spent.append(time.process_time() - start)
    best = min(spent)
    tell(f"{name}: checked in {best:.3f} s of processor time, {GRATEN_MINGPT / best:.0f} times faster than GraTen")
    assert best * FASTER <= GRATEN_MINGPT


def count(name: str) -> tuple[str, str]:
    """What a row says of a form: GraTen's checks and ours."""
    program = zoo().get(name)
    if program is None:
        return "–", "–"
    ours = "waits" if program.waits else str(len(program.lines["check"]))
    return "–" if program.graten is None else str(program.graten), ours


def test_the_page_says_what_the_programs_say() -> None:
    rows = {int(number): cells for number, *cells in ROW.findall(PAGE.read_text())}
    assert sorted(rows) == list(range(1, 21))
    for program in (program for program in zoo().values() if not program.annotated):
        links, _, *counts = rows[program.number]
        assert f"[{program.base}](../../examples/zoo/{program.base}.relay)" in links
        open_form, annotated = count(program.base), count(program.base + ANNOTATED)
        wanted = [f"{ours}/{theirs}" for theirs, ours in (open_form, annotated)]
        assert counts == wanted, f"{program.number}: {wanted}"
