"""Both runtimes on one function: the same bits, the same check blamed, the same fault."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from gradual.conformance.cases.case import Case as Example
from gradual.conformance.cases.read import load
from gradual.core.terms import Function, Module
from gradual.dims.term.dim import Dim
from gradual.passes.catalogue import PASSES
from gradual.passes.framework.pass_ import Context, Unusable
from gradual.passes.plan.obstacles import Obstacle, obstacles
from gradual.passes.plan.prepare import graph, ready
from gradual.resources import folder
from gradual.run.graph.runtime import Graph
from gradual.run.machine import run
from gradual.run.sizes import Sizes
from gradual.run.steps.checks import measure
from gradual.run.value import Blame, Fault, Frame
from gradual.tensors.tensor import Tensor
from gradual.tensors.value import Constructed, Value
from gradual.types.binder_solving import requirements
from gradual.types.type import Hole
from gradual.types.unpacking import spelled
from tests.properties.case import Case
from tests.properties.compiling import SHARED
from tests.thorough import TIMES

EVERY = max(int(8 // TIMES), 1)
"""Of the suite's cases one in so many is run."""

End = tuple[Any, ...]
"""How a run ended: its kind, then what tells it from another."""


def ended(call: Callable[[], Value]) -> End:
    """The end of a run: the bits of its value, or the label of its check, or the place of its fault."""
    try:
        return ("value", bits(call()))
    except Blame as stop:
        return ("blame", stop.code, stop.rule, stop.check.id if stop.check else "", stop.blames, stop.blamed)
    except Fault as stop:
        return ("fault", stop.code, stop.diagnostic.rule, stop.message, stop.span)


def bits(value: Value) -> Any:
    """Everything about a value that can be compared: a zero's sign and a NaN's payload too."""
    match value:
        case Tensor():
            return value.shape, value.dtype, bytes(memoryview(value.elements))
        case Constructed(constructor, fields):
            return constructor, tuple(map(bits, fields))
        case _:
            return tuple(map(bits, value))


def prepared(module: Module, entry: str) -> Graph | tuple[Obstacle, ...]:
    """The graph of a function, its arena full of rubbish; or what keeps it from being static."""
    function = ready(module, entry, SHARED(), verify=False)
    found = obstacles(function)
    return found if found else spoilt(graph(module, entry, function))


def spoilt(made: Graph) -> Graph:
    """The graph with an arena in which nothing may be read before it is written."""
    made._arena[:] = b"\xab" * made.held
    return made


def disagreement(module: Module, entry: str, values: Sequence[Value]) -> str | None:
    """How the graph runtime ends otherwise than the machine; None where it does not, or refuses the function."""
    found = prepared(module, entry)
    if not isinstance(found, Graph):
        return None
    machine, ours = ended(lambda: run(module, entry, values)), ended(lambda: found.run(*values))
    again = ended(lambda: found.run(*values))
    if machine == ours == again:
        return None
    return f"on {values}: the machine {machine[:2]}, the graph {ours[:2]}, then {again[:2]}"


def examples() -> Iterator[Example]:
    """Some of the suite's cases that have calls."""
    cases = [case for case in load(folder("spec")).cases if case.request.calls]
    yield from cases[::EVERY]


# -------------------------------------------------------------------------------------------------------- generated
def agreeing(case: Case, count: Callable[[str], None] = lambda what: None) -> str | None:
    """A program specialized to the sizes of its inputs ends alike in both runtimes.  [graph.run]"""
    main = case.found.core.functions.get("@main") if case.found.ok else None
    if main is None:
        return None
    for values in case.inputs:
        module = at_sizes(case.found.core, main, values)
        if module is None:
            continue
        found = prepared(module, "@main")
        count("static" if isinstance(found, Graph) else "refused")
        says = disagreement(module, "@main", values)
        if says is not None:
            return says
    return None


def at_sizes(module: Module, function: Function, values: Sequence[Value]) -> Module | None:
    """The module where all open sizes of a function are those of some arguments; None where they do not fit."""
    try:
        given = {f"{function.name}:{name}": str(number) for name, number in sizes_of(function, values).items()}
        return PASSES["specialize"].transform(module, Context(SHARED(), given)).module if given else module
    except (Unusable, ArithmeticError, AssertionError, IndexError, TypeError):
        return None


def sizes_of(function: Function, values: Sequence[Value]) -> Mapping[str, int]:
    """Numbers for the dims of a function and its `?`s, measured off arguments that fit."""
    frame = Frame(dict(zip((param.name for param in function.params), values, strict=True)))  # type: ignore[arg-type]
    measure(function, frame)
    found = {variable.name: frame.sizes[variable] for variable in function.type.binders}
    return found | {name: size.evaluate(Sizes(frame)) for name, size in _open(function)}


def _open(function: Function) -> Iterator[tuple[str, Dim]]:
    for param in function.params:
        for extent, size, path, axis in requirements(param.written, param.name):
            if isinstance(extent, Hole):
                yield f"dim({spelled(path)},{axis})", size
