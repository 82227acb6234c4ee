"""The allocation planner: lives and slots are right, formulas are those of runs, and sharing is what proofs allow."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from itertools import combinations, pairwise
from random import Random

import pytest

import gradual
from gradual.core.terms import Function
from gradual.dims.solver.decide import Decider
from gradual.dims.term.constraint import equal
from gradual.dims.term.dim import Dim, constant
from gradual.interface.input.arguments import values
from gradual.passes.plan import pack_offsets
from gradual.passes.plan.pack_offsets import packed
from gradual.passes.plan.prepare import entry_facts
from gradual.passes.plan.slots import planned
from gradual.run.graph.plan import ALIGNMENT, Buffer, Plan, Slot
from gradual.run.value import Blame, Fault
from gradual.source import Span
from gradual.tensors.tensor import Tensor, random_tensor
from gradual.types.dtype import DType
from gradual.types.type import TensorType
from tests.generators.programs import generated
from tests.material import RELAY_MODELS, needs_models
from tests.passes.arenas import run_in_arenas
from tests.properties.case import Case
from tests.properties.compiling import compiled
from tests.run.graphs import examples
from tests.thorough import enough

PROGRAMS = enough(16)
SLICES = 4


def function(text: str, name: str = "@main") -> Function:
    found = gradual.check(text)
    assert found.ok, [d.message for d in found.diagnostics]
    return found.core.functions[name]


def plan(text: str) -> Plan:
    return planned(function(text))


def at(made: Plan, owner: Function, **sizes: int) -> Plan:
    """The plan at numbers for dims by name."""
    facts = entry_facts(owner)
    for variable in {v for slot in made.slots for v in slot.size.variables()} | {*owner.type.binders}:
        if variable.name in sizes:
            facts.assume(equal(dim_of(variable), constant(sizes[variable.name])))
    return made.at(facts.rewrite)


def dim_of(variable: object) -> Dim:
    from gradual.dims.term.dim import of_atom

    return of_atom(variable)  # type: ignore[arg-type]


# -------------------------------------------------------------------------------------------------------- lives, slots
@pytest.mark.slow
@pytest.mark.parametrize("part", range(SLICES))
def test_what_is_read_is_still_where_the_plan_put_it(part: int, tell: Callable[[str], None]) -> None:
    counts: Counter[str] = Counter()
    for seed in range(8100 + part, 8100 + PROGRAMS, SLICES):
        case = Case(generated(seed, compiled), seed)
        for given in case.inputs if case.found.ok else ():
            counts["runs"] += 1
            try:
                _, watch = run_in_arenas(case.found.core, "@main", given)
            except (Blame, Fault):
                continue
            except AssertionError as wrong:
                raise AssertionError(f"seed {seed} on {given}: {wrong}\n{case.text}") from wrong
            counts["reads"] += watch.reads
    tell(f"runs in arenas: {dict(counts)}")
    assert counts["reads"] > PROGRAMS // SLICES


@pytest.mark.slow
def test_the_calls_of_the_suite_read_what_was_written(tell: Callable[[str], None]) -> None:
    counts: Counter[str] = Counter()
    for case in examples():
        found = compiled(case.request.text)
        for call in case.request.calls if found.ok else ():
            given = values(call.arguments, found.functions[call.function].params, 0, found.core.data)
            try:
                _, watch = run_in_arenas(found.core, call.function, given)
            except (Blame, Fault):
                continue
            except AssertionError as wrong:
                raise AssertionError(f"{case.id}: {wrong}") from wrong
            counts.update(calls=1, reads=watch.reads)
    tell(f"calls of the suite in arenas: {dict(counts)}")
    assert counts["reads"] > counts["calls"] // 2 > 0


def all_in_one_place(made: Plan) -> Plan:
    """A wrong plan: every slot begins where the first one does."""
    zero = constant(0)
    return replace(made, slots=tuple(replace(slot, offset=zero, size=made.arena) for slot in made.slots))


CHAIN = """def @main(%x: Tensor[(n, 8), float32]) {
  let %a = exp(%x);
  let %b = negative(%a);
  add(%a, %b)
}"""


def test_a_wrong_plan_is_noticed() -> None:
    found = gradual.check(CHAIN)
    given = (random_tensor((3, 8), DType.FLOAT32, 1),)
    run_in_arenas(found.core, "@main", given)
    with pytest.raises(AssertionError, match="overwritten"):
        run_in_arenas(found.core, "@main", given, all_in_one_place)


def test_a_size_that_a_branch_checks_is_none_on_entry() -> None:
    negative = compiled("""def @main(%v: Tensor[(100,), float32], %k: int64) {
      let %s = if (%k > 0) { exp(zeros(shape=[%k])) } else { exp(%v) };
      let %a = exp(%v); let %b = exp(%a); let %d = tanh(%b); (%a, %b, %d, %s)
    }""")
    run_in_arenas(negative.core, "@main", (random_tensor((100,), DType.FLOAT32, 1), Tensor(-1000, "int64")))
    divided = compiled("""def @main(%x: Tensor[(n, m), float32]) where n >= 0 {
      if (dim(%x, 0) >= 1) { zeros(shape=[m // n]) } else { zeros(shape=[m]) }
    }""")
    run_in_arenas(divided.core, "@main", (random_tensor((0, 2), DType.FLOAT32, 1),))


def test_slots_do_not_overlap_and_begin_at_whole_blocks() -> None:
    made = at(plan(CHAIN), function(CHAIN), n=5)
    for slot, following in pairwise(made.slots):
        assert (slot.offset + slot.size).value == following.offset.value
    assert all(
        (slot.offset.value or 0) % ALIGNMENT == 0 and (slot.size.value or 0) % ALIGNMENT == 0 for slot in made.slots
    )


def test_buffers_of_one_slot_live_one_after_another() -> None:
    text = "def @main(%a0: Tensor[(n,), float32]) {\n"
    text += "".join(f"let %a{k + 1} = exp(%a{k});\n" for k in range(20)) + "%a20 }"
    made = plan(text)
    assert len(made.slots) == 2
    for slot in made.slots:
        for one, other in pairwise(made.buffers[path] for path in slot.holds):
            assert one.last < other.first


def slots_of(text: str) -> int:
    return len(plan(text).slots)


BRANCHES = """def @main(%x: Tensor[(n, 16), float32], %b: bool) {{
  let %c = if (%b) {{ {then} }} else {{ {orelse} }};
  sum(%c)
}}"""


def test_branches_use_the_same_memory() -> None:
    lazy = BRANCHES.format(then="exp(exp(exp(%x)))", orelse="tanh(tanh(tanh(%x)))")
    assert slots_of(lazy) == 3, "two for the branches; the value of the first waits for that of the second"


def test_what_a_call_takes_lives_to_the_end() -> None:
    text = """def @keep(%x: Tensor[(4,), float32], %n: int64) -> Tensor[(4,), float32] {
  if (%n > 0i64) { @keep(%x, %n - 1i64) } else { %x }
}
def @main(%x: Tensor[(4,), float32], %n: int64) {
  let %a = exp(%x);
  let %b = @keep(%a, %n);
  let %c = tanh(%x);
  add(%b, %c)
}"""
    made = plan(text)
    assert made.buffers["%a"].last == made.steps + 1
    assert made.calls == ("@keep",) and any(buffer.handed for buffer in made.buffers.values())
    _, watch = run_in_arenas(
        gradual.check(text).core, "@main", (random_tensor((4,), DType.FLOAT32, 1), Tensor(3, "int64"))
    )
    assert watch.reads


# ------------------------------------------------------------------------------------------------------------- packing
def drawn(seed: int) -> Plan:
    """A plan of buffers of some sizes and lives, each in a slot of its own."""
    random = Random(f"packing {seed}")
    type = TensorType((), DType.FLOAT32)
    buffers, slots, end = dict[str, Buffer](), [], 0
    for k in range(random.randint(1, 40)):
        path, size, first = f"%{k}", constant(64 * random.choice((0, 1, 1, 2, 3, 5, 8, 13, 21))), k // 2 + 1
        last = first + random.choice((0, 1, 1, 2, 3, 10))
        buffers[path] = Buffer(path, "exp", type, Span(0, 0), size, size, first, last, k)
        slots.append(Slot(size, constant(end), (path,)))
        end += size.value or 0
    return Plan("@f", 40, buffers, tuple(slots), constant(0), ())


def places(made: Plan) -> dict[str, tuple[int, int]]:
    """Where each buffer begins and ends."""
    found = {}
    for path, buffer in made.buffers.items():
        start = made.slots[buffer.slot or 0].offset.value or 0
        found[path] = start, start + (buffer.size.value or 0)
    return found


@pytest.mark.parametrize("seed", range(60))
def test_what_lives_at_once_is_packed_apart(seed: int) -> None:
    before = drawn(seed)
    made = packed(before)
    lies = places(made)
    assert (made.live or 0) <= (made.arena.value or 0) <= (before.arena.value or 0)
    assert max(end for _, end in lies.values()) == made.arena.value
    for one, other in combinations(made.buffers.values(), 2):
        if one.first <= other.last and other.first <= one.last:
            (start, end), (begin, stop) = lies[one.path], lies[other.path]
            assert end <= begin or stop <= start or start == end or begin == stop, (one.path, other.path)
    for number, slot in enumerate(made.slots):
        assert slot.holds == tuple(path for path, buffer in made.buffers.items() if buffer.slot == number)
        assert all(made.buffers[path].size is slot.size for path in slot.holds)


def test_packing_gives_up_on_too_many_pairs_and_on_formulas(monkeypatch: pytest.MonkeyPatch) -> None:
    before = drawn(7)
    assert packed(before).arena.value != before.arena.value
    formulas = plan(CHAIN)
    assert packed(formulas) is formulas
    monkeypatch.setattr(pack_offsets, "PAIRS", 20)
    assert packed(before) is before


SPLIT = """def @main(%x: Tensor[(8, 16), float32]) {
  let %a = nn.relu(%x);
  let %b = strided_slice(%a, begin=[0], end=[4], axes=[0]);
  let %c = exp(%b);
  (%b, %c, tanh(%c))
}"""


def test_what_is_packed_is_read_where_it_was_written() -> None:
    found = gradual.check(SPLIT)
    given = (random_tensor((8, 16), DType.FLOAT32, 1),)
    made = found.plan("@main")
    assert made.peak.value == made.live == 768
    value, watch = run_in_arenas(found.core, "@main", given)
    assert watch.reads and found.run("@main", *given, runtime="graph") == value
    with pytest.raises(AssertionError, match="overwritten"):
        run_in_arenas(found.core, "@main", given, all_in_one_place)


@needs_models
@pytest.mark.parametrize("name", ["resnet18", "inception_v3", "densenet121"])
def test_models_are_packed_as_tightly_as_can_be(name: str) -> None:
    made = gradual.check((RELAY_MODELS / f"{name}.relay").read_text("utf-8")).plan("@main")
    assert made.peak.value == made.live


# -------------------------------------------------------------------------------------------------------------- proofs
def test_a_check_on_the_way_says_nothing_of_the_buffers_before_it() -> None:
    text = """def @main(%x: Tensor[(n, 16), float32], %y: Tensor[(m, 16), float32]) {
  let %a = sum(exp(%x));
  assert n <= m;
  let %b = sum(exp(%y));
  add(%a, %b)
}"""
    made = plan(text)
    first = made.slots[made.buffers[next(path for path, b in made.buffers.items() if b.maker == "exp")].slot or 0]
    assert "max(" in str(first.size), "sized for the first buffer, too: the check may fail"
    demanded = plan(text.replace("float32]) {", "float32]) where n <= m {").replace("  assert n <= m;\n", ""))
    assert "n" not in str(demanded.slots[0].size), "what every entry demands counts from the start"


def test_a_smaller_buffer_moves_in_where_a_check_proves_it() -> None:
    text = """def @main(%x: Tensor[(n, 16), float32], %y: Tensor[(m, 16), float32]) {
  let %a = sum(exp(%x));
  assert m <= n;
  let %b = sum(exp(%y));
  add(%a, %b)
}"""
    assert "m" not in str(plan(text).slots[0].size).replace("max", "")
    assert "m" in str(plan(text.replace("  assert m <= n;\n", "")).slots[0].size).replace("max", "")


def test_a_size_that_data_decides_lies_within_its_bound() -> None:
    text = "def @main(%x: Tensor[(n,), float32]) where n >= 0 { unique(%x) }"
    found = gradual.check(text)
    for numbers in ([1.0, 1.0, 1.0], [3.0, 1.0, 2.0], []):
        given = Tensor(numbers, "float32", (len(numbers),))
        run_in_arenas(found.core, "@main", (given,))
        _, taken = found.measure("@main", given)
        assert taken
    assert all(buffer.slot is not None for buffer in planned(found.core.functions["@main"]).buffers.values())


def test_the_cost_grows_with_the_program() -> None:
    def decisions(count: int) -> int:
        lets = "".join(f"let %a{k + 1} = {'nn.relu' if k % 3 else 'exp'}(%a{k});\n" for k in range(count))
        text = f"def @main(%a0: Tensor[(n, m), float32]) where n >= 2 {{\n{lets}%a{count} }}"
        owner = function(text)
        asked: list[object] = []
        original = Decider.decide
        try:
            Decider.decide = lambda self, facts, goal: (asked.append(goal), original(self, facts, goal))[1]  # type: ignore[method-assign]
            planned(owner)
        finally:
            Decider.decide = original  # type: ignore[method-assign]
        return len(asked)

    assert decisions(400) <= decisions(100) + 4


# ----------------------------------------------------------------------------------------------------------- measured
MLP = """def @main(%x: Tensor[(?, 20), float32], %w: Tensor[(30, 20), float32], %v: Tensor[(7, 30), float32]) {
  let %a = nn.relu(nn.dense(%x, %w));
  nn.softmax(nn.dense(%a, %v))
}"""


@pytest.mark.parametrize("n", [0, 1, 3, 8])
def test_formulas_are_what_the_machine_allocates(n: int) -> None:
    found = gradual.check(MLP)
    shapes = ((n, 20), (30, 20), (7, 30))
    value, taken = found.measure("@main", *(random_tensor(shape, DType.FLOAT32, k) for k, shape in enumerate(shapes)))
    made, owner = found.plan("@main"), found.core.functions["@main"]
    (variable,) = {v for slot in made.slots for v in slot.size.variables()}
    there = made.at(lambda dim: dim.substitute({variable: constant(n)}))
    assert {path: buffer.size.value for path, buffer in there.buffers.items()} == dict(taken)
    assert there.total.value == sum(taken.values()) and isinstance(value, Tensor)
    assert (there.live or 0) <= (there.peak.value or 0) <= (there.total.value or 0)
    assert owner.name == "@main"


def test_a_wrong_formula_is_noticed() -> None:
    from gradual.run.graph.measured import measured

    found = gradual.check(MLP)
    owner = found.core.functions["@main"]
    made = planned(owner)
    wrong = replace(made, buffers={path: replace(b, size=b.size + 64) for path, b in made.buffers.items()})
    given = [random_tensor(shape, DType.FLOAT32, 1) for shape in ((2, 20), (30, 20), (7, 30))]
    measured(found.core, owner, made, given)
    with pytest.raises(AssertionError):
        measured(found.core, owner, wrong, given)
