"""Each addition of the language to Relay, and each trap of Relay's reader made sane."""

from __future__ import annotations

from typing import Any

import pytest

from gradual.source import NOWHERE, Source
from gradual.syntax.parse import parse, parse_fragment
from gradual.syntax.printing.print import printed
from gradual.syntax.tree import ast
from tests.syntax.structure import structure


def module(text: str) -> ast.Module:
    found, diagnostics = parse(Source("test.relay", text))
    assert not diagnostics, diagnostics
    return found


def expression(text: str) -> Any:
    """What an expression in a body is."""
    (definition,) = module(f"def @f() {{ {text} }}").definitions
    assert isinstance(definition, ast.Def) and isinstance(definition.function.body, ast.Block)
    return definition.function.body.result


def size(text: str) -> Any:
    """What an expression in a shape is."""
    annotation = param_type(f"Tensor[({text},), float32]")
    assert isinstance(annotation, ast.TensorType) and annotation.shape is not None
    return annotation.shape[0]


def param_type(text: str) -> Any:
    (definition,) = module(f"def @f(%x: {text}) {{ %x }}").definitions
    assert isinstance(definition, ast.Def)
    return definition.function.params[0].annotation


def same(text: str, other: str) -> bool:
    return structure(expression(text)) == structure(expression(other))


# ------------------------------------------------------------------------------------------- Relay's traps
@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("%x-1", "%x - 1"),
        ("1-2", "1 - 2"),
        ("1+2", "1 + 2"),
        ("%a/%b", "%a / %b"),
        ("%x//c\n", "%x"),
        ("%x/* c */", "%x"),
        ("%x.0.1", "(%x.0).1"),
        ("f(%x).0", "(f(%x)).0"),
        ("f(%x)(%y).1", "((f(%x))(%y)).1"),
        ("- %x", "-%x"),
        ("- 5", "-5"),
        ("--10", "10"),
        ("1 * 1 + 1 < 1 == 1", "(((1 * 1) + 1) < 1) == 1"),
        ("%0 == %1", "(%0) == (%1)"),
        ("%a % %b", "(%a) % (%b)"),
        ("%a - -%b", "%a - (-%b)"),
    ],
)
def test_operators_are_read_as_a_reader_expects(written: str, meant: str) -> None:
    assert same(written, meant)


@pytest.mark.parametrize(
    "name", ["%m.layer.0.weight", "%onnx::MatMul_925", "%base/x", "%input:0", "%let", "%ref", "%_", "%True", "%x1"]
)
def test_a_name_of_an_imported_graph_is_one_variable(name: str) -> None:
    match expression(f"add({name}, {name}.0)"):
        case ast.Call(arguments=(ast.Local(name=whole), ast.Project(tuple=ast.Local(name=projected), index=0))):
            assert whole == projected == name
        case other:
            raise AssertionError(printed(other))


def test_a_name_that_ends_in_a_number_is_one_where_it_was_declared_so() -> None:
    text = "def @f(%input.1: int32, %x) { let %y.2.0: int32 = 1; (%input.1, %input.2, %y.2.0.1, %x.0) }"
    f, g = module(f"{text} def @g(%input) {{ %input.1 }}").definitions
    assert printed(f) == (
        "def @f(%input.1: int32, %x) {\n  let %y.2.0: int32 = 1;\n  (%input.1, %input.2, %y.2.0.1, %x.0)\n}"
    )
    assert isinstance(f, ast.Def) and isinstance(f.function.body, ast.Block)
    assert isinstance(g, ast.Def) and isinstance(g.function.body, ast.Block)
    match f.function.body.result, g.function.body.result:
        case ast.Tuple(items=(ast.Local(), ast.Project(), ast.Project(index=1), ast.Project(index=0))), ast.Project():
            return
    raise AssertionError


@pytest.mark.parametrize(
    "text",
    [
        "match (%x) { Nil => 1 } + 2",
        "f({ let %y = 1; %y }, match? (%x) { _ => 2, })",
        "f(let %y = 1; %y)",
        "(let %y = 1; %y)",
        "{ %x }(1)",
        "fn (%x) { %x }(1)",
        "if (%0 == 0) { 1 } else if (%c) { 2 } else { 3 }",
        "match %x { _ => { %x }, }",
    ],
)
def test_blocks_and_matches_stand_wherever_an_expression_stands(text: str) -> None:
    assert expression(text) is not None


