"""Programs written to find one bug each, and what a property says of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from gradual.compilation import Compilation
from gradual.limits import Limits, Options
from gradual.run.value import Blame
from gradual.tensors.tensor import Tensor
from tests.properties.campaign import broken
from tests.properties.case import Case
from tests.properties.compiling import alike, compiled, outcome
from tests.properties.laws import LAWS

Trial = Callable[[], str | None]
"""Answers with what is wrong, or None."""

POOR = Options(smt=False, limits=Limits(models=1, cases=1, rows=0, residues=1), advise=False)
_SEEDS = 12


@dataclass(frozen=True)
class Written:
    """A program as text, where a law does not look inside."""

    text: str

    def __str__(self) -> str:
        return self.text


def obeys(law: str, text: str) -> Trial:
    """The program under a law, on the inputs of several seeds."""

    def trial() -> str | None:
        program: Any = Written(text)
        says = (broken(LAWS[law], Case(program, seed)) for seed in range(_SEEDS))
        return next((one for one in says if one), None)

    return trial


def less_precise(text: str, *pairs: tuple[str, str]) -> Trial:
    """Both guarantees for the program with texts replaced."""
    blurred = text
    for old, new in pairs:
        assert old in blurred
        blurred = blurred.replace(old, new, 1)

    def trial() -> str | None:
        found, other = compiled(text), compiled(blurred)
        if not found.ok or not other.ok:
            return f"{_messages(found)}, less precise {_messages(other)}"
        program: Any = Written(text)
        for case in (Case(program, seed) for seed in range(_SEEDS)):
            for values, ended in zip(case.inputs, case.outcomes, strict=True):
                again = outcome(other.core, values)
                if ended.kind == "value" and not alike(again.value, ended.value):
                    return f"{ended}, less precise {again}"
        return None

    return trial


def owes(text: str, *conditions: str) -> Trial:
    """Exactly these residual conditions are left."""

    def trial() -> str | None:
        found = compiled(text)
        left = sorted(str(check.goal) for check in found.checks)
        return None if found.ok and left == sorted(conditions) else f"{_messages(found)}, checks {left}"

    return trial


def owe_alike(text: str, renamed: str) -> Trial:
    """Other names for its dims, or another order, change neither acceptance nor the number of checks."""

    def trial() -> str | None:
        found = [compiled(one) for one in (text, renamed)]
        one, other = ((each.ok, len(each.checks)) for each in found)
        return None if one == other else f"{_messages(found[0])}, otherwise written {_messages(found[1])}"

    return trial


def blames(text: str, *through: str) -> Trial:
    """The residual checks are about the values that came through these positions."""

    def trial() -> str | None:
        found = [check.blame.through for check in compiled(text).checks]
        return None if found == list(through) else f"through {found}"

    return trial


def blames_there(text: str, sizes: tuple[int, ...], words: str, polarity: str) -> Trial:
    """On vectors of these sizes the run ends in blame of what these words name, on this side of it."""

    def trial() -> str | None:
        try:
            value = compiled(text).run("@main", *(Tensor([0.0] * size) for size in sizes))
        except Blame as blame:
            assert blame.check is not None
            label = blame.check.blame
            right = words in label.blamed and label.polarity == polarity
            return None if right else f"{label.blamed} is blamed, {label.polarity}"
        return f"{value}"

    return trial


def accepts_with_little(text: str) -> Trial:
    """The program is accepted although hardly anything can be decided."""

    def trial() -> str | None:
        found = compiled(text, POOR)
        return None if found.ok else _messages(found)

    return trial


def runs_alike_with_little(text: str) -> Trial:
    """The program ends as it does with the whole budget, although hardly anything can be decided."""

    def trial() -> str | None:
        found = compiled(text, POOR)
        program: Any = Written(text)
        for case in (Case(program, seed) for seed in range(_SEEDS)):
            for values, ended in zip(case.inputs, case.outcomes, strict=True):
                again = outcome(found.core, values)
                if again.kind != ended.kind or not alike(again.value, ended.value):
                    return f"{ended}, with little budget {again}"
        return None

    return trial


def refuses(text: str, code: str) -> Trial:
    """The program is refused, by an error of this code."""

    def trial() -> str | None:
        found = compiled(text)
        return None if code in {d.code for d in found.diagnostics} and not found.ok else _messages(found)

    return trial


def accepts(text: str) -> Trial:
    """The program is accepted."""

    def trial() -> str | None:
        found = compiled(text)
        return None if found.ok else _messages(found)

    return trial


def _messages(found: Compilation) -> str:
    return "; ".join(f"{d.code} {d.message}" for d in found.diagnostics) or "accepted"


# ---------------------------------------------------------------------------------------------------------- programs
DEAD_UNKNOWN = """def @main(%x: Tensor[(?,), float32]) {
  let %d = take(shape_of(%x), 0);
  if (%d == 4) { %x as Tensor[(5,), float32] as Tensor[(?,), float32] } else { %x }
}"""

RIGID = """def @main(%x: Tensor[(n,), float32], %y: Tensor[(n,), float32]) {
  let %d = take(shape_of(%y), 0);
  if (%d == 3) { %x as Tensor[(3,), float32] as Tensor[(n,), float32] } else { %x }
}"""

TWICE = "def @main(%x: Tensor[(?,), float32]) { add(%x, %x) }"

NOT_NEGATIVE = """def @main(%x: Tensor[(?,), float32], %y: Tensor[(n,), float32]) {
  (zeros(shape=[dim(%x, 0)], dtype="float32"), ones(shape=[n], dtype="float32"))
}"""

HARD = """def @main(%x: Tensor[(a, b, c, ?), float32], %y: Tensor[(a * a * a + b * b * b,), float32])
    where a >= 0, b >= 0, c >= 0 {
  %y as Tensor[(c * c * c,), float32]
}"""

FORGETFUL = """def @f(%x: Tensor[(n, 2), float32]) -> Tensor[(2, n), float32] where n == 2 { %x }
def @main(%x: Tensor[(?, 2), float32]) { @f(%x) }"""

ESCAPE = """def @main(%x: Tensor[(?,), float32]) {
  let %d = take(shape_of(%x), 0);
  let %z = if (%d == 3) { let %y: Tensor[(?,), float32] = %x; %y } else { %x };
  %z as Tensor[(4,), float32]
}"""

LEAK = """def @main(%b: bool, %x: Tensor[(?,), float32]) {
  let %z = if (%b) { %x as Tensor[(4,), float32] } else { %x };
  reshape(%x, newshape=[2, 2])
}"""

LITERAL = """def @main(%x: Tensor[(?,), float32]) {
  let %f = fn (%a: Tensor[(2,), float32]) { let %y: Tensor[(4,), float32] = %x; %a };
  reshape(%x, newshape=[2, 2])
}"""

ONE = "def @main(%x: Tensor[(n, 3), float32], %y: Tensor[(?, 3), float32]) { add(%x, %y) }"

WRAPPED = """def @main(%x: Tensor[(?, ?), float32]) {
  let %p = prod(shape_of(%x)) * 1500000000;
  let %q = maximum(%p, 0);
  (%q, %x)
}"""

MASKS = """def @main(%x: Tensor[(n,), float32], %p: Tensor[(n,), bool], %q: Tensor[(n,), bool]) {
  add(boolean_mask(%x, %p), boolean_mask(%x, %q))
}"""

CALLS = """def @f(%x: Tensor[(?,), float32]) -> Tensor[(?,), float32] { %x }
def @main(%x: Tensor[(n,), float32], %y: Tensor[(m,), float32], %z: Tensor[(?,), float32]) { add(@f(%x), @f(%y)) }"""

FORGETS = """def @main(%x: Tensor[(4,), float32]) {
  let %y: Tensor[(?,), float32] = %x;
  %y as Tensor[(5,), float32]
}"""

UNUSED = """def @main(%x: Tensor[(?,), float32]) {
  let %y: Tensor[(4,), float32] = %x;
  %x
}"""

MEASURED = """def @f(%a: Tensor[(n,), float32], %b: Tensor[(n,), float32]) -> Tensor[(n,), float32] { add(%a, %b) }
def @main(%x: Tensor[(?,), float32]) -> Tensor[(3,), float32] { @f(%x, zeros(shape=[3], dtype="float32")) }"""

RETURNED = "def @main(%x: Tensor[(?,), float32]) -> Tensor[(4,), float32] { %x }"

SHADOWED = """def @main(%x: Tensor[(?, ?), float32], %w: Tensor[(?, ?), float32]) {
  let %x = nn.dense(%x, %w);
  let %w = reshape(%x, newshape=[-1]);
  add(%w, reshape(%x, newshape=[-1]))
}"""

DIVIDES = """def @main(%x: Tensor[(2, 5), float32]) { reshape(%x, newshape=[1, 2, -1]) }"""

JOINED = """def @main(%b: bool, %x: Tensor[(10,), float32], %y: Tensor[(?,), float32]) {
  let %z = if (%b) { %x } else { %y };
  %z as Tensor[(10,), float32]
}"""

BRACKETS = """def @main(%x: Tensor[(2 * (n + 1), n), float32]) -> Tensor[(2 * (n + 1), n), float32] { %x }"""

LOOSE = """def @main(%x: Tensor[(n,), float32]) -> Tensor[(n,), float32] where n < 4 { %x }"""

NEVER = """def @main(%x: Tensor[(?,), float32]) {
  let %y: Tensor[(4,), float32] = %x;
  let %z: Tensor[(5,), float32] = %x;
  %x
}"""

TRUSTED = """def @main(%x: Tensor[(n, 2), float32], %y: Tensor[(3, n), float32]) { nn.dense(transpose(%x), %y) }"""

FOUR = "def @main(%x: Tensor[(?,), float32], %y: Tensor[(4,), float32]) { add(%x, %y) }"

JOIN = """def @main(%x: Tensor[(5,), float32], %y: Tensor[(5,), float32]) {
  let %d = take(shape_of(%x), 0);
  if (%d == 4) { %x } else { %y }
}"""

PLACES = """def @first(%k: int64, %j: int64, %y: Tensor[(%k,), float32]) -> Tensor[(%k,), float32] { exp(%y) }
def @second(%j: int64, %k: int64, %y: Tensor[(%k,), float32]) -> Tensor[(%k,), float32] { exp(%y) }
def @main(%y: Tensor[(n,), float32], %c: bool) {
  let %f = if (%c) { @first } else { @second };
  %f(dim(%y, 0), 77i64, %y)
}"""
CURRIED = """def @mk(%p: Tensor[(n,), float32]) {
  fn (%q: Tensor[(m,), float32]) { fn (%x: Tensor[(?,), float32]) { (%p, %q) } }
}
def @main(%x: Tensor[(?,), float32], %x_1: Tensor[(?,), float32], %z: Tensor[(?,), float32]) { @mk(%x_1)(%x)(%z) }"""
SECOND = """def @f(%a: Tensor[(n,), float32], %b: Tensor[(n,), float32]) -> Tensor[(n,), float32] { add(%a, %b) }
def @main(%x: Tensor[(?,), float32], %y: Tensor[(?,), float32]) { @f(%x, %y) }"""

UNIQUE = "def @main(%x: Tensor[(n,), float32]) { unique(%x).0 }"

MINUS = """def @main(%x: Tensor[(?,), float32]) { zeros(shape=[dim(%x, 0) - 1], dtype="float32") }"""

SQUARE = """def @square(%x: Tensor[(4,), float32]) -> Tensor[(2, 2), float32] { reshape(%x, newshape=[2, 2]) }
def @main(%x: Tensor[(?,), float32]) {
  let %g: fn (Tensor[(?,), float32]) -> Tensor[(?, ?), float32] = @square;
  let %y = %g(%x);
  reshape(%y, newshape=[-1])
}"""

LAYERS = """def @id(%x: Tensor[(?,), float32]) -> Tensor[(?,), float32] { %x }
def @main(%x: Tensor[(?,), float32]) {
  let %g: fn (Tensor[(?,), float32]) -> Tensor[(4,), float32] = @id;
  let %h: fn (Tensor[(?,), float32]) -> Tensor[(?,), float32] = %g;
  let %k: fn (Tensor[(?,), float32]) -> Tensor[(2,), float32] = %h;
  let %y = %k(%x);
  reshape(%y, newshape=[2, 1])
}"""

WRITTEN = """def @main(%x: Tensor[(?,), float32]) {
  let %r = ref(zeros(shape=[2], dtype="float32"));
  let %s: ref(Tensor[(?,), float32]) = %r;
  let %u = ref_write(%s, %x);
  let %y = ref_read(%r);
  reshape(%y, newshape=[2, 1])
}"""

LIST = """type List[A] { Cons(A, List[A]), Nil }
def @main(%x: Tensor[(?,), float32]) {
  let %l: List[Tensor[(?,), float32]] = Cons(%x, Nil);
  let %k: List[Tensor[(4,), float32]] = %l;
  match (%k) { Cons(%h, %t) => reshape(%h, newshape=[2, 2]), Nil => zeros(shape=[2, 2], dtype="float32") }
}"""

UNRANKED = "def @main(%x: Tensor[*, float32], %y: Tensor[(?,), float32]) { add(%x, %y) }"

RANK = "def @main(%x: Tensor[*, float32]) { %x as Tensor[(?, ?), float32] }"


def apart(order: str) -> str:
    """Two items that cannot both pass, in an order: a tensor is joined, and another one becomes a list's element."""
    items = {
        "c": "let %c = concatenate((%z, %y), axis=1);",
        "l": "let %l: List[Tensor[(6,), float32]] = Cons(%x, Nil);",
    }
    return f"""type List[A] {{ Cons(A, List[A]), Nil }}
def @main(%x: Tensor[(n,), float32], %y: Tensor[(n + 1, ?), float32], %z: Tensor[(1, ?), float32]) where n >= 0 {{
  {items[order[0]]}
  {items[order[1]]}
  (%l, %c)
}}"""


def chain(a: str, b: str, c: str) -> str:
    """A program whose proof goes through two facts about three names."""
    params = ", ".join(f"%{name}: Tensor[({name},), float32]" for name in (a, b, c))
    return f'def @main({params}) where {a} <= {b}, {b} <= {c} {{ zeros(shape=[{c} - {a}], dtype="float32") }}'
