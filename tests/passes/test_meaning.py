"""Every pass of the catalogue on generated programs: outcomes, types and verification.  [T14]"""

from __future__ import annotations

from typing import Any

import pytest

from gradual.passes.catalogue import PASSES
from tests.generators.programs import generated
from tests.passes.given import GIVEN
from tests.passes.meaning import keeps, kept, restored, row
from tests.properties.case import Case
from tests.properties.compiling import compiled
from tests.properties.seeded.directed import Written
from tests.thorough import times

PROGRAMS = times(16)
START = 1000
SLICES = 8

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("part", range(SLICES))
def test_every_pass_keeps_what_generated_programs_do(part: int) -> None:
    for seed in range(START + part, START + PROGRAMS, SLICES):
        case = Case(generated(seed, compiled), seed)
        says = kept(case) or restored(case)
        assert says is None, f"seed {seed}: {says}\n{case.text}"


HARD_ONCE = {
    "converted beside a call": """\
type Option[A] { Some(A), None_ }
def @f(%x: Tensor[(%k + 1,), float32], %k: int64) { %x }
def @main(%a: Tensor[(n,), float32], %k: int64, %b: bool) -> bool {
  let %o = Some(@f);
  let %g = fn (%x: Tensor[(?,), float32]) {
    let %y = @f(%x, %k);
    let %p = %o as Option[fn (Tensor[(?,), float32], int64) -> Tensor[(4,), float32]];
    %y
  };
  let %h = %g(%a);
  %b
}""",
    "a branch alone, of a rank that was learnt inside": """\
def @main(%x: Tensor[(m, n), float32], %y: Tensor[(n, n), float32], %k: int64, %z: Tensor[(%k, m), float32])
  where m <= 4 {
  let %j = if (%k == 3) {
    let %u = %z as Tensor[*, float32];
    let %i = if (%k == 4) { %u } else { %y };
    let %v = %i as Tensor[(?, 6), float32];
    %i
  } else {
    let %u = %z as Tensor[*, float32];
    let %v = %u as Tensor[(?, 3, ?), float32];
    %z
  };
  %j
}""",
    "elements of the one branch that is left": """\
def @main(%x: Tensor[(n, m), float32], %v: Tensor[(?,), float32], %y: Tensor[(m,), float32], %s: Tensor[(n,), int64]) {
  let %z: Tensor[*, float32] = %y;
  if (n == m) { cast(shape_of(%v), dtype="int64") } else { let %u: float32 = %z; %s }
}""",
    "asked at a rank that is found outside": """\
def @main(%x: Tensor[(1, ?), float32], %v: Tensor[*, float32]) {
  let %y = stack((%v, %v), axis=0);
  let %f = fn (%z: Tensor[(1, q), float32]) { %y as Tensor[(?, 1, 2), float32] };
  let %w = %f(%x);
  sum(%v, axis=[3])
}""",
    "repeated in a literal": """\
def @main(%x: Tensor[(m,), float32], %y: Tensor[(n,), float32], %z: Tensor[(?, 0), float32]) where m >= 0 and n >= 0 {
  let %n = zeros(shape=[dim(%z, 0)], dtype="float32");
  let %b = nn.bias_add(%z, add(%x, %y), axis=-1);
  let %f = fn (%p: Tensor[(3,), float32]) { subtract(repeat(%z, repeats=m, axis=0), %z) };
  let %r = %f(%n);
  %b
}""",
    "a tuple of what has a rank by the time of the call": """\
def @main(%x: Tensor[*, float32]) {
  let %f = fn (%a: Tensor[(3, ?), float32]) { concatenate((%x, %x), axis=-1) };
  %f(%x)
}""",
    "refused at a rank that nobody comes with": """\
def @main(%y: Tensor[*, float32]) {
  if (take(shape_of(shape_of(%y)), 0i64) == 0i32) {
    let %d = nn.relu(1f);
    boolean_mask(%y, greater(%y, 0f))
  } else { %y }
}""",
    "a type parameter that is called as another": """\
def @main(%x: Tensor[(?,), float32]) {
  let %f = fn [A](%a: A) { fn [B](%b: B) { %b } };
  let %g = fn [B](%b: B) { %f(%b) };
  %g(%x)(1)
}""",
    "a type parameter that stands for a type with one": """\
def @called[A](%f: fn () -> A) -> A { %f() }
def @both[A](%a: A) -> (A, A) { @called(fn () { (%a, %a) }) }
def @main(%x: Tensor[(?,), float32]) { @both(%x) }""",
    "a parameter that is called as a variable around it": """\
def @mk() {
  let %x = argwhere(zeros(shape=[3], dtype="float32"));
  let %z = exp(cast(%x, dtype="float32"));
  fn (%x: Tensor[(?,), float32]) -> (Tensor[(dim(%z, 0), 1), float32], Tensor[(dim(%x, 0),), float32]) { (%z, %x) }
}
def @main(%x: Tensor[(?,), float32]) { @mk()(%x) }""",
    "a constructor among type parameters": """\
type O[A] { Some(A), None_ }
def @w[A](%a: A, %k: int32) { let %r = ref(Some); ref_read(%r)(%a) }
def @main(%x: Tensor[(?,), float32]) { @w(%x, 1) }""",
    "whose shape a branch has that stands for its `if`": """\
def @main(%i: int64, %x: Tensor[(0, m), float32], %v: Tensor[*, float32]) {
  let %a = if (m == 3) { %x } else { negative(%v) };
  let %b = if (%i == 1) { %a } else { nn.bias_add(%a, %v, axis=-1) };
  let %c = reshape(%b, newshape=[-1]);
  %b
}""",
    "sizes of a rank that a check tells": """\
def @main(%b: Tensor[(n,), float32], %a: Tensor[(?,), float32], %x: Tensor[*, float32]) {
  let %y = %x as Tensor[(?, ?, n), float32];
  let %r = dyn.reshape(%x, shape_of(%a));
  let %z = %x as Tensor[(dim(%y, 0), dim(%y, 1), ?), float32];
  %r
}""",
    "a layer that binds a dim whose name the caller has": """\
def @g(%x: Tensor[(n,), float32]) {
  let %h: fn [k](Tensor[(k, n), float32]) -> Tensor[(k, n), float32] =
    fn (%a: Tensor[(?, ?), float32]) -> Tensor[(?, ?), float32] { %a };
  let %r: ref(fn [k](Tensor[(k, n), float32]) -> Tensor[(?, n), float32]) = ref(%h);
  (%h(zeros(shape=[3, n])), (ref_read(%r))(zeros(shape=[2, n])))
}
def @main(%x: Tensor[(k,), float32]) { @g(%x) }""",
    "a join inside a join": """\
def @main(%c: bool, %d: bool, %x: Tensor[(4,), float32], %y: Tensor[(?,), float32]) {
  let %r = if (%c) { if (%d) { %y } else { %x } } else { %x };
  let %w: Tensor[(4,), float32] = %y;
  let %z: Tensor[(4,), float32] = %r;
  %z
}""",
}


