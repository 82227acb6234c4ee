"""Types that are left out: laws that relate a program without them to the one that has them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from itertools import product
from typing import Any

import gradual
from gradual import Compilation, Tensor
from gradual.conformance.cases.read import load
from gradual.core.verify.function import violations
from gradual.diagnostic import Severity
from gradual.dims.solver.decide import Decider
from gradual.source import Source, Span
from gradual.syntax.parse import parse
from gradual.syntax.printing.print import printed
from gradual.syntax.tree import ast
from tests.corpus.replay import Outcome, outcome_of, rows
from tests.generators.functions import program
from tests.material import ROOT, needs_tests, recordings
from tests.properties.compiling import compiled, outcome
from tests.thorough import enough, sample

NOWHERE = Span(0, 0)


def accepted(text: str) -> Compilation:
    """The program, accepted by checker and verifier."""
    found = gradual.check(text)
    assert found.ok, [diagnostic.message for diagnostic in found.diagnostics]
    assert violations(found.core, Decider()) == []
    return found


def codes(text: str) -> list[str]:
    """The codes of errors and warnings, in order."""
    return [diagnostic.code for diagnostic in gradual.check(text).diagnostics]


# ------------------------------------------------------------------------------------------- written out: a law
def wrapped(module: ast.Module) -> ast.Module:
    """Every definition with its body in a literal without types that is called once, with its own parameters."""
    return replace(module, definitions=tuple(map(_wrapped, module.definitions)))


def _wrapped(definition: ast.Definition) -> ast.Definition:
    if not isinstance(definition, ast.Def) or definition.implicit or not definition.function.params:
        return definition
    function = definition.function
    names = [ast.Local(param.name.name, NOWHERE) for param in function.params]
    params = tuple(ast.Param(name, None, (), NOWHERE) for name in names)
    literal = ast.Fn((), params, (), None, (), function.body, NOWHERE)
    name = ast.Local("%written_out", NOWHERE)
    call = ast.Call(name, tuple(names), (), NOWHERE)
    body = ast.Block((ast.Let(name, None, literal, NOWHERE),), call, NOWHERE)
    return replace(definition, function=replace(function, body=body))


def same_when_written_out(text: str) -> bool:
    """Whether the law says anything: a call of a known literal is the block that binds its parameters."""
    surface, found = parse(Source("<law>", text))
    plain = compiled(text)
    if found or not plain.ok:
        return False
    other = compiled(printed(wrapped(surface)))
    assert other.ok, [diagnostic.message for diagnostic in other.diagnostics]
    assert other.types == plain.types
    assert sorted(check.condition for check in other.checks) == sorted(check.condition for check in plain.checks)
    return True


def test_written_out_is_the_same_in_every_program_of_the_specification() -> None:
    programs = {case.request.text for case in load(ROOT / "spec").cases if case.expectation.accepted is not False}
    assert sum(map(same_when_written_out, sample(sorted(programs), of=8))) > 50


@needs_tests
def test_written_out_is_the_same_in_recorded_programs() -> None:
    assert sum(same_when_written_out(row["program"]) for row in recorded(9)) > 30


def recorded(step: int) -> list[Mapping[str, Any]]:
    """Some of the recorded runs."""
    return [row for name in recordings() for row in list(rows(recordings()[name]))[::step]]


# ------------------------------------------------------------------------------------------------ inferred: a law
def closed(module: ast.Module) -> ast.Module:
    """As `wrapped`, but the literal is stored in a tuple, so that its type is inferred."""

    def stored(definition: ast.Definition) -> ast.Definition:
        if not isinstance(definition, ast.Def) or not isinstance(definition.function.body, ast.Block):
            return definition
        match definition.function.body:
            case ast.Block((ast.Let(name, None, ast.Fn() as literal, span),), ast.Call() as call, around):
                assert name is not None
                value = ast.Project(ast.Tuple((literal,), span), 0, span)
                body = ast.Block((ast.Let(name, None, value, span),), call, around)
                return replace(definition, function=replace(definition.function, body=body))
        return definition

    return replace(module, definitions=tuple(map(stored, wrapped(module).definitions)))


@needs_tests
def test_a_recorded_program_inside_a_literal_of_inferred_type_gives_the_same_value() -> None:
    short = [row for row in recorded(36) if len(row["program"]) < 1_000]
    stored = [(row, closed(surface)) for row in short if (surface := accepted_surface(row["program"]))]
    programs = [(row, compiled(printed(module))) for row, module in stored]
    assert [found.source.text for _, found in programs if not found.ok] == []
    small = [(row, found) for row, found in programs if len(str(row["args"])) < 2_000]
    assert {outcome_of(found, row)[0] for row, found in small} <= {Outcome.PASS, Outcome.STOPS, Outcome.BLAMED}
    assert len(small) > 5


def accepted_surface(text: str) -> ast.Module | None:
    """The parsed program, if it is accepted."""
    surface, found = parse(Source("<law>", text))
    return surface if not found and compiled(text).ok else None


# ------------------------------------------------------------------------------------- programs of functions: laws
def test_a_program_without_its_types_gives_the_value_that_it_gives_with_them() -> None:
    arguments = (Tensor([1], "int32", ()), Tensor([1.0, -2.0, 3.0]))
    same: Counter[float] = Counter()
    for seed, omitted in product(range(enough(100)), (0.5, 1.0)):
        with_types, without = compiled(program(seed, 0.0)), compiled(program(seed, omitted))
        codes = {found.code for found in without.diagnostics if found.severity is Severity.ERROR}
        if with_types.ok and without.ok:
            values = [outcome(found.core, arguments) for found in (with_types, without)]
            assert (values[0].kind, values[0].value) == (values[1].kind, values[1].value), program(seed, omitted)
            same[omitted] += 1
        elif with_types.ok:
            # E0308: without a `?` that somebody wrote, a definition is strict
            assert codes <= {"E0310", "E0308"}, program(seed, omitted)
    assert min(same[0.5], same[1.0]) > 37, same


# ----------------------------------------------------------------------------------------------------- its limits
def test_a_type_that_would_contain_itself_is_not_determined() -> None:
    text = "def @f(%x: int32) { let %g = fn (%y) { if (%x == 0) { 1 } else { %g((%y,)) } }; %g }"
    assert codes(text) == ["E0310"]


def test_what_is_written_out_is_counted() -> None:
    literals = "".join(f"let %f{i} = fn (%a) {{ %f{i - 1}(%f{i - 1}(%a)) }}; " for i in range(1, 40))
    text = f"def @f(%x: int32) {{ let %f0 = fn (%a) {{ %a + 1 }}; {literals} %f39(%x) }}"
    found = gradual.check(text).diagnostics
    assert [(one.code, one.rule) for one in found] == [("E0310", "type.template")]


def test_errors_of_a_body_are_said_once_for_each_way_to_fail() -> None:
    text = """
