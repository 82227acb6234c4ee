"""The graph runtime: what it takes, that it ends as the machine does, and what it does not do.  [graph.run]"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable
from types import FrameType
from typing import Any

import pytest

import gradual
from gradual.compilation import Compilation
from gradual.interface.input.arguments import values
from gradual.run.graph.runtime import Graph
from gradual.run.value import Blame, Fault, NotStatic
from gradual.tensors.tensor import Tensor, random_tensor
from gradual.types.dtype import DType
from tests.generators.programs import generated
from tests.properties.case import Case
from tests.properties.compiling import compiled
from tests.run.graphs import agreeing, bits, disagreement, examples, spoilt
from tests.thorough import enough

PROGRAMS = enough(32)
SLICES = 4


# --------------------------------------------------------------------------------------------------------- generated
@pytest.mark.slow
@pytest.mark.parametrize("part", range(SLICES))
def test_generated_programs_end_alike_in_both_runtimes(part: int, tell: Callable[[str], None]) -> None:
    counts: Counter[str] = Counter()
    for seed in range(7000 + part, 7000 + PROGRAMS, SLICES):
        case = Case(generated(seed, compiled), seed)
        says = agreeing(case, lambda what: counts.update((what,)))
        assert says is None, f"seed {seed}: {says}\n{case.text}"
    tell(f"generated programs at the sizes of their inputs: {dict(sorted(counts.items()))}")
    assert counts["static"] >= PROGRAMS // SLICES // 2


@pytest.mark.slow
def test_the_calls_of_the_suite_end_alike_in_both_runtimes(tell: Callable[[str], None]) -> None:
    counts: Counter[str] = Counter()
    for case in examples():
        found = compiled(case.request.text)
        for call in case.request.calls if found.ok else ():
            given = values(call.arguments, found.functions[call.function].params, 0, found.core.data)
            counts["calls"] += 1
            counts["static"] += not found.obstacles(call.function)
            assert disagreement(found.core, call.function, given) is None, case.id
    tell(f"calls of the suite: {counts['calls']}, of static functions in both runtimes {counts['static']}")
    assert counts["static"] > counts["calls"] // 50


# ------------------------------------------------------------------------------------------------------ what it takes
def checked(text: str) -> Compilation:
    found = gradual.check(text)
    assert found.ok, [d.message for d in found.diagnostics]
    return found


def refused(text: str, entry: str = "@main") -> list[tuple[str, str]]:
    found = checked(text)
    with pytest.raises(NotStatic) as caught:
        found.graph(entry)
    assert tuple(caught.value.diagnostics) and all(d.code == "E0406" for d in caught.value.diagnostics)
    return [(d.rule, d.message) for d in caught.value.diagnostics]


CHAIN = """def @main(%x: Tensor[(4, 8), float32], %w: Tensor[(8, 8), float32]) {
  let %a = nn.dense(%x, %w);
  let %b = nn.relu(%a);
  let %c = add(%a, %b);
  let %d = split(%c, indices_or_sections=2, axis=1);
  (concatenate((%d.1, %d.0), axis=1), %x, %d.0)
}"""


def test_a_chain_has_the_bits_of_the_machine_and_leaves_nothing_in_the_arena() -> None:
    found = checked(CHAIN)
    x, w = drawn(4, 8, seed=1), drawn(8, 8, seed=2)
    graph = spoilt(found.graph("@main"))
    first = graph.run(x, w)
    assert bits(first) == bits(found.run("@main", x, w)) == bits(found.run("@main", x, w, runtime="graph"))
    graph.run(drawn(4, 8, seed=9), w)
    assert bits(first) == bits(found.run("@main", x, w)), "a later run changed a value that was given away"
    assert isinstance(first, tuple) and first[1] is x


def drawn(*shape: int, seed: int) -> Tensor:
    return random_tensor(shape, DType.FLOAT32, seed)


def test_the_graph_holds_what_the_plan_says() -> None:
    graph = checked(CHAIN).graph("@main")
    assert graph.held == graph.plan.peak.value == sum(slot.size.value or 0 for slot in graph.plan.slots)
    assert graph.held < (graph.plan.total.value or 0)


JUDGING = ("gradual/dims/", "gradual/checker/", "gradual/types/relations.py", "gradual/passes/")


def test_nothing_is_judged_while_it_runs() -> None:
    found = checked(CHAIN)
    graph = found.graph("@main")
    arguments = (drawn(4, 8, seed=1), drawn(8, 8, seed=2))
    judges = {id(action.step.operator.judge.__code__) for action in graph._steps if hasattr(action, "operands")}
    called: Counter[str] = Counter()

    def watch(frame: FrameType, event: str, argument: Any) -> None:
        name = frame.f_code.co_filename
        if event == "call" and (id(frame.f_code) in judges or any(part in name for part in JUDGING)):
            called[f"{name}:{frame.f_code.co_name}"] += 1

    admitted_before(graph, arguments)
    sys.setprofile(watch)
    try:
        for action in graph._steps:
            graph._act(action)
    finally:
        sys.setprofile(None)
    assert judges and not called


def admitted_before(graph: Graph, arguments: tuple[Tensor, ...]) -> None:
    """The arguments as they are once they have been let in."""
    graph._inputs = arguments


def test_a_meaning_that_faults_faults_at_the_same_place() -> None:
    found = checked("def @main(%x: Tensor[(2,), int32], %y: Tensor[(2,), int32]) { floor_divide(%x, %y) }")
    given = (Tensor([1, 2], "int32"), Tensor([1, 0], "int32"))
    stops = []
    for runtime in ("vm", "graph"):
        with pytest.raises(Fault) as caught:
            found.run("@main", *given, runtime=runtime)
        stops.append((caught.value.code, caught.value.span, caught.value.message))
    assert stops[0] == stops[1]


def test_shape_arithmetic_that_does_not_fit_faults_in_both() -> None:
    found = checked("def @main(%n: int64) -> int64 { %n * 4i64 }")
    for runtime in ("vm", "graph"):
        with pytest.raises(Fault) as caught:
            found.run("@main", Tensor(1 << 62, "int64"), runtime=runtime)
        assert caught.value.code == "E0605"
    assert found.run("@main", Tensor(5, "int64"), runtime="graph") == Tensor(20, "int64")


@pytest.mark.parametrize(
    "body",
    [
        'full(%k, shape=[2], dtype="int64")',
        "tile(%v, reps=[2])",
        "repeat(%v, repeats=2, axis=0)",
        "broadcast_to(%k, shape=[3])",
        "strided_slice(%v, begin=[0], end=[2])",
        "squeeze(reshape(%k, newshape=[1]), axis=[0])",
    ],
)
def test_elements_of_shape_arithmetic_are_compared_with_what_attributes_say(body: str) -> None:
    found = checked(f"def @main(%k: int64, %v: Tensor[(3,), int64]) {{ {body} }}")
    given = Tensor(3, "int64"), Tensor([1, 2, 3], "int64")
    assert found.run("@main", *given, runtime="graph") == found.run("@main", *given)


def test_an_assertion_on_data_stops_both() -> None:
    found = checked('def @main(%x: Tensor[(2,), float32]) { assert all(greater(%x, 0.0)), "positive"; sqrt(%x) }')
    for runtime in ("vm", "graph"):
        assert found.run("@main", Tensor([1.0, 4.0]), runtime=runtime) == Tensor([1.0, 2.0])
        with pytest.raises(Fault) as caught:
            found.run("@main", Tensor([1.0, -4.0]), runtime=runtime)
        assert caught.value.code == "E0606" and "positive" in caught.value.message


def test_a_caller_from_outside_is_blamed_alike() -> None:
    found = checked(CHAIN)
    for runtime in ("vm", "graph"):
        with pytest.raises(Blame) as caught:
            found.run("@main", drawn(4, 7, seed=1), drawn(8, 8, seed=2), runtime=runtime)
        assert caught.value.code == "E0602"


def test_a_tensor_too_large_stops_both_and_takes_no_arena() -> None:
    found = checked('def @main() { sum(full(1f32, shape=[65536, 65536], dtype="float32")) }')
    for runtime in ("vm", "graph"):
        with pytest.raises(Fault) as caught:
            found.run("@main", runtime=runtime)
        assert caught.value.code == "E0607"


def test_every_kind_of_obstacle_is_told() -> None:
    text = """
