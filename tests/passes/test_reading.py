"""The text after a pass is a program that means the same: law `text`, and programs that broke it.  [pass.surface]

`python -m tests.properties.campaign --law text` takes more.
"""

from __future__ import annotations

import re
from random import Random

import pytest

import gradual
from gradual import Compilation
from gradual.passes.catalogue import PASSES
from gradual.run.value import Blame
from gradual.tensors.tensor import random_tensor
from gradual.types.dtype import DType
from tests.generators.programs import generated
from tests.passes.reading import is_unsayable, misread, read
from tests.properties.case import Case
from tests.properties.compiling import compiled
from tests.properties.inputs import arguments
from tests.thorough import times

PROGRAMS = times(8)
START = 2000

PLAIN = [name for name, one in PASSES.items() if not one.takes]
"""The passes that are given nothing."""

FAILS = """def @main(%x: Tensor[(3,), float32]) {
  let %y: Tensor[(?,), float32] = %x;
  let %z: Tensor[(4,), float32] = %y;
  %z
}"""

TWO_FAIL = """operator never_0(%x: Tensor[(3,), float32]) -> Tensor[(?,), float32];
def @flat(%x: Tensor[(3,), float32]) { let %y: Tensor[(?,), float32] = %x; let %z: Tensor[(4,), float32] = %y; %z }
def @main(%x: Tensor[(3, 3), float32]) {
  let %y: Tensor[(?, 3), float32] = %x;
  let %z: Tensor[(4, 3), float32] = %y;
  %z
}"""

