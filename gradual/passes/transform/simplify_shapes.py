"""`simplify-shapes`: remove shape operators without effect.   [pass.shapes]

Replace an application that returns its operand by the operand; merge two reshapes or transposes in a row; replace a
number computed by shape arithmetic by the dim that it is known to be.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import field, replace
from typing import Any

from gradual.core.terms import Apply, Function, Module, Size, Step
from gradual.dims.term.constraint import equal
from gradual.dims.term.dim import Dim
from gradual.ops.catalogue import CATALOGUE
from gradual.ops.declaration.operator import IllFormed
from gradual.passes.analysis.may_fault import Failing
from gradual.passes.framework.map_steps import with_functions
from gradual.passes.framework.pass_ import Context, Pass, Transformed
from gradual.passes.refine.sweep import Sweep
from gradual.passes.refine.types import is_closed
from gradual.passes.transform.drop_dead import Dropping
from gradual.record import record
from gradual.types.dtype import DType
from gradual.types.type import TensorType, TupleType


@record(frozen=False, eq=False)
class Simplifying:
    """Simplifies the applications of one function.

    Attributes:
        made: variable -> the reshape or transpose that defines it.
    """

    failing: Failing
    made: dict[str, Apply] = field(default_factory=dict)

    def __call__(self, sweep: Sweep, step: Apply) -> Step | str:
        """Return the application, a simpler step, or the variable of an equal value."""
        type = step.type
        if step.accepts is not None or not isinstance(type, TensorType):
            return step
        name = step.operator.name
        if (same := self._same(sweep, step, type)) is not None:
            return same
        if name in _AFTER and (inner := self.made.get(step.operands[0])) is not None:
            found = _AFTER[name](self, sweep, step, inner)
            if found is not None:
                return self(sweep, found)
        if name in _AFTER:
            self.made[step.name] = step
        return self._number(sweep, step, type) or step

    # ------------------------------------------------------------------------------------ results equal to an operand
    def _same(self, sweep: Sweep, step: Apply, type: TensorType[Dim]) -> str | None:
        """The operand, or only field of a tuple operand, that equals the result; else None.   [pass.shapes.same]"""
        identity = step.operator.identity
        if identity is None:
            return None
        first = step.operands[0]
        held = sweep.type_of(first)
        if isinstance(held, TupleType):
            fields = sweep.tuples.get(first, ())
            return fields[0] if len(fields) == 1 else None
        same = isinstance(held, TensorType) and self._is_equal(sweep, held, type) and identity(held, step.attributes)
        return first if same else None

    def _is_equal(self, sweep: Sweep, held: TensorType[Dim], type: TensorType[Dim]) -> bool:
        """Whether a value has the shape and dtype of a result, and its recorded type is not less precise."""
        if held.dtype is not type.dtype or held.rank != type.rank:
            return False
        pairs = [(own, size) for own, size in zip(held.shape, type.shape, strict=True) if own is not size]
        if any(_is_vaguer(own, size) for own, size in pairs):
            return False
        return all(sweep.holds(equal(own, size)) for own, size in pairs)

    # -------------------------------------------------------------------------------------------------- two in a row
    def reshaped(self, sweep: Sweep, step: Apply, inner: Apply) -> Apply | None:
        """Merge two reshapes into one to the final sizes.   [pass.shapes.twice]"""
        type = step.type
        assert isinstance(type, TensorType)
        if not all(map(is_closed, type.shape)):
            return None
        attributes = {"newshape": type.shape, "allowzero": True}
        return self._instead(sweep, step, inner.operands[:1], "reshape", attributes)

    def transposed(self, sweep: Sweep, step: Apply, inner: Apply) -> Apply | None:
        """Merge two transposes into one.   [pass.shapes.twice]"""
        type = step.type
        assert isinstance(type, TensorType)
        first, second = _order(inner, type.rank), _order(step, type.rank)
        axes = tuple(first[axis] for axis in second)
        return self._instead(sweep, step, inner.operands, "transpose", {"axes": axes})

    def _instead(
        self, sweep: Sweep, step: Apply, operands: tuple[str, ...], name: str, attributes: Mapping[str, Any]
    ) -> Apply | None:
        """The operator on the operands, if its needs are proved and its result type is the same."""
        made = replace(step, operator=CATALOGUE[name], operands=operands, attributes=attributes)
        try:
            judgement = made.operator.judge(*sweep.operands(made), **attributes)
        except IllFormed:  # a check before it always fails
            return None
        same = isinstance(step.type, TensorType) and judgement.result.shape == step.type.shape  # type: ignore[union-attr]
        if not same or not all(sweep.holds(need.goal) for need in judgement.needs):
            return None
        sweep.loosened.update(step.operands)
        return made

    # -------------------------------------------------------------------------------------------------------- numbers
    def _number(self, sweep: Sweep, step: Apply, type: TensorType[Dim]) -> Step | None:
        """Replace a computed number by the dim it equals, if both fail in the same runs.   [pass.shapes.number]"""
        if type.shape or type.dtype is not DType.INT64 or type.contents is None:
            return None
        (dim,) = type.contents
        if not isinstance(dim, Dim) or dim.value is not None or not is_closed(dim):
            return None
        plain = replace(step, type=TensorType(type.shape, type.dtype))
        if not (self.failing.cannot(plain) and self.failing.is_above(dim)):
            return None
        sweep.loosened.update(step.operands)
        return Size(step.name, dim, type, step.span)


def _is_vaguer(own: Dim, size: Dim) -> bool:
    """Whether the second size is more precise: a number, or a dim without unknowns while the first has some."""
    return (size.value is not None) or (_is_unknown(own) and not _is_unknown(size))


def _is_unknown(size: Dim) -> bool:
    return any(variable.is_existential for variable in size.variables())


def _order(step: Apply, rank: int) -> tuple[int, ...]:
    axes = step.attributes["axes"]
    return tuple(reversed(range(rank))) if axes is None else tuple(axis % rank for axis in axes)


_AFTER: Mapping[str, Callable[[Simplifying, Sweep, Apply, Apply], Apply | None]] = {
    "reshape": lambda one, sweep, step, inner: _alike(one.reshaped, sweep, step, inner),
    "transpose": lambda one, sweep, step, inner: _alike(one.transposed, sweep, step, inner),
}


def _alike(
    make: Callable[[Sweep, Apply, Apply], Apply | None], sweep: Sweep, step: Apply, inner: Apply
) -> Apply | None:
    return make(sweep, step, inner) if inner.operator is step.operator else None


# ------------------------------------------------------------------------------------------------------------- pass
def simplified(module: Module, context: Context) -> Transformed:
    """Simplify the shape operators of all functions.   [pass.shapes]"""
    functions: dict[str, Function] = {}
    for name, function in module.functions.items():
        sweep = Sweep(context.decider, module, projects=True)
        improve = sweep.improve = Simplifying(Failing(sweep.values.types))
        improve.failing.enter(function)
        functions[name] = Dropping(among=sweep.loosened).function(sweep.function(function))
    return Transformed(with_functions(module, functions))


PASSES: tuple[Pass, ...] = (
    Pass(
        "simplify-shapes",
        "Remove operators that return their operand, merge reshapes and transposes, and use known sizes."
        "   [pass.shapes]",
        simplified,
        idempotent=True,
    ),
)
