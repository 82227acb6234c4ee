"""Specialize one function to pinned sizes: its parameters, its interface, and its result type."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace

from gradual.core.check import Check
from gradual.core.datatypes import declarations
from gradual.core.terms import Assertion, Block, Function, Module, Param
from gradual.core.traversal import Rewriting
from gradual.dims.solver.decide import Decider, Unsat
from gradual.dims.store.facts import Facts
from gradual.dims.term.constraint import TRUE, Constraint, at_least, equal
from gradual.dims.term.dim import Dim, Kind, SizeOf, Variable, constant, of_atom
from gradual.passes.framework.pass_ import Unusable
from gradual.passes.framework.pins import Pins, Place
from gradual.passes.refine.sweep import sharpened
from gradual.passes.transform.entry_checks import entry_checks
from gradual.types.binder_solving import measured, measuring, requirements
from gradual.types.substitution import substituted
from gradual.types.type import FunctionType, GradualType, Hole, OpenedType, TensorType, TupleType, UnrankedType
from gradual.types.unpacking import content_of, placed_sizes, sizes, spelled


def at_numbers(module: Module, function: Function, pins: Pins, decider: Decider) -> Function:
    """Specialize a function to pinned numbers, checked on entry.  Raises Unusable.   [pass.specialize.interface]"""
    outside = pins.outside()
    params = tuple(_param(param, outside, pins) for param in function.params)
    type = _interface(function, params, pins)
    choice = measured(type, [measuring(param.written, param.name) for param in params])
    binders = tuple((variable, choice.mapping[variable]) for variable in type.binders)
    header = replace(function, params=params, type=type, binders=binders)
    at = replace(header, entry=tuple(entry_checks(function, header, outside)))
    _is_possible(at, decider)
    opened = tuple(_with_element(param, pins) for param in function.params)
    inner = sharpened(module, replace(at, params=opened), decider, pins.dims())
    return with_known_result(replace(at, body=inner.body))


def _param(param: Param, outside: Mapping[Variable, Dim], pins: Pins) -> Param:
    written = _filled(substituted(param.written, {**outside, **pins.dims()}), param.name, pins.sizes)
    type = Rewriting(dims=pins.dims()).type(_with_element(param, pins).type)
    return Param(param.name, type, written, param.span)


def _with_element(param: Param, pins: Pins) -> Param:
    """Give the element of a scalar parameter a variable, if it is pinned."""
    if param.name not in pins.elements or not isinstance(param.type, TensorType):
        return param
    return replace(param, type=replace(param.type, contents=(content_of(param.name, (), Kind.RIGID),)))


def _filled(type: GradualType, path: str, sizes: Mapping[Place, int]) -> GradualType:
    """Replace each pinned `?` of a written type by its number.  Raises Unusable."""
    match type:
        case TensorType(shape, dtype):
            return TensorType(tuple(_extent(extent, (path, axis), sizes) for axis, extent in enumerate(shape)), dtype)
        case TupleType(fields):
            return TupleType(tuple(_filled(field, f"{path}#{i}", sizes) for i, field in enumerate(fields)))
        case _:
            return type


def _extent(extent: Dim | Hole, place: Place, sizes: Mapping[Place, int]) -> Dim | Hole:
    what = f"dimension {place[1]} of `{spelled(place[0])}`"
    if isinstance(extent, Dim) or place not in sizes:
        if isinstance(extent, Dim) and extent.value is not None and extent.value < 0:
            raise Unusable(f"{what} would be {extent.value}")
        return extent
    size = constant(sizes[place])
    refused = next((bound for bound in extent.bounds(size) if bound.value is False), None)
    if refused is not None:
        raise Unusable(f"{what} cannot be {size}, since its declared bound is `{extent.bound}`")
    return size


def _interface(function: Function, params: tuple[Param, ...], pins: Pins) -> FunctionType:
    """The type at the pinned numbers; a pinned element, and the bound of a pinned `?`, become `where` clauses.

    Raises Unusable.
    """
    before, dims = function.type, pins.dims()
    stated = (*before.where, *_bounds(function, pins))
    clauses = [(clause, clause.substitute(dims)) for clause in stated]
    wrong = next((clause for clause, now in clauses if now.value is False), None)
    if wrong is not None:
        raise Unusable(f"`{function.name}` requires `{wrong}`, which does not hold for these numbers", function.span)
    elements = (equal(content_of(name, (), Kind.RIGID), constant(k)) for name, k in pins.elements.items())
    return FunctionType(
        before.names,
        tuple(param.written for param in params),
        substituted(before.result, dims),
        tuple(variable for variable in before.binders if variable not in pins.named),
        (*elements, *(now for _, now in clauses if now.value is None)),
        before.types,
        tuple(one for one in before.order if one not in pins.named),
    )


def _bounds(function: Function, pins: Pins) -> Iterator[Constraint]:
    """The bounds of each pinned `?`, which its number no longer states."""
    for param in function.params:
        for extent, _, path, axis in requirements(param.written, param.name):
            if isinstance(extent, Hole) and (path, axis) in pins.sizes:
                yield from extent.bounds(constant(pins.sizes[path, axis]))


def _is_possible(function: Function, decider: Decider) -> None:
    """Require that some arguments satisfy the declarations.  Raises Unusable."""
    facts = Facts()
    for param in function.params:
        for size in sizes(param.type):
            facts.assume(at_least(size, constant(0)))
    for variable, _ in function.binders:
        facts.assume(at_least(of_atom(variable), constant(0)))
    for goal in declarations(function):
        if isinstance(decider.satisfiable(facts, goal), Unsat):
            raise Unusable(f"no arguments of `{function.name}` satisfy `{goal}` for these numbers", function.span)
        facts.assume(goal)


def with_known_result(function: Function) -> Function:
    """Refine the declared result type by sizes from the body, if they mention only what is visible outside."""
    shown = result_of(function.body)
    shown = next((param.type for param in function.params if param.name == function.body.result), shown)
    if shown is None:
        return function
    shown_at = {place for param in function.params for place, _ in placed_sizes(param.type, param.name)}

    def outside(variable: Variable) -> bool:
        witness = variable.witness
        return witness is None or (isinstance(witness, SizeOf) and (witness.value, witness.axis) in shown_at)

    return replace(function, type=replace(function.type, result=_told(function.type.result, shown, outside)))


def result_of(body: Block) -> OpenedType | None:
    """The type of a block's result, if one of its steps defines it."""
    made = (step for step in body.steps if not isinstance(step, Check | Assertion))
    return next((step.type for step in made if step.name == body.result), None)


def _told(result: GradualType, made: OpenedType, outside: Callable[[Variable], bool]) -> GradualType:
    match result, made:
        case TensorType(shape, dtype), TensorType(sizes) if len(shape) == len(sizes):
            pairs = zip(shape, sizes, strict=True)
            return TensorType(tuple(_known(extent, size, outside) for extent, size in pairs), dtype)
        case UnrankedType(dtype), TensorType(sizes):
            return _told(TensorType((Hole(),) * len(sizes), dtype), made, outside)
        case TupleType(fields), TupleType(others) if len(fields) == len(others):
            return TupleType(tuple(_told(*pair, outside) for pair in zip(fields, others, strict=True)))
        case _:
            return result


def _known(extent: Dim | Hole, size: Dim, outside: Callable[[Variable], bool]) -> Dim | Hole:
    """Replace a `?` by its size, unless it has a bound that the size does not imply: callers need the bound."""
    if not isinstance(extent, Hole) or not all(map(outside, size.variables())):
        return extent
    return size if all(bound is TRUE for bound in extent.bounds(size)) else extent
