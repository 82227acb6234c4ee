"""Buckets: the same values bit by bit, and where padding would change them, which operator says no."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

import gradual
from gradual import Compilation
from gradual.passes.framework.pass_ import Unusable
from gradual.passes.transform.bucket import waste
from gradual.tensors.tensor import Tensor, random_tensor
from gradual.types.dtype import DType
from tests.material import RELAY_MODELS, needs_models
from tests.passes.chains import breach, ended

MLP = """
def @main(%x: Tensor[(n, 12), float32], %v: Tensor[(8, 12), float32], %b: Tensor[(8,), float32],
          %w: Tensor[(5, 8), float32]) -> Tensor[(n, 5), float32] {
  let %h = nn.relu(nn.bias_add(nn.dense(%x, %v), %b, axis=-1));
  nn.softmax(nn.dense(%h, %w))
}
"""


def floats(*shape: int, seed: int = 1) -> Tensor:
    return random_tensor(shape, DType.FLOAT32, seed)


def bucketed(found: Compilation, *words: str) -> Compilation:
    return gradual.apply(found, "bucket", *words)


@pytest.mark.parametrize("words", [("n=1,8,64",), ("n=1,8,64", "pad=0"), ("n=1,8,64", "pad=-7.5")])
def test_a_network_gives_the_same_bits_at_every_size(words: tuple[str, ...]) -> None:
    before = gradual.check(MLP)
    after = bucketed(before, *words)
    assert list(after.types) == ["@main", "@main_n_1", "@main_n_8", "@main_n_64", "@main_any"]
    assert after.types["@main"] == before.types["@main"]
    weights = floats(8, 12, seed=2), floats(8, seed=3), floats(5, 8, seed=4)
    for n in range(71):
        x = floats(n, 12, seed=n)
        assert ended(after, x, *weights) == ended(before, x, *weights), n


def test_each_size_is_run_by_its_copy() -> None:
    """A copy that is broken on purpose shows which sizes come to it."""
    before = gradual.check("def @main(%x: Tensor[(n, 2), float32]) -> Tensor[(n, 2), float32] { nn.relu(%x) }")
    for words, reached in {("n=2,5",): {2}, ("n=2,5", "pad=0"): {1, 2}}.items():
        after = bucketed(before, *words)
        functions = dict(after.core.functions)
        functions["@main_n_2"] = functions["@main_n_5"]
        broken = replace(after, core=replace(after.core, functions=functions))
        wrong = set()
        for n in range(8):
            try:
                right = ended(broken, floats(n, 2)) == ended(before, floats(n, 2))
            except AssertionError:
                right = False
            wrong |= set() if right else {n}
        assert wrong == reached


def test_a_call_that_proves_a_size_goes_to_its_copy() -> None:
    text = (
        MLP.replace("@main", "@net")
        + """
