"""Programs that ask much of a shape function: empty and huge sizes, odd names, branches, divisions, data, refusals."""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from random import Random

import pytest

import gradual
from gradual.dims.solver.decide import Decider
from gradual.shape_functions import c, python, relay
from gradual.shape_functions.build import Refused
from gradual.tensors.tensor import Tensor, random_tensor
from gradual.tensors.value import Value
from gradual.types.dtype import DType
from tests.properties.inputs import arguments, spoiled
from tests.shape_functions.forms import (
    COMPILER,
    FLAGS,
    OVERFLOW,
    Answer,
    InC,
    Shaped,
    agreeing,
    needs_compiler,
    shaped,
)

PROGRAMS: Mapping[str, str] = {
    "empty": """def @main(%x: Tensor[(n, m), float32]) where n >= 0, m >= 0 { reshape(%x, newshape=[m, n]) }""",
    "names_of_languages": """def @main(%int: Tensor[(for, while), float32], %while: Tensor[(lambda, max), float32],
          %NULL: Tensor[(I, NeedFails), float32]) {
      let %return = nn.relu(%NULL); (%int, %while, %return)
    }""",
    "names_that_clash": """def @main(%conv2/3x3_w: Tensor[(n, n_2), float32], %conv2_3x3_w: Tensor[(n, n_2), float32],
          %x.1: Tensor[(x_0,), float32], %x: (Tensor[(x_shape,), float32], Tensor[(t,), float32])) {
      (add(%conv2/3x3_w, %conv2_3x3_w), %x.1, %x)
    }""",
    "names_by_case": """def @main(%x.y: Tensor[(n, ?), float32], %X_y: Tensor[(?, ?), float32]) {
      nn.matmul(%x.y, %X_y)
    }""",
    "shadowed": """def @main(%x: Tensor[(n,), float32]) {
      let %x = concatenate((%x, %x), axis=0);
      let %x = concatenate((%x, %x), axis=0);
      if (dim(%x, 0) > 8) { let %x = exp(%x); %x } else { %x }
    }""",
    "dead": """def @main(%x: Tensor[(n, ?), float32]) where n >= 3 {
      if (n < 2) { let %y = %x as Tensor[(1, 7), float32]; nn.relu(%y) } else { %x }
    }""",
    "never": """def @main(%x: Tensor[(?,), float32]) where dim(%x, 0) <= 4 {
      let %y = %x as Tensor[(3,), float32];
      let %z: Tensor[*, float32] = %y;
      let %w = %z as Tensor[(?,), float32];
      %w as Tensor[(9,), float32]
    }""",
    "needs_that_contradict": """def @main(%x: Tensor[(?, ?), float32]) {
      if (dim(%x, 0) == 1) { %x } else { let %y = %x as Tensor[(1, ?), float32]; %x }
    }""",
    "deep": "def @main(%x: Tensor[(n, ?), float32]) { "
    + "".join(
        f"let %a{k} = if (dim(%x, 1) == {k}) {{ let %y = concatenate((%x, %x), axis=0); concatenate((%y, %x), axis=0) "
        "} else { "
        for k in range(14)
    )
    + "%x"
    + "".join(f" }}; %a{k}" for k in reversed(range(14)))
    + " }",
    "division_by_zero": """def @main(%x: Tensor[(n,), float32], %k: int64) {
      if (%k > 0) { reshape(%x, newshape=[%k, n // %k]) as Tensor[(?, ?), float32] }
      else { reshape(%x, newshape=[1, n]) as Tensor[(?, ?), float32] }
    }""",
    "divisions_round_down": """def @main(%x: Tensor[(n,), float32], %k: int64) {
      let %j = floor_divide(%k - 7i64, 3i64);
      let %m = floor_mod(%k - 7i64, 5i64);
      zeros(shape=[max(%j, 0), %m, min(n, max(%k, 1))])
    }""",
    "asserted": r"""def @main(%x: Tensor[(n, ?), float32]) {
      assert n % 3 == 0 or n // 2 == 5, "three \"or\" ten ??/ %d */ \\";
      assert dim(%x, 1) >= 1;
      reshape(%x, newshape=[-1, dim(%x, 1)])
    }""",
    "tuples": """def @main(%t: ((Tensor[(n,), float32], (int64, Tensor[(2,), int64])), ())) {
      (((%t.0.0,), ()), dyn.ones(%t.0.1.1, dtype="float64"), arange(0i64, %t.0.1.0, 1i64))
    }""",
    "data": """def @main(%x: Tensor[(n, 3), bool], %b: bool) {
      let %i = argwhere(%x);
      let %j = if (%b) { %x as Tensor[(?, 3), bool] } else { concatenate((%x, %x), axis=0) as Tensor[(?, 3), bool] };
      (%i, unique(reshape(%x, newshape=[-1])), %j, add(%i, %i))
    }""",
    "structures": """type List[A] { Cons(A, List[A]), Nil }
    type Maybe { Some(Tensor[(?,), float32]), None_ }
    def @main(%x: Tensor[(n,), float32], %b: bool) {
      let %o = if (%b) { Some(%x) } else { None_ };
      (Cons(%x, Nil), match (%o) { Some(%y) => { %y }, None_ => { %x as Tensor[(?,), float32] } }, %x)
    }""",
    "loop": """def @loop(%i: int64, %x: Tensor[(?, 2), float32]) -> Tensor[(?, 2), float32] {
      if (%i <= 0) { %x } else { @loop(%i - 1i64, concatenate((%x, %x), axis=0)) }
    }
    def @main(%i: int64, %x: Tensor[(?, 2), float32]) { let %y = @loop(%i, %x); add(%y, %y) }""",
    "nothing_given": "def @main() { ones(shape=[3, 4]) }",
    "no_axes": "def @main(%a: float32, %b: bool) { if (%b) { %a } else { exp(%a) } }",
    "ranks": "def @main(%x: Tensor[(n, ?), float32]) { if (dim(%x, 1) == 1) { sum(%x, axis=[1]) } else { %x } }",
}
CALLS = 12


