"""Functions at numbers that the user pins: interface, checks, calls, and what is refused."""

from __future__ import annotations

from pathlib import Path

import pytest

import gradual
from gradual import Compilation
from gradual.core.check import Check
from gradual.core.def_use import every
from gradual.core.terms import Invoke, Stop
from gradual.core.verify.function import violations
from gradual.dims.solver.decide import Decider
from gradual.passes.framework.pass_ import Unusable
from gradual.passes.framework.pins import unknowns
from gradual.run.value import Blame
from gradual.tensors.tensor import Tensor, random_tensor
from gradual.types.dtype import DType
from gradual.types.unpacking import sizes
from tests.material import RELAY_MODELS, needs_models

DENSE = """
def @main(%x: Tensor[(?, ?), float32], %w: Tensor[(10, 784), float32]) -> Tensor[(?, 10), float32] {
  nn.dense(%x, %w)
}
"""
CALLED = """
def @f(%x: Tensor[(?, ?), float32]) -> Tensor[(?, ?), float32] { nn.dense(nn.relu(%x), %x) }
def @main(%x: Tensor[(?, ?), float32], %y: Tensor[(10, 10), float32]) { (@f(%x), @f(@f(%y))) }
"""


def floats(*shape: int, seed: int = 1) -> Tensor:
    return random_tensor(shape, DType.FLOAT32, seed)


def at(text: str, *words: str) -> Compilation:
    return gradual.apply(gradual.check(text), "specialize", *words)


def checks(found: Compilation, name: str = "@main") -> list[Check]:
    return [step for step in every(found.core.functions[name].body) if isinstance(step, Check)]


def called(found: Compilation, name: str = "@main") -> list[str]:
    return [step.function for step in every(found.core.functions[name].body) if isinstance(step, Invoke)]


# ----------------------------------------------------------------------------------------------------------- interface
def test_the_interface_says_the_numbers_and_the_entry_demands_them() -> None:
    after = at(DENSE, "%x=(5,784)")
    assert after.types["@main"] == (
        "fn (Tensor[(5, 784), float32], Tensor[(10, 784), float32]) -> Tensor[(5, 10), float32]"
    )
    assert not checks(after)
    assert after.run("@main", floats(5, 784), floats(10, 784)).shape == (5, 10)  # type: ignore[union-attr]
    with pytest.raises(Blame, match="entry of `@main` refused: dim\\(%x, 0\\) is 4, expected 5") as stop:
        after.run("@main", floats(4, 784), floats(10, 784))
    assert stop.value.code == "E0602"


def test_what_is_left_open_is_measured_as_before() -> None:
    text = "def @main(%x: Tensor[(n, m), float32], %y: Tensor[(n + m,), float32]) where n <= m { (%x, %y) }"
    after = at(text, "n=3")
    assert after.types["@main"] == (
        "fn (Tensor[(3, m), float32], Tensor[(m + 3,), float32])"
        " -> (Tensor[(3, m), float32], Tensor[(m + 3,), float32]) where m >= 3"
    )
    after.run("@main", floats(3, 4), floats(7))
    for wrong in ((floats(3, 4), floats(8)), (floats(2, 4), floats(6)), (floats(3, 2), floats(5))):
        with pytest.raises(Blame):
            after.run("@main", *wrong)


@pytest.mark.parametrize("size, written", [("dim(%x,0)=6", 6), ("%x=(6,)", 6), ("n=3", 6)])
def test_a_written_size_is_pinned_by_its_dim(size: str, written: int) -> None:
    after = at("def @main(%x: Tensor[(2 * n,), float32], %y: Tensor[(n,), float32]) { (%x, %y) }", size)
    (x, y), _ = after.functions["@main"].params, after.functions["@main"].binders
    assert [str(part.shape[0]) for part in (x, y)] == ["6", "3"]  # type: ignore[union-attr]
    assert after.run("@main", floats(written), floats(3))


def test_a_check_that_fails_does_not_speak_of_a_dim_that_is_known() -> None:
    text = """
    def @main(%x: Tensor[(6,), float32], %y: Tensor[(m, m), float32]) {
      let %a = squeeze(%y, axis=[1]);
      let %z: Tensor[(?,), float32] = %x;
      nn.bias_add(%y, %z, axis=-1)
    }
    """
    with pytest.raises(Blame, match="is 6, expected 1"):
        at(text, "m=1").run("@main", floats(6), floats(1, 1))


