"""Core printed as a program: it checks again, with types no less precise, does the same, and stays as it is."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from random import Random

import pytest

from gradual.compilation import Compilation
from gradual.compiler import apply, check
from gradual.conformance.cases.read import load
from gradual.resources import folder
from gradual.tensors.tensor import Tensor
from gradual.types.dtype import DType
from gradual.types.print import shown
from gradual.types.relations import precise
from tests.generators.programs import generated
from tests.material import ROOT, models, needs_models
from tests.properties.case import Case
from tests.properties.compiling import Outcome, alike, compiled, outcome
from tests.properties.inputs import arguments, spoiled
from tests.thorough import sample, times

PROGRAMS = times(24)


def again(found: Compilation) -> Compilation:
    """The compilation of its own text, which must be as good and print as itself."""
    text = found.text
    read = compiled(text)
    assert read.ok, [d.message for d in read.diagnostics if d.severity == "error"] + [text]
    for name, type in found.functions.items():
        other = read.functions[name]
        assert shown(other) == shown(type) or precise(other, type), (name, shown(type), shown(other))
    assert compiled(read.text).text == read.text
    return read


def ended(left: Outcome, right: Outcome) -> bool:
    """Whether two runs ended alike up to the places of labels."""
    codes = [one.label and one.label[0] for one in (left, right)]
    return left.kind == right.kind and codes[0] == codes[1] and alike(left.value, right.value)


def runs_alike(found: Compilation, read: Compilation, seed: int, runs: int = 3) -> None:
    """Every function of tensors does the same on some arguments, one in four of which do not fit."""
    random = Random(seed)
    for name, function in found.core.functions.items():
        if not name.startswith("@") or function.type.types:
            continue
        for _ in range(runs):
            values = arguments(function, random)
            if values is None:
                break
            values = spoiled(values, random) if random.random() < 0.25 else values
            before, after = outcome(found.core, values, name), outcome(read.core, values, name)
            assert ended(before, after), (name, values, before, after)


# ------------------------------------------------------------------------------------------------------ all programs
@cache
def cases() -> tuple[tuple[str, str], ...]:
    """The cases of the suite that may be accepted: name and text."""
    return tuple(
        (case.id, case.request.text) for case in load(folder("spec")).cases if case.expectation.accepted is not False
    )


@pytest.mark.slow
@pytest.mark.parametrize("part", range(4))
def test_every_case_that_checks_can_be_printed(part: int) -> None:
    met = 0
    for _, text in sample(cases(), of=3)[part::4]:
        found = compiled(text)
        if found.ok:
            again(found)
            met += 1
    assert met > 50


@pytest.mark.parametrize("path", sorted((ROOT / "examples").rglob("*.relay")), ids=lambda path: path.stem)
def test_every_example_can_be_printed(path: Path) -> None:
    found = check(path.read_text())
    if found.ok:
        again(found)


@needs_models
@pytest.mark.slow
@pytest.mark.parametrize("name", models())
def test_every_model_can_be_printed(name: str) -> None:
    again(check(models()[name].read_text()))


@pytest.mark.slow
@pytest.mark.parametrize("part", range(4))
def test_generated_programs_are_printed_and_do_the_same(part: int) -> None:
    for seed in range(part, PROGRAMS, 4):
        case = Case(generated(seed, compiled), seed)
        if not case.found.ok or case.gave_up:
            continue
        read = again(case.found)
        for values, before in zip(case.inputs, case.outcomes, strict=True):
            after = outcome(read.core, values)
            assert ended(before, after), (seed, values, before, after, case.text)


# --------------------------------------------------------------------------------------------------------- directed
@pytest.mark.parametrize("dtype", DType)
@pytest.mark.parametrize("shape", [(), (0,), (3,), (2, 0), (2, 2), (70,)], ids=str)
def test_a_constant_of_every_type_and_shape_is_read_back(dtype: DType, shape: tuple[int, ...]) -> None:
    count = 1
    for extent in shape:
        count *= extent
    written = [index % 2 if dtype is DType.BOOL else index for index in range(count)]
    value = Tensor(written, dtype, shape)
    from gradual.delaborate.literals import Literals
    from gradual.source import Span
    from gradual.syntax.printing.metadata_text import encoded
    from gradual.syntax.printing.print import printed
    from gradual.syntax.tree import ast

    literals, nowhere = Literals(), Span(0, 0)
    body = ast.Block((), literals.constant(value), nowhere)
    main = ast.Def(ast.Global("@main", nowhere), ast.Fn((), (), (), None, (), body, nowhere), nowhere)
    metadata = encoded(literals.stored) if literals.stored else None
    found = check(printed(ast.Module(None, (), (main,), metadata_text=metadata)))
    assert found.ok, found.diagnostics
    assert found.run("@main") == value
    again(found)


PROGRAM = {
    "a name, a size, an element and a rank": """
