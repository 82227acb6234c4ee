"""No text, however odd, brings the checker down; `tests.fuzz.campaign` tries many more."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from itertools import count
from pathlib import Path

import pytest

from gradual import compiler
from gradual.diagnostic import Diagnostic
from gradual.run import machine
from gradual.source import Source, Span
from gradual.tensors.tensor import Tensor
from gradual.tensors.value import Value
from tests.fuzz.campaign import campaign
from tests.fuzz.inputs import seeds, text_of
from tests.fuzz.minimise import minimised
from tests.fuzz.trial import Failure, trial

SEED = 2027
BLOCKS = 8
INPUTS = 50


# A run of a program may outlast its alarm, which rings inside a callback of the interpreter now and then.
@pytest.mark.filterwarnings("ignore:Exception ignored in.*WeakValueDictionary:pytest.PytestUnraisableExceptionWarning")
@pytest.mark.parametrize("block", range(BLOCKS))
def test_every_input_is_answered(block: int) -> None:
    for number in range(block * INPUTS, (block + 1) * INPUTS):
        text = text_of(SEED, number)
        assert trial(text) is None, f"input {number}: {text!r}"


FOUND = sorted(Path(__file__).parent.glob("found/*.txt"))


@pytest.mark.parametrize("path", FOUND, ids=lambda path: path.stem)
def test_what_campaigns_found_stays_repaired(path: Path) -> None:
    assert trial(path.read_text("utf-8")) is None


def test_an_input_is_a_function_of_its_seed_and_number() -> None:
    assert [text_of(1, number) for number in range(20)] == [text_of(1, number) for number in range(20)]
    assert text_of(1, 0) != text_of(2, 0)
    assert len(seeds()) > 2


def test_an_exception_is_a_failure(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compiler, "parse", lambda source, **_: 1 // 0)
    failure = trial("")
    assert failure is not None and failure.signature.startswith("ZeroDivisionError at gradual/compiler.py")


def test_a_hang_is_a_failure(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compiler, "parse", lambda source, **_: next(number for number in count() if number < 0))
    failure = trial("", seconds=0.05)
    assert failure is not None and failure.signature.startswith("hang in gradual/compiler.py")


@pytest.mark.parametrize("wrong", [(0, 9), (3, 2), (-1, 0)])
def test_a_span_outside_the_text_is_a_failure(monkeypatch: pytest.MonkeyPatch, wrong: tuple[int, int]) -> None:
    parse = vars(compiler)["parse"]

    def shifted(source: Source, **options: object) -> object:
        module, found = parse(source, **options)
        return module, [Diagnostic("E0101", "syntax.token", "odd", Span(*wrong)) for _ in found]

    monkeypatch.setattr(compiler, "parse", shifted)
    assert trial("def @") == Failure("span of E0101 syntax.token", f"{Span(*wrong)} of 5 characters: odd")


NARROW = (
    "def @f(%x: Tensor[(n, 4), float32]) -> Tensor[(n, 2), float32] { strided_slice(%x, begin=[0, 0], end=[n, 2]) }"
)


@pytest.mark.parametrize(
    ("value", "wrong"),
    [
        (lambda n: Tensor([0.0] * (2 * n), "float32", (n, 2)), None),
        (lambda n: Tensor([0.0] * (2 * n + 2), "float32", (n + 1, 2)), "run: a value of another type"),
        (lambda n: Tensor([0.0] * (3 * n), "float32", (n, 3)), "run: a value of another type"),
        (lambda n: Tensor([0.0] * n, "float32", (n,)), "run: a value of another type"),
        (lambda n: Tensor([0] * (2 * n), "int32", (n, 2)), "run: a value of another type"),
        (lambda n: (), "run: a value of another type"),
        (lambda n: 1 // 0, "run: ZeroDivisionError at gradual/compilation.py"),
    ],
)
def test_a_run_that_breaks_a_promise_is_a_failure(
    monkeypatch: pytest.MonkeyPatch, value: Callable[[int], Value], wrong: str | None
) -> None:
    monkeypatch.setattr(machine, "run", lambda core, entry, values, **_: value(values[0].shape[0]))
    failure = trial(NARROW)
    assert (failure and re.sub(r":\d+$", "", failure.signature)) == wrong


def test_minimising_keeps_what_fails_and_nothing_else() -> None:
    text = "def @main() {\n  let %x = 1;\n  add(%x, %y)\n}\n"
    assert minimised(text, lambda smaller: "%y" in smaller and "add" in smaller) == "add%y"


@pytest.mark.slow
def test_a_campaign_answers_for_every_input() -> None:
    found = list(campaign(SEED, range(40), 2))
    assert sum(one.total() for one in found if isinstance(one, Counter)) == 40
    assert [one for one in found if not isinstance(one, Counter)] == []
