"""Three rewritings, each written twice: for one operator with two forms (A0), and for two operators (A1).

`copied` looks at data only, `laid` reads a shape wherever it stands, `picked` reads attributes only.  What RFC 6909
asks is how much a pass has to say in each: a *rule* here is an operator that a pass names, or a form that it asks for.
"""

from __future__ import annotations

import ast
import inspect
import textwrap
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from gradual.core.def_use import every
from gradual.core.terms import Apply, Module, Step
from gradual.ops.catalogue import CATALOGUE
from gradual.ops.two_forms import forms
from gradual.types.type import TensorType

Steps = Mapping[str, Step]


def applications(module: Module) -> Iterator[tuple[Apply, Steps]]:
    """Every application, with the steps of its function by name."""
    for function in module.functions.values():
        steps = [step for step in every(function.body) if isinstance(step, Apply)]
        known: dict[str, Step] = {step.name: step for step in steps}
        yield from ((step, known) for step in steps)


def contents(name: str, known: Steps) -> tuple[Any, ...]:
    """The elements of a value, as far as its type knows them."""
    step = known.get(name)
    held = step.type.contents if isinstance(step, Apply) and isinstance(step.type, TensorType) else None
    return held or ()


# -------------------------------------------------------------------------------------------------- looks at data only
def copied_a0(step: Apply, known: Steps) -> bool:
    """Whether the elements stay in their order."""
    return step.operator.name in ("reshape", "squeeze", "expand_dims")


def copied_a1(step: Apply, known: Steps) -> bool:
    """Whether the elements stay in their order."""
    return step.operator.name in ("reshape", "dyn.reshape", "squeeze", "dyn.squeeze", "expand_dims", "dyn.expand_dims")


# ----------------------------------------------------------------------------------------------------- reads the shape
def laid_a0(step: Apply, known: Steps) -> bool:
    """Whether the elements are laid out in a matrix."""
    if step.operator.name != "reshape":
        return False
    sizes = step.attributes["newshape"] if len(step.operands) == 1 else contents(step.operands[1], known)
    return len(sizes) == 2


def laid_a1(step: Apply, known: Steps) -> bool:
    """Whether the elements are laid out in a matrix."""
    if step.operator.name == "reshape":
        sizes = step.attributes["newshape"]
    elif step.operator.name == "dyn.reshape":
        sizes = contents(step.operands[1], known)
    else:
        return False
    return len(sizes) == 2


# ------------------------------------------------------------------------------------------------ reads attributes only
def picked_a0(step: Apply, known: Steps) -> bool:
    """Whether one place of the first axis is taken."""
    if step.operator.name != "strided_slice" or len(step.operands) != 1:
        return False
    (begin, *_), (end, *_) = step.attributes["begin"], step.attributes["end"]
    return bool(end is begin + 1)


def picked_a1(step: Apply, known: Steps) -> bool:
    """Whether one place of the first axis is taken."""
    if step.operator.name != "strided_slice":
        return False
    (begin, *_), (end, *_) = step.attributes["begin"], step.attributes["end"]
    return bool(end is begin + 1)


Rewriting = Callable[[Apply, Steps], bool]

PAIRS: dict[str, tuple[str, Rewriting, Rewriting]] = {
    "copied": ("the data", copied_a0, copied_a1),
    "laid": ("the shape", laid_a0, laid_a1),
    "picked": ("attributes only", picked_a0, picked_a1),
}
"""By name: what it looks at, and it for A0 and for A1."""


# ------------------------------------------------------------------------------------------------------------ measures
def rules(written: Any) -> int:
    """How many operators a function names, and how often it asks for a form."""
    tree = ast.parse(textwrap.dedent(inspect.getsource(written)))
    names = {node.value for node in ast.walk(tree) if isinstance(node, ast.Constant) and node.value in CATALOGUE}
    asked = [node for node in ast.walk(tree) if isinstance(node, ast.Compare) and _counts_arguments(node.left)]
    return len(names) + len(asked)


def _counts_arguments(node: ast.expr) -> bool:
    return ast.unparse(node) == "len(step.operands)"


def lines(written: Any) -> int:
    """How many lines a function has without its documentation."""
    text = inspect.getsource(written)
    return len([line for line in text.splitlines() if line.strip() and '"""' not in line])


def table() -> Iterator[str]:
    """The measures as a table in Markdown."""
    yield "| rewriting | looks at | rules in A0 | rules in A1 | lines in A0 | lines in A1 |"
    yield "|---|---|---|---|---|---|"
    for name, (what, together, apart) in PAIRS.items():
        measured = [rules(together), rules(apart), lines(together), lines(apart)]
        yield f"| `{name}` | {what} | {' | '.join(map(str, measured))} |"
    sums = [sum(measure(pair[side]) for pair in PAIRS.values()) for measure in (rules, lines) for side in (1, 2)]
    yield f"| together | | {' | '.join(map(str, sums))} |"


def counts(module: Module) -> tuple[int, int]:
    """How many operators a module names, and how often it applies one that has two forms."""
    steps = [step for step, _ in applications(module)]
    return len({step.operator.name for step in steps}), sum(step.operator.name in forms() for step in steps)


if __name__ == "__main__":
    print(*table(), sep="\n")
