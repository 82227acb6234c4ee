"""Ten nasty programs: what is accepted, which checks remain, and what the runs give."""

from __future__ import annotations

import pytest

import gradual
from gradual import Blame, Compilation, Tensor
from gradual.core.verify.function import violations
from gradual.dims.solver.decide import Decider
from tests.properties.compiling import outcome
from tests.run.test_blame import floats


def accepted(text: str) -> Compilation:
    """The program, accepted by checker and verifier."""
    found = gradual.check(text)
    assert found.ok, [diagnostic.message for diagnostic in found.diagnostics]
    assert violations(found.core, Decider()) == []
    return found


def codes(text: str) -> list[str]:
    """The codes of errors and warnings."""
    return [diagnostic.code for diagnostic in gradual.check(text).diagnostics]


def conditions(found: Compilation) -> list[str]:
    """What is left to run time."""
    return [str(check.goal) for check in found.checks]


def shape(found: Compilation, *values: object) -> tuple[int, ...]:
    """The shape of the result, every step of the run watched."""
    ended = outcome(found.core, values)  # type: ignore[arg-type]
    assert ended.kind == "value", ended
    assert isinstance(ended.value, Tensor)
    return ended.value.shape


def test_sizes_of_zero_go_through_everything() -> None:
    found = accepted("""def @main(%x: Tensor[(n, ?), float32], %w: Tensor[(?, 0), float32]) where n >= 0 {
      let %a = concatenate((%x, %x), axis=0);
      let %b = strided_slice(%a, begin=[0], end=[2], strides=[1]);
      let %c = nn.dense(%b, %w);
      let %d = transpose(%c);
      let %e = concatenate((%d, zeros(shape=[0, dim(%d, 1)], dtype="float32")), axis=0);
      sum(%e, axis=[0])
    }""")
    assert conditions(found) == ["dim(%x, 1) == 0"]
    assert shape(found, floats(0, 0), floats(0, 0)) == (0,)
    assert shape(found, floats(3, 0), floats(2, 0)) == (2,)


def test_a_size_of_one_gives_way_only_at_run_time() -> None:
    found = accepted("""def @main(%x: Tensor[(n, ?), float32], %y: Tensor[(?, m), float32]) where n >= 0, m >= 0 {
      let %z = add(%x, %y);
      broadcast_to(%z, shape=[dim(%z, 0), dim(%z, 1)])
    }""")
    for left, right, joined in (
        ((1, 1), (3, 4), (3, 4)),
        ((3, 4), (1, 1), (3, 4)),
        ((1, 4), (3, 1), (3, 4)),
        ((0, 1), (1, 0), (0, 0)),
        ((1, 1), (0, 0), (0, 0)),
        ((0, 0), (1, 1), (0, 0)),
    ):
        assert shape(found, floats(*left), floats(*right)) == joined
    with pytest.raises(Blame):
        found.run("@main", floats(2, 1), floats(0, 1))


def test_shadowed_names_keep_their_own_sizes() -> None:
    found = accepted("""def @main(%x: Tensor[(n, ?), float32]) {
      let %f = fn (%x: Tensor[(n, ?), float32]) { let %x = transpose(%x); %x };
      let %y = %x;
      let %x: Tensor[(?, ?), float32] = transpose(%x);
      let %x = concatenate((%x, %x), axis=1);
      let %z = { let %x = %y as Tensor[(?, 3), float32]; %x };
      (%f(%y), %x as Tensor[(3, ?), float32], %z)
    }""")
    assert conditions(found) == ["dim(%x, 1) == 3", "dim(%x_3, 0) == 3"]
    ended = outcome(found.core, (floats(2, 3),))
    assert ended.kind == "value"
    with pytest.raises(Blame):
        found.run("@main", floats(2, 4))


DEAD = """def @main(%x: Tensor[({n},), float32]) {{
  let %d = take(shape_of(%x), 0);
  if (%d == 4) {{ %x as Tensor[(5,), float32] as Tensor[(?,), float32] }} else {{ %x }}
}}"""


def test_a_branch_that_is_never_taken_owes_nothing() -> None:
    assert codes(DEAD.format(n=3)) == []
    assert codes(DEAD.format(n="?")) == ["E0403"]
    found = accepted(DEAD.format(n="?"))
    assert shape(found, floats(5)) == (5,)
    with pytest.raises(Blame):
        found.run("@main", floats(4))


