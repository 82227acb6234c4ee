"""A recursive function of the program that steps over a sequence, for recurrent layers."""

from __future__ import annotations

from collections.abc import Sequence

from gradual.importers.common.builder import Builder
from gradual.types.dtype import DType

HEADER = (
    "def {name}(%x: Tensor[(s, b, d), {dtype}], %w: Tensor[({gates} * h, d), {dtype}], "
    "%r: Tensor[({gates} * h, h), {dtype}], %wb: Tensor[({gates} * h,), {dtype}], %rb: Tensor[({gates} * h,), {dtype}]"
    "{besides}, %i: int64, {states}, %ys: Tensor[(t, b, h), {dtype}]) "
    "-> (Tensor[(t + s - %i, b, h), {dtype}], {results}) "
    "where s >= 0, b >= 0, d >= 0, h >= 0, t >= 0, 0 <= %i, %i <= s {{"
)
"""h: hidden size; b: batch size; s: length of the sequence; d: size of its elements; t: number of previous outputs."""

STEPS = (
    HEADER
    + """
  if (%i == take(shape_of(%x, dtype="int64"), 0i64, axis=0)) {{
    (%ys, {old})
  }} else {{
    let %xt = take(%x, %i, axis=0, mode="fast");
{step}
    let %more = concatenate((%ys, expand_dims({output}, axis=0)), axis=0);
    {name}(%x, %w, %r, %wb, %rb{given}, %i + 1, {new}, %more)
  }}
}}
"""
)

SUMS = "add(add(nn.dense(%xt, %w), %wb), add(nn.dense(%h, %r), %rb))"
"""The sums from which the gates of a step are computed."""


def defined(
    builder: Builder,
    kind: str,
    dtype: DType,
    gates: int,
    states: Sequence[str],
    step: str,
    peepholes: bool = False,
    lengths: bool = False,
) -> str:
    """The name of the function, which is defined once for each variant.

    Args:
        gates: how many gates a step computes, each by a product with the input.
        states: the names of the states; a step computes `%h1` for `%h` and so on.
        peepholes: whether the function also takes `%p`, the weights of states in gates.
        lengths: whether the function also takes `%n`, the length of each sequence; beyond it, states do not change and
            outputs are 0.
    """
    besides = {"%p": f"Tensor[(3 * h,), {dtype}]"} if peepholes else {}
    besides |= {"%n": "Tensor[(b,), int64]"} if lengths else {}
    after = {state: f"%{state}1" for state in states}
    if lengths:
        step += "\n    let %goes_on = expand_dims(less(%i, %n), axis=1);"
        after = {state: f"where(%goes_on, %{state}1, %{state})" for state in states}
    form = {
        "dtype": dtype,
        "gates": gates,
        "besides": "".join(f", {name}: {type}" for name, type in besides.items()),
        "given": "".join(f", {name}" for name in besides),
        "states": ", ".join(f"%{state}: Tensor[(b, h), {dtype}]" for state in states),
        "results": ", ".join(f"Tensor[(b, h), {dtype}]" for _ in states),
        "old": ", ".join(f"%{state}" for state in states),
        "new": ", ".join(after.values()),
        "output": "where(%goes_on, %h1, zeros_like(%h1))" if lengths else "%h1",
        "step": step,
    }
    key = STEPS.format(name="@", **form)
    functions = builder.functions
    known = next((name for name, text in functions.items() if text == key.replace("@(", f"{name}(")), None)
    if known is None:
        known = f"@{kind}" + (f".v{len(functions)}" if functions else "")
        functions[known] = key.replace("@(", f"{known}(")
    return known
