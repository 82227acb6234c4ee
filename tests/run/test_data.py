"""Data at run time: long structures, structures from outside, and what can leave a run."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import gradual
from gradual.interface.input.arguments import read_call, values
from gradual.interface.reports.json_values import value_line
from gradual.tensors.json_form import from_json, to_json
from gradual.tensors.value import shown_value
from gradual.tools.cli import entry
from tests.thorough import examples

LONG = 20_000
PROGRAM = """
type List[A] { Cons(A, List[A]), Nil, }
type Chain[A] { Link((A, Chain[A])), End, }
type Tree[A] { Node(Tree[A], A, Tree[A]), Leaf, }
type Row { Row(Tensor[(3,), float32]), }
extern type Handle
def @count(%xs: List[int32], %n: int32) -> int32 {
  match (%xs) { Cons(_, %rest) => { @count(%rest, %n + 1) }, Nil => { %n }, }
}
def @length(%xs: List[int32]) -> int32 { match (%xs) { Cons(_, %rest) => { 1 + @length(%rest) }, Nil => { 0 }, } }
def @three(%xs: List[Tensor[(?,), float32]]) -> List[Tensor[(3,), float32]] { %xs }
def @links(%xs: Chain[Tensor[(?,), float32]]) -> Chain[Tensor[(3,), float32]] { %xs }
def @same[A](%t: Tree[A]) -> Tree[A] { %t }
def @any[A](%x: A) -> A { %x }
def @fixed(%t: Tree[Tensor[(n, 2), float32]], %x: Tensor[(n,), float32]) -> Tensor[(n,), float32] where n >= 0 { %x }
def @bounded(%t: List[Tensor[(?{u. u >= 2}, ?), float32]]) -> int32 { 1 }
def @pair(%t: (int32, List[(int32, bool)])) -> (int32, List[(int32, bool)]) { %t }
def @handle(%h: Handle) -> int32 { 1 }
def @handles(%h: List[Handle]) -> int32 { 1 }
def @function(%f: List[fn (int32) -> int32]) -> int32 { 1 }
def @functions() { Cons(fn (%x: int32) -> int32 { %x }, Nil) }
def @cells() { Cons(ref(1), Nil) }
"""
CHECKED = gradual.check(PROGRAM)


def test_the_program_is_accepted() -> None:
    assert CHECKED.ok, [d.message for d in CHECKED.diagnostics]


def of_length(length: int, value: object) -> gradual.Constructed:
    made = gradual.Constructed("Nil")
    for _ in range(length):
        made = gradual.Constructed("Cons", (value, made))
    return made


def number(value: int) -> gradual.Tensor:
    return gradual.Tensor(value, dtype="int32")


# -------------------------------------------------------------------------------------------------------- long ones
def test_a_long_list_is_walked_by_calls_in_tail_position_and_by_others() -> None:
    long = of_length(LONG, number(1))
    assert CHECKED.run("@count", long, number(0)).tolist() == LONG
    assert CHECKED.run("@length", of_length(5_000, number(1))).tolist() == 5_000


def test_a_long_list_is_converted_without_recursion() -> None:
    element = gradual.Tensor([0.0] * 3, dtype="float32")
    result = CHECKED.run("@three", of_length(LONG, element))
    count = 0
    while result.constructor == "Cons":
        result, count = result.fields[1], count + 1
    assert count == LONG


def test_a_long_chain_of_tuples_is_converted_without_recursion() -> None:
    made, element = gradual.Constructed("End"), gradual.Tensor([0.0] * 3, dtype="float32")
    for _ in range(20_000):
        made = gradual.Constructed("Link", ((element, made),))
    assert CHECKED.run("@links", made).constructor == "Link"


def test_the_last_element_of_a_long_list_is_looked_at() -> None:
    wrong = gradual.Constructed("Cons", (gradual.Tensor([0.0] * 4, dtype="float32"), gradual.Constructed("Nil")))
    made = wrong
    for _ in range(2_000):
        made = gradual.Constructed("Cons", (gradual.Tensor([0.0] * 3, dtype="float32"), made))
    with pytest.raises(gradual.Blame, match="is 4, expected 3"):
        CHECKED.run("@three", made)


def test_long_values_are_written_as_text_and_as_json() -> None:
    long = of_length(20_000, number(7))
    assert shown_value(long).startswith("Cons(int32 7, Cons(int32 7, ")
    assert value_line(long).count('"constructor": "Cons"') == 20_000
    assert to_json(long)["constructor"] == "Cons"
    assert shape(from_json(to_json(of_length(3, number(7))))) == shape(of_length(3, number(7)))


def shape(value: object) -> object:
    match value:
        case gradual.Constructed(constructor, fields):
            return constructor, tuple(map(shape, fields))
        case tuple():
            return tuple(map(shape, value))
        case gradual.Tensor():
            return str(value.dtype), tuple(value.shape), value.tolist()
    raise AssertionError(value)


# ----------------------------------------------------------------------------------------------------- from outside
@pytest.mark.parametrize(
    ("call", "says"),
    [
        ("@same(Node(Leaf, int32 1, Node(Leaf, int32 2, Leaf)))", None),
        (
            "@same(Node(Leaf, int32 1, Node(Leaf, float32 2, Leaf)))",
            "element type float32 is not int32, for type parameter `A`",
        ),
        (
            "@same(Node(Leaf, (int32 1, int32 2), Node(Leaf, int32 2, Leaf)))",
            "a tensor is not `(A.1, A.2)`, for type parameter `A`",
        ),
        ("@same(Node(Leaf, Cons(int32 1, Nil), Node(Leaf, Nil, Leaf)))", None),
        (
            "@same(Node(Leaf, Cons(int32 1, Nil), Node(Leaf, Cons(bool 1, Nil), Leaf)))",
            "element type bool is not int32",
        ),
        ("@same(Node(Leaf, Cons(int32 1), Leaf))", "`Cons` has 2 fields, not 1"),
        ("@same(Node(Leaf, Cons(int32 1, Leaf), Leaf))", "`Leaf` is not a constructor of `List[A.1]`"),
        ("@same(Node(Leaf, Row(float32[2]), Leaf))", "dimension 0 is 2, not 3"),
        ("@any((Row(float32[3]), Row(float32[2])))", "dimension 0 is 2, not 3"),
        ("@any((Row(float32[3]), Row(int32[3])))", "element type int32 is not float32"),
        ("@same(Cons(int32 1, Nil))", "`Cons` is not a constructor of `Tree[A]`"),
        ("@same(Node(Leaf, int32 1))", "`Node` has 3 fields, not 2"),
        ("@same(int32 1)", "a tensor is not `Tree[A]`"),
        ("@fixed(Node(Leaf, float32[3, 2], Leaf), float32[3])", None),
        ("@fixed(Node(Leaf, float32[5, 2], Leaf), float32[3])", "dimension 0 is 5, not n, which is 3"),
        ("@fixed(Node(Leaf, float32[3, 7], Leaf), float32[3])", "dimension 1 is 7, not 2"),
        ("@fixed(Node(Leaf, float32[3], Leaf), float32[3])", "field 2 of `Node`: rank 1 is not rank 2"),
        ("@fixed(Node(Leaf, int32[3, 2], Leaf), float32[3])", "element type int32 is not float32"),
        ("@fixed(Leaf, float32[0])", None),
        ("@bounded(Cons(float32[2, 0], Nil))", None),
        ("@bounded(Cons(float32[1, 7], Nil))", "dimension 0 is 1, not ?{u. u >= 2}"),
        ("@pair((1, Cons((2, True), Nil)))", None),
        ("@pair((1, Cons((2, True, 3), Nil)))", "this is not `(int32, bool)`"),
        ("@pair((1, Cons((float32 2, True), Nil)))", "element type"),
        ("@handle(Leaf)", "a value of `Handle` cannot be passed from outside"),
        ("@handles(Nil)", None),
        ("@handles(Cons(Leaf, Nil))", "a value of `Handle` cannot be passed from outside"),
        ("@function(Nil)", None),
        ("@function(Cons(Leaf, Nil))", "a function cannot be passed from outside"),
    ],
)
def test_a_structure_from_outside_is_looked_at_to_the_last_part(call: str, says: str | None) -> None:
    name, arguments = read_call(call)
    given_values = values(arguments, CHECKED.functions[name].params, 0, CHECKED.core.data)
    if says is None:
        CHECKED.run(name, *given_values)
        return
    with pytest.raises(gradual.Blame) as blamed:
        CHECKED.run(name, *given_values)
    assert (blamed.value.code, blamed.value.rule) == ("E0602", "run.entry")
    assert says in blamed.value.message


@pytest.mark.parametrize(("function", "what"), [("@functions", "a function"), ("@cells", "a reference")])
def test_what_has_no_form_outside_does_not_leave(function: str, what: str) -> None:
    with pytest.raises(gradual.Fault, match=f"{what} cannot be shown") as fault:
        CHECKED.run(function)
    assert fault.value.code == "E0608"


# ------------------------------------------------------------------------------------------------------------ forms
SCALARS = st.integers(-5, 5).map(number)
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.one_of(
        st.lists(inner, max_size=3).map(tuple),
        st.builds(gradual.Constructed, st.sampled_from(["Cons", "Nil", "X_1"]), st.lists(inner, max_size=3).map(tuple)),
    ),
)


@examples(40)
@given(VALUES)
def test_a_value_goes_through_json_and_through_text(value: object) -> None:
    assert shape(from_json(to_json(value))) == shape(value)
    assert json.loads(value_line(value))["value"] == to_json(value)


@pytest.mark.parametrize(
    "form", [{"constructor": 1}, {"constructor": "A", "fields": 3}, {"constructor": "A", "fields": [1]}]
)
def test_a_form_of_no_value_is_refused(form: object) -> None:
    with pytest.raises(ValueError, match=r"constructor|object"):
        from_json(form)


def test_a_run_takes_and_gives_structures(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    program = tmp_path / "a.relay"
    program.write_text(PROGRAM, encoding="utf-8")
    assert entry(["run", str(program), "@pair((1, Cons((2, True), Nil)))"]) == 0
    assert capsys.readouterr().out == "(int32 1,\n Cons((int32 2, bool True), Nil))\n"
    arguments = tmp_path / "a.json"
    arguments.write_text(nested(3_000), encoding="utf-8")
    assert entry(["run", str(program), "--entry", "@count", "--args", str(arguments), "--format", "json"]) == 0
    assert json.loads(capsys.readouterr().out)["value"]["data"] == [3_000]


def nested(length: int) -> str:
    element = '{"dtype": "int32", "shape": [], "data": [1]}'
    start = f'{{"constructor": "Cons", "fields": [{element}, '
    return f'[{start * length}{{"constructor": "Nil"}}{"]}" * length}, {element.replace("[1]", "[0]")}]'


def test_what_no_arm_fits_is_shown_as_deep_as_arms_look() -> None:
    text = """
type Maybe[A] { Some(A), None_, }
type List[A] { Cons(A, List[A]), Nil, }
def @main(%k: int32) {
  let %x: Maybe[List[int32]] = Some(Nil);
  match? (%x) { Some(Cons(%h, _)) => { %h }, None_ => { %k }, }
}
def @pair(%k: int32) { match? ((%k, Some(%k))) { (%h, None_) => { %h }, } }
"""
    for name, shown in (("@main", "Some(Nil)"), ("@pair", "(_, Some(_))")):
        with pytest.raises(gradual.Fault) as caught:
            gradual.check(text).run(name, gradual.Tensor(1, "int32"))
        assert (caught.value.code, caught.value.message) == ("E0609", f"no arm of this `match?` fits `{shown}`")