def test_a_dead_branch_in_a_dead_branch() -> None:
    found = accepted("""def @main(%x: Tensor[(?, m), float32]) where m > 2 {
      let %d = take(shape_of(%x), 1);
      if (%d == 2) { if (%d == 1) { transpose(%x) } else { %x } } else { if (%d > 2) { %x } else { transpose(%x) } }
    }""")
    assert conditions(found) == []
    assert found.types["@main"] == "fn (Tensor[(?, m), float32]) -> Tensor[(?, m), float32] where m >= 3"
    assert shape(found, floats(2, 3)) == (2, 3)


def test_branches_nest_deep() -> None:
    depth = 60
    text = "def @main(%x: Tensor[(?,), float32], %i: int64) {\n"
    for level in range(depth):
        longer = f'concatenate((%x, ones(shape=[{level}], dtype="float32")), axis=0)'
        text += f"if (%i == {level}i64) {{ {longer} as Tensor[(?,), float32] }} else {{\n"
    text += "%x as Tensor[(?,), float32]\n" + "}\n" * depth + "}"
    found = accepted(text)
    assert conditions(found) == []
    for index in (0, 7, depth - 1, depth):
        assert shape(found, floats(3), Tensor(index, "int64")) == (3 + (index if index < depth else 0),)


def test_a_name_is_used_again_and_again() -> None:
    found = accepted("""
    def @f(%x: Tensor[(n, n), float32], %y: Tensor[(n + 1, 2 * n), float32]) -> Tensor[(n, n + 1), float32]
      where n > 0 {
      transpose(nn.dense(%y, concatenate((%x, %x), axis=1)))
    }
    def @g(%n: Tensor[(n, n), float32], %m: Tensor[(m, k), float32]) -> Tensor[(n, m), float32]
      where m == n + 1, k == 2 * n, n > 0 { @f(%n, %m) }
    def @main(%x: Tensor[(?, ?), float32], %y: Tensor[(?, ?), float32]) -> Tensor[(?, 3), float32] { @g(%x, %y) }""")
    assert shape(found, floats(2, 2), floats(3, 4)) == (2, 3)
    for left, right in (((2, 3), (3, 4)), ((2, 2), (2, 4)), ((2, 2), (3, 3)), ((0, 0), (1, 0)), ((3, 3), (4, 6))):
        with pytest.raises(Blame):
            found.run("@main", floats(*left), floats(*right))


def test_closures_keep_the_unknowns_they_captured() -> None:
    found = accepted("""def @main(%x: Tensor[(?,), float32], %b: bool) {
      let %u = unique(%x).0;
      let %f = fn (%a: Tensor[(dim(%u, 0),), float32]) { add(%a, %u) };
      let %g = fn (%a: Tensor[(?,), float32]) { let %h = fn (%c: Tensor[(?,), float32]) { %f(%c) }; %h(%a) };
      if (%b) { %f(%u) } else { %g(%x) }
    }""")
    assert conditions(found) == ["dim(%c, 0) == dim(%_1.0, 0)"]
    assert shape(found, Tensor([1.0, 1.0], "float32"), Tensor(True, "bool")) == (1,)
    assert shape(found, Tensor([1.0, 2.0], "float32"), Tensor(False, "bool")) == (2,)
    with pytest.raises(Blame):
        found.run("@main", Tensor([1.0, 1.0], "float32"), Tensor(False, "bool"))


def test_recursion_measures_its_sizes_each_time() -> None:
    found = accepted("""def @halves(%x: Tensor[(n, 2), float32]) -> Tensor[(?, 2), float32] {
      let %d = take(shape_of(%x), 0);
      if (%d <= 1) { %x as Tensor[(?, 2), float32] } else {
        let %y = sum(reshape(%x, newshape=[2, n // 2, 2]), axis=[0]);
        let %z = @halves(%y);
        concatenate((%z, %x), axis=0) as Tensor[(?, 2), float32]
      }
    }
    def @main(%x: Tensor[(?, 2), float32]) { @halves(%x) }""")
    assert conditions(found) == ["n == 2 * (n // 2)", "dim(%x, 0) >= 1"]
    assert shape(found, floats(8, 2)) == (15, 2)
    with pytest.raises(Blame) as caught:
        found.run("@main", floats(12, 2))
    assert caught.value.sizes == {"n": 3}