def @f(%x: Tensor[(5,), float32], %y: Tensor[(6,), float32]) {
  let %g = fn (%a) { (add(%a, ones(shape=[4], dtype="float32")), %nothing) };
  (%g(%x), %g(%x), %g(%y), %g(1f))
}
"""
    assert codes(text) == ["E0301", "E0301", "E0202"]


def test_a_chain_without_types_is_solved_from_its_end() -> None:
    lines = "".join(f"let %y{i + 1} = add(%y{i}, %y{i}); " for i in range(300))
    found = accepted(f"def @f(%y0) {{ {lines} (%y300 as Tensor[(3,), float16]) }}")
    assert found.types["@f"] == "fn (Tensor[(?,), float16]) -> Tensor[(3,), float16]"


def test_what_is_known_goes_through_calls_in_any_order() -> None:
    before = "".join(f"def @f{i}(%x, %y) {{ @f{i + 1}(add(%x, %y), %y) }}\n" for i in range(50))
    after = "def @f50(%x, %y) { %x }\ndef @main(%x: Tensor[(3, 4), float32]) { @f0(%x, %x) }"
    forward, backward = accepted(before + after), accepted("\n".join(reversed((before + after).split("\n"))))
    assert forward.types == backward.types
    assert forward.types["@main"] == "fn (Tensor[(3, 4), float32]) -> Tensor[(?, ?), float32]"


def test_hidden_dims_keep_their_names() -> None:
    text = """
def @f(%x: Tensor[(n,), float32]) {
  fn [n](%a: Tensor[(n,), float32]) { fn [n](%b: Tensor[(n,), float32]) { (%a, %b) } }
}
"""
    inner = "fn (Tensor[(n_2,), float32]) -> (Tensor[(n_1,), float32], Tensor[(n_2,), float32])"
    assert gradual.check(text).types["@f"] == f"fn (Tensor[(n,), float32]) -> fn (Tensor[(n_1,), float32]) -> {inner}"