def test_a_let_inside_a_let_needs_no_brackets() -> None:
    (definition,) = module("def @f() { let %x = let %y = 1; %0 = 2; %y; %x }").definitions
    assert isinstance(definition, ast.Def) and isinstance(definition.function.body, ast.Block)
    match definition.function.body.items:
        case (ast.Let(value=ast.Block(items=(ast.Let(), ast.Let()), result=ast.Local(name="%y"))),):
            return
    raise AssertionError(printed(definition))


def test_words_of_the_additions_stay_names_where_relay_has_names() -> None:
    match expression("where(%c, %a, as(then, and, or), where=1, type=2, if=3)"):
        case ast.Call(function=ast.Name(name="where"), arguments=(_, _, ast.Call(function=ast.Name(name="as"))) as all):
            assert len(all) == 3
        case other:
            raise AssertionError(printed(other))


def test_none_is_a_value_in_attributes_and_a_constructor_elsewhere() -> None:
    match expression("f(None, a=None, b=nullptr, c=[None])"):
        case ast.Call(arguments=(ast.Name(name="None"),), attributes=(a, b, c)):
            assert isinstance(a.value, ast.Nothing) and isinstance(b.value, ast.Nothing)
            assert isinstance(c.value, ast.Listing) and isinstance(c.value.items[0], ast.Nothing)
        case other:
            raise AssertionError(printed(other))


def test_names_that_begin_like_element_types_are_names() -> None:
    assert isinstance(param_type("int_list"), ast.NamedType)
    assert structure(param_type("int8x4")) == structure(ast.TensorType((), "int8x4", NOWHERE))


def test_an_extern_type_ends_nothing() -> None:
    assert len(module("extern type S\nextern type R[A]\ndef @f() { 1 }").definitions) == 3


# --------------------------------------------------------------------------------------- sizes and predicates
@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("n+1", "n + 1"),
        ("n//2", "n // 2"),
        ("n // 2 * 3", "(n // 2) * 3"),
        ("n%8", "n % 8"),
        ("%n%%m", "(%n) % (%m)"),
        ("n %m", "n % m"),
        ("(n + 1)//2", "(n + 1) // 2"),
        ("dim(%x, 0)//2", "dim(%x, 0) // 2"),
        ("if n == 2 then 1 else n", "(if (n == 2) then (1) else (n))"),
        ("not n == 2 and m > 1 or n < 3", "((not (n == 2)) and (m > 1)) or (n < 3)"),
        ("Any", "?"),
    ],
)
def test_sizes_have_arithmetic_of_their_own(written: str, meant: str) -> None:
    assert structure(size(written)) == structure(size(meant))


def test_a_slash_slash_after_an_operand_divides_inside_brackets_only() -> None:
    text = (
        "def @f(%x: Tensor[(n // 2,), float32]) -> int32 where n // 2 > 0 { // comment\n  %x // comment\n} // comment\n"
    )
    (definition,) = module(text).definitions
    assert isinstance(definition, ast.Def)
    assert printed(definition) == ("def @f(%x: Tensor[(n // 2,), float32]) -> int32 where n // 2 > 0 {\n  %x\n}")
    assert isinstance(expression("[2, // two\n 3]"), ast.Listing)
    (after,) = module("def @f() { assert n // 2 == 1; 5 // half\n }").definitions
    assert "assert n // 2 == 1;" in printed(after)


def test_a_hole_may_carry_a_bound() -> None:
    match size("?{u. u <= n // 2 and u % 2 == 0}"):
        case ast.Hole(binder="u", bound=ast.Infix(op="and")):
            return
    raise AssertionError


def test_the_rank_may_be_unknown() -> None:
    assert structure(param_type("Tensor[*, float32]")) == structure(ast.TensorType(None, "float32", NOWHERE))


def test_a_cast_binds_weaker_than_every_operator() -> None:
    match expression("%x + 1 as Tensor[(n,), float32] as int32"):
        case ast.Cast(value=ast.Cast(value=ast.Infix(op="+")), type=ast.TensorType(shape=())):
            return
    raise AssertionError


def test_where_stands_after_results_and_in_function_types() -> None:
    text = "def @f[n, A: Type](%g: fn [m, B: Dim](A) -> A where m > 0) -> fn (A) -> A where n > 0, n < 9 { %g }"
    (definition,) = module(text).definitions
    assert isinstance(definition, ast.Def)
    assert len(definition.function.where) == 2
    match definition.function.params[0].annotation, definition.function.result:
        case ast.FnType(where=(ast.Infix(op=">"),), binders=(_, ast.Binder(name="B", kind="Dim"))), ast.FnType(
            where=()
        ):
            return
    raise AssertionError(printed(definition))