type Box { Box(Tensor[(2,), float32]), }
def @main(%x: Tensor[(?, n), float32], %y: Tensor[*, float32], %f: fn (float32) -> float32, %b: bool) {
  let %r = ref(%x);
  let %u = unique(sum(%x, axis=1));
  let %c = if (%b) { Box(zeros(shape=[2], dtype="float32")) } else { Box(ones(shape=[2], dtype="float32")) };
  let %m = match (%c) { Box(%v) => { %v } };
  let %w = %x as Tensor[(3, ?), float32];
  (ref_read(%r), %u, %f(1.0), nn.relu(%y), %m, %w)
}"""
    rules = {rule for rule, _ in refused(text)}
    assert rules == {f"graph.static.{kind}" for kind in KINDS}


KINDS = ("size", "rank", "data", "check", "branch", "call", "reference", "structure")


def test_a_function_that_nobody_calls_is_no_obstacle() -> None:
    text = """def @g(%x: Tensor[(?,), float32]) -> Tensor[(?,), float32] { exp(%x) }
def @main(%x: Tensor[(4,), float32]) {
  let %f = @g as fn (Tensor[(4,), float32]) -> Tensor[(4,), float32];
  let %t = (%f, fn (%y: Tensor[(2,), float32]) { %y }, %x);
  negative(%t.2)
}"""
    found = checked(text)
    x = drawn(4, seed=1)
    assert found.run("@main", x, runtime="graph") == found.run("@main", x)


def test_an_unknown_size_is_one_obstacle_however_many_values_have_it() -> None:
    body = "".join(f"let %a{k + 1} = exp(%a{k});\n" for k in range(50))
    found = refused(f"def @main(%a0: Tensor[(n, ?), float32]) {{\n{body}%a50 }}")
    assert [rule for rule, _ in found] == ["graph.static.size"] * 2


def test_an_unknown_runtime_is_refused() -> None:
    with pytest.raises(ValueError, match="no runtime 'gpu'"):
        checked(CHAIN).run("@main", runtime="gpu")


# ----------------------------------------------------------------------------------------------------------- pinning
def pins(text: str, entry: str = "@main") -> dict[str, int]:
    first = checked(text).obstacles(entry)[0]
    found = first.data["pins"]
    assert isinstance(found, dict)
    return found


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("def @main(%x: Tensor[(n, m), float32], %y: Tensor[(m, n), float32]) { (%x, %y) }", {"n", "m"}),
        ("def @main(%x: Tensor[(n,), float32], %y: Tensor[(m,), float32]) where m == n + 1 { (%x, %y) }", {"n"}),
        ("def @main(%x: Tensor[(2 * n,), float32], %y: Tensor[(?,), float32]) { (%x, %y) }", {"n", "dim(%y,0)"}),
        ("def @main(%k: int64) { arange(0i64, %k, 1i64) }", {"%k"}),
        ("def @main(%x: Tensor[(a,), float32], %y: Tensor[(b,), float32], %z: Tensor[(c,), float32])"
         " where c == a + b { (%x, %y, %z) }", {"a", "b"}),
    ],
)  # fmt: skip
def test_a_smallest_set_of_inputs_is_pinned_and_suffices(text: str, wanted: set[str]) -> None:
    found = pins(text)
    assert found.keys() == wanted
    after = gradual.apply(checked(text), "specialize", *(f"{name}={number}" for name, number in found.items()))
    assert after.obstacles("@main") == ()
    for left in found:
        fewer = [f"{name}={number}" for name, number in found.items() if name != left]
        part = gradual.apply(checked(text), "specialize", *fewer) if fewer else checked(text)
        assert part.obstacles("@main"), f"`{left}` need not be pinned"


def test_the_numbers_that_are_tried_let_the_checks_pass() -> None:
    text = "def @main(%x: Tensor[(?, ?), float32], %w: Tensor[(10, 784), float32]) { nn.dense(%x, %w) }"
    assert pins(text)["dim(%x,1)"] == 784


def test_the_help_says_what_was_tried_and_an_obstacle_that_stays_says_so() -> None:
    first, second = checked("def @main(%x: Tensor[(n,), float32]) { unique(%x) }").obstacles("@main")
    assert "gradual pass specialize 'n=2'" in first.help[0].text and "1 obstacle would be left" in first.help[0].text
    assert (first.data["stays"], second.data["stays"]) == (False, True)
    assert "no choice of numbers for the inputs removes it" in second.notes


def test_a_chain_leads_from_an_input_to_the_obstacle() -> None:
    text = """def @main(%x: Tensor[(4,), int64], %y: Tensor[(6,), float32]) {
  let %a = sort(%x);
  let %b = take(%a, 1i64, axis=0);
  (%y, arange(0i64, %b, 1i64))
}"""
    (found,) = checked(text).obstacles("@main")
    assert found.data["chain"] == ["parameter `%x`", "`sort`", "`take`"]
    assert [related.label for related in found.related] == found.data["chain"]
    assert "it comes from parameter `%x` → `sort` → `take`" in found.notes
