"""Proxies: composing layers blames what running them one after the other blames, in bounded space."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gradual.compilation import Compilation
from gradual.compiler import check
from gradual.core.verify.function import violations
from gradual.dims.solver.decide import Decider
from gradual.limits import LIMITS
from gradual.run.steps import proxies
from gradual.run.value import Blame, Part, Proxied
from gradual.tensors.tensor import Tensor
from gradual.types.dtype import DType
from tests.thorough import examples


def tensor(*shape: int) -> Tensor:
    size = 1
    for extent in shape:
        size *= extent
    return Tensor([0.0] * size, "float32", shape)


def vector(size: str) -> str:
    return f"Tensor[({size},), float32]"


SIZES = st.sampled_from(["?", "?", "2", "3"])


def first_order(binder: bool) -> st.SearchStrategy[str]:
    plain = st.builds(lambda a, b: f"fn ({vector(a)}) -> {vector(b)}", SIZES, SIZES)
    named = st.builds(lambda b: f"fn [n]({vector('n')}) -> {vector(b)}", st.sampled_from(["n", "?", "2", "3"]))
    return st.one_of(plain, plain, named) if binder else plain


OPEN = f"fn ({vector('?')}) -> {vector('?')}"


@st.composite
def chains(draw: st.DrawFn, types: st.SearchStrategy[str], between: str, start: str) -> str:
    """A function let through a chain of types, every other one open so that contradictions are left to run time."""
    steps = draw(st.lists(types, min_size=1, max_size=5))
    lines, last = [], start
    for index, type in enumerate(steps):
        lines.append(f"  let %g{index}: {type} = {last};")
        lines.append(f"  let %h{index}: {between} = %g{index};")
        last = f"%h{index}"
    return "\n".join(lines) + f"\n  {last}"


IDENTITY = f"def @id(%x: {vector('?')}) -> {vector('?')} {{ %x }}\n"
TWICE = f"def @twice(%x: {vector('?')}) -> {vector('?')} {{ concatenate((%x, %x)) }}\n"


def ends(compilation: Compilation, entry: str, *arguments: Tensor) -> object:
    """The value's shape, or who is blamed where, by which check."""
    try:
        value = compilation.run(entry, *arguments)
    except Blame as blame:
        assert blame.check is not None
        return blame.check.id, blame.blamed, blame.span
    assert isinstance(value, Tensor)
    return value.shape


def one_by_one(parts: Sequence[Part]) -> tuple[Part, ...]:
    return tuple(parts)


def agree(text: str, sizes: Sequence[int]) -> None:
    compilation = check(text)
    if not compilation.ok:
        return
    assert violations(compilation.core, Decider(LIMITS, True)) == []
    for size in sizes:
        composed = ends(compilation, "@main", tensor(size))
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(proxies, "normal", one_by_one)
            assert ends(compilation, "@main", tensor(size)) == composed


@examples(75)
@given(chains(first_order(True), OPEN, "@id"), st.booleans())
def test_a_composition_blames_what_its_casts_blame_in_sequence(chain: str, doubled: bool) -> None:
    """T13 at first order.  [run.proxy.normal]"""
    text = IDENTITY + TWICE + f"def @main(%x: {vector('?')}) {{ let %f = {{\n{chain}\n  }}; %f(%x) }}"
    agree(text.replace("= @id;", "= @twice;") if doubled else text, (0, 1, 2, 3))


@examples(50)
@given(chains(first_order(False).map(lambda t: f"fn ({t}) -> {vector('?')}"), f"fn ({OPEN}) -> {vector('?')}", "@use"))
def test_it_does_so_for_functions_that_take_functions(chain: str) -> None:
    """T13 at second order: what is passed is wrapped on its way in.  [run.proxy.normal]"""
    use = f'def @use(%k: {OPEN}) -> {vector("?")} {{ %k(zeros(shape=[2], dtype="float32")) }}\n'
    text = IDENTITY + TWICE + use
    for passed in ("@id", "@twice"):
        agree(text + f"def @main(%x: {vector('?')}) {{ let %f = {{\n{chain}\n  }}; %f({passed}) }}", (1,))


@examples(30)
@given(chains(first_order(False).map(lambda t: f"fn ({vector('?')}) -> {t}"), f"fn ({vector('?')}) -> {OPEN}", "@mk"))
def test_it_does_so_for_functions_that_give_functions(chain: str) -> None:
    """T13 at second order: what comes back is wrapped on its way out.  [run.proxy.normal]"""
    make = f"def @mk(%x: {vector('?')}) -> {OPEN} {{ fn (%y: {vector('?')}) -> {vector('?')} {{ add(%x, %y) }} }}\n"
    agree(make + f"def @main(%x: {vector('?')}) {{ let %f = {{\n{chain}\n  }}; let %g = %f(%x); %g(%x) }}", (1, 2, 3))


LOOP = f"""
def @loop(%i: int32, %f: {OPEN}, %x: Tensor[(4,), float32]) -> {vector("?")} {{
  if (%i == 0) {{ %f(%x) }} else {{
    let %g: fn (Tensor[(4,), float32]) -> {vector("dim(%x, 0)")} = %f;
    let %h: {OPEN} = %g;
    @loop(%i - 1, %h, %x)
  }}
}}
def @main(%i: int32, %x: Tensor[(4,), float32]) {{ @loop(%i, @id, %x) }}
"""


def number(value: int) -> Tensor:
    return Tensor(value, DType.INT32)


def test_a_function_is_wrapped_at_most_as_often_as_there_are_sizes_to_check(monkeypatch: pytest.MonkeyPatch) -> None:
    """T13: a loop that casts its function at each turn holds one proxy of bounded size.  [run.proxy.normal]"""
    widest = 0
    around = proxies._around

    def watched(*arguments: object) -> object:
        nonlocal widest
        value = around(*arguments)  # type: ignore[arg-type]
        if isinstance(value, Proxied):
            widest = max(widest, len(value.before), len(value.after))
        return value

    monkeypatch.setattr(proxies, "_around", watched)
    compilation = check(IDENTITY + LOOP)
    assert compilation.ok, compilation.diagnostics
    assert isinstance(compilation.run("@main", number(300), tensor(4)), Tensor)
    assert widest == 1


def test_a_tail_call_through_a_proxy_takes_constant_space(monkeypatch: pytest.MonkeyPatch) -> None:
    """T13: 20,000 tail calls through a cast leave one entry on the stack.  [run.proxy.tail]"""
    from gradual.run.machine import Machine

    text = f"""def @down(%i: int32, %x: {vector("?")}) -> {vector("?")} {{
      if (%i == 0) {{ %x }} else {{
        let %g: fn (int32, Tensor[(4,), float32]) -> Tensor[(4,), float32] = @down;
        %g(%i - 1, %x) }} }}"""
    deepest = 0
    push = Machine._push

    def watched(machine: Machine, entry: object) -> None:
        nonlocal deepest
        push(machine, entry)  # type: ignore[arg-type]
        deepest = max(deepest, len(machine._stack))

    monkeypatch.setattr(Machine, "_push", watched)
    compilation = check(text)
    assert isinstance(compilation.run("@down", number(20_000), tensor(4)), Tensor)
    assert deepest <= 4