def @main(%x: Tensor[(8, 12), float32], %v: Tensor[(8, 12), float32], %b: Tensor[(8,), float32],
          %w: Tensor[(5, 8), float32]) { @net(%x, %v, %b, %w) }"""
    )
    after = bucketed(gradual.check(text), "@net:n=1,8", "pad=0")
    assert "@net_n_8(" in after.text.split("def @main")[1]


ACCEPTED = {
    "flattened": "nn.relu(nn.batch_flatten(reshape(%x, newshape=[n, 2, 2])))",
    "as many rows as elements": "reshape(exp(reshape(%x, newshape=[-1])), newshape=[-1, 4])",
    "moved": "transpose(exp(transpose(%x, axes=[1, 0])), axes=[1, 0])",
    "turned": "transpose(%x, axes=[1, 0])",
    "another axis": "(softmax_(%x), sum(%x, axis=[1]), sort(%x, axis=1), reverse(%x, axis=1))",
    "added up": "cumsum(%x, axis=0)",
    "sized": "add(%x, zeros(shape=[n, 4], dtype=\"float32\"))",
    "one row for all": "add(%x, ones(shape=[1, 4], dtype=\"float32\"))",
    "stacked": "stack((%x, nn.relu(%x)), axis=0)",
    "concatenated beside": "concatenate((%x, %x), axis=1)",
    "two results": "split(%x, indices_or_sections=2, axis=1)",
    "not read": "let %m = mean(%x); nn.relu(%x)",
    "only the shape": "reshape(%x, newshape=[n, 4])",
    "a branch": "if (%b) { nn.relu(%x) } else { exp(%x) }",
    "normalized": "nn.layer_norm(%x, ones(shape=[4], dtype=\"float32\"), zeros(shape=[4], dtype=\"float32\"))",
    "indexed": "take(%x, [0, 1], axis=1)",
    "attention": "nn.batch_matmul(reshape(%x, newshape=[-1, 2, 2]), reshape(%x, newshape=[-1, 2, 2]))",
    "not padded": "sum(ones(shape=[3], dtype=\"float32\"))",
}  # fmt: skip


@pytest.mark.parametrize("body", ACCEPTED.values(), ids=ACCEPTED.keys())
def test_padding_keeps_the_value(body: str) -> None:
    body = body.replace("softmax_", "nn.softmax")
    before = gradual.check(f"def @main(%x: Tensor[(n, 4), float32], %b: bool) {{ {body} }}")
    assert before.ok, before.diagnostics
    after = bucketed(before, "n=1,3,6", "pad=9")
    for n in range(9):
        for b in (True, False):
            values = floats(n, 4, seed=n), Tensor(b, "bool")
            assert ended(after, *values) == ended(before, *values), n


REFUSED = {
    "nn.softmax(%x, axis=0)": "`nn.softmax` combines elements along dimension 0 of argument 1",
    "mean(%x)": "`mean` combines",
    "sum(%x, axis=[0])": "`sum` combines",
    "sum(%x, axis=[1], exclude=True)": "`sum` combines",
    "argmax(%x, axis=0)": "`argmax` combines",
    "sort(%x, axis=0)": "`sort` combines",
    "reverse(%x, axis=0)": "`reverse` combines",
    "repeat(%x, repeats=2, axis=0)": "`repeat` combines",
    "tile(%x, reps=[2, 1])": "`tile` combines",
    "concatenate((%x, %x), axis=0)": "`concatenate` combines",
    "nn.pad(%x, 0f, pad_width=[[1, 0], [0, 0]])": "`nn.pad` combines",
    "strided_slice(%x, begin=[1], end=[1000000])": "`strided_slice` combines",
    "nn.dense(transpose(%x, axes=[1, 0]), transpose(%x, axes=[1, 0]))": "`nn.dense` combines",
    "reshape(%x, newshape=[2, -1])": "`reshape` combines",
    "reshape(transpose(%x, axes=[1, 0]), newshape=[-1])": "`reshape` combines",
    "shape_of(%x)": "`shape_of`",
    "ndarray_size(%x)": "`ndarray_size`",
    "%x * cast(n, dtype=\"float32\")": "`n` is used in a computation",
    "if (n > 3) { nn.relu(%x) } else { %x }": "`n` is used in a computation",
    "add(%x, %g)": "depends on the padded size",
    "add(%x, %w)": "`add` needs `n == 3 or n == 1`",
    "nn.dense(%x, %x)": "`nn.dense` gives a value of which two dimensions would be padded",
    "cast(%x, dtype=\"int32\") / cast(%x, dtype=\"int32\")": "`divide` may fail on the padding",
    "take(%w, cast(%x, dtype=\"int32\"), axis=0, mode=\"fast\")": "`take` may fail on the padding",
    "@f(%x)": "`sum` combines",
    "@loop(2, %x)": "a call of `@loop`",
    "boolean_mask(%x, less(sum(%x, axis=[1]), 0f))": "`boolean_mask` is not declared",
    "unique(reshape(%x, newshape=[-1]))": "`unique` is not declared",
    "let %u = argwhere(%x); zeros(shape=[dim(%u, 0)], dtype=\"float32\")": "`zeros` takes a size that padding changes",
    "let %u = argwhere(%x); (%w, dim(%u, 0))": "`dim(%u, 0)` is used in a computation",
    "let %u = argwhere(%x); if (dim(%u, 0) > 2) { %w } else { exp(%w) }": "`dim(%u, 0)` is used in a computation",
    "squeeze(%x)": "`squeeze` gives a value of unknown sizes",
    "let %f = fn (%y: float32) { sum(%x) + %y }; %f(1f)": "`sum` combines",
    "(fn (%y: float32) { sum(%x) + %y }, 1f)": "padded value",
    "ref_read(ref(%x))": "padded value",
}  # fmt: skip


@pytest.mark.parametrize("body, says", REFUSED.items())
def test_padding_that_would_change_the_value_is_refused(body: str, says: str) -> None:
    where = "where n == 3 or n == 1" if "add(%x, %w)" in body else "where n > 0"
    numbers = "1,3" if "add(%x, %w)" in body else "1,8"
    gradual_ = ", %g: Tensor[(?, 4), float32]" if "%g" in body else ""
    text = f"""def @f(%x: Tensor[(?, 4), float32]) {{ sum(%x) }}
