"""The verifier accepts what the checker writes, and nothing that was tampered with."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import pytest

import gradual
from gradual.core.print import printed
from gradual.core.terms import Apply, If
from gradual.core.verify.function import violations
from gradual.dims.solver.decide import Decider
from gradual.dims.term.dim import constant
from gradual.limits import Limits
from gradual.types.dtype import DType
from gradual.types.type import TensorType, UnrankedType
from tests.core.mutation import Mutant, mutants

PROGRAMS = {
    "a branch that the declaration rules out": """
        def @main(%x: Tensor[(m, ?), float32]) where m > 0 {
          let %y = %x as Tensor[(m, ?), float32];
          if (m == 0) { %y } else { %x }
        }""",
    "a check, then its use": """
        def @main(%x: Tensor[(?,), float32]) {
          let %y: Tensor[(4,), float32] = %x;
          reshape(%x, newshape=[2, 2])
        }""",
    "a size that was forgotten": """
        def @main(%x: Tensor[(n, 2), float32]) {
          let %y: Tensor[(?, ?), float32] = %x;
          let %z = %y as Tensor[(4, ?), float32];
          concatenate((%z, %x), axis=0)
        }""",
    "broadcasting a named and an unknown size": """
        def @main(%x: Tensor[(n, ?), float32], %y: Tensor[(?, n), float32]) { add(%x, %y) }""",
    "a join that says something": """
        def @main(%x: Tensor[(?,), float32], %y: Tensor[(?,), float32]) {
          let %d = take(shape_of(%x), 0);
          let %z = if (%d == 3) { %x } else { %y };
          %z as Tensor[(3,), float32]
        }""",
    "a call that measures": """
        def @f(%x: Tensor[(n, 2 * m), float32], %y: Tensor[(m, n), float32]) -> Tensor[(2 * m, m), float32]
          where m > 0 {
          nn.dense(reshape(%x, newshape=[2 * m, n]), %y) as Tensor[(2 * m, m), float32]
        }
        def @main(%x: Tensor[(?, ?), float32], %y: Tensor[(?, ?), float32]) { @f(%x, %y) }""",
    "a closure that captures": """
        def @main(%x: Tensor[(?, 3), float32]) {
          let %f = fn (%a: Tensor[(q, 3), float32]) { concatenate((%a, %x), axis=0) };
          %f(%x) as Tensor[(6, 3), float32]
        }""",
    "elements that somebody met": """
        def @main(%x: Tensor[(?, 0), float32], %y: Tensor[(?, ?), float32], %b: bool) {
          let %i = cast(argwhere(%y), dtype="float32");
          let %j = cast(argwhere(%y), dtype="float32");
          let %e = cast(argwhere(%x), dtype="float32");
          (add(%i, %j), %e as Tensor[(0, 2), float32], %i as Tensor[(3, 2), float32])
        }""",
    "a bound that was demanded": """
        def @main(%x: Tensor[(?, 2), float32]) {
          let %y: Tensor[(?{u. u <= 4}, 2), float32] = %x;
          concatenate((%y, zeros(shape=[4 - dim(%y, 0), 2], dtype="float32")), axis=0)
        }""",
    "a divisor that is at least 1 wherever its choice is taken": """
        def @main(%x: Tensor[(n,), float32], %y: Tensor[(m,), float32], %z: Tensor[(k,), float32]) {
          let %a = if (m >= 4) { zeros(shape=[n // m], dtype="float32") } else { %z };
          if (k == 3) { %a } else { %y }
        }""",
    "a divisor that is at least 1 where a branch has checked it": """
        def @main(%x: Tensor[(?, 3), float32], %i: int64, %s: Tensor[(3,), int64]) {
          let %t = strided_slice(%s, begin=[0], end=[2], strides=[1]);
          if (%i >= 6) {
            if (take(shape_of(%x), 0) == 0) {
              dyn.reshape(%x, %t)
            } else {
              let %y: Tensor[(?, 3), float32] = %x;
              %y
            }
          } else { %x }
        }""",
    "numbers": """
        def @main(%x: Tensor[(n, 1, h, ?), float32]) {
          (dyn.nn.upsampling(%x, 2f, 1.5f), add(arange(0f, 1f, 0.25f), arange(0f, 4f, 1f)))
        }""",
    "contents": """
        def @main(%x: Tensor[(?, ?), float32], %i: int64) {
          let %s = shape_of(%x);
          let %r = cast(arange(0i64, %i, 1i64), dtype="float32");
          (dyn.reshape(%x, concatenate((take(%s, [1]), take(%s, [0])), axis=0)), add(%r, %r))
        }""",
}


def compiled(name: str) -> gradual.Compilation:
    """One of the programs, which is accepted."""
    found = gradual.check(PROGRAMS[name])
    assert found.ok, [d.message for d in found.diagnostics]
    return found


@pytest.mark.parametrize("name", PROGRAMS)
def test_what_the_checker_writes_is_well_typed(name: str) -> None:
    found = compiled(name)
    assert violations(found.core, Decider()) == [], printed(found.core)


@pytest.mark.parametrize("name", PROGRAMS)
def test_nothing_that_was_tampered_with_is_well_typed(name: str) -> None:
    survivors = [mutant for mutant in mutants(compiled(name).core) if not violations(mutant.module, Decider())]
    assert [mutant.says for mutant in survivors if mutant.kind != "check among others"] == []


def test_only_a_constant_has_numbers() -> None:
    module = compiled("numbers").core
    (entry,) = module.functions.values()
    steps = [
        replace(step, type=replace(step.type, numbers=(Fraction(2),)))
        if isinstance(step, Apply) and isinstance(step.type, TensorType)
        else step
        for step in entry.body.steps
    ]
    forged = replace(entry, body=replace(entry.body, steps=tuple(steps)))
    found = violations(replace(module, functions={entry.name: forged}), Decider())
    assert any("numbers of what is no constant" in str(violation) for violation in found), found


@pytest.mark.parametrize(
    ("origin", "orelse"),
    [("%y", "nn.relu(%z)"), ("%z", "nn.relu(%z)"), ("%y", 'zeros(shape=[2, 3], dtype="float32")'), ("%q", "%y")],
)
def test_a_join_has_the_shape_of_another_value_only_if_each_branch_has(origin: str, orelse: str) -> None:
    module = gradual.check(f"""def @main(%c: bool, %y: Tensor[*, float32], %z: Tensor[*, float32]) {{
      let %j = if (%c) {{ %y }} else {{ let %u = %y as Tensor[(?, ?), float32]; {orelse} }};
      %j
    }}""").core
    (entry,) = module.functions.values()
    forged = UnrankedType(DType.FLOAT32, origin)
    steps = [replace(step, type=forged) if isinstance(step, If) else step for step in entry.body.steps]
    body = replace(entry, body=replace(entry.body, steps=tuple(steps)))
    found = violations(replace(module, functions={entry.name: body}), Decider())
    assert any("recorded to have the shape of" in str(violation) for violation in found), found


def test_a_mutant_says_what_was_changed() -> None:
    kinds = {mutant.kind for name in PROGRAMS for mutant in mutants(compiled(name).core)}
    assert kinds == set(Mutant.KINDS)


def test_what_a_poor_budget_leaves_open_is_no_violation() -> None:
    found = gradual.check("""
        def @main(%x: Tensor[(a, b, c, ?), float32], %y: Tensor[(a * a * a + b * b * b,), float32]) {
          let %z = %y as Tensor[(c * c * c + 1,), float32];
          add(%z, %y)
        }""")
    poor = Decider(Limits(models=1, cases=1, residues=1), smt=False)
    assert found.ok
    assert violations(found.core, Decider()) == violations(found.core, poor) == []


def test_a_field_of_a_tuple_of_constants_has_their_numbers() -> None:
    text = "def @main() { let %t = (1.5f, 2f); (%t.0, match (%t) { (%a, %b) => { %a } }) }"
    found = gradual.check(text)
    assert found.ok, found.diagnostics
    assert violations(found.core, Decider()) == []


def test_what_is_asked_again_at_run_time_owes_nothing_where_facts_know_a_rank() -> None:
    text = """def @main(%x: Tensor[(2, 3), float32]) -> Tensor[(?, ?), float32] {
      let %s: Tensor[(?,), int64] = [3i64, 2i64];
      dyn.reshape(%x, %s)
    }"""
    found = gradual.check(text)
    assert found.ok, found.diagnostics
    assert violations(found.core, Decider()) == []


@pytest.mark.parametrize(
    "text",
    [
        """def @main(%o: Tensor[(n, m), float32], %x: Tensor[(2,), float32], %y: Tensor[*, float32],
            %p: Tensor[(5, 3), float32], %s: Tensor[(n,), int64]) {
          if (n == 3) { let %a = %p as Tensor[(5, n), float32]; dyn.reshape(%x, %s) } else { %y }
        }""",
        """def @main(%s: Tensor[(2,), int64], %t: Tensor[(n,), int64]) {
          let %a = %s as Tensor[(n,), int64];
          let %b = zeros(shape=[%t[0]], dtype="float32");
          add(%t, %s)
        }""",
    ],
)
def test_a_length_that_is_known_where_a_vector_is_read_is_known(text: str) -> None:
    found = gradual.check(text)
    assert found.ok, found.diagnostics
    assert violations(found.core, Decider()) == []


def test_a_branch_s_size_is_read_under_its_condition_too() -> None:
    text = """def @main(%x: Tensor[(?,), float32], %b: bool) {
      let %c = logical_and(%b, dim(%x, 0) <= 6);
      let %v = if (%c) { %x as Tensor[(1,), float32] } else { assert dim(%x, 0) == 4; %x };
      %v * %x
    }"""
    found = gradual.check(text)
    assert found.ok, found.diagnostics
    assert violations(found.core, Decider()) == []


def test_a_check_may_read_what_only_one_branch_can_read_where_another_check_says_that_it_was_taken() -> None:
    text = """def @main(%x: Tensor[(6, ?), float32], %c: Tensor[(?,), float32], %y: Tensor[*, float32]) {
      let %z = if (dim(%c, 0) == 1) { %x } else { let %w = %y as Tensor[(6, 1), float32]; %y };
      %z as Tensor[(3, 0), float32]
    }"""
    found = gradual.check(text)
    assert found.ok, found.diagnostics
    assert violations(found.core, Decider()) == []


def test_the_value_of_a_branch_has_the_rank_that_is_known_there() -> None:
    text = """def @main(%x: Tensor[*, float32], %c: bool) {
      let %y = broadcast_to(%x, shape=[dim(%x, 0)]);
      if (%c) { %y } else { let %z = %y as Tensor[(dim(%x, 0),), float32]; %x }
    }"""
    found = gradual.check(text)
    assert found.ok, found.diagnostics
    assert violations(found.core, Decider()) == []


def test_what_a_function_gives_back_is_bounded_by_a_size_whose_dimension_is_there() -> None:
    found = gradual.check("""
        def @f(%k: int64, %a: Tensor[(%k,), float32]) -> Tensor[(%k,), float32] { %a }
        def @main(%x: Tensor[*, float32]) {
          let %g: fn (int64, Tensor[*, float32]) -> Tensor[(0,), float32] = @f;
          let %h: fn (int64, Tensor[*, float32]) -> Tensor[(?{u. u <= dim(%x, 0)},), float32] = %g;
          %h
        }""")
    assert found.ok and not violations(found.core, Decider())


def test_a_branch_that_nothing_comes_to_need_not_give_contents() -> None:
    """Its value has a rank only where the check of the other branch has passed."""
    found = gradual.check("""
        def @g(%a: Tensor[(1,), float32], %k: int64) { %a }
        def @main(%x: Tensor[*, float32], %k: Tensor[*, int64], %z: Tensor[(2, m), float32]) {
          let %n = take(shape_of(%z), 0);
          if (%n == 4) {
            let %u = if (%k == 4) { %x } else { let %w = @g(%x, %k); %w };
            %k
          } else {
            let %w = @g(%x, %k);
            %k
          }
        }""")
    assert found.ok and not violations(found.core, Decider())


@pytest.mark.parametrize(
    ("type", "is_wrong"),
    [
        (TensorType((), DType.BOOL), False),
        (TensorType((constant(1),), DType.BOOL), True),
        (TensorType((), DType.INT64), True),
        (UnrankedType(DType.BOOL, "%c"), True),
    ],
)
def test_what_decides_is_a_boolean_of_rank_0(type: TensorType | UnrankedType, is_wrong: bool) -> None:
    found = gradual.check("def @main(%x: Tensor[(n,), float32], %c: bool) { if (%c) { %x } else { exp(%x) } }").core
    main = found.functions["@main"]
    x, c = main.params
    changed = replace(main, params=(x, replace(c, type=type)))
    wrong = violations(replace(found, functions={"@main": changed}), Decider(Limits()))
    assert any("decides" in one.message for one in wrong) == is_wrong


def test_in_unreachable_code_a_condition_may_have_any_rank() -> None:
    compilation = gradual.check("""
        def @main(%x: Tensor[(?,), float32], %b: Tensor[*, bool]) {
          if (take(shape_of(%x), 0) == 4) { %x } else {
            let %y = %x as Tensor[(4,), float32];
            if (%b) { %y } else { %y }
          }
        }""")
    assert compilation.residual == 1
    assert violations(compilation.core, Decider()) == []