def test_tuples_of_unknowns_keep_their_places() -> None:
    found = accepted("""def @swap(%t: (Tensor[(?, n), float32], (Tensor[(n, ?), float32], int64))) {
      ((%t.1.0, %t.1.1), %t.0)
    }
    def @main(%a: Tensor[(?, ?), float32], %b: Tensor[(?, ?), float32], %i: int64) {
      let %t = @swap((%a, (%b, %i)));
      let %u: ((Tensor[(?, ?), float32], int64), Tensor[(2, ?), float32]) = %t;
      nn.dense(%u.1, transpose(%u.0.0))
    }""")
    assert shape(found, floats(2, 3), floats(3, 5), Tensor(1, "int64")) == (2, 5)
    for left, right in (((2, 3), (4, 5)), ((3, 3), (3, 5))):
        with pytest.raises(Blame):
            found.run("@main", floats(*left), floats(*right), Tensor(1, "int64"))


def test_an_argument_with_a_let_of_its_own_keeps_the_check_of_another() -> None:
    found = accepted("""
    def @f(%a: Tensor[(n,), float32], %b: Tensor[(n,), float32]) -> Tensor[(n,), float32] { add(%a, %b) }
    def @main(%x: Tensor[(?,), float32], %y: Tensor[(?,), float32]) {
      @f({ let %z: Tensor[(3,), float32] = %x; nn.relu(%z) }, %y)
    }""")
    assert conditions(found) == ["dim(%x, 0) == 3", "dim(%y, 0) == 3"]


def test_contents_of_a_join_of_integers() -> None:
    found = accepted("""def @main(%x: Tensor[(?,), float32], %i: int64, %b: bool) {
      let %k = if (%b) { %i } else { %i };
      let %d = if (%i > 3) { %i - 3 } else { 0i64 };
      (arange(0i64, %k, 1i64) , arange(0i64, %d, 1i64))
    }""")
    assert conditions(found) == []
    ended = outcome(found.core, (floats(1), Tensor(5, "int64"), Tensor(True, "bool")))
    assert ended.kind == "value"


@pytest.mark.parametrize(
    ("expression", "values", "result"),
    [
        ("reshape(%x, newshape=[dim(%y, 0), 0])", (floats(2, 0), floats(0)), (0, 0)),
        ("reshape(%x, newshape=[dim(%y, 0), -1])", (floats(0, 3), floats(1)), (1, 0)),
        ("split(%x, indices_or_sections=dim(%y, 0)).1", (floats(3, 2), floats(1)), (2, 2)),
    ],
)
def test_what_a_program_means_does_not_depend_on_how_much_is_known(
    expression: str, values: tuple[Tensor, Tensor], result: tuple[int, ...]
) -> None:
    known = values[1].shape[0]
    for size in (str(known), "?", "n"):
        takes = "where n >= 0 " if size == "n" else ""
        head = f"def @main(%x: Tensor[(?, ?), float32], %y: Tensor[({size},), float32]) {takes}"
        found = accepted(f"{head}{{ {expression} }}")
        assert shape(found, *values) == result
    exact = ", ".join(map(str, values[0].shape))
    found = accepted(f"def @main(%x: Tensor[({exact}), float32], %y: Tensor[({known},), float32]) {{ {expression} }}")
    assert shape(found, *values) == result


@pytest.mark.parametrize("size", ["1", "?", "n"])
def test_an_axis_is_written_not_computed(size: str) -> None:
    text = f"def @main(%x: Tensor[(2, 3), float32], %y: Tensor[({size},), float32]) {{ sum(%x, axis=[dim(%y, 0)]) }}"
    assert codes(text) == ["E0207"]


NOBODY_KNOWS = "dim(%x, 2) == (dim(%x, 0) + 3) * (dim(%x, 2) - 1)"
"""Never so, as Z3 knows and nobody else."""


@pytest.mark.parametrize("smt", [True, False])
@pytest.mark.parametrize(
    "body",
    [
        f"if ({NOBODY_KNOWS}) {{ let %t: Tensor[(3,), float32] = %y; 1 }} else {{ 2 }}",
        f"let %r = if (logical_and(%c, {NOBODY_KNOWS})) {{ %y }} else {{ %z }}; 1",
        f"if ({NOBODY_KNOWS}) {{ let %r = if (%c) {{ %y }} else {{ %z }}; 1 }} else {{ 2 }}",
    ],
)
def test_a_strict_definition_is_not_refused_where_nobody_knows_whether_anything_comes(body: str, smt: bool) -> None:
    params = "%c: bool, %x: Tensor[(a, b, c), float32], %y: Tensor[(n,), float32], %z: Tensor[(m,), float32]"
    assert gradual.check(f"def @main({params}) -> int32 {{ {body} }}", smt=smt).ok