def test_an_inner_function_type_keeps_its_where_in_brackets() -> None:
    match param_type("fn () -> fn [k where k > 0, k < 9](A) -> A"):
        case ast.FnType(result=ast.FnType(where=(_, _), binders=(ast.Binder(name="k"),))):
            return
    raise AssertionError


def test_assertions_are_items() -> None:
    (definition,) = module('def @f() { assert n % 2 == 0, "even\\n"; assert %c; assert (n); 1 }').definitions
    assert isinstance(definition, ast.Def) and isinstance(definition.function.body, ast.Block)
    match definition.function.body.items:
        case (ast.Assert(message="even\n"), ast.Assert(message=None), ast.Assert(condition=ast.Name())):
            return
    raise AssertionError


def test_an_operator_declaration_has_a_type_and_perhaps_a_body() -> None:
    text = """
operator my.op<n>(%x: Tensor[(n,), float32], %k: int64) -> Tensor[(min(n, %k),), float32] where %k >= 0;
operator twice[n: Dim](%x: Tensor[(n,), float32]) -> Tensor[(n,), float32] { add(%x, %x) }
"""
    match module(text).definitions:
        case (ast.OperatorDef(name=ast.Name(name="my.op"), body=None, where=(_,)), ast.OperatorDef(body=ast.Block())):
            return
    raise AssertionError


def test_settings_are_kept_and_the_version_is_told_apart() -> None:
    found = module('#[version = "0.0.5"]\n#[broadcast = "strict"]\ndef @f() { 1 }')
    assert found.version == "0.0.5"
    assert [(key, value) for key, value, _ in found.settings] == [("broadcast", "strict")]


# -------------------------------------------------------------------------------------- files without definitions
def test_a_lone_function_literal_is_main() -> None:
    (definition,) = module("fn (%x: int32, Primitive=1) -> int32 { %x }").definitions
    assert isinstance(definition, ast.Def) and definition.implicit and definition.name.name == "@main"
    assert len(definition.function.params) == 1 and len(definition.function.attributes) == 1


def test_a_lone_expression_is_the_body_of_main() -> None:
    (definition,) = module("free_var %x: int32;\n%0 = add(%x, 1);\n%0").definitions
    assert isinstance(definition, ast.Def) and definition.implicit and not definition.function.params
    match definition.function.body:
        case ast.Block(items=(ast.FreeVar(), ast.Let()), result=ast.Local(name="%0")):
            return
    raise AssertionError


def test_an_empty_text_is_an_empty_module() -> None:
    assert module("").definitions == module("// nothing\n").definitions == ()


def test_a_session_reads_definitions_items_and_expressions() -> None:
    def kinds(text: str) -> list[str]:
        found, diagnostics = parse_fragment(Source("<session>", text))
        assert not diagnostics, diagnostics
        return [type(part).__name__ for part in found]

    assert kinds("") == []
    assert kinds("1 + 2") == ["Infix"]
    assert kinds("let %x = 1") == ["Let"]
    assert kinds("%0 = 1") == ["Let"]
    assert kinds("let %x = 1; assert n > 0;") == ["Let", "Assert"]
    assert kinds("let %x = 1; %x") == ["Let", "Local"]
    assert kinds("def @f() { 1 } type T") == ["Def", "TypeDef"]


# ------------------------------------------------------------------------------------------------- spans
def test_every_node_knows_its_place() -> None:
    text = "def @f(%x: Tensor[(n, 4), float32]) { nn.conv2d(%x, axis=[1, -1], b=2).0 }"
    (definition,) = module(text).definitions
    assert isinstance(definition, ast.Def) and isinstance(definition.function.body, ast.Block)

    def at(node: Any) -> str:
        return text[node.span.start : node.span.end]

    assert at(definition) == text and at(definition.name) == "@f"
    assert at(definition.function.params[0]) == "%x: Tensor[(n, 4), float32]"
    match definition.function.body.result:
        case ast.Project(tuple=ast.Call(function=name, arguments=(x,), attributes=(axis, b)) as call) as project:
            assert at(project) == "nn.conv2d(%x, axis=[1, -1], b=2).0" and at(call) == at(project)[:-2]
            assert (at(name), at(x), at(axis), at(b)) == ("nn.conv2d", "%x", "axis=[1, -1]", "b=2")
            assert isinstance(axis.value, ast.Listing)
            assert [at(item) for item in axis.value.items] == ["1", "-1"] and at(axis.value) == "[1, -1]"
        case other:
            raise AssertionError(other)