def @loop(%k: int32, %x: Tensor[(?, 4), float32]) -> Tensor[(?, 4), float32] {{
  if (%k <= 0) {{ %x }} else {{ @loop(%k - 1, exp(%x)) }}
}}
def @main(%x: Tensor[(n, 4), float32], %w: Tensor[(3, 4), float32]{gradual_}) {where} {{ {body} }}"""
    before = gradual.check(text)
    assert before.ok, before.diagnostics
    with pytest.raises(Unusable) as refused:
        bucketed(before, f"@main:n={numbers}", "pad=0")
    assert says in refused.value.message, refused.value.message
    assert refused.value.span is not None
    bucketed(before, "@main:n=1,3")


DECLARED = {
    "(%x: Tensor[(n, n), float32])": "two dimensions of `%x`",
    "(%x: Tensor[(n,), float32], %y: Tensor[(m,), float32]) where n <= m": "relates the padded size to other",
    "(%x: Tensor[(n,), float32], %y: Tensor[(?{u. u >= n},), float32])": "relates the padded size to other",
    "(%x: Tensor[(n,), float32], %y: (Tensor[(?{u. u < n},), float32], int32))": "relates the padded size to other",
    "(%x: Tensor[(n,), float32]) where n <= 4": "does not hold for these numbers",
    "(%x: Tensor[(n,), float32], %y: Tensor[(9 - n,), float32])": "does not grow with the padded size",
    "(%x: Tensor[(n,), float32], %y: Tensor[(?,), float32]) -> Tensor[(?{u. u <= 9},), float32]": "by a bound",
    "(%x: Tensor[(n,), float32], %f: fn (Tensor[(n,), float32]) -> float32)": "`%f` contains a function",
}


@pytest.mark.parametrize("declared, says", DECLARED.items())
def test_a_declaration_that_padding_would_break_is_refused(declared: str, says: str) -> None:
    before = gradual.check(f"def @main{declared} {{ nn.relu(%x) }}")
    assert before.ok, before.diagnostics
    with pytest.raises(Unusable, match=says):
        bucketed(before, "n=2,8", "pad=0")


def test_nothing_is_padded_to_no_elements() -> None:
    before = gradual.check("def @main(%x: Tensor[(n + 1, 2), float32]) { nn.relu(%x) }")
    with pytest.raises(Unusable, match="`n` would be padded to 0"):
        bucketed(before, "dim(%x,0)=1,3", "pad=0")
    after = bucketed(before, "dim(%x,0)=1,3")
    assert all(ended(after, floats(n, 2)) == ended(before, floats(n, 2)) for n in range(5))


def test_a_size_that_a_call_gives_has_a_value_although_only_the_callee_checked_its_divisor() -> None:
    body = "transpose(reshape(%x, newshape=[dim(%x, 1), -1]))"
    before = gradual.check(f"def @main(%x: Tensor[(?, ?), float32]) {{ {body} }}")
    after = bucketed(before, "dim(%x,0)=1,3")
    assert all(
        ended(after, floats(*shape)) == ended(before, floats(*shape)) for shape in ((1, 2), (3, 2), (2, 0), (3, 0))
    )


@pytest.mark.parametrize("result", ["", "-> Tensor[(6 // n,), float32]", "-> Tensor[(?,), float32]"])
def test_a_value_that_shrinks_as_the_size_grows_is_refused(result: str) -> None:
    body = 'zeros(shape=[6 // n], dtype="float32")'
    before = gradual.check(f"def @main(%x: Tensor[(n,), float32]) {result} where n >= 1 {{ {body} }}")
    with pytest.raises(Unusable, match="`6 // n` in the value does not grow with the padded size"):
        bucketed(before, "n=2,6", "pad=0")


@pytest.mark.parametrize(
    "body",
    [
        "dyn.tile(%x, [1i64, 2i64])",
        "dyn.reshape(%x, [-1i64, 2i64, 2i64])",
        "dyn.strided_slice(%x, [0i64], [2i64], [1i64])",
        'dyn.nn.pad(%x, zeros(shape=[2, 2], dtype="int64"), 0f)',
        "reshape(%x, newshape=[-1, 2, 2])",
    ],
)
def test_an_operator_of_two_forms_is_padded_as_the_one_that_it_has(body: str) -> None:
    before = gradual.check(f"def @main(%x: Tensor[(n, 4), float32]) {{ {body} }}")
    outcomes = [_accepted(before), _accepted(gradual.apply(before, "merge-ops"))]
    assert outcomes[0] == outcomes[1]


def _accepted(found: Compilation) -> str:
    try:
        after = bucketed(found, "n=2,6", "pad=0")
    except Unusable as refused:
        return refused.message
    assert all(ended(after, floats(n, 4)) == ended(found, floats(n, 4)) for n in range(8))
    return ""


@pytest.mark.parametrize(
    "words, says",
    [
        (("n=0,8",), "at least 1"),
        (("n=a",), "a size is a number"),
        (("pad=0",), "takes one size"),
        (("n=1", "m=2"), "takes one size"),
        (("n=1,8", "pad=x"), "which is no float32"),
        (("%k=1,2",), "there is nothing called"),
        (("n=1,9223372036854775808",), "a number outside the range of int64"),
        (("n=1,2", "n=1,4"), "`n` is given both `1,2` and `1,4`"),
    ],
)
def test_what_is_no_bucket_is_refused(words: tuple[str, ...], says: str) -> None:
    with pytest.raises(Unusable, match=says):
        bucketed(gradual.check(MLP), *words)


@pytest.mark.parametrize("words", [("dim(%x,0)=4",), ("dim(%x,0)=4", "pad=0")])
def test_a_size_that_is_written_with_a_number_is_no_bucket(words: tuple[str, ...]) -> None:
    text = """def @main(%k: int32, %x: Tensor[(%k, 2), float32]) {
  let %r: int32 = %k;
  if (%r == 4) { (nn.relu(%x), %r) } else { (negative(%x), 0) }
}"""
    with pytest.raises(Unusable, match="`%k` is no size of `@main`, but a value"):
        bucketed(gradual.check(text), *words)


def test_a_size_that_is_written_with_another_size_decides_that() -> None:
    text = "def @main(%x: Tensor[(?,), float32], %y: Tensor[(2 * dim(%x, 0) + 1,), float32]) { (nn.relu(%x), %y) }"
    before = gradual.check(text)
    after = bucketed(before, "dim(%y,0)=3,5")
    assert {"@main_y_0_3", "@main_y_0_5", "@main_any"} < set(after.types)
    for size in (1, 2, 3):
        values = floats(size), floats(2 * size + 1)
        assert after.run("@main", *values) == before.run("@main", *values)


@pytest.mark.parametrize("numbers", ["1,2", "1,2,3", "1,2,5", "2,3"])
def test_buckets_of_neighbouring_numbers_print_what_checks_again(numbers: str) -> None:
    before = gradual.check("def @main(%x: Tensor[(n,), float32]) where n >= 0 { exp(%x) }")
    after = bucketed(before, f"n={numbers}", "pad=0")
    again = gradual.check(after.text)
    assert again.ok, again.diagnostics
    for size in range(7):
        assert again.run("@main", floats(size)) == before.run("@main", floats(size))


@pytest.mark.parametrize("value", ["%x", "(%x, sum(%y))", "(sum(%y), (exp(%x), %x))"])
def test_what_a_padded_bucket_prints_checks_again(value: str) -> None:
    before = gradual.check(f"def @main(%x: Tensor[(n,), float32], %y: Tensor[(m,), float32]) {{ {value} }}")
    after = bucketed(before, "n=2,3", "pad=0")
    again = gradual.check(after.text)
    assert again.ok, again.diagnostics
    for n in range(6):
        assert ended(again, floats(n), floats(2)) == ended(before, floats(n), floats(2))


@pytest.mark.parametrize("numbers", ["1", "1,8"])
@pytest.mark.parametrize("kind, text", [("float32", "abc"), ("float32", ""), ("bool", "x"), ("int8", "300")])
def test_what_is_no_element_pads_nothing_even_where_nothing_is_padded(numbers: str, kind: str, text: str) -> None:
    before = gradual.check(f'def @main(%x: Tensor[(n,), {kind}]) {{ zeros(shape=[3, n], dtype="float32") }}')
    with pytest.raises(Unusable, match=f"which is no {kind}"):
        bucketed(before, f"n={numbers}", f"pad={text}")


def test_arguments_of_every_form_are_padded() -> None:
    text = """def @main(%t: (Tensor[(n, 2), float32], Tensor[(3, n), bool]), %i: Tensor[(2 * n + 1,), int16]) {
  ((%t.1, nn.relu(%t.0)), %i + %i)
}"""
    before = gradual.check(text)
    after = bucketed(before, "n=2,5", "pad=1")
    for n in range(8):
        truths = Tensor([i % 2 == 0 for i in range(3 * n)], "bool", (3, n))
        values = (floats(n, 2), truths), Tensor(list(range(2 * n + 1)), "int16")
        assert ended(after, *values) == ended(before, *values)


@pytest.mark.parametrize("word", ["dim(%x,0)=4,10", "dim(%y,0)=3,6", "n=2,5"])
def test_a_size_is_named_by_what_it_is_written_as(word: str) -> None:
    before = gradual.check(
        "def @main(%x: Tensor[(2 * n, 2), float32], %y: Tensor[(n + 1,), float32]) { (exp(%x), exp(%y)) }"
    )
    for words in ((word,), (word, "pad=0")):
        after = bucketed(before, *words)
        assert [str(f.type.params[1].shape[0]) for f in after.core.functions.values()] == ["n + 1", "3", "6", "n + 1"]  # type: ignore[union-attr]
        for n in range(7):
            values = floats(2 * n, 2, seed=n), floats(n + 1)
            assert ended(after, *values) == ended(before, *values)


@pytest.mark.parametrize("kind, fits", [("int32", True), ("int64", True), ("int8", False)])
def test_a_shape_that_nobody_needs_may_be_told_of_what_is_padded(kind: str, fits: bool) -> None:
    text = f"""def @main(%x: Tensor[(n, 4), float32]) {{
  let %s = shape_of(%x, dtype="{kind}");
  nn.relu(%x)
}}"""
    before = gradual.check(text)
    if fits:
        after = bucketed(before, "n=8,200", "pad=0")
        assert ended(after, floats(3, 4)) == ended(before, floats(3, 4))
    else:
        with pytest.raises(Unusable, match="`shape_of` may fail"):
            bucketed(before, "n=8,200", "pad=0")


def test_calls_are_written_out_so_that_what_they_do_is_known() -> None:
    text = """