def test_a_number_that_a_parameter_holds_is_a_clause() -> None:
    text = "def @main(%k: int64, %x: Tensor[(?, 2), float32]) { full(1f, shape=[%k, 2]) + %x }"
    after = at(text, "%k=3", "dim(%x,0)=3")
    assert not checks(after)
    assert after.run("@main", Tensor(3, "int64"), floats(3, 2)).shape == (3, 2)  # type: ignore[union-attr]
    with pytest.raises(Blame, match="%k"):
        after.run("@main", Tensor(4, "int64"), floats(3, 2))


@pytest.mark.parametrize("size", ["dim(%x,0)=5", "dim(%x, 0)=5", "%x=(5, ?)", "%x=( 5 , ? )"])
def test_blanks_in_parentheses_say_nothing(size: str) -> None:
    assert at(DENSE, size).types["@main"].startswith("fn (Tensor[(5, ?), float32], ")


def test_a_size_inside_a_tuple_is_named_by_its_path() -> None:
    after = at("def @main(%t: (Tensor[(?, 2), float32], float32)) { nn.relu(%t.0) }", "dim(%t.0,0)=4")
    assert after.types["@main"].endswith("-> Tensor[(4, 2), float32]")


def test_a_bound_that_the_number_satisfies_is_gone_and_another_is_kept() -> None:
    after = at("def @main(%x: Tensor[(?{u. u <= 4}, ?{u. u <= 4}), float32]) { %x }", "dim(%x,0)=3")
    with pytest.raises(Blame):
        after.run("@main", floats(3, 5))
    assert after.run("@main", floats(3, 4)) == floats(3, 4)


# -------------------------------------------------------------------------------------------------------------- checks
def test_a_check_that_never_holds_then_fails_always_with_its_label() -> None:
    text = """def @main(%x: Tensor[(?, 3), float32]) {
  let %y: Tensor[(4, 3), float32] = %x;
  nn.relu(%y)
}"""
    before, after = gradual.check(text), at(text, "dim(%x,0)=3")
    with pytest.raises(Blame) as expected:
        before.run("@main", floats(3, 3))
    with pytest.raises(Blame) as found:
        after.run("@main", floats(3, 3))
    assert (found.value.code, found.value.span, found.value.rule, found.value.blames) == (
        expected.value.code, expected.value.span, expected.value.rule, expected.value.blames,
    )  # fmt: skip
    assert any(isinstance(step, Check | Stop) for step in every(after.core.functions["@main"].body))


def test_integers_that_wrapped_still_wrap() -> None:
    text = "def @main(%x: Tensor[(n,), int64]) { multiply(%x, %x) }"
    big = Tensor([1 << 40, 3], "int64")
    assert at(text, "n=2").run("@main", big) == gradual.check(text).run("@main", big)


# --------------------------------------------------------------------------------------------------------------- calls
def test_calls_that_prove_the_numbers_go_to_the_copy_and_others_stay() -> None:
    after = at(CALLED, "@f:%x=(10,10)")
    assert sorted(called(after)) == ["@f", "@f_x_10_10", "@f_x_10_10"]
    assert after.types["@f"] == gradual.check(CALLED).types["@f"]
    x, y = floats(3, 3), floats(10, 10)
    assert after.run("@main", x, y) == gradual.check(CALLED).run("@main", x, y)


def test_a_recursive_function_calls_its_copy() -> None:
    text = """
def @f(%k: int64, %x: Tensor[(n, 2), float32]) -> Tensor[(n, 2), float32] {
  if (%k <= 0) { %x } else { @f(%k - 1, nn.relu(%x)) }
}
def @main(%k: int64, %x: Tensor[(3, 2), float32]) { @f(%k, %x) }
"""
    after = at(text, "@f:n=3")
    assert called(after) == ["@f_n_3"] and called(after, "@f_n_3") == ["@f_n_3"]
    assert after.run("@main", Tensor(5, "int64"), floats(3, 2)) == gradual.check(text).run(
        "@main", Tensor(5, "int64"), floats(3, 2)
    )


def test_one_check_at_each_call_that_does_not_prove_the_numbers() -> None:
    after = at(CALLED, "@f:%x=(10,10)", "calls=check")
    assert [check.condition for check in checks(after)] == ["dim(%x, 0) == 10 and dim(%x, 1) == 10"]
    assert not checks(after, "@f") and called(after) == ["@f"] * 3
    with pytest.raises(Blame) as stop:
        after.run("@main", floats(3, 3), floats(10, 10))
    assert stop.value.rule == "pass.specialize.check" and stop.value.blamed == "the call of `@f`"
    assert after.run("@main", floats(10, 10), floats(10, 10))


def test_a_call_that_never_fits_is_a_check_that_always_fails() -> None:
    text = """
def @f(%x: Tensor[(?,), float32]) { nn.relu(%x) }
def @main(%x: Tensor[(4,), float32]) { @f(%x) }
"""
    after = at(text, "@f:dim(%x,0)=3", "calls=check")
    with pytest.raises(Blame):
        after.run("@main", floats(4))