def program(name: str) -> Shaped:
    found = gradual.check(PROGRAMS[name], f"{name}.relay")
    assert found.ok, found.render()
    return shaped(found, name=name)


def calls(one: Shaped) -> Iterator[tuple[Shaped, Sequence[Value]]]:
    """Arguments of `@main`, of which every third has a size that is changed."""
    for seed in range(CALLS):
        random = Random(f"{one.made.name} {seed}")
        values = arguments(one.found.core.functions["@main"], random)
        if values is not None:
            yield one, spoiled(values, random) if seed % 3 == 2 else values


def test_the_forms_agree_with_the_machine_and_the_plan(tmp_path: Path, tell: Callable[[str], None]) -> None:
    programs = [program(name) for name in PROGRAMS]
    for one in programs:
        assert one.relay.ok and not one.relay.refuted, one.relay.render()
    counts = agreeing([call for one in programs for call in calls(one)], tmp_path)
    tell(f"nasty programs: {dict(counts)}")
    assert counts["need"] > 20 and counts["shapes"] > 60


def sizes_of(name: str) -> Mapping[str, tuple[str, ...]]:
    """Result -> its sizes, `<= …` for a bound, `?` for one that is not known."""
    return {
        result.path: tuple(
            "?" if size.dim is None else f"{'' if size.exact else '<= '}{size.dim}" for size in result.sizes or ()
        )
        for result in program(name).made.results
        if result.sizes is not None
    }


def test_what_depends_on_data_is_a_bound_and_said_to_be_one() -> None:
    assert sizes_of("data") == {
        ".0": ("<= 3 * n", "2"),
        ".1.0": ("<= 3 * n",),
        ".1.1": ("<= 3 * n",),
        ".1.2": ("3 * n",),
        ".1.3": ("1",),
        ".2": ("<= t", "3"),
        ".3": ("<= 3 * n", "2"),
    }
    made = program("data").made
    said = "axis 0"
    assert f"float32; an upper bound only: {said}" not in c.printed(made)
    assert f"the result.0: int32; an upper bound only: {said} */" in c.printed(made)
    assert f"// result.0: int32; an upper bound only: {said}" in relay.printed(made, Decider())
    assert "('.0', 'int32', (False, True))," in python.printed(made)


def test_what_nothing_bounds_is_not_known() -> None:
    assert sizes_of("loop") == {"": ("?", "2")}
    assert [left.says for left in program("loop").made.undecided] == [
        "a call of `@loop`: what it needs and what it allocates is its own"
    ]
    assert sizes_of("structures") == {".1": ("?",), ".2": ("n",)}
    assert [result.says for result in program("structures").made.results] == [
        "a `List[Tensor[(n,), float32]]`", "float32", "float32",
    ]  # fmt: skip
    assert sizes_of("ranks") == sizes_of("never") == {}


def test_a_check_in_a_branch_of_data_is_left_to_the_run() -> None:
    found = gradual.check("""def @main(%x: Tensor[(n, ?), float32], %b: bool) {
      if (%b) { let %y = %x as Tensor[(?, 4), float32]; sum(%y) } else { 0f }
    }""")
    assert [left.says for left in shaped(found).made.undecided] == [
        "c1: dimension 1 of the cast does not fit (data decides whether it is come to)"
    ]


IN_BRANCHES = """def @main(%x: Tensor[(n, ?), float32], %k: int64) {
  if (n <= 2) { let %y = %x as Tensor[(?, 3), float32]; sum(%y) }
  else { if (%k == n) { let %y = %x as Tensor[(?, 4), float32]; sum(%y) } else { 0f } }
}"""