BROKE: dict[str, str] = {
    "a graph variable with a twin": """def @main(%x: Tensor[(6,), float32]) {
  %0 = reshape(%x, newshape=[2, 3]);
  %1 = nn.relu(%0);
  %1
}""",
    "branches that make tuples": """def @id(%x: Tensor[(n,), float32]) -> Tensor[(?,), float32] {
  if (n > 3) { %x as Tensor[(?,), float32] } else { %x }
}
def @twice(%x: Tensor[(n,), float32]) -> Tensor[(?,), float32] { concatenate((%x, %x)) }
def @main(%b: bool, %x: Tensor[(8,), float32]) {
  let %t = if (%b) { (@id(%x), 1) } else { (@twice(%x), 2) };
  %t.0
}""",
    "a branch in a branch": """def @main(%x: Tensor[(?,), float32]) {
  let %b = dim(%x, 0) == 3;
  let %c = dim(%x, 0) == 4;
  if (%b) { %x as Tensor[(3,), float32] as Tensor[(?,), float32] }
  else { if (logical_xor(%b, %c)) { %x as Tensor[(4,), float32] as Tensor[(?,), float32] } else { %x } }
}""",
    "ranks of a branch in a branch": """def @main(%x: Tensor[(m,), float32], %y: Tensor[(m, 1), float32], %k: int64) {
  let %a = if (%k >= 0) { %x } else {
    let %b = if (%k == -1) { %y as Tensor[*, float32] } else { %y };
    %b
  };
  sum(%a)
}""",
    "a check that fails": FAILS,
    "two checks that fail": TWO_FAIL,
    "a check that fails after another": """
def @f(%w: Tensor[(m, n), float32], %v: Tensor[(1, ?), float32]) -> Tensor[(?, 0), float32]
    where m >= 0, n >= 0 {
  nn.dense(%v, %w)
}
def @main(%x: Tensor[(n, 3), float32], %y: Tensor[(?, m), float32]) where n >= 0, m >= 0 {
  let %z = expand_dims(@f(%x, %x), axis=-1);
  (%z, broadcast_to(%y, shape=[m, m]))
}""",
    "a check that never holds after one that may": """
def @g(%x: Tensor[(n,), float32], %y: Tensor[(m,), float32]) where n == m, m >= 1 { %y }
def @main(%y: Tensor[(?,), float32]) {
  let %x: Tensor[(?,), float32] = zeros(shape=[0], dtype="float32");
  @g(%x, %y)
}""",
    "data that never converts": """type List[A] { Cons(A, List[A]), Nil }
def @main(%l: List[Tensor[(?, 3), float32]], %x: Tensor[(3,), float32]) {
  let %y = %x as Tensor[(?,), float32];
  let %z = if (dim(%y, 0) == 1) { %x } else { let %m = %l as List[Tensor[(6, dim(%y, 0) + 1), float32]]; %x };
  %z
}""",
    "an element from outside in the result of a literal": """
def @main(%x: Tensor[(?,), float32], %s: Tensor[(1,), int64]) {
  let %f = fn (%y: Tensor[(?,), float32]) { dyn.zeros(%s, dtype="float32") };
  %f(%x)
}""",
    "an element from outside in a parameter of a literal": """
def @main(%s: Tensor[(1,), int64]) {
  let %x = dyn.zeros(%s, dtype="float32");
  let %f = fn (%y: Tensor[(dim(%x, 0),), float32]) -> Tensor[(dim(%x, 0),), float32] { nn.relu(%y) };
  %f(%x)
}""",
    "a number that a parameter holds in the types of others": """
def @main(%k: int64, %x: Tensor[(%k, 2), float32]) -> Tensor[(%k, 2), float32] where %k >= 0 { nn.relu(%x) }""",
    "a definition that becomes strict": """
def @main(%x: Tensor[(0,), float32], %y: Tensor[(n,), float32], %c: bool) -> Tensor[(3,), float32] where n >= 0 {
  let %z = if (%c) {
    let %a = if (n <= 4) { %x } else { %y as Tensor[*, float32] };
    %x
  } else { %y };
  %z
}""",
    "data of a definition that becomes strict": """type List[A] { Cons(A, List[A]), Nil }
def @main(%x: Tensor[(m,), float32], %c: bool) -> List[Tensor[(3,), float32]] {
  let %y = %x as Tensor[*, float32];
  Cons(%x, Nil)
}""",
    "a divisor in a bound": """def @main(%x: Tensor[(?, 2), float32], %y: Tensor[(6, 2), float32]) {
  let %z = reshape(%y, newshape=[dim(%x, 0), -1]);
  strided_slice(%z, begin=[0], end=[2])
}""",
    "a size of unknown rank in the result of a literal": """
def @main(%x: Tensor[*, float32]) {
  let %y = expand_dims(%x, axis=0);
  let %f = fn (%z: Tensor[*, float32]) { shape_of(%y) };
  %f(%x)
}""",
    "references whose functions call their parameters otherwise": """def @main(%b: bool) {
  if (%b) { ref(fn (%a: float32) -> float32 { 1f }) }
  else { let %v: ref(fn (float32) -> float32) = ref(fn (%c: float32) -> float32 { 2f }); %v }
}""",
    "a tuple with a function that stays": """
def @main(%x: Tensor[(n,), float32]) { ref((%x, fn (%a: Tensor[(?,), float32]) -> float32 { sum(%a) })) }""",
    "a tuple with data that stay": """type List[A] { Cons(A, List[A]), Nil }
def @main(%x: Tensor[(n,), float32], %y: Tensor[(m,), float32]) where n == m {
  let %t: (Tensor[(n,), float32], List[Tensor[(m,), float32]]) = (%x, Cons(%x, Nil));
  %t
}""",
    "a rank that branches do not have": """def @main(%c: bool, %x: Tensor[(n,), float32], %y: Tensor[*, float32]) {
  assert ndim(%y) == 1;
  let %z = if (%c) { %y } else { %x };
  let %w = %z as Tensor[(?, 0), float32];
  %z
}""",
    "a function that never fits later, converted before": """
def @f(%a: Tensor[(?,), float32]) -> Tensor[(?,), float32] { exp(%a) }
def @main(%x: Tensor[(n,), float32], %y: Tensor[(k,), float32]) {
  let %g: fn (Tensor[(n // 2,), float32]) -> Tensor[(k,), float32] = @f;
  let %z: Tensor[(2,), float32] = %x;
  let %h: fn (Tensor[(2,), float32]) -> Tensor[(n,), float32] = %g;
  %h(%x)
}""",
    "a function type that speaks of its parameters, which are called like those around": """
def @same(%y: Tensor[(?,), float32]) -> Tensor[(dim(%y, 0),), float32] { exp(%y) }
def @get(%y: Tensor[(?,), float32]) { @same }
def @main(%y: Tensor[(?,), float32], %z: Tensor[(3,), float32]) { let %f = @get(%z); %f(%y) }""",
    "a result that divides by what only a call of it checks": """
def @main(%x: Tensor[(n,), int64], %y: Tensor[*, float32]) {
  let %f = fn (%a: Tensor[(1,), float32]) { reshape(%a, newshape=[n, -1]) };
  %f
}""",
    "a result that divides by a choice which is checked": """
operator my.at(%x: Tensor[(n, m), float32], %i: int64) -> Tensor[(m,), float32] where %i >= 0, %i < n {
  take(%x, %i, axis=0)
}
def @main(%x: Tensor[(1, m, n), float32], %i: int64) {
  let %y = my.at(ones(shape=[2, 3], dtype="float32"), %i);
  reshape(%x, newshape=[-1, dim(%x, 2)])
}""",
    "a size of what branches give, which one alone has": """
def @main(%m: int64, %x: Tensor[(?,), float32], %y: Tensor[*, float32], %z: Tensor[(?,), float32]) {
  let %r = if (%m == 3) { let %s = %y as Tensor[(?,), float32]; %y } else { %x };
  assert dim(%z, 0) == dim(%r, 0);
  %r as Tensor[(dim(%z, 0),), float32]
}""",
    "a number of elements of a rank that a check tells": """
def @main(%c: int64, %a: Tensor[(n,), float32], %y: Tensor[*, float32]) {
  let %v = %a as Tensor[*, float32];
  let %r = nn.relu(%v);
  let %s = %y as Tensor[(?,), float32];
  let %t = if (%c == 1) { %s } else { %r };
  let %u: Tensor[(?,), float32] = %t;
  %u
}""",
    "a size of what is made behind a branch": """
def @cut(%x: Tensor[(n,), float32]) where n >= 0 { strided_slice(%x, begin=[1], end=[9]) }
def @left(%x: Tensor[(n,), float32], %w: Tensor[(k,), float32]) -> Tensor[(n - k,), float32]
    where n >= 0, k >= 0, k <= n {
  strided_slice(%x, begin=[k], end=[n])
}
def @main(%x: Tensor[(?,), float32]) {
  let %s = shape_of(%x);
  let %t = if (take(%s, 0) == 1) { %s } else { let %y = %x as Tensor[(4,), float32]; %s };
  let %z = @cut(%x);
  let %gone = @left(%z, %x);
  %z
}""",
    "an assertion behind a conversion of data": """type List[A] { Cons(A, List[A]), Nil }
def @main(%l: List[Tensor[(0,), float32]], %x: Tensor[(?,), float32], %y: Tensor[(n,), float32]) where n >= 0 {
  let %c = %l as List[Tensor[(n,), float32]];
  assert dim(%x, 0) <= n;
  %c
}""",
}


