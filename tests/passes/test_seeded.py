"""Passes with a bug put in, each caught by what every pass has to keep."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from gradual.compiler import check
from gradual.ops.catalogue import CATALOGUE
from gradual.passes.analysis.may_fault import Failing
from gradual.passes.catalogue import PASSES
from gradual.passes.framework.pass_ import Context, Pass
from gradual.passes.refine import sweep
from gradual.passes.refine.sweep import Sweep
from gradual.passes.transform import dynamic_to_static, fold_constants, inline
from gradual.tensors.tensor import Tensor
from tests.passes.meaning import keeps
from tests.properties.case import Case
from tests.properties.compiling import SHARED, compiled

Bug = Callable[[pytest.MonkeyPatch], None]

BOUNDS = """def @main(%x: Tensor[(n, 3), float32], %i: Tensor[(2,), int32]) {
  let %d = take(%x, %i, axis=0, mode="fast");
  %x
}"""

CODES = """def @main(%q: Tensor[(?, 4), float32], %k: Tensor[(m, 4), float32]) {
  let %code = if (dim(%k, 0) > 100) { dim(%k, 0) } else { 0i64 };
  dyn.reshape(%q, stack((%code, 4i64), axis=0))
}"""

SQUARE = """def @main(%x: Tensor[(3, 3), float32]) { transpose(%x) }"""

TWICE = """def @f(%a: Tensor[(?, 3), float32]) -> Tensor[(?, 3), float32] {
  let %b = nn.relu(%a);
  concatenate((%b, %a), axis=0)
}
def @main(%x: Tensor[(n, 3), float32]) { (@f(%x), @f(@f(%x))) }"""

CHECKED = """def @main(%x: Tensor[(?, 3), float32], %y: Tensor[(2, 3), float32]) -> Tensor[(?,), float32] {
  let %z = if (less(1, 2)) { %y as Tensor[(?, 3), float32] } else { %x };
  reshape(%z, newshape=[9])
}"""

DIVIDED = """def @main(%x: Tensor[(2,), int32]) { add(%x, floor_divide(1, subtract(2, 2))) }"""


def cannot_fail(patch: pytest.MonkeyPatch) -> None:
    """Whatever nobody reads is dropped."""
    patch.setattr(Failing, "cannot", lambda self, step: True)


def codes_as_sizes(patch: pytest.MonkeyPatch) -> None:
    """Elements are written as dims, whatever codes they may be."""
    patch.setattr(dynamic_to_static.Form, "sized", lambda self, attributes: {**attributes, "allowzero": True})


def every_transpose_is_neutral(patch: pytest.MonkeyPatch) -> None:
    """A transpose that keeps the shape is taken for the operand."""
    identity = CATALOGUE["transpose"].identity
    patch.setattr(identity, "__code__", (lambda given, attributes: True).__code__)


def names_of_the_callee(patch: pytest.MonkeyPatch) -> None:
    """A body is copied with the names that it had."""
    patch.setattr(inline, "apart", lambda names, taken: {name: name for name in names})


def dims_of_the_callee(patch: pytest.MonkeyPatch) -> None:
    """The parameters of a copied body keep their unknowns."""
    patch.setattr(Sweep, "_stands_for", lambda self, name, before, now: None)


def failing_checks_go(patch: pytest.MonkeyPatch) -> None:
    """A check goes once its goal has changed, whatever became of it."""
    original = sweep.checked

    def checked(state: Sweep, step: Any) -> None:
        if state.rewriting.goal(step.goal) is step.goal:
            original(state, step)

    patch.setattr(sweep, "checked", checked)


def faults_are_zero(patch: pytest.MonkeyPatch) -> None:
    """A meaning that faults is folded to 0."""

    def computed(step: Any, values: Any, limit: int) -> Any:
        faulting = step.operator.name == "floor_divide" and all(name in values for name in step.operands)
        return Tensor([0], "int32", ()) if faulting else original(step, values, limit)

    original = fold_constants.computed
    patch.setattr(fold_constants, "computed", computed)


SEEDED: dict[str, tuple[Bug, str, str]] = {
    "what may fail is dropped": (cannot_fail, "drop-dead", BOUNDS),
    "codes are taken for sizes": (codes_as_sizes, "dynamic-to-static", CODES),
    "a transpose is taken for nothing": (every_transpose_is_neutral, "simplify-shapes", SQUARE),
    "copies have the same names": (names_of_the_callee, "inline", TWICE),
    "copies speak of the callee's sizes": (dims_of_the_callee, "inline", TWICE),
    "checks that fail go": (failing_checks_go, "fold-constants", CHECKED),
    "faults are folded": (faults_are_zero, "fold-constants", DIVIDED),
}


def broken(name: str, text: str) -> str | None:
    """What a pass does not keep of a program, for several inputs; a crash is told too."""
    one: Pass = PASSES[name]
    for seed in range(6):
        case = Case(text, seed)  # type: ignore[arg-type]  # its text is the program itself
        try:
            says = keeps(case, one, {})
        except Exception as crash:
            return f"{type(crash).__name__}: {crash}"
        if says is not None:
            return says
    return None


@pytest.mark.parametrize(("bug", "name", "text"), SEEDED.values(), ids=SEEDED)
def test_the_program_passes_without_the_bug(bug: Bug, name: str, text: str) -> None:
    assert check(text).ok
    assert broken(name, text) is None


@pytest.mark.parametrize(("bug", "name", "text"), SEEDED.values(), ids=SEEDED)
def test_the_bug_is_caught(bug: Bug, name: str, text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    bug(monkeypatch)
    assert broken(name, text) is not None


def test_a_pass_of_a_program_without_anything_to_do_gives_it_back() -> None:
    core = compiled("def @main(%x: Tensor[(n, 3), float32]) { nn.relu(%x) }").core
    for name in ("dynamic-to-static", "static-to-dynamic", "fold-constants", "simplify-shapes", "drop-dead", "inline"):
        assert PASSES[name].transform(core, Context(SHARED())).module is core, name
