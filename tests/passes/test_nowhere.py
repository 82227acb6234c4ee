"""Programs in a branch of which everything holds, since a check there contradicts the way to it.

Values have ranks there that passes know they have not.  [pass.sharpen] [core.verify]
"""

from __future__ import annotations

import pytest

from gradual import Compilation, Tensor
from gradual.compiler import apply, check
from gradual.run.value import Stop
from gradual.tensors.tensor import random_tensor
from gradual.types.dtype import DType

HEAD = """type List[A] { Cons(A, List[A]), Nil, }
type Option[A] { Some(A), None_ }
def @g(%p: Tensor[(?, 2), float32]) -> Tensor[(?, 2), float32] { %p }
def @h(%p: Tensor[(a, b), float32]) -> Tensor[(a * b,), float32] { reshape(%p, newshape=[-1]) }
def @any(%p: Tensor[*, float32]) -> Tensor[*, float32] { %p }
def @id[A](%p: A) -> A { %p }
def @vec(%p: Tensor[(3,), int64]) -> Tensor[(?, ?, ?), float32] { dyn.zeros(%p, dtype="float32") }
def @lst(%p: List[Tensor[(?, 2), float32]]) -> int64 { 1i64 }
def @hide(%p: Tensor[(?,), int64]) -> Tensor[(?,), int64] { %p }
def @three(%p: Tensor[(3,), float32]) -> Tensor[(3,), float32] { %p }
"""
HIDDEN = (
    "let %a = %x as Tensor[*, float32];",
    "let %a = @any(%x);",
    "let %a = if (%k > 5) { %x as Tensor[*, float32] } else { %x as Tensor[*, float32] };",
)
CONTRADICTIONS = (
    "let %dead = %y as Tensor[(3,), float32];",
    'let %dead = add(%y, ones(shape=[3], dtype="float32"));',
    "assert dim(%y, 0) == 3;",
    "let %dead = @three(%y);",
)
CONDITIONS = ("take(shape_of(%y), 0) == 3", "dim(%y, 0) >= 3")
MATRICES = """
let %l = Cons(%c, Nil); match (%l) { Cons(%q, _) => { %q }, Nil => { %c } }
let %r = ref(%c); ref_write(%r, %c); ref_read(%r)
let %f = fn (%q: Tensor[(2, 2), float32]) { add(%q, %c) }; %f(%c)
let %f = fn (%q: Tensor[(?, 2), float32]) -> Tensor[(2, 2), float32] { %q }; %f(%a)
(%c, shape_of(%a)).0
let %t = (%a, shape_of(%a, dtype="int64")); let %u = %t.1; dyn.reshape(%c, %u)
let %d = if (%k > 0) { %c } else { %a }; @g(%d)
reshape(%a, newshape=[4])
let %s = shape_of(%a, dtype="int64"); if (take(%s, 0) == 2) { %c } else { %a }
let %s = shape_of(%a, dtype="int64"); let %n = take(%s, 1); arange(0i64, %n, 1i64); %c
concatenate((%a, %c), axis=0)
transpose(%a, axes=[1, 0])
let %v = concatenate((shape_of(%a, dtype="int64"), [1i64]), axis=0); @vec(%v)
let %o = Some(shape_of(%a)); match (%o) { Some(%q) => { dyn.zeros(%q) }, None_ => { %c } }
let %f = @id; let %q = %f(shape_of(%a, dtype="int64")); dyn.ones(%q, dtype="float32")
split(%a, indices_or_sections=2, axis=0).0
nn.dense(%a, %c)
let %z = ndarray_size(%a); let %w = full(1f, shape=[dim(%a, 0)], dtype="float32"); %w
"""
"""What may follow `let %c = %a as Tensor[(2, 2), float32];`."""

VECTORS = """
dyn.zeros(%w, dtype="float32")
dyn.reshape(%x, %w)
dyn.zeros(concatenate((%w, %w), axis=0), dtype="float32")
zeros(shape=[%w[0], %w[1]], dtype="float32")
let %q = take(%w, 1); arange(0i64, %q, 1i64); %x
let %q = reverse(%w, axis=0); dyn.zeros(%q, dtype="float32")
let %q = strided_slice(%w, begin=[0], end=[1], strides=[1]); dyn.zeros(%q, dtype="float32")
let %q = split(%w, indices_or_sections=2, axis=0).1; dyn.zeros(%q, dtype="float32")
let %q = if (%k > 0) { %w } else { %v }; dyn.zeros(%q, dtype="float32")
let %q = multiply(%w, [2i64, 3i64]); dyn.zeros(%q, dtype="float32")
let %r = ref(%w); dyn.zeros(ref_read(%r), dtype="float32")
let %f = fn (%q: Tensor[(2,), int64]) { dyn.zeros(%q, dtype="float32") }; %f(%w)
let %f = fn (%q: Tensor[(2,), int64]) { dyn.zeros(%q, dtype="float32") }; %f(%v)
dyn.tile(%x, %w)
dyn.full(1f, %w, dtype="float32")
"""
"""What may follow `let %w = %v as Tensor[(2,), int64];`."""