def @f(%x: Tensor[(n, ?), float32], %s: Tensor[(2,), int64], %u: Tensor[*, float32]) {
  let %a = reshape(%x, newshape=[n * dim(%x, 1)]);
  let %b = zeros(shape=[%s[0], max(%s[1], 0)], dtype="float32");
  let %c = dim[n // 2 + 1];
  let %d = dim[numel(%u) % 3 + ndim(%u)];
  (%a, %b, %c, %d)
}""",
    "a size of a field": """
def @f(%t: (Tensor[(?, 3), float32], int64)) {
  let %y: Tensor[(dim(%t.0, 0), 3), float32] = %t.0;
  (%y, dim(%t.0, 0))
}""",
    "a bound that was written": """
def @f(%x: Tensor[(?,), float32]) {
  let %y: Tensor[(?{u. u <= 4 and u % 2 == 0},), float32] = %x;
  %y
}""",
    "a function at another type inside a tuple": """
def @f(%x: Tensor[(?, 3), float32]) {
  let %g = fn (%a: Tensor[(4,), float32]) { %a };
  let %h: (fn (Tensor[(?,), float32]) -> Tensor[(?,), float32], int32) = (%g, 1);
  %h.0(reshape(%x, newshape=[-1]))
}""",
    "a field of another type in a branch": """
def @f(%c: bool, %g: fn (Tensor[(3,), float32]) -> int32, %h: fn (Tensor[(?,), float32]) -> int32) {
  if (%c) { (7, ((%g, 2), 1)) } else { (8, ((%h, 2), 2)) }
}""",
    "a reference in a branch": """
def @f(%c: bool, %g: ref(Tensor[(3,), float32]), %h: ref(Tensor[(?,), float32])) {
  if (%c) { (%g, 1) } else { (%h, 2) }
}""",
    "numbers that no int64 holds": """
def @f(%x: Tensor[(0, n, ?{u. u < 9223372036854775807 * 9223372036854775807 + n}), float32])
    where n % (9223372036854775807 * 2) == 0 {
  zeros(shape=[0, 9223372036854775807 * 3 + 5, n * 9223372036854775807 * 9], dtype="float32")
}""",
    "rigid names beside an unknown": """
def @f(%x: Tensor[(n,), float32], %y: Tensor[(?,), float32]) -> Tensor[(3,), float32] { %x }""",
}


@pytest.mark.parametrize("what", PROGRAM)
def test_what_is_hard_to_say_is_said(what: str) -> None:
    found = check(PROGRAM[what])
    assert found.ok, [d.message for d in found.diagnostics]
    runs_alike(found, again(found), 1, runs=8)


def test_a_setting_stays() -> None:
    text = '#[broadcast = "strict"]\ndef @f(%x: Tensor[(?,), float32], %y: Tensor[(?,), float32]) { add(%x, %y) }'
    found = check(text)
    read = again(found)
    runs_alike(found, read, 2, runs=10)
    assert read.text.startswith('#[broadcast = "strict"]')


def test_a_version_stays() -> None:
    assert again(check('#[version = "0.0.5"]\ndef @f(%x: int32) { %x }')).text.startswith('#[version = "0.0.5"]')


# ------------------------------------------------------------------------------------------------------ after passes
@pytest.mark.slow
@pytest.mark.parametrize(
    "names", [("inline", "fold-constants"), ("dynamic-to-static", "simplify-shapes"), ("hoist-checks",)]
)
def test_what_a_pass_made_is_printed_and_does_the_same(names: tuple[str, ...]) -> None:
    told = 0
    for seed in range(PROGRAMS // 3):
        case = Case(generated(seed, compiled), seed)
        if not case.found.ok or case.gave_up:
            continue
        text = apply(case.found, *names, verify=False).text
        if text.startswith("//"):
            told += 1
            continue
        read = check(text)
        assert read.ok, text
        for values, before in zip(case.inputs, case.outcomes, strict=True):
            after = outcome(read.core, values)
            assert ended(before, after), (seed, values, before, after, text)
    assert told <= 1


def test_a_check_that_nothing_demands_any_more_is_owed_and_blamed() -> None:
    found = check("def @f(%x: Tensor[(?, 3), float32]) { let %y: Tensor[(2, 3), float32] = %x; shape_of(%x) }")
    after = apply(found, "fold-constants", "drop-dead")
    read = again(after)
    runs_alike(found, read, 3, runs=8)
    assert len(read.checks) == 1


def test_what_never_holds_fails_when_it_runs() -> None:
    found = check("""
def @g(%x: Tensor[(?,), float32]) -> Tensor[(6,), float32] { %x }
def @f(%x: Tensor[(4,), float32]) { @g(%x as Tensor[(?,), float32]) }""")
    after = apply(found, "inline", "dynamic-to-static")
    assert not after.text.startswith("//")
    runs_alike(found, check(after.text), 4, runs=3)
