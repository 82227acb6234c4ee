"""Type parameters, instances and operator declarations: names apart, precision, what the verifier sees."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import gradual
from gradual import Compilation, Tensor
from gradual.core.terms import Block, Function, Instantiate, Invoke, Module, Wrap
from gradual.core.verify.function import violations
from gradual.dims.solver.decide import Decider
from gradual.dims.term.constraint import at_least
from gradual.dims.term.dim import Kind, Variable, constant, variable
from gradual.types.dtype import DType
from gradual.types.instantiation import at_arguments, at_given
from gradual.types.relations import precise
from gradual.types.substitution import instantiated, substituted
from gradual.types.subsumption import subsumes
from gradual.types.type import FunctionType, GradualType, Hole, TensorType, TupleType, TypeVariable
from tests.checker.test_nasty import accepted, codes
from tests.properties.compiling import SHARED, compiled, outcome
from tests.run.test_blame import floats

A, B = TypeVariable("A"), TypeVariable("B")


def rigid(name: str) -> Variable:
    (made,) = variable(name, Kind.RIGID).variables()
    return made


N, M, K = rigid("n"), rigid("m"), rigid("k")


def dim(of: Variable | int | None) -> Any:
    if of is None:
        return Hole()
    return constant(of) if isinstance(of, int) else variable(of.name, of.kind)


def floats_of(*sizes: Variable | int | None) -> TensorType[Any]:
    return TensorType(tuple(map(dim, sizes)), DType.FLOAT32)


def function(
    params: tuple[GradualType, ...],
    result: GradualType,
    binders: tuple[Variable, ...] = (),
    types: tuple[TypeVariable, ...] = (),
) -> FunctionType:
    names = tuple(f"%?{i}" for i in range(len(params)))
    return FunctionType(names, params, result, binders, (), types, (*binders, *types))


# ------------------------------------------------------------------------------------------------------ names apart
def test_a_binder_makes_way_for_a_dim_that_is_put_inside() -> None:
    type = function((floats_of(N), floats_of(M)), floats_of(N), (N,))
    inside = substituted(type, {M: dim(N)})
    assert isinstance(inside, FunctionType)
    (binder,) = inside.binders
    assert binder is not N
    assert inside.params == (floats_of(binder), floats_of(N)) and inside.result == floats_of(binder)


def test_a_binder_makes_way_for_a_type_that_is_put_inside() -> None:
    type = function((floats_of(N), A, B), TupleType((A, B)), (N,), (B,))
    inside = instantiated(type, {A: TupleType((floats_of(N), B))})
    assert isinstance(inside, FunctionType)
    (own,), (binder,) = inside.types, inside.binders
    given = TupleType((floats_of(N), B))
    assert own != B and binder is not N
    assert inside.params == (floats_of(binder), given, own) and inside.result == TupleType((given, own))


@pytest.mark.parametrize(
    ("left", "right", "alike"),
    [
        (function((floats_of(N),), floats_of(N), (N,)), function((floats_of(M),), floats_of(M), (M,)), True),
        (function((floats_of(N),), floats_of(M), (N,)), function((floats_of(M),), floats_of(M), (M,)), False),
        (function((floats_of(M),), floats_of(M), (M,)), function((floats_of(N),), floats_of(M), (N,)), False),
        (function((A,), A, (), (A,)), function((B,), B, (), (B,)), True),
        (function((A,), B, (), (A,)), function((B,), B, (), (B,)), False),
        (function((A,), A), function((B,), B, (), (B,)), False),
        (function((floats_of(N),), floats_of(N)), function((floats_of(N),), floats_of(N), (N,)), False),
    ],
)
def test_function_types_are_alike_but_for_the_names_of_their_own(
    left: FunctionType, right: FunctionType, alike: bool
) -> None:
    assert precise(left, right) is alike
    assert precise(right, left) is alike


def test_function_types_are_alike_but_for_clauses_that_always_hold() -> None:
    type = function((floats_of(N),), floats_of(N), (N,))
    allows_empty, requires_two = (replace(type, where=(at_least(dim(N), constant(k)),)) for k in (0, 2))
    assert precise(type, allows_empty) and precise(allows_empty, type) and subsumes(allows_empty, type)
    assert not precise(type, requires_two) and not precise(requires_two, type)


def test_a_function_of_the_common_type_needs_no_proxy() -> None:
    """The type that both arguments have requires nothing of `n`, which is what `n >= 0` says of `@any`."""
    module = accepted(
        "def @any(%x: Tensor[(n,), float32]) where n >= 0 { %x }\n"
        "def @some(%x: Tensor[(n,), float32]) { %x }\n"
        "def @both[A](%f: A, %g: A) -> (A, A) { (%f, %g) }\n"
        "def @f(%x: Tensor[(?,), float32]) { @both(@any, @some) }"
    ).core
    wrapped = [step.operand for step in module.functions["@f"].body.steps if isinstance(step, Wrap)]
    assert wrapped == ["@some"]


@pytest.mark.parametrize(
    ("source", "target", "stands"),
    [
        (function((A,), A, (), (A,)), function((floats_of(3),), floats_of(3)), True),
        (function((A,), A, (), (A,)), function((floats_of(None),), floats_of(None)), True),
        (function((A,), A, (), (A,)), function((floats_of(3),), floats_of(5)), False),
        (function((A,), A, (), (A,)), function((B,), B, (), (B,)), True),
        (function((A,), A), function((A,), A, (), (A,)), False),
        (function((floats_of(N),), floats_of(N), (N,)), function((floats_of(M),), floats_of(M), (M,)), True),
        (function((floats_of(N),), floats_of(N)), function((floats_of(N),), floats_of(N), (N,)), False),
        (function((floats_of(N),), floats_of(M), (N,)), function((floats_of(M),), floats_of(M), (M,)), False),
    ],
)
def test_a_function_stands_for_its_instances_and_never_for_more(
    source: FunctionType, target: FunctionType, stands: bool
) -> None:
    assert subsumes(source, target) is stands


def test_dims_are_chosen_before_types_so_that_a_type_keeps_its_names() -> None:
    """The caller's n inside A is not the callee's n."""
    callee = function((floats_of(N), A), TupleType((floats_of(N), A)), (N,), (A,))
    call = at_arguments(callee, [floats_of(3), floats_of(N)])
    assert call is not None
    assert call.params == (floats_of(3), floats_of(N)) and call.types == (floats_of(N),)
    assert call.result == TupleType((floats_of(3), floats_of(N)))


def test_what_is_given_leaves_the_rest_to_the_call() -> None:
    callee = function((floats_of(N, M), A), TupleType((floats_of(M), A)), (N, M), (A,))
    inside = at_given(callee, {N: dim(M)}, {A: floats_of(M)})
    (left,) = inside.binders
    assert left is not M and inside.types == () and inside.order == (left,)
    assert inside.params == (floats_of(M, left), floats_of(M))
    assert inside.result == TupleType((floats_of(left), floats_of(M)))


# -------------------------------------------------------------------------------------------------------- precision
SIZES = st.sampled_from((0, 1, 2, 3, 5))
PROGRAM = """
def @first[A](%x: A, %y: A) -> A {{ %x }}
def @apply[A, B](%g: fn (A) -> B, %x: A) -> B {{ %g(%x) }}
def @dbl(%x: Tensor[(n, m), float32]) -> Tensor[(2 * n, m), float32] where n >= 0, m >= 0 {{
  concatenate((%x, %x), axis=0)
}}
def @main(%x: Tensor[({a}, {b}), float32], %y: Tensor[({c}, {d}), float32]) {{ {body} }}
"""
BODIES = (
    "@first(%x, %y)",
    "@apply(@dbl, @first(%x, %y))",
    "@first((%x, 1), (%y, 2)).0",
    "add(@first(%x, %y), %x)",
    "@apply(fn (%t: Tensor[(?, ?), float32]) {{ @first(%t, %y) }}, %x)",
    "@first[Tensor[({a}, ?), float32]](%x, %y)",
    "@first(@dbl, @dbl)(@first(%y, %x))",
)


def program(body: str, sizes: tuple[int, ...], blurred: tuple[bool, ...]) -> str:
    spelled = ("?" if blur else str(size) for size, blur in zip(sizes, blurred, strict=True))
    written = dict(zip("abcd", spelled, strict=True))
    return PROGRAM.format(body=body.format(**written), **written)


@settings(deadline=None, max_examples=60)
@given(st.sampled_from(BODIES), st.tuples(SIZES, SIZES), st.tuples(*[st.booleans()] * 4), st.booleans())
def test_blurring_an_argument_never_rejects_and_never_changes_a_value(
    body: str, sizes: tuple[int, int], blurred: tuple[bool, ...], equal: bool
) -> None:
    """T9 and T10 for calls that choose types."""
    a, b = sizes
    c = a if equal else a + 1
    exact, vague = (compiled(program(body, (a, b, c, b), blur)) for blur in ((False,) * 4, blurred))
    if not exact.ok:
        assert not equal
        return
    assert vague.ok, [found.message for found in vague.diagnostics]
    for found in (exact, vague):
        assert violations(found.core, SHARED()) == []
    inputs = floats(a, b), floats(c, b)
    before, after = outcome(exact.core, inputs), outcome(vague.core, inputs)
    assert (before.kind, before.value) == (after.kind, after.value)


@settings(deadline=None, max_examples=40)
@given(SIZES, SIZES, st.booleans())
def test_a_dim_that_is_given_is_what_the_argument_has(size: int, given_: int, known: bool) -> None:
    """Refuted where the size is known, else blamed at the call exactly where the two differ."""
    text = f"""def @id[n](%x: Tensor[(n,), float32]) -> Tensor[(n,), float32] where n >= 0 {{ %x }}
    def @main(%x: Tensor[({size if known else "?"},), float32]) {{ @id[{given_}](%x) }}"""
    found = gradual.check(text)
    assert found.ok is (not known or size == given_)
    if found.ok:
        assert outcome(found.core, (floats(size),)).kind == ("value" if size == given_ else "blame")


# --------------------------------------------------------------------------------------------------------- verifier
def changed(module: Module, step: type, **fields: Any) -> Module:
    """The module with the steps of a kind changed."""

    def one(old: Any) -> Any:
        return replace(old, **fields) if isinstance(old, step) else old  # type: ignore[type-var]

    def block(old: Block) -> Block:
        return Block(tuple(map(one, old.steps)), old.result)

    def whole(old: Function) -> Function:
        return replace(old, body=block(old.body))

    return replace(module, functions={name: whole(function) for name, function in module.functions.items()})


CALL = """def @first[A](%x: A, %y: A) -> A { %x }
def @main(%x: Tensor[(3,), float32]) { @first(%x, %x) }"""
GIVEN = """def @id[n, A](%x: Tensor[(n,), float32], %y: A) -> A { %y }
def @main(%x: Tensor[(3,), float32]) { @id[3, Tensor[(3,), float32]](%x, %x) }"""


@pytest.mark.parametrize(
    ("text", "step", "fields"),
    [
        (CALL, Invoke, {"types": ()}),
        (CALL, Invoke, {"types": (floats_of(5),)}),
        (CALL, Invoke, {"types": (TensorType((), DType.INT32),)}),
        (CALL, Invoke, {"type": floats_of(5)}),
        (GIVEN, Instantiate, {"dims": ((N, constant(5)),)}),
        (GIVEN, Instantiate, {"dims": ((N, constant(-1)),)}),
        (GIVEN, Instantiate, {"types": ()}),
        (GIVEN, Instantiate, {"operand": "%x"}),
    ],
)
def test_the_verifier_reads_what_was_chosen(text: str, step: type, fields: dict[str, object]) -> None:
    found = accepted(text)
    assert violations(changed(found.core, step, **fields), Decider()) != []


# ----------------------------------------------------------------------------------------------------- declarations
BOUNDED = """operator my.some<n>(%x: Tensor[(n,), float32], %k: int64)
    -> Tensor[(?{{u. {low} <= u and u <= {high}}},), float32]
    where n >= 0, %k >= 0 {{ strided_slice(%x, begin=[0], end=[min(n, %k)], strides=[1]) }}
