"""`dynamic-to-static`: replace an operator that has a value argument by its static form.   [pass.static]

This is one forward sweep.  The elements of a shape are recorded in its type and need not be computed here:
`dyn.reshape` becomes `reshape` if every element of its shape is a constant or a dim that mentions no element of a
value.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import field, replace
from typing import Any

from gradual.core.def_use import every
from gradual.core.terms import Apply, Constant, Function, Module, Step
from gradual.dims.term.dim import ContentOf, Dim
from gradual.ops.catalogue import CATALOGUE
from gradual.ops.declaration.dynamic_variant import Twin, twin_of
from gradual.ops.declaration.operator import IllFormed, Judgement, Need, Operator
from gradual.ops.shape.reshape_codes import REST
from gradual.passes.analysis.may_fault import Failing
from gradual.passes.framework.map_steps import with_functions
from gradual.passes.framework.pass_ import Context, Note, Pass, Transformed
from gradual.passes.refine.static_forms import Counterpart, by_value
from gradual.passes.refine.sweep import Sweep
from gradual.passes.refine.types import is_closed
from gradual.passes.transform.drop_dead import Dropping
from gradual.passes.transform.fold_constants import SMALL, computed, known_constant, literal
from gradual.record import record
from gradual.tensors.tensor import Tensor
from gradual.types.type import OpenedType, TensorType
from gradual.types.unpacking import base_of, spelled


@record(frozen=False, eq=False)
class Static:
    """Rewrites the applications of one function.   [pass.static]"""

    failing: Failing
    left: dict[str, str] = field(default_factory=dict)

    def __call__(self, sweep: Sweep, step: Apply) -> Step:
        """Return a literal if the elements are known, else the static operator if possible, else the application."""
        made = self._made_static(sweep, step) if _is_dynamic(step) else step
        if _is_dynamic(made):
            self.left[step.name] = _why(step, twin_of(step.operator), sweep)
        found = self._literal(sweep, made)
        if found is not None or made is not step:
            sweep.loosened.update(step.operands)
        return found or made

    def _literal(self, sweep: Sweep, step: Apply) -> Constant | None:
        type = step.type
        if isinstance(type, TensorType) and type.contents and type.contents[0].value is not None:
            found = known_constant(step, self.failing)
            if found is not None:
                return found
        if not step.operands or step.operands[0] not in sweep.literals:
            return None
        value = computed(step, sweep.literals, SMALL)
        return literal(step.name, value, step) if isinstance(value, Tensor) else None

    def _made_static(self, sweep: Sweep, step: Apply) -> Apply:
        twin = twin_of(step.operator)
        read = sweep.values.types, sweep.literals
        try:
            found = self._of_twin(sweep, step, twin) if twin is not None else by_value(step, *read)
        except IllFormed:  # a check before it always fails
            found = None
        if found is None:
            return step
        made = replace(step, operator=found.static, operands=found.operands, attributes=found.attributes)
        return made if twin is not None else self._judged(sweep, step, made)

    def _of_twin(self, sweep: Sweep, step: Apply, twin: Twin) -> Counterpart | None:
        """The static form of a dynamic variant.   [pass.static.twin]"""
        types = sweep.operands(step)
        read = [types[place] for place in twin.places]
        if not all(isinstance(type, TensorType) and all(map(is_closed, type.contents or ())) for type in read):
            return None
        attributes = twin.static_form(types, step.attributes)
        if attributes is None:
            return None
        form = Form(sweep, step, CATALOGUE[twin.static.name], tuple(types[place] for place in twin.kept))
        operands = tuple(step.operands[place] for place in twin.kept)
        settled = form.settled(attributes) if form.static.judge is twin.static.judge else form.sized(attributes)
        return None if settled is None else Counterpart(form.static, operands, settled)

    def _judged(self, sweep: Sweep, step: Apply, made: Apply) -> Apply:
        """Retype by the static operator's rule; keep the old step if a need is not proved.   [pass.static.value]"""
        types = sweep.operands(made)
        judgement = made.operator.judge(*types, **made.attributes)
        if not all(sweep.holds(need.goal) for need in judgement.needs):
            return step
        return replace(made, type=sweep.sharper(judgement.result, step.type, step.name))