TOOK = ["never_0", "never_0(Tensor[(?,), float32])"]
"""Constructors that are called like what prints declare."""


@pytest.mark.parametrize("constructor", TOOK)
def test_what_is_never_made_is_called_like_no_constructor(constructor: str) -> None:
    text = f"type T {{ {constructor}, }}\n{FAILS}"
    assert "operator never_1()" in after(text, "fold-constants").text


def after(text: str, name: str) -> Compilation:
    """A program after a pass."""
    before = gradual.check(text)
    assert before.ok, before.diagnostics
    return gradual.apply(before, name)


@pytest.mark.parametrize("name", PLAIN)
@pytest.mark.parametrize("what", BROKE)
def test_what_was_refused_is_read(what: str, name: str) -> None:
    made = after(BROKE[what], name)
    drawn = [arguments(made.core.functions["@main"], Random(f"{what} {number}")) for number in range(10)]
    inputs = [values for values in drawn if values is not None]
    assert inputs or "List" in BROKE[what]
    assert not is_unsayable(made.text)
    assert misread(made.core, inputs) is None


def test_what_a_literal_declares_is_not_known_behind_it() -> None:
    found = compiled("""def @main(%y: Tensor[(?,), float32]) -> int32 {
  let %f = fn (%a: Tensor[(dim(%y, 0) - 3,), float32]) { concatenate((%a, %y), axis=0) };
  let %z = %y as Tensor[(2,), float32];
  1
}""")
    values = [(random_tensor((size,), DType.FLOAT32, 1),) for size in (2, 5)]
    assert misread(found.core, values) is None


def test_graph_variables_are_numbered_as_they_stand() -> None:
    found = gradual.check("""type List[A] { Cons(A, List[A]), Nil }
def @main(%x: Tensor[(n,), float32], %y: Tensor[(?,), float32], %v: List[Tensor[(3,), float32]], %c: bool) {
  if (dim(%x, 0) > dim(%y, 0)) {
    zeros(shape=[5], dtype="float32")
  } else {
    let %z = %x as Tensor[(4,), float32];
    match (%v) {
      Cons(%head, %tail) => { %x },
      Nil => { if (%c) { concatenate((%x, %z), axis=0) } else { concatenate((%z, %z), axis=0) } },
    }
  }
}""")
    printed = gradual.apply(found, "specialize", "@main:dim(%y,0)=3").text
    numbers = list(dict.fromkeys(re.findall(r"(%[0-9]+)(?=:| =)", printed)))
    assert len(numbers) > 4
    assert numbers == [f"%{number}" for number in range(len(numbers))]


@pytest.mark.parametrize("name", PLAIN)
@pytest.mark.parametrize("text", [FAILS, TWO_FAIL])
def test_a_check_that_fails_is_printed_alike_after_every_further_pass(text: str, name: str) -> None:
    printed = after(text, "dynamic-to-static").text
    assert after(printed, name).text == printed


@pytest.mark.parametrize("name", PLAIN)
def test_the_text_of_a_check_that_fails_blames_it_with_its_numbers(name: str) -> None:
    three = random_tensor((3,), DType.FLOAT32, 1)
    made = after(FAILS, name)
    for one in (gradual.check(FAILS), made, gradual.check(made.text)):
        with pytest.raises(Blame) as found:
            one.run("@main", three)
        assert "dim(%y, 0) is 3, expected 4" in str(found.value)
        assert found.value.code == "E0601"


@pytest.mark.slow
@pytest.mark.parametrize("number", range(START, START + PROGRAMS))
def test_every_pass_prints_what_it_made(number: int) -> None:
    case = Case(generated(number, compiled), number)
    says = read(case)
    assert says is None, f"{says}\n{case.text}"
