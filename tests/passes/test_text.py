"""What passes print is read again: it checks, and ends as it did, label for label but for places.  [pass.surface]"""

from __future__ import annotations

from random import Random

import pytest

import gradual
from gradual import Compilation
from gradual.tensors.value import Value
from tests.properties.compiling import alike, outcome
from tests.properties.inputs import arguments

LIST = "type List[A] { Cons(A, List[A]), Nil, }\n"

PRINTED: dict[str, tuple[str, str]] = {
    "a rank that a size decides": (
        """def @main(%x: Tensor[*, float32], %s: Tensor[(?,), int64]) {
  let %y = dyn.reshape(%x, %s);
  let %z: Tensor[(?, 3), float32] = %y;
  nn.dense(%z, ones(shape=[5, 3], dtype="float32"))
}""",
        "specialize dim(%s,0)=1",
    ),
    "a check that a number refutes": (
        """def @main(%x: Tensor[(n,), float32], %y: Tensor[(?,), float32]) where n >= 2 {
  let %z: Tensor[(2 * n,), float32] = %y;
  %z
}""",
        "specialize dim(%y,0)=3",
    ),
    "an assertion that a number refutes": (
        """def @main(%x: Tensor[(n, ?), float32], %k: int64) where n >= 0 {
  assert n >= 1, "some";
  arange(0i64, %k, 1i64)
}""",
        "specialize n=0",
    ),
    "the parts of a list": (
        LIST
        + """def @main(%x: Tensor[(n, 3), float32], %y: Tensor[(?, ?), float32]) {
  let %l = Cons(%x, Cons(%y, Nil));
  match (%l) { Cons(%h, %t) => (sum(%h), match (%t) { Cons(%i, _) => %i, Nil => %y, }), Nil => (1f, %y), }
}""",
        "specialize dim(%y,1)=1",
    ),
    "the arguments of a call": (
        """def @choose[A](%c: bool, %x: A, %y: A) -> A { if (%c) { %x } else { %y } }
def @main(%x: Tensor[(n, 3), float32], %y: Tensor[(?, ?), float32], %c: bool) { @choose(%c, %x, %y) }""",
        "specialize dim(%y,1)=1",
    ),
    "a size that is checked before the branch that never has it": (
        """def @main(%x: Tensor[(?, 2), float32]) {
  let %b = if (dim(%x, 0) == 4) { reshape(%x, newshape=[2, 4]) } else { zeros(shape=[2, 4], dtype="float32") };
  let %a: Tensor[(3, 2), float32] = %x;
  (%b, %a)
}""",
        "hoist-checks",
    ),
    "a bound that is checked before the branch that never has it": (
        """def @g(%y: Tensor[(m,), float32]) where m >= 8 { %y }
def @main(%x: Tensor[(?,), float32], %k: int64) -> (Tensor[(?,), float32], Tensor[(?,), float32]) {
  let %b = if (dim(%x, 0) > 7) { if (%k > 2i64) { @g(%x) } else { exp(%x) } } else { %x };
  let %a: Tensor[(?{u. u <= 5},), float32] = %x;
  (%b, %a)
}""",
        "hoist-checks",
    ),
    "branches of which one is never taken": (
        """def @main(%x: Tensor[(?,), float32]) {
  let %b = if (dim(%x, 0) == 4) { %x } else { zeros(shape=[4], dtype="float32") };
  let %a: Tensor[(?{u. u <= 3},), float32] = %x;
  (add(%b, ones(shape=[4], dtype="float32")), %a)
}""",
        "hoist-checks",
    ),
    "an assertion in a branch at a number": (
        """def @main(%x: Tensor[(n,), bool], %y: Tensor[(?,), float32], %k: int64) {
  assert dim(%y, 0) >= n, "enough";
  let %o = ones(shape=[3], dtype="float32");
  if (n == 0) { sum(%y) } else { assert dim(%y, 0) == 3; assert %k > 0i64, "k"; max(add(%y, %o)) }
}""",
        "bucket n=2,4 inline",
    ),
    "types that a call chose in a function that chooses types": (
        LIST
        + """def @inner[A](%a: A) -> A { let %f = fn (%b: A) -> A { %b }; %f(%a) }
def @outer[A](%a: A) -> List[A] { @inner(Cons(%a, Nil)) }
def @main(%x: Tensor[(n, 3), float32], %y: Tensor[(?, 3), float32]) {
  match (@outer(%y)) { Cons(%h, _) => (%h, @inner((%x, %y))), Nil => (%y, (%x, %x)), }
}""",
        "inline",
    ),
    "a rank that a function checks": (
        """def @f(%p: Tensor[*, float32]) { let %y: Tensor[(?, ?), float32] = %p; sum(%y) }
def @main(%x: Tensor[*, float32]) {
  let %a = (%x, 1);
  let %s = @f(%x);
  let %u = exp(%x);
  (%s, (%x, %u), %a, add(%x, %u))
}""",
        "inline",
    ),
    "a rank that the only branch checks": (
        """def @main(%x: Tensor[*, float32]) {
  let %r = if (1i64 < 2i64) { let %y: Tensor[(?, ?), float32] = %x; sum(%y) } else { 1f };
  let %u = exp(%x);
  (%r, (%x, %u), nn.softmax(%u))
}""",
        "fold-constants",
    ),
    "a rank that a part of a tuple shares": (
        """def @sw[A, B](%p: (A, B)) -> (B, A) { (%p.1, %p.0) }
def @main(%x: Tensor[*, float32], %y: Tensor[(?,), float32]) {
  let %p = @sw((%x, %y));
  let %z: Tensor[(2, ?), float32] = %p.1;
  (%p, %z)
}""",
        "inline",
    ),
    "an assertion before what is ascribed": (
        """def @f(%v: Tensor[*, float32]) {
  let %w: Tensor[(?, ?), float32] = %v;
  assert dim(%w, 1) == 2, "two";
  sum(%w)
}
def @main(%y: Tensor[*, float32]) { @f(%y) }""",
        "hoist-checks inline hoist-checks simplify-shapes",
    ),
    "functions in a tuple, a list and a reference": (
        LIST
        + """def @mk(%a: Tensor[(m, 2), float32]) {
  let %g = fn (%b: Tensor[(?, 2), float32]) -> Tensor[(?, 2), float32] { concatenate((%a, %b), axis=0) };
  let %h = fn (%c: Tensor[(m, 2), float32]) { fn (%d: Tensor[(m, 2), float32]) { add(%d, %c) } };
  (Cons(%g, Nil), ref(%g), %h)
}
def @main(%x: Tensor[(n, 2), float32]) {
  let %p = @mk(%x);
  let %q = @mk(exp(%x));
  let %h = %p.2;
  let %i = %h(%x);
  let %r = ref_read(%q.1);
  let %l = match (%p.0) { Cons(%f, _) => %f(%x), Nil => %x, };
  (%i(%x), %r(%x), %l)
}""",
        "inline",
    ),
    "a function that a call at a number gives": (
        """def @mk(%a: Tensor[(m, 2), float32]) { fn (%c: Tensor[(m, 2), float32]) { add(%a, %c) } }
def @main(%x: Tensor[(n, 2), float32]) { if (n == 2) { let %f = @mk(%x); %f(%x) } else { %x } }""",
        "specialize @mk:m=2",
    ),
    "sizes that only a path knows": (
        """def @put(%z: Tensor[(n,), float32], %r: ref(Tensor[(n,), float32])) { ref_write(%r, exp(%z)) }
def @main(%x: Tensor[(m,), float32]) { let %r = ref(%x); @put(%x, %r); ref_read(%r) }""",
        "bucket @main:m=2 inline",
    ),
    "branches of which only the solver knows that they never agree": (
        """def @main(%x: Tensor[(m,), float32], %c: bool, %q: Tensor[(?,), float32]) {
  if (%c) { zeros(shape=[m * m], dtype="float32") as Tensor[(?,), float32] }
  else { zeros(shape=[3], dtype="float32") as Tensor[(?,), float32] }
}""",
        "inline fold-constants simplify-shapes",
    ),
    "a check of which only the solver knows that it never holds": (
        """def @main(%x: Tensor[(m,), float32], %c: bool, %q: Tensor[(?,), float32]) {
  let %p = zeros(shape=[m * m], dtype="float32") as Tensor[(?,), float32];
  if (%c) { %p as Tensor[(3,), float32] } else { zeros(shape=[3], dtype="float32") }
}""",
        "simplify-shapes",
    ),
}
"""A program, and the passes that it goes through."""