def test_a_check_in_a_branch_of_sizes_is_decided_where_it_is_come_to(tmp_path: Path) -> None:
    one = shaped(gradual.check(IN_BRANCHES))
    shapes = [(n, m, k) for n in (2, 5) for m in (3, 4, 7) for k in (2, 5)]
    calls = [(one, (random_tensor((n, m), DType.FLOAT32, 1), Tensor(k, "int64"))) for n, m, k in shapes]
    agreeing(calls, tmp_path)
    failing = [one.in_python([(n, m), (), (k,)]).need.partition(" ")[0] for n, m, k in shapes]
    assert failing == ["", "", "c1", "c1", "c1", "c1", "", "c2", "", "", "", "c2"]


# ------------------------------------------------------------------------------------------------------------- numbers
HUGE = """def @main(%x: Tensor[(n, m, k), float32], %y: Tensor[(n, m, k), float32]) {
  (add(%x, %y), ones(shape=[n * n * n], dtype="int8"))
}"""


def in_all(one: Shaped, given: Sequence[tuple[int, ...]], folder: Path) -> tuple[Answer, Answer, Answer]:
    """What Python, Relay and C say."""
    (third,) = InC([one], folder).answers([(0, given)])
    return one.in_python(given), one.in_relay(given), third


@needs_compiler
def test_a_number_that_does_not_fit_is_an_error_of_its_own(tmp_path: Path) -> None:
    one = shaped(gradual.check(HUGE))
    fits = ((1 << 20, 1, 2), (1 << 20, 1, 2))
    exact, program, header = in_all(one, fits, tmp_path)
    assert exact == program == header and exact.numbers[3] == 1 << 60
    for given in (((1 << 21, 1, 1),) * 2, ((1 << 62, 1 << 62, 1),) * 2):
        exact, program, header = in_all(one, given, tmp_path)
        assert exact.kind == "shapes" and exact.numbers[3] == given[0][0] ** 3
        assert (program, header) == (OVERFLOW, OVERFLOW)


@needs_compiler
def test_a_need_that_fails_is_told_before_a_number_that_does_not_fit(tmp_path: Path) -> None:
    one = shaped(gradual.check(HUGE))
    exact, program, header = in_all(one, ((1 << 62, 1, 1), (1 << 61, 1, 1)), tmp_path)
    assert exact == program == header and "dimension 0 of argument 2 is not the declared one" in exact.need


@needs_compiler
def test_a_constant_beyond_int64_is_an_overflow_in_c_alone(tmp_path: Path) -> None:
    text = "def @main(%x: Tensor[(n,), int8]) where n * 9223372036854775807 * 4 >= n { tile(%x, reps=[4]) }"
    exact, program, header = in_all(shaped(gradual.check(text)), ((3,),), tmp_path)
    assert exact == program and exact.numbers[0] == 12
    assert header == OVERFLOW


@needs_compiler
def test_headers_stand_side_by_side_and_twice(tmp_path: Path) -> None:
    one, other = shaped(gradual.check(HUGE), name="one"), shaped(gradual.check(HUGE), name="other")
    for each in (one, other):
        (tmp_path / f"{each.made.name}.h").write_text(c.printed(each.made), "utf-8")
    lines = ["one.h", "other.h", "one.h"]
    (tmp_path / "both.c").write_text("".join(f'#include "{name}"\n' for name in lines), "utf-8")
    command = [COMPILER or "", *FLAGS, "-c", "-o", str(tmp_path / "both.o"), str(tmp_path / "both.c")]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


# ------------------------------------------------------------------------------------------------------------ refusals
@pytest.mark.parametrize(
    ("params", "says"),
    [
        ("%x: Tensor[*, float32]", "`%x` of `@main` has any rank, and a shape function takes a number of sizes; write"),
        ("%x: (int64, Tensor[*, int8])", "`%x.1` of `@main` has any rank"),
        ("%x: List[Tensor[(n,), float32]]", "`%x` of `@main` is a `List[Tensor[(n,), float32]]`, whose sizes are no"),
        ("%x: fn (int64) -> int64", "`%x` of `@main` is a function, whose sizes are no fixed number of integers"),
        ("%x: ref(int64)", "`%x` of `@main` is a reference"),
    ],
)
def test_what_has_no_fixed_number_of_sizes_is_refused(params: str, says: str) -> None:
    found = gradual.check(
        f"type List[A] {{ Cons(A, List[A]), Nil }}\ndef @main({params}, %y: Tensor[(n,), int8]) {{ %y }}"
    )
    assert found.ok, found.render()
    with pytest.raises(Refused) as refused:
        shaped(found)
    assert str(refused.value).startswith(says)


def test_a_type_parameter_is_refused() -> None:
    with pytest.raises(Refused, match="`%y` of `@main` is of the type parameter `A`"):
        shaped(gradual.check("def @main[A](%y: A) -> A { %y }"))
