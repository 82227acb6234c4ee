"""Copies of core with other names: what the verifier accepts, it accepts under every renaming."""

from __future__ import annotations

from pathlib import Path

import pytest

import gradual
from gradual.core.def_use import defined, every
from gradual.core.terms import Closure, Function, Module
from gradual.core.traversal import Rewriting
from gradual.core.value_words import renamed
from gradual.core.verify.function import violations
from gradual.dims.solver.decide import Decider

EXAMPLES = Path(__file__).parents[2] / "examples"
PROGRAMS = sorted(EXAMPLES.rglob("*.relay"))


def _renaming(function: Function) -> Rewriting:
    """Every variable under another name."""
    names = [param.name for param in function.params]
    for step in every(function.body):
        names += [name for name in (defined(step),) if name is not None]
        if isinstance(step, Closure):
            names += [param.name for param in step.function.params]
    return Rewriting({name: f"{name}_again" for name in names})


@pytest.mark.parametrize("path", PROGRAMS, ids=lambda path: path.stem)
def test_a_renamed_function_is_verified(path: Path) -> None:
    found = gradual.check(path.read_text("utf-8"), path.name)
    if not found.ok:
        pytest.skip("refused, as it should be")
    for function in found.core.functions.values():
        copy = _renaming(function).function(function)
        module = Module({**found.core.functions, function.name: copy}, found.core.data)
        wrong = [one for one in violations(module, Decider()) if one.function == function.name]
        assert not wrong, wrong[:3]
        assert [type(step) for step in every(copy.body)] == [type(step) for step in every(function.body)]


def test_a_text_names_the_renamed_values() -> None:
    new = {"%t": "%u", "%a.b": "%c", "%0": "%k"}
    text = "`add` accepts %a, %a.b, (%t,): dim(%t.0, 1) == dim(%0, 0) + 1"
    assert renamed(text, lambda name: new.get(name, name)) == (
        "`add` accepts %a, %c, (%u,): dim(%u.0, 1) == dim(%k, 0) + 1"
    )
