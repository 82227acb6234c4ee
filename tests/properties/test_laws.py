"""Every law on forty programs; `python -m tests.properties.campaign` takes more."""

from __future__ import annotations

import os
import subprocess
import sys
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

from gradual.core.check import Check
from gradual.core.verify.function import violations
from gradual.dims.solver.decide import Decider
from tests.generators.families import member
from tests.generators.programs import generated, likely_refused
from tests.generators.testing import generated_tests
from tests.properties.campaign import Tally, breaches, broken, enough, told
from tests.properties.case import Case
from tests.properties.compiling import compiled
from tests.properties.determinism import ROOT, SEEDS, differing, sample
from tests.properties.laws import LAWS
from tests.properties.seeded.directed import obeys
from tests.thorough import times

PROGRAMS = times(10)
"""How many programs obey every law here."""
PARTS = 10
"""Into how many tests they are parted."""
FEW = 25
"""How many programs are looked at where they are not put under laws."""

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("part", range(PARTS))
def test_every_generated_program_obeys(part: int) -> None:
    tally = Tally()
    numbers = enough(PROGRAMS // PARTS, part * 1000, tally)
    found = [told(breach, plain=True) for breach in breaches(numbers, LAWS, tally)]
    assert not found, "\n".join(found)
    assert tally.counts["programs"] == PROGRAMS // PARTS


OF_TESTS = ("static guarantee", "dynamic guarantee", "soundness", "conservative", "static system", "verified")
"""What is asked of more programs of tests on sizes than the families above have."""


@pytest.mark.parametrize("part", range(2))
def test_programs_of_tests_on_sizes_obey(part: int) -> None:
    for seed in range(part * 12, part * 12 + 12):
        one = Case(generated_tests(seed, compiled), seed)
        wrong = ((law, broken(LAWS[law], one)) for law in OF_TESTS)
        assert (found := [f"{law}, {says}\n{one.text}" for law, says in wrong if says]) == [], "\n".join(found)


def test_the_generated_programs_are_worth_running() -> None:
    cases = [Case(generated(seed, compiled), seed) for seed in range(FEW)]
    accepted = [one for one in cases if one.found.ok]
    kinds = [ended.kind for one in accepted for ended in one.outcomes]
    assert len(accepted) / len(cases) > 0.8
    assert kinds.count("value") > 0.3 * len(kinds)
    assert kinds.count("blame") > 0.1 * len(kinds)
    assert sum(one.found.residual for one in accepted) > len(accepted)
    assert any(all(f.strict for f in one.found.core.functions.values()) for one in accepted)


@pytest.mark.parametrize("strict", [True, False])
def test_what_is_refused_fails_where_it_is_executed(strict: bool) -> None:
    codes: Counter[str] = Counter()
    for seed in range(FEW):
        one = Case(likely_refused(seed, compiled, strict), seed)
        for law in ("counterexamples", "refutations"):
            says = LAWS[law](one)
            assert says is None, f"seed {seed}: {says}\n{one.text}"
        codes.update({diagnostic.code for diagnostic in one.found.diagnostics})
    assert codes["E0302" if strict else "E0301"] > FEW / 40


_PRINTS = """
from tests.generators.programs import generated
from tests.properties.compiling import compiled
from tests.properties.determinism import ROOT, SEEDS, differing, sample
for seed in range(3):
    print(generated(seed, compiled))
"""


def test_the_generator_writes_the_same_programs_under_another_hash_seed() -> None:
    command = [sys.executable, "-c", _PRINTS]
    texts = {
        subprocess.run(
            command, cwd=ROOT, env={**os.environ, "PYTHONHASHSEED": seed}, check=True, capture_output=True
        ).stdout.decode()
        for seed in ("1", "2")
    }
    assert len(texts) == 1
    assert "def @main" in texts.pop()


def test_the_command_writes_the_same_bytes_under_every_hash_seed(tmp_path: Path) -> None:
    assert differing(sample(3, tmp_path), [sys.executable], SEEDS) == []


DEAD_RANK = """def @main(%v: Tensor[*, float32], %x: Tensor[(4,), float32]) {
  let %d = take(shape_of(%x), 0);
  if (%d == 6) { unique(%v).0 } else { zeros(shape=[2], dtype="float32") }
}"""


DEAD_OPENING = """def @main(%x: Tensor[(1, ?, n), float32], %v: Tensor[*, float32]) {
  let %y = %x * %v;
  let %z = cast(argwhere(%v), dtype="float32");
  if (take(shape_of(%z), 0) == 2) {
    let %dead = %z as Tensor[(1, 1), float32];
    let %w = reshape(%y, newshape=[-1, dim(%y, 2)]);
    %dead
  } else { %z }
}"""

PARTLY_UNRANKED = """def @main(%a: (Tensor[(?, ?), float32], Tensor[*, float32])) {
  let %b: (Tensor[*, float32], Tensor[(1, 1), float32]) = %a;
  %b
}"""

JOINED_PARTLY = """def @main(%c: bool, %a: Tensor[*, float32], %x: Tensor[(2, 3), float32], %y: Tensor[(1,), float32]) {
  if (%c) { (%a, %y) } else { (%x, %y) }
}"""

READ_IN_ONE_BRANCH = """def @main(%v: Tensor[*, float32], %w: Tensor[(?, m), float32], %i: int64) {
  let %j = if (%i < 3) { %w } else { %v as Tensor[(?, dim(%v, 1)), float32] };
  reshape(%j, newshape=[dim(%j, 1), dim(%j, 0)])
}"""

BOUNDED_IN_DATA = """type List[A] { Cons(A, List[A]), Nil }
def @main(%v: Tensor[(?,), float32], %w: Tensor[(1, 1), float32]) {
  let %l: List[Tensor[(dim(%v, 0), ?{u. u <= 1}), float32]] = Cons(%w, Nil);
  %l
}"""

DECIDED_BY_ANOTHER_PART = """def @main(%v: Tensor[*, float32], %w: Tensor[(m, 1), float32]) {
  let %j = if (take(shape_of(%w), 0) == 3) { %v as Tensor[(3, dim(%v, 1)), float32] } else { %w };
  %j as Tensor[(?, 4), float32]
}"""

READ_IN_DATA = """type Option[A] { Some(A), None_ }
def @main(%v: Tensor[*, float32], %w: Tensor[(1,), float32]) -> Option[Tensor[(1,), float32]] {
  let %f = fn (%x: Tensor[(1,), float32]) {
    let %o: Option[Tensor[(dim(%v, 0),), float32]] = Some(%v);
    %o
  };
  %f(%w)
}"""

RANK_OF_ANOTHER = """def @main(%v: Tensor[*, float32]) {
  let %w = strided_slice(%v, begin=[3], end=[9], strides=[1]) as Tensor[(?,), float32];
  repeat(%w, repeats=dim(%v, 0), axis=0)
}"""

READ_BY_A_LITERAL = """def @main(%v: Tensor[*, float32], %w: Tensor[(m, 1), float32]) -> Tensor[(1, 1), float32] {
  let %f = fn (%x: Tensor[(?, 1), float32]) { nn.dense(%x, %v) };
  %f(%w)
}"""


@pytest.mark.parametrize(
    "text",
    [
        DEAD_RANK,
        DEAD_OPENING,
        PARTLY_UNRANKED,
        JOINED_PARTLY,
        READ_IN_ONE_BRANCH,
        READ_BY_A_LITERAL,
        READ_IN_DATA,
        RANK_OF_ANOTHER,
        BOUNDED_IN_DATA,
        DECIDED_BY_ANOTHER_PART,
    ],
)
def test_ranks_of_paths_never_taken_and_sizes_beside_star_are_verified(text: str) -> None:
    assert violations(compiled(text).core, Decider()) == []


ASKED_AGAIN = """def @main(%v: Tensor[*, float32]) {
  let %w = %v as Tensor[*, float32];
  nn.dense(%w, %v)
}"""


def test_what_an_operator_asks_again_at_run_time_may_be_left_out() -> None:
    assert obeys("tampering", ASKED_AGAIN)() is None


ASSERTED = """def @main(%x: Tensor[(m, 4), float32]) {
  let %y = %x as Tensor[(m, 4), float32];
  assert dim(%y, 1) == m // 2;
  %y
}"""

ASSERTED_WITHIN = """def @main(%x: Tensor[(2, n), float32], %y: Tensor[(n,), float32]) {
  let %f = fn (%z: Tensor[(2, q), float32]) {
    assert dim(%y, 0) == 1;
    %z
  };
  let %g = %f(%x);
  let %r = tile(%g, reps=[2 * n]);
  assert dim(%r, 1) != 2 * n;
  %r
}"""


@pytest.mark.parametrize("text", [ASSERTED, ASSERTED_WITHIN])
@pytest.mark.parametrize("law", ["static system", "conservative"])
def test_what_somebody_asserts_is_nothing_that_the_program_owes(law: str, text: str) -> None:
    assert compiled(text).ok
    assert obeys(law, text)() is None


AFTER_ASSERTIONS = """def @main(%x: Tensor[(1,), float32], %y: Tensor[(1, 2), float32], %a: bool, %b: bool, %c: bool) {
  assert %a;
  assert %b;
  assert %c;
  let %z = nn.dense(%x, %y);
  %x
}"""

BESIDE_WHAT_STOPS = """\
def @main(%x: Tensor[(n, 2), float32], %y: Tensor[(n,), float32], %z: Tensor[(1,), float32], %b: bool) {
  let %t = concatenate((%x, ones(shape=[1, 2], dtype="float32")), axis=0);
  let %j = if (%b) {
    let %r = dyn.reshape(%y, shape_of(%z));
    %x
  } else {
    %t
  };
  %x
}"""


BEHIND_WHAT_NEVER_RETURNS = """def @f(%x: Tensor[(n,), float32], %k: int64) -> Tensor[(n,), float32] {
  zeros(shape=[%k], dtype="float32")
}
def @main(%x: Tensor[(6,), float32], %k: int64) -> Tensor[(3,), float32] {
  let %y = @f(%x, %k);
  let %z = @f(%y, 1i64);
  %y
}"""


@pytest.mark.parametrize("text", [AFTER_ASSERTIONS, BESIDE_WHAT_STOPS, BEHIND_WHAT_NEVER_RETURNS])
def test_enumeration_explains_what_is_refused(text: str) -> None:
    assert not compiled(text).ok
    assert obeys("static system", text)() is None


A_PROXY_IS_CALLED = """def @mk(%x: Tensor[(n,), float32]) -> fn (Tensor[(n,), float32]) -> Tensor[(n,), float32] {
  fn (%b: Tensor[(?,), float32]) { add(%x, %b) }
}
def @main(%x: Tensor[(n,), float32]) { @mk(%x)(%x) }"""


def test_enumeration_calls_what_a_call_gave() -> None:
    found = compiled(A_PROXY_IS_CALLED)
    assert found.ok and found.core.functions["@main"].strict
    assert obeys("static system", A_PROXY_IS_CALLED)() is None


SIZE_OF_ANY_RANK = """def @main(%v: Tensor[*, float32], %i: int64) {
  assert dim(%v, 1) == %i;
  %v
}"""


def test_a_size_is_read_only_where_its_rank_was_seen() -> None:
    core = compiled(SIZE_OF_ANY_RANK).core
    main = core.functions["@main"]
    seen, asserted = (step for step in main.body.steps if isinstance(step, Check))
    assert (str(seen.goal), str(asserted.goal)) == ("ndim(%v) >= 2", "dim(%v, 1) == %i")
    blind = replace(main, body=replace(main.body, steps=tuple(step for step in main.body.steps if step is not seen)))
    assert violations(core, Decider()) == []
    assert violations(replace(core, functions={"@main": blind}), Decider()) != []


def test_a_size_that_every_rank_gives_in_its_own_way_is_verified() -> None:
    """A `dyn.reshape` of a tensor of unknown rank to a size that is known to be 1, after a pass."""
    program = member(3_313_574, compiled)
    assert program is not None
    assert LAWS["passes"](Case(program, 3_313_574)) is None