def test_other_functions_are_well_formed_beside_it() -> None:
    text = """
type Row { Of(Tensor[(?, 3), float32]) }
def @id[m](%x: Tensor[(m,), float32]) -> Tensor[(m,), float32] { %x }
def @apply[A, B](%f: fn (A) -> B, %x: A) -> B { %f(%x) }
def @row(%x: Tensor[(2, 3), float32]) -> Row { @apply(Of, %x) }
def @main(%x: Tensor[(n,), float32], %y: Tensor[(?,), float32]) { @id[n - 1](%y) }"""
    after = at(text, "@main:n=4")
    assert after.run("@main", floats(4), floats(3)) == floats(3)


# ------------------------------------------------------------------------------------------------------------- refused
REFUSED = {
    "n=0": "does not hold for these numbers",
    "n=-1": "a size is a number",
    "n=x": "a size is a number",
    "k=3": "there is nothing called `k`; sizes that can be given: `@main:n`",
    "@g:n=3": "there is no function `@g`",
    "dim(%x,0)=2": "no number for a single unknown makes it 2",
    "dim(%x,1)=3": "is 2, not 3",
    "dim(%z,0)=9": "since its declared bound is `u <= 4`",
    "%x=(3,)": "has 2 sizes",
    "%x=3": "has 2 sizes",
    "calls=never": '`calls` is "redirect" or "check"',
}


@pytest.mark.parametrize("word, says", REFUSED.items())
def test_what_contradicts_the_declaration_is_refused(word: str, says: str) -> None:
    text = """
def @main(%x: Tensor[(2 * n + 1, 2), float32], %y: Tensor[(n,), float32], %z: Tensor[(?{u. u <= 4},), float32])
  where n > 0 { %x }"""
    with pytest.raises(Unusable) as refused:
        at(text, word)
    assert says in refused.value.message


def test_numbers_that_contradict_each_other_are_refused() -> None:
    text = """
def @main(%x: Tensor[(n,), float32], %y: Tensor[(n + 1,), float32], %z: Tensor[(m,), float32]) where m < n { %x }"""
    for words in (("n=3", "dim(%y,0)=5"), ("%x=(3,)", "%y=(5,)"), ("n=0",), ("n=3", "n=4"), ("n=9223372036854775808",)):
        with pytest.raises(Unusable):
            at(text, *words)
    for digits in ("9" * 30, "9" * 5000):
        with pytest.raises(Unusable, match="a number outside the range of int64"):
            at(text, f"n={digits}")
    with pytest.raises(Unusable, match="a number outside the range of int32"):
        at("def @main(%k: int32) { %k }", "%k=2147483648")
    with pytest.raises(Unusable, match="needs an argument"):
        at(text)


def test_a_size_pins_what_it_is_written_with_once() -> None:
    text = """
def @main(%j: int32, %x: Tensor[(%j,), float32], %z: Tensor[(?,), float32], %y: Tensor[(dim(%z, 0),), float32]) { %x }
"""
    found = at(text, "dim(%x,0)=3", "dim(%y,0)=2", "%j=3", "dim(%z,0)=2").types["@main"]
    assert found.startswith("fn (int32, Tensor[(3,), float32], Tensor[(2,), float32], Tensor[(2,), float32])")
    assert found.endswith("where %j == 3")
    for words in (("dim(%x,0)=3", "%j=4"), ("%j=4", "dim(%x,0)=3"), ("dim(%y,0)=3", "dim(%z,0)=4")):
        with pytest.raises(Unusable):
            at(text, *words)
    with pytest.raises(Unusable, match="a number outside the range of int32"):
        at(text, "dim(%x,0)=2147483648")


def test_a_bound_of_a_size_that_is_pinned_is_demanded_still() -> None:
    text = "def @main(%f: Tensor[(?,), float32], %g: Tensor[(?{u. u <= dim(%f, 0)},), float32]) { (%f, %g) }"
    before, after = gradual.check(text), at(text, "dim(%g,0)=2")
    assert after.types["@main"].endswith("where dim(%f, 0) >= 2"), after.types
    for found in (before, after, gradual.check(after.text)):
        assert found.run("@main", floats(3), floats(2)) == (floats(3), floats(2))
        with pytest.raises(Blame) as stop:
            found.run("@main", floats(1), floats(2))
        assert stop.value.code == "E0602"


