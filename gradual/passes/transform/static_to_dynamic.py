"""`static-to-dynamic`: turn attributes into values, as an importer writes them.   [pass.dynamic]

The inverse is `dynamic-to-static`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field, replace
from typing import Any

from gradual.core.terms import Apply, Constant, Function, MakeTuple, Module, Size, Step
from gradual.core.traversal import apart
from gradual.dims.term.dim import Dim, constant
from gradual.ops.catalogue import CATALOGUE
from gradual.ops.declaration.dynamic_variant import Twin, twin_of
from gradual.ops.declaration.operator import IllFormed, Operator
from gradual.passes.analysis.may_fault import Failing
from gradual.passes.framework.map_steps import with_functions
from gradual.passes.framework.pass_ import Context, Note, Pass, Transformed
from gradual.passes.refine.sweep import Sweep
from gradual.passes.refine.types import fits, is_closed
from gradual.passes.transform.drop_dead import Dropping
from gradual.record import record
from gradual.tensors.scalar import kept
from gradual.tensors.tensor import tensor_of
from gradual.types.dtype import DType
from gradual.types.type import OpenedType, TensorType, TupleType

TWINS: dict[str, Operator] = {twin.static.name: one for one in CATALOGUE.values() if (twin := twin_of(one)) is not None}
"""Name of a static operator -> its dynamic variant."""


@record(frozen=False, eq=False)
class Loosening:
    """Rewrites the applications of one function.

    Attributes:
        left: the applications that remain static, and why.
    """

    failing: Failing
    left: list[tuple[Apply, str]] = field(default_factory=list)

    def __call__(self, sweep: Sweep, step: Apply) -> Step:
        """Replace attributes by operands, whose steps are inserted before the application."""
        dynamic = TWINS.get(step.operator.name)
        twin = twin_of(dynamic) if dynamic is not None else None
        if dynamic is None or twin is None:
            return step
        values = [_elements(step.attributes[spec.name]) for spec in twin.promoted]
        why = self._refusal(values)
        if not why and (made := self._made(sweep, step, dynamic, twin, values)) is not None:
            return made
        self.left.append((step, why or "its attributes would have another meaning as values"))
        return step

    def _refusal(self, values: Sequence[tuple[Dim, ...] | None]) -> str:
        """Why an attribute cannot be a value; empty if it can."""
        for elements in values:
            if elements is None:
                return "an attribute is left out"
            for element in elements:
                if not is_closed(element):
                    return f"`{element}` depends on an element of a value"
                if not (fits(element, DType.INT64) or self.failing.is_size(element)):
                    return f"`{element}` may exceed int64"
        return ""

    def _made(
        self, sweep: Sweep, step: Apply, dynamic: Operator, twin: Twin, values: Sequence[tuple[Dim, ...] | None]
    ) -> Apply | None:
        """The dynamic variant, if it needs no more than the static form, and has the same type; None otherwise."""
        operands: list[OpenedType] = [TupleType(())] * len(dynamic.arguments)
        given = sweep.operands(step)
        for place, type in zip(twin.kept, given, strict=True):
            operands[place] = type
        for place, spec, elements in zip(twin.places, twin.promoted, values, strict=True):
            scalar = not isinstance(step.attributes[spec.name], tuple)
            shape = () if scalar else (constant(len(elements or ())),)
            operands[place] = TensorType(shape, DType.INT64, elements)
        promoted = {spec.name for spec in twin.promoted}
        attributes = {key: None if key in promoted else value for key, value in step.attributes.items()}
        try:
            judgement = dynamic.judge(*operands, **attributes)
        except IllFormed:
            return None
        if not _is_alike(judgement.result, step.type):
            return None
        if not all(sweep.holds(need.goal) for need in judgement.needs):
            return None
        read = {place: self._value(sweep, step, operands[place]) for place in twin.places}
        kept_names = dict(zip(twin.kept, step.operands, strict=True))
        return replace(
            step,
            operator=dynamic,
            operands=tuple((read | kept_names)[place] for place in range(len(operands))),
            attributes=attributes,
        )

    def _value(self, sweep: Sweep, step: Apply, type: Any) -> str:
        """Define a variable for an attribute: a literal, or sizes stacked to a vector.

        [pass.dynamic.value]
        """
        elements = type.contents
        name = _fresh(sweep, step.name)
        if all(element.value is not None for element in elements):
            numbers = kept(DType.INT64, [element.value for element in elements])
            shape = tuple(size.value for size in type.shape)
            sweep.put(Constant(name, tensor_of(shape, DType.INT64, numbers), type, step.span))
            return name
        parts = [self._number(sweep, step, element) for element in elements]
        if not type.shape:
            return parts[0]
        whole = _fresh(sweep, step.name)
        sweep.put(MakeTuple(whole, tuple(parts), TupleType(tuple(map(sweep.type_of, parts))), step.span))
        sweep.put(Apply(name, CATALOGUE["stack"], (whole,), {"axis": 0}, type, step.span))
        return name

    def _number(self, sweep: Sweep, step: Apply, element: Dim) -> str:
        name = _fresh(sweep, step.name)
        type: TensorType[Dim] = TensorType((), DType.INT64, (element,))
        if element.value is None:
            sweep.put(Size(name, element, type, step.span))
        else:
            value = tensor_of((), DType.INT64, kept(DType.INT64, [element.value]))
            sweep.put(Constant(name, value, type, step.span))
        return name


def _fresh(sweep: Sweep, name: str) -> str:
    (found,) = apart([f"{name}_shape"], sweep.taken).values()
    return found


def _elements(value: Any) -> tuple[Dim, ...] | None:
    """An attribute as the elements of a value; None if it cannot be one."""
    match value:
        case Dim():
            return (value,)
        case int() if not isinstance(value, bool):
            return (constant(value),)
        case tuple() if all(isinstance(part, int | Dim) for part in value):
            return tuple(constant(part) if isinstance(part, int) else part for part in value)
        case _:
            return None


def _is_alike(judged: Any, type: OpenedType) -> bool:
    if isinstance(judged, TupleType) and isinstance(type, TupleType):
        return len(judged.fields) == len(type.fields) and all(map(_is_alike, judged.fields, type.fields))
    if not (isinstance(judged, TensorType) and isinstance(type, TensorType)):
        return False
    return judged.dtype is type.dtype and judged.shape == type.shape


def made_dynamic(module: Module, context: Context) -> Transformed:
    """Replace static operators by their dynamic variants.   [pass.dynamic]"""
    functions: dict[str, Function] = {}
    notes: list[Note] = []
    for name, function in module.functions.items():
        sweep = Sweep(context.decider, module)
        improve = sweep.improve = Loosening(Failing(sweep.values.types))
        improve.failing.enter(function)
        functions[name] = Dropping(among=sweep.loosened).function(sweep.function(function))
        notes += [_stays(name, step, why) for step, why in improve.left]
    return Transformed(with_functions(module, functions), tuple(notes))


def _stays(function: str, step: Apply, why: str) -> Note:
    return Note(function, step.span, f"`{step.operator.name}` stays: {why}", left=True)


PASSES: tuple[Pass, ...] = (
    Pass(
        "static-to-dynamic",
        "Turn operators with attributes into the `dyn.` operators, which take values.   [pass.dynamic]",
        made_dynamic,
        idempotent=True,
    ),
)