OTHERS = """
@g(%a)
@h(%a)
@any(%a)
let %c = %a as Tensor[(?, 2), float32]; @g(%c)
let %c = %a as Tensor[(?, 0), float32]; @h(%c)
@id(%a as Tensor[(2, 2), float32])
let %s = shape_of(%a, dtype="int64"); let %t = %s as Tensor[(2,), int64]; dyn.zeros(%t, dtype="float32")
let %c = %a as Tensor[(?, 2), float32]; @lst(Cons(%c, Nil)); %c
let %c = if (%k > 0) { %a } else { %a as Tensor[(2, 2), float32] }; %c
let %s = shape_of(%a, dtype="int64"); let %v = concatenate((%s, [1i64]), axis=0); @vec(%v)
let %n = dim[ndim(%a)]; let %c = %a as Tensor[(2, 2), float32]; if (%n == 2) { %c } else { @any(%a) }
let %q = multiply(%v, [2i64, 3i64]); dyn.zeros(%q, dtype="float32")
let %w = %v as Tensor[(4,), int64]; dyn.reshape(%x, %w)
let %w = %v as Tensor[(4,), int64]; let %q = take(%w, 3); arange(0i64, %q, 1i64); %x
let %w = %v as Tensor[(1,), int64]; let %q = squeeze(%w, axis=[0]); arange(0i64, %q, 1i64); %x
let %w = %v as Tensor[(4,), int64]; zeros(shape=[%w[3], %v[2]], dtype="float32")
"""
"""What may stand for itself."""

BODIES = (
    *(f"let %c = %a as Tensor[(2, 2), float32]; {line}" for line in MATRICES.split("\n") if line),
    *(f"let %w = %v as Tensor[(2,), int64]; {line}" for line in VECTORS.split("\n") if line),
    *(line for line in OTHERS.split("\n") if line),
)
PASSES = (
    ("dynamic-to-static",),
    ("static-to-dynamic",),
    ("fold-constants", "drop-dead"),
    ("inline", "simplify-shapes", "fold-constants", "drop-dead"),
    ("hoist-checks", "drop-proved-checks", "merge-ops"),
    ("inline", "hoist-checks", "drop-proved-checks", "simplify-shapes"),
)
PINNING = (("specialize", "n=2"), ("bucket", "n=1,4"))


def drawn(*shape: int) -> Tensor:
    return random_tensor(shape, DType.FLOAT32, 0)


INPUTS = (
    (drawn(2, 2, 3), drawn(3), drawn(2, 2), Tensor(1, "int64")),
    (drawn(2, 2, 3), drawn(4), drawn(2, 2), Tensor(1, "int64")),
    (drawn(3, 0, 2), drawn(2), drawn(2), Tensor(9, "int64")),
)


def outcome(compilation: Compilation, values: tuple[Tensor, ...]) -> object:
    try:
        return compilation.run("@main", *values)
    except Stop as stop:
        return stop.diagnostic.code, stop.diagnostic.span


@pytest.mark.parametrize(("number", "body"), list(enumerate(BODIES)))
def test_passes_take_what_nobody_comes_to(number: int, body: str) -> None:
    text = f"""{HEAD}
def @main(%x: Tensor[(n, m, ?), float32], %y: Tensor[(q,), float32], %z: Tensor[*, float32], %k: int64) {{
  {HIDDEN[number % 3]}
  let %v = @hide(shape_of(%x, dtype="int64"));
  let %out = if ({CONDITIONS[number % 2]}) {{ %z }} else {{
    {CONTRADICTIONS[number // 2 % 4]}
    {body}
  }};
  %out
}}
"""
    compilation = check(text)
    assert compilation.ok, [diagnostic.message for diagnostic in compilation.diagnostics]
    before = [outcome(compilation, values) for values in INPUTS]
    for words in PASSES:
        after = apply(compilation, *words)
        assert [outcome(after, values) for values in INPUTS] == before, words
        assert after.text
    for words in PINNING:
        assert apply(compilation, *words).text