def test_calls_of_a_function_used_as_a_value_are_not_known() -> None:
    text = """
def @f(%x: Tensor[(?,), float32]) -> Tensor[(?,), float32] { nn.relu(%x) }
def @twice(%g: fn (Tensor[(?,), float32]) -> Tensor[(?,), float32], %x: Tensor[(4,), float32]) { %g(%g(%x)) }
def @main(%x: Tensor[(4,), float32]) { @twice(@f, %x) }
"""
    with pytest.raises(Unusable, match="used as a value"):
        at(text, "@f:dim(%x,0)=4", "calls=check")
    assert at(text, "@f:dim(%x,0)=4").run("@main", floats(4)) == gradual.check(text).run("@main", floats(4))


# -------------------------------------------------------------------------------------------------------------- models
@needs_models
@pytest.mark.parametrize("path", sorted(RELAY_MODELS.glob("*_any_*.relay")), ids=lambda path: path.stem)
def test_a_model_with_open_sizes_becomes_static(path: Path) -> None:
    before = gradual.check(path.read_text("utf-8"), path.name)
    numbers = {"0": "3", "2": "224", "3": "224"}
    words = [f"{size}={numbers[size[-2]]}" for size in unknowns(before.core.functions["@main"])]
    after = gradual.apply(before, "specialize", *words)
    main = after.core.functions["@main"]
    types = [*(param.type for param in main.params), *(s.type for s in every(main.body) if not isinstance(s, Check))]  # type: ignore[union-attr]
    assert words and not checks(after)
    assert all(size.value is not None for type in types for size in sizes(type))


# --------------------------------------------------------------------------------------------------------- what is kept
JOINED = """
def @main(%x: Tensor[(n, 1, m), float32], %open: Tensor[(?,), float32]) -> Tensor[(1, n, 0), float32]
    where n >= 0, m >= 0 {
  let %s = strided_slice(%x, begin=[0], end=[9], strides=[1]);
  let %t = strided_slice(%s, begin=[0], end=[9], strides=[2]);
  if (take(shape_of(%t), 0) == 1) {
    where(less(%t, %s), %t, %s)
  } else {
    %t as Tensor[((min(n, 9) + 1) // 2, n, n), float32]
  }
}
"""
BROADCAST = """
def @main(%x: Tensor[(m, m + 1, m), float32], %y: Tensor[(?,), float32], %k: int64) {
  let %z = if (%k == 3) { subtract(%y, %x) } else { %x };
  multiply(%y, %z)
}
"""


@pytest.mark.parametrize(("text", "pin"), [(JOINED, "m=1"), (BROADCAST, "m=3")])
def test_a_size_that_says_what_a_branch_checked_does_not_become_a_number(text: str, pin: str) -> None:
    after = at(text, pin)
    assert not violations(after.core, Decider())


def test_an_ascription_of_unknown_rank_says_nothing_of_elements() -> None:
    text = "def @main(%t: Tensor[(?,), int64]) { let %v: Tensor[*, int64] = reverse(%t, axis=0); %v }"
    assert not violations(at(text, "dim(%t,0)=3").core, Decider())
    text = "def @main(%k: int64) { let %v: Tensor[*, int64] = stack((%k, %k), axis=0); %v }"
    assert not violations(gradual.apply(gradual.check(text), "dynamic-to-static").core, Decider())


@pytest.mark.parametrize("name", ["floor_divide", "trunc_divide", "floor_mod", "trunc_mod"])
def test_what_is_divided_by_zero_keeps_the_elements_that_are_known(name: str) -> None:
    whole = f'dyn.full(1f, stack((2i64, {name}(%k, %z)), axis=0), dtype="float32")'
    assert not violations(at(f"def @main(%k: int64, %z: int64) {{ {whole} }}", "%z=0").core, Decider())


def test_a_call_that_gives_a_function_of_another_size_is_not_made_at_a_number() -> None:
    text = """def @mk(%a: Tensor[(m, 2), float32]) { fn (%c: Tensor[(m, 2), float32]) { add(%a, %c) } }
def @main(%x: Tensor[(n, 2), float32]) { let %f = @mk(%x); %f(%x) }"""
    with pytest.raises(Unusable, match="a call of `@mk` would have to convert a function") as refused:
        gradual.apply(gradual.check(text), "specialize", "@mk:m=2", "calls=check")
    assert refused.value.span is not None


def test_a_size_that_another_parameter_speaks_of_is_its_number_there_too() -> None:
    clause = "fn [m where m % dim(%y, 0) == 0](Tensor[(m,), float32]) -> float32"
    text = f"def @main(%y: Tensor[(?,), float32], %f: {clause}) -> float32 {{ %f(%y) }}"
    assert "m % 3 == 0" in at(text, "dim(%y,0)=3").text