def read_again(after: Compilation) -> Compilation:
    """The text that a pass made, checked."""
    assert not after.text.startswith("// checked again"), after.text
    again = gradual.check(after.text)
    assert again.ok, (again.diagnostics, after.text)
    return again


def drawn(found: Compilation, name: str) -> list[tuple[Value, ...]]:
    random = Random(name)
    given = [arguments(found.core.functions["@main"], random) for _ in range(40)]
    return [values for values in given if values is not None]


@pytest.mark.parametrize("name", PRINTED)
def test_what_is_printed_ends_as_it_did(name: str) -> None:
    text, words = PRINTED[name]
    before = gradual.check(text)
    assert before.ok, before.diagnostics
    after = gradual.apply(before, *words.split())
    again = read_again(after)
    seen = 0
    for values in drawn(after, name):
        was, now = outcome(after.core, values), outcome(again.core, values)
        assert (was.kind, was.label and was.label[0]) == (now.kind, now.label and now.label[0]), (values, now.says)
        assert alike(was.value, now.value)
        first = outcome(before.core, values)
        assert (first.kind, first.label) == (was.kind, was.label)
        seen += 1
    assert seen > 20
    assert gradual.apply(again, "drop-dead").text == gradual.apply(gradual.check(again.text), "drop-dead").text