def @layer[n, a, b](%x: Tensor[(n, a), float32], %w: Tensor[(b, a), float32]) -> Tensor[(n, b), float32] {
  nn.relu(nn.dense(%x, %w))
}
def @main(%x: Tensor[(n, 4), float32], %v: Tensor[(8, 4), float32], %w: Tensor[(3, 8), float32]) {
  nn.softmax(@layer(@layer(%x, %v), %w))
}"""
    before = gradual.check(text)
    after = bucketed(before, "@main:n=2,5", "pad=0")
    for n in range(7):
        values = floats(n, 4, seed=n), floats(8, 4), floats(3, 8)
        assert ended(after, *values) == ended(before, *values)
    mixing = gradual.check(text.replace("nn.relu(nn.dense(%x, %w))", "nn.softmax(nn.dense(%x, %w), axis=0)"))
    assert mixing.ok
    with pytest.raises(Unusable, match="softmax` combines"):
        bucketed(mixing, "@main:n=2,5", "pad=0")


def test_a_call_by_a_number_is_written_out() -> None:
    text = """
def @make(%k: int64) -> Tensor[(%k, 4), float32] where %k >= 0 { ones(shape=[%k, 4], dtype="float32") }
def @main(%x: Tensor[(n, 4), float32]) { nn.dense(%x, @make(2i64 * 3i64)) }"""
    before = gradual.check(text)
    after = bucketed(before, "n=2,5", "pad=0")
    for n in range(7):
        assert ended(after, floats(n, 4, seed=n)) == ended(before, floats(n, 4, seed=n))


def test_a_caller_is_blamed_as_before() -> None:
    before = gradual.check("def @main(%x: Tensor[(n, 4), float32], %y: Tensor[(n,), float32]) where n != 5 { %x }")
    after = bucketed(before, "n=2,8", "pad=0")
    for values in ((floats(2, 4), floats(3)), (floats(5, 4), floats(5)), (floats(2, 3), floats(2))):
        assert ended(after, *values) == ended(before, *values)
        assert ended(after, *values)[0] == "E0602"


@pytest.mark.slow
def test_whatever_is_accepted_gives_the_same_bits() -> None:
    found = [breach(seed) for seed in range(150)]
    assert [wrong for _, wrong in found if wrong] == []
    assert 50 < sum(accepted for accepted, _ in found) < 120


def test_a_number_that_never_gives_a_value_has_no_copy() -> None:
    before = gradual.check(
        "def @main(%x: Tensor[(?, 2), float32]) { let %y: Tensor[(3, 2), float32] = %x; nn.relu(%y) }"
    )
    after = bucketed(before, "dim(%x,0)=2,3")
    assert "@main_x_0_3" in after.types and "@main_x_0_2" not in after.types
    assert [note.says for note in after.notes if note.left] == ["there is no copy at 2, where a check always fails"]
    for n in range(5):
        assert ended(after, floats(n, 2)) == ended(before, floats(n, 2))


def test_how_much_is_padding() -> None:
    assert list(waste([1, 8, 64])) == [
        "at 1 up to 0% is padding, 0% on average",
        "at 8 up to 75% is padding, 38% on average",
        "at 64 up to 86% is padding, 43% on average",
    ]
    for below, most in ((0, 1), (1, 8), (8, 64)):
        rows = [most - n for n in range(below + 1, most + 1)]
        says = f"at {most} up to {max(rows) / most:.0%} is padding, {sum(rows) / len(rows) / most:.0%} on average"
        assert says in list(waste([1, 8, 64]))


UNKNOWN_RANK = """
def @main(%x: Tensor[(n, 2), float32], %y: Tensor[*, float32]) { concatenate((%x, %y), axis=0) }"""


def test_beside_a_value_of_unknown_rank_there_is_no_padding() -> None:
    with pytest.raises(Unusable, match="`concatenate` is applied to a value of unknown rank") as refused:
        bucketed(gradual.check(UNKNOWN_RANK), "n=1,2", "pad=0")
    assert refused.value.span is not None


def test_a_value_that_nobody_reads_may_fail_on_the_padding_all_the_same() -> None:
    text = "def @main(%x: Tensor[(n, 2), float32], %y: Tensor[*, float32]) { let %z = reshape_like(%x, %y); %x }"
    with pytest.raises(Unusable, match="`reshape_like` is applied to a value of unknown rank"):
        bucketed(gradual.check(text), "n=1,2", "pad=0")


def test_no_result_is_declared_by_a_size_that_not_every_argument_has() -> None:
    before = gradual.check(UNKNOWN_RANK)
    after = bucketed(before, "n=1,2")
    assert str(after.types["@main_n_2"]).endswith("-> Tensor[(?, 2), float32]")
    again = gradual.check(after.text)
    assert again.ok, after.text
    for values in ((floats(2, 2), floats(3, 2)), (floats(1, 2), floats(0, 2)), (floats(4, 2), floats(2))):
        assert ended(after, *values) == ended(before, *values)
        assert ended(again, *values)[:2] == ended(before, *values)[:2]


IMAGES = (
    'image.grid_sample(%d, ones(shape=[n, 2, 1, 1], dtype="float32"), layout="HCNW")',
    'nn.global_max_pool2d(%d, layout="HCNW")',
    'nn.max_pool2d(%d, pool_size=[1, 1], layout="HCNW")',
    'nn.conv2d(%d, ones(shape=[2, 3, 1, 1], dtype="float32"), data_layout="HCNW", channels=2, kernel_size=[1, 1])',
    'image.resize2d(%d, size=[2, 2], layout="HCNW", method="linear")',
)


@pytest.mark.parametrize("body", IMAGES)
def test_images_are_counted_where_the_layout_says(body: str) -> None:
    before = gradual.check(f"def @main(%d: Tensor[(5, 3, n, 4), float32]) {{ {body} }}")
    assert before.ok, before.diagnostics
    after = bucketed(before, "n=1,3", "pad=7")
    for n in range(1, 5):
        assert ended(after, floats(5, 3, n, 4, seed=n)) == ended(before, floats(5, 3, n, 4, seed=n))
    mixing = body.replace("[n,", "[2,")
    turned = gradual.check(f"def @main(%d: Tensor[(n, 3, 2, 4), float32]) where n > 0 {{ {mixing} }}")
    assert turned.ok, turned.diagnostics
    with pytest.raises(Unusable):
        bucketed(turned, "n=1,3", "pad=7")


@needs_models
@pytest.mark.parametrize("path", sorted(RELAY_MODELS.glob("*_any_*.relay")), ids=lambda path: path.stem)
def test_batches_of_models_are_padded_and_images_are_not(path: Path) -> None:
    before = gradual.check(path.read_text("utf-8"), path.name)
    assert len(bucketed(before, "dim(%data,0)=1,8", "pad=0").types) == 4
    if path.stem.endswith("image"):
        with pytest.raises(Unusable, match="padded size"):
            bucketed(before, "dim(%data,2)=224,256", "pad=0")