def @main(%x: Tensor[(n,), float32], %k: int64) where n >= 0 {{ my.some(%x, %k) }}"""
LOWS = ("0", "min(n, %k)", "min(n, 1)", "n", "%k")
HIGHS = ("n", "n + %k", "max(n, %k)", "min(n, %k)", "2", "n - 1")


def bound(text: str, n: int, k: int) -> int:
    return int(eval(text.replace("%k", str(k)), {"min": min, "max": max, "n": n}))


@cache
def bounded(low: str, high: str) -> Compilation:
    """The program with these bounds, which the verifier accepts if the checker does."""
    found = compiled(BOUNDED.format(low=low, high=high))
    assert not found.ok or violations(found.core, SHARED()) == []
    return found


@settings(deadline=None, max_examples=60)
@given(st.sampled_from(LOWS), st.sampled_from(HIGHS), st.integers(0, 4), st.integers(0, 4))
def test_a_declared_bound_is_inhabited_wherever_a_run_comes(low: str, high: str, n: int, k: int) -> None:
    """T8: a body that may break its bound is refused, or blamed exactly where it does."""
    found = bounded(low, high)
    inside = bound(low, n, k) <= min(n, k) <= bound(high, n, k)
    if not found.ok:
        assert {diagnostic.code for diagnostic in found.diagnostics} <= {"E0301", "E0302", "E0311"}
        return
    ended = outcome(found.core, (floats(n), Tensor([k], "int64", ())))
    assert ended.kind == ("value" if inside else "blame"), (ended, low, high, n, k)


def test_a_condition_is_named_by_what_it_is() -> None:
    found = accepted("""operator my.op<n>(%x: Tensor[(n,), float32]) -> Tensor[(n,), float32] where n % 2 == 0;
    def @main(%x: Tensor[(?,), float32]) { my.op(%x) }""")
    (check,) = (one for one in found.checks if not one.not_empty)
    assert (check.blame.rule, check.blame.says) == ("op.declared.where", "`my.op` requires `n % 2 == 0`")
    assert check.blame.blamed == "the value supplied for parameter `%x` of `@main`"


def test_core_says_what_was_chosen() -> None:
    from gradual.core.print import printed

    core = printed(accepted(GIVEN).core)
    assert "%_1 = @id[n = 3, A = Tensor[(3,), float32]];" in core
    assert "def @id[A: Type, n = dim(%x, 0)]" in core
    assert "@first[Tensor[(3,), float32]](%x, %x)" in printed(accepted(CALL).core)


def test_types_that_double_at_each_call_come_to_an_end() -> None:
    deep = "%x"
    for _ in range(40):
        deep = f"@dup({deep})"
    text = f"def @dup[A](%x: A) -> (A, A) {{ (%x, %x) }}\ndef @main(%x: Tensor[(?,), float32]) {{ {deep} }}"
    assert codes(text) == ["E0307"]
