"""The sizes of inputs: names and formulas of the model, and what is neither."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import gradual
from gradual.importers.common.sizes.formulas import NoFormula, formula
from gradual.importers.common.text import Program
from gradual.importers.onnx.file.reading import model_of
from gradual.importers.onnx.program import program
from tests.importers.models import agrees, compiled, model, node, ones, port
from tests.importers.node_tests import tensor


def of(*shapes: Any) -> Program:
    """The program of a model that gives its inputs, of these shapes."""
    names = [f"x{at}" for at in range(len(shapes))]
    nodes = [node("Identity", name, f"y{name}") for name in names]
    inputs = [port(name, shape) for name, shape in zip(names, shapes, strict=True)]
    return program(model_of(model(nodes, inputs, [port(f"y{name}", None) for name in names])))


def sizes(*shapes: Any) -> str:
    """How the sizes of the inputs are written, and what is demanded of them."""
    head = of(*shapes).text.splitlines()[0]
    return head.removeprefix("def @main(").removesuffix(" {").replace(", float32]", "]")


def test_sizes_have_the_names_of_the_model() -> None:
    assert sizes(["batch", 3, None, "batch"]) == "%x0: Tensor[(batch, 3, ?, batch)])"


@pytest.mark.parametrize(("written", "name"), [("if", "if_1"), ("größe", "gr_e"), ("Dim", "Dim"), ("_", "__1")])
def test_a_name_that_no_size_can_have_is_another_one(written: str, name: str) -> None:
    assert sizes([written, written]) == f"%x0: Tensor[({name}, {name})])"
    assert gradual.check(of([written]).text).ok


@pytest.mark.parametrize(
    "written",
    [
        *("?", "-1", "None", "unk__6720", "unknown", "p2o.DynamicDimension.0", "DynamicDimension.12"),
        *(
            "x_dynamic_axes_1",
            "batch size",
            "seq-len",
            "*",
            "n n",
            "n+",
            "+n",
            "16",
            "n..m",
            "f(n)",
            "n//m",
            "0.3*n",
            "1e999*n",
            "(" * 300,
        ),
    ],
)
def test_what_is_no_name_and_no_formula_of_names_promises_nothing(written: str) -> None:
    """So neither are two of them one size."""
    found = of([written, 3, written])
    assert found.text.startswith("def @main(%x0: Tensor[(?, 3, ?), float32])")
    agrees(model([node("Relu", "x", "y")], [port("x", [written, 3, written])], [port("y", [None] * 3)]), ones(2, 3, 4))


def test_sizes_without_a_name_are_told_in_one_note() -> None:
    assert of(["n"], [None, "?"]).notes == ()
    assert of(["unk__1", 3], ["n", "unk__2"], ["unk__1"]).notes == (
        "the size `unk__1` and 1 more of the inputs is `?`: no name that a program could promise to keep",
    )


def test_two_names_of_a_converter_may_be_one_size() -> None:
    made = model([node("Add", "x y", "z")], [port("x", ["unk__1"]), port("y", ["unk__2"])], [port("z", [None])])
    compilation = agrees(made, ones(3), ones(3))
    assert len(compilation.checks) == 1


@pytest.mark.parametrize(
    ("written", "formula"),
    [
        ("(s0 + 1)//2", "(s0 + 1) // 2"),
        ("s0//2", "s0 // 2"),
        ("floor(s0/2)", "s0 // 2"),
        ("floor(s0/2 + 1/2)", "(s0 + 1) // 2"),
        ("floor(0.5*s0)", "s0 // 2"),
        ("ceil(s0/2)", "(s0 + 1) // 2"),
        ("ceiling(s0/3)", "(s0 + 2) // 3"),
        ("CeilToInt(IntTrueDiv(s0, 2))", "(s0 + 1) // 2"),
        ("FloorDiv(s0, 4)", "s0 // 4"),
        ("s0*s1", "s0 * s1"),
        ("s0 - 1", "s0 - 1"),
        ("2*s0", "2 * s0"),
        ("16s0", "16 * s0"),
        ("s0**2", "s0 * s0"),
        ("2*floor(s0/2)+1", "2 * (s0 // 2) + 1"),
        ("max(1, s0)", "max(1, s0)"),
        ("Max(1, s0, s1)", "max(1, s0, s1)"),
        ("s0 % 4", "s0 % 4"),
        ("Mod(s0, 4)", "s0 % 4"),
        ("past + seq", "past + seq"),
    ],
)
def test_a_formula_of_other_sizes_is_one(written: str, formula: str) -> None:
    found = sizes(["s0"], ["s1"], ["past"], ["seq"], [written])
    assert found.endswith(f"%x4: Tensor[({formula},)])")
    assert gradual.check(of(["s0"], ["s1"], ["past"], ["seq"], [written]).text).ok


def test_a_quotient_that_nothing_rounds_is_exact() -> None:
    assert sizes(["h"], ["h/2"]) == "%x0: Tensor[(h,)], %x1: Tensor[(h // 2,)]) where h % 2 == 0"
    nodes = [node("Concat", "y y", "yy", axis=0), node("Add", "yy x", "z")]
    compilation = agrees(model(nodes, [port("x", ["h"]), port("y", ["h/2"])], [port("z", [None])]), ones(4), ones(2))
    assert compilation.checks == ()


@pytest.mark.parametrize(
    ("shapes", "found"),
    [
        ([["2*s0", "s0 + 1"]], "%x0: Tensor[(2 * s0, s0 + 1)])"),
        ([["16H"], ["H"]], "%x0: Tensor[(16 * H,)], %x1: Tensor[(H,)])"),
        ([["a + b"], ["b"]], "%x0: Tensor[(a + b,)], %x1: Tensor[(b,)])"),
        ([["N - 1"]], "%x0: Tensor[(N - 1,)])"),
        ([["s0//2", 4], ["s0//2"]], "%x0: Tensor[(s0_2, 4)], %x1: Tensor[(s0_2,)])"),
        ([["a*b"], ["a*b"]], "%x0: Tensor[(a_b,)], %x1: Tensor[(a_b,)])"),
        ([["s0//2"], ["s0//4"]], "%x0: Tensor[(?,)], %x1: Tensor[(?,)])"),
        ([["a + b"]], "%x0: Tensor[(?,)])"),
        ([["s0**2"], ["s0**2"]], "%x0: Tensor[(?,)], %x1: Tensor[(?,)])"),
        ([["s0 % 4"]], "%x0: Tensor[(?,)])"),
    ],
)
def test_a_name_that_stands_in_formulas_only_is_solved_for(shapes: Any, found: str) -> None:
    """A formula that tells nothing is a size of its own where it may be any and nothing else speaks of its names."""
    assert sizes(*shapes) == found
    assert gradual.check(of(*shapes).text).ok


def test_a_formula_is_what_the_model_computes() -> None:
    nodes = [node("Concat", "x y", "xy", axis=0), node("Add", "xy z", "w")]
    inputs = [port("x", ["past"]), port("y", ["seq"]), port("z", ["past + seq"])]
    compilation = agrees(model(nodes, inputs, [port("w", [None])]), ones(2), ones(3), ones(5))
    assert compilation.checks == ()


def test_half_of_a_size_and_the_rest() -> None:
    nodes = [node("Concat", "a b", "ab", axis=0), node("Add", "ab x", "y")]
    inputs = [port("x", ["h"]), port("a", ["h//2"]), port("b", ["h - h//2"])]
    compilation = agrees(model(nodes, inputs, [port("y", [None])]), ones(5), ones(2), ones(3))
    assert compilation.checks == ()


def test_a_scalar_of_tf2onnx_may_be_of_any_rank() -> None:
    made = model([node("Relu", "x", "y")], [port("x", [])], [port("y", [])])
    made.producer_name = "tf2onnx"
    found = program(model_of(made))
    assert (found.text.splitlines()[0], len(found.notes)) == ("def @main(%x: Tensor[*, float32]) {", 1)
    compilation = gradual.check(found.text)
    assert compilation.run("@main", tensor(-ones(2, 3))) == tensor(0 * ones(2, 3))
    made = model([node("Range", "x x x", "y")], [port("x", [])], [port("y", [None])])
    made.producer_name = "tf2onnx"
    assert program(model_of(made)).text.startswith("def @main(%x: Tensor[(), float32])")


# ----------------------------------------------------------------------------------------- what a formula means
Tree = tuple[Any, ...] | int | str
_leaf = st.one_of(st.sampled_from("ab"), st.integers(0, 7))


def _grown(inner: st.SearchStrategy[Tree]) -> st.SearchStrategy[Tree]:
    divisor = st.integers(1, 4)
    return st.one_of(
        st.tuples(st.sampled_from("+-*"), inner, inner),
        st.tuples(st.sampled_from(["floor", "ceiling", "//", "Mod", "%"]), inner, divisor),
        st.tuples(st.sampled_from(["Max", "Min"]), inner, inner),
    )


def printed(tree: Tree) -> str:
    """As sympy prints it, more or less."""
    match tree:
        case ("floor" | "ceiling" as name, one, by):
            return f"{name}(({printed(one)})/{by})"
        case ("Mod" | "Max" | "Min" as name, one, other):
            return f"{name}({printed(one)}, {printed(other)})"
        case (sign, one, other):
            return f"({printed(one)}){sign}({printed(other)})"
    return str(tree)


def meant(tree: Tree, at: dict[str, int]) -> int:
    match tree:
        case ("floor", one, by):
            return math.floor(Fraction(meant(one, at), by))
        case ("ceiling", one, by):
            return math.ceil(Fraction(meant(one, at), by))
        case (name, one, other):
            first, second = meant(one, at), meant(other, at)
            rules = {"+": int.__add__, "-": int.__sub__, "*": int.__mul__, "Max": max, "Min": min}
            rules |= {"//": int.__floordiv__, "Mod": int.__mod__, "%": int.__mod__}
            return int(rules[name](first, second))
    return at.get(tree, tree) if isinstance(tree, str) else tree  # type: ignore[return-value]  # an integer


@given(st.recursive(_leaf, _grown, max_leaves=8), st.integers(0, 9), st.integers(0, 9))
def test_a_formula_means_what_it_says(tree: Tree, a: int, b: int) -> None:
    """What the program writes is, in Python as in the language, the number that was printed."""
    try:
        found = formula(printed(tree))
    except NoFormula:
        assert not {"a", "b"} & set(printed(tree).replace("Max", ""))
        return
    assert found.exact == ()
    values = {"a": a, "b": b}
    assert eval(found.text(str), {"max": max, "min": min}, values) == meant(tree, values)


def test_a_choice_of_names_is_kept() -> None:
    compilation, _ = compiled(
        model([node("Add", "x y", "z")], [port("x", ["n"]), port("y", ["max(n, 1)"])], [port("z", [None])])
    )
    assert compilation.checks == ()