@record(eq=False)
class Form:
    """The static operator of a dynamic variant, on the remaining operands."""

    sweep: Sweep
    step: Apply
    static: Operator
    types: tuple[OpenedType, ...]

    def settled(self, attributes: dict[str, Any]) -> dict[str, Any]:
        """Replace codes in the attributes by the sizes they represent, if these are known."""
        if not self._is_ranked or not any(map(_is_open, attributes.values())):
            return attributes
        return {**attributes, **(self.judged(attributes).attributes or {})}

    def sized(self, attributes: dict[str, Any]) -> dict[str, Any] | None:
        """The attributes of a reshape; None if these attributes are not accepted.

        An element of a shape at run time may be a code; a dim in an attribute is always a size. So the attributes are
        the sizes of the result, with -1 kept where possible.
        [pass.static.codes]
        """
        result = self.step.type
        if all(isinstance(code, int) and code >= REST for code in attributes["newshape"]):
            return attributes
        if not (self._is_ranked and isinstance(result, TensorType)):
            return None
        rest = (REST if code == REST else size for code, size in zip(attributes["newshape"], result.shape, strict=True))
        for newshape in dict.fromkeys((tuple(rest), result.shape)):
            if not all(isinstance(code, int) or self._is_said(code) for code in newshape):
                continue
            given = {**attributes, "newshape": newshape, "allowzero": True}
            found = self.judged(given)
            if _shape(found) == result.shape and all(map(self._is_met, found.needs)):
                return {**given, **(found.attributes or {})}
        return None

    def judged(self, attributes: dict[str, Any]) -> Judgement:
        """The judgement of the static operator.  Raises IllFormed."""
        return self.static.judge(*self.types, **attributes)

    def _is_said(self, size: Dim) -> bool:
        """Whether a size of the result can be an attribute: it mentions neither elements nor the result itself."""
        return is_closed(size) and not any(base_of(variable) == self.step.name for variable in size.variables())

    @property
    def _is_ranked(self) -> bool:
        return all(isinstance(type, TensorType) for type in self.types)

    def _is_met(self, need: Need) -> bool:
        return self.sweep.holds(need.goal)


def _shape(judgement: Judgement) -> tuple[Any, ...] | None:
    return judgement.result.shape if isinstance(judgement.result, TensorType) else None


def _is_open(value: Any) -> bool:
    """Whether an attribute contains a dim that is no number."""
    if isinstance(value, tuple):
        return any(map(_is_open, value))
    return isinstance(value, Dim) and value.value is None


def _is_dynamic(step: Step) -> bool:
    return isinstance(step, Apply) and step.operator.form(step.operands).name.startswith("dyn.")


# ---------------------------------------------------------------------------------------------------------- reports
def _why(step: Apply, twin: Twin | None, sweep: Sweep) -> str:
    """Which elements are unknown, and of which values they are elements, in words.   [pass.static.report]"""
    types = sweep.operands(step)
    form = step.operator.static_form
    places = twin.places if twin is not None else form.arguments if form is not None else ()
    unknown = (_unknown(step, place, types[place]) for place in places if step.operands[place] not in sweep.literals)
    return "; ".join(filter(None, unknown)) or _otherwise(step.operator, twin)


def _otherwise(operator: Operator, twin: Twin | None) -> str:
    """Why an operator is kept although its arguments are known."""
    static = operator.name.removeprefix("dyn.")
    if twin is not None:
        return f"no attributes of `{static}` express these values"
    return f"with these values as attributes, `{static}` is not known to give the same result or the same failure"


def _unknown(step: Apply, place: int, type: OpenedType) -> str:
    argument = step.operator.arguments[place]
    if not isinstance(type, TensorType):
        return f"the rank of `{argument}` is not known"
    if type.contents is None:
        return f"the elements of `{argument}`, which is `{step.operands[place]}`, are not known before the run"
    unknown = [(index, part) for index, part in enumerate(type.contents) if not is_closed(part)]
    return "; ".join(
        f"element {index} of `{argument}` is {part}, which depends on {', '.join(_sources(part))}"
        for index, part in unknown
    )


def _sources(part: Any) -> Iterator[str]:
    values = (v.witness.value for v in part.variables() if isinstance(v.witness, ContentOf))
    yield from (f"`{spelled(value)}`" for value in dict.fromkeys(sorted(values)))


# ------------------------------------------------------------------------------------------------------------- pass
def made_static(module: Module, context: Context) -> Transformed:
    """Make operators static where the values that determine their shapes are known.   [pass.static]"""
    functions: dict[str, Function] = {}
    notes: list[Note] = []
    for name, function in module.functions.items():
        sweep = Sweep(context.decider, module)
        improve = sweep.improve = Static(Failing(sweep.values.types))
        improve.failing.enter(function)
        swept = sweep.function(function)
        functions[name] = made = Dropping(among=sweep.loosened).function(swept)
        for step in every(made.body):
            if _is_dynamic(step) and isinstance(step, Apply):
                why = improve.left.get(step.name, "")
                notes.append(Note(name, step.span, f"`{step.operator.name}` stays: {why}", left=True))
    return Transformed(with_functions(module, functions), tuple(notes))


PASSES: tuple[Pass, ...] = (
    Pass(
        "dynamic-to-static",
        "Turn `dyn.` operators into their static forms where their shape arguments are known.   [pass.static]",
        made_static,
        idempotent=True,
    ),
)