@pytest.mark.parametrize("what", HARD_ONCE)
def test_every_pass_keeps_what_a_program_does_that_was_hard_once(what: str) -> None:
    program: Any = Written(text := HARD_ONCE[what])
    cases = [Case(program, seed) for seed in range(3)]
    found = (kept(case) or restored(case) for case in cases)
    assert compiled(text).ok and next((says for says in found if says), None) is None


ROWS_HARD_ONCE = {
    "merge-ops, drop-dead": """def @main(%x: Tensor[(n,), float32], %w: Tensor[(1, 2), int64]) {
  let %p = dyn.nn.pad(%x, %w, 0f);
  %x
}""",
    "merge-ops, hoist-checks": """def @main(%x: Tensor[(n,), float32], %w: Tensor[(1, 2), int64]) {
  let %p = dyn.nn.pad(%x, %w, 0f);
  let %y = %x as Tensor[(k,), float32];
  assert k == 3;
  %y
}""",
    "merge-ops, simplify-shapes": """def @main(%x: Tensor[(4,), float32]) {
  let %y = dyn.strided_slice(%x, [3i64], [-5i64], [-1i64]);
  let %z = dyn.nn.pad(%x, zeros(shape=[1, 2], dtype="int64"), 0f);
  (reshape(dyn.reshape(%x, [2i64, 2i64]), newshape=[4]), %y, %z)
}""",
    "merge-ops, dynamic-to-static": """def @main(%x: Tensor[(n,), float32]) {
  (dyn.reshape(%x, [-1i64]), dyn.nn.pad(%x, zeros(shape=[1, 2], dtype="int64"), 0f))
}""",
    "merge-ops, static-to-dynamic": """def @main(%x: Tensor[(4,), float32]) {
  (dyn.reshape(%x, [2i64, 2i64]), reshape(%x, newshape=[4, 1]))
}""",
}


@pytest.mark.parametrize("names", ROWS_HARD_ONCE)
def test_a_row_of_passes_keeps_what_a_program_does_that_was_hard_once(names: str) -> None:
    program: Any = Written(text := ROWS_HARD_ONCE[names])
    assert compiled(text).ok, compiled(text).diagnostics
    says = (keeps(Case(program, seed), row(names.split(", ")), {}) for seed in range(3))
    assert next((one for one in says if one), None) is None


def test_what_a_pass_takes_is_drawn_for_it() -> None:
    assert {name for name, one in PASSES.items() if one.takes} == GIVEN.keys()
