"""Proxies at run time: the checks around the uses of a function or a reference, in normal form.

Wrapping a proxy again composes the layers, so proxies never nest.  Arguments pass the layers from the outside in,
results from the inside out.  What repeats earlier checks is dropped, except the last of equal parts that create proxies
themselves, and so is all that follows a check that must fail.  The composition blames as its parts would in sequence,
and its length is bounded by the numbers of sizes to check and of parts that create proxies.   [run.proxy]
[run.proxy.normal]
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from gradual.core.check import Check
from gradual.core.terms import (
    Assertion,
    Change,
    Conversion,
    Convert,
    Invoke,
    Layer,
    ReadReference,
    Step,
    Wrap,
    WrapReference,
    WriteReference,
)
from gradual.dims.term.constraint import Constraint, Equal
from gradual.dims.term.dim import ContentOf, NumelOf, RankOf, SizeOf, Undefined, Variable
from gradual.run.sizes import Sizes
from gradual.run.value import Cell, Frame, Held, Part, Procedure, Proxied
from gradual.types.binder_solving import bare
from gradual.types.unpacking import base_of

Equations = dict[Variable, int]
PlaceInside = tuple[int, str, str, object]


def wrapped(value: Held, step: Wrap, frame: Frame) -> Held:
    """Wrap a function in one more layer.  [run.proxy]"""
    return _around(value, step.layer, step.layer, frame)


def wrapped_reference(value: Held, step: WrapReference, frame: Frame) -> Held:
    """Wrap a reference in one more layer for reading and one for writing.  [run.proxy]"""
    return _around(value, step.write, step.read, frame)


def _around(value: Held, passed: Layer, returned: Layer, frame: Frame) -> Held:
    """Add a part on each side of a value; if no check is left, the result is the value without proxy."""
    inner = value if isinstance(value, Proxied) else Proxied(_bare(value), (), ())
    before = _part(passed, passed.before, frame, _uses(passed), _chosen(passed))
    after = _part(returned, returned.after, frame, _uses(returned), _chosen(returned))
    composed = Proxied(inner.inner, normal((before, *inner.before)), normal((*inner.after, after)))
    return composed if composed.before or composed.after else composed.inner


def _bare(value: Held) -> Procedure | Cell:
    assert isinstance(value, Procedure | Cell), value
    return value


def _uses(layer: Layer) -> frozenset[str]:
    """The variables that each use binds: the parameters and the result of the call."""
    return frozenset((*(param.name for param in layer.params), layer.call.name))


def _chosen(layer: Layer) -> frozenset[Variable]:
    """The dims that each use binds."""
    return frozenset(variable for variable, _ in layer.binders)


def entered(part: Part, arguments: Sequence[Held]) -> Frame:
    """A frame for one use of a layer: its parameters bound, its dims read from the arguments."""
    names = (param.name for param in part.layer.params)
    frame = Frame(dict(zip(names, arguments, strict=True)), dict(part.sizes))
    sizes = Sizes(frame)
    for variable, solution in part.layer.binders:
        frame.sizes[variable] = solution.evaluate(sizes)
    return frame


def handed_on(layer: Layer) -> tuple[str, ...]:
    """The variables that the layer passes to the wrapped value."""
    match layer.call:
        case Invoke(operands=operands):
            return operands
        case WriteReference(operand=operand):
            return (operand,)
        case ReadReference():
            return ()


def returning(proxied: Proxied, arguments: Sequence[Held], pending: Sequence[Part] = ()) -> tuple[Part, ...]:
    """The parts that the result of one use passes, before the `pending` ones.

    In them all sizes are numbers, except those of the result, which are not yet known.

    [run.proxy.normal]
    """
    here = []
    for part in proxied.after:
        frame = entered(part, arguments)
        here.append(_part(part.layer, part.steps, frame, frozenset((part.layer.call.name,)), frozenset()))
    return normal((*here, *pending))


# ------------------------------------------------------------------------------------------------------ normal form
def normal(parts: Sequence[Part]) -> tuple[Part, ...]:
    """Drop parts without effect.  [run.proxy.normal]

    A repeated part is dropped, and so is one whose equations were all checked by earlier parts; parts after one that
    contradicts earlier equations are unreachable.  If a part creates proxies or converts data, its last occurrence is
    kept, too: the proxy created last is the outermost.
    """
    kept: list[Part] = []
    keys: set[object] = set()
    known: dict[PlaceInside, int] = {}
    lasts = {_key(part): index for index, part in enumerate(parts) if _wraps(part)}
    for index, part in enumerate(parts):
        said = None if part.equations is None else dict(_placed(part))
        key = _key(part)
        if (key in keys and lasts.get(key) != index) or (
            said is not None and all(known.get(place) == size for place, size in said.items())
        ):
            continue
        kept.append(part)
        keys.add(key)
        if said is not None:
            if any(known.get(place, size) != size for place, size in said.items()):
                break
            known.update(said)
    return tuple(kept)


def _key(part: Part) -> object:
    """A key that is equal for parts that make the same checks."""
    return id(part.steps), frozenset(part.sizes.items())


def _wraps(part: Part) -> bool:
    """Whether a part creates proxies or converts data."""
    return any(isinstance(step, Wrap | WrapReference | Convert) for step in part.steps)


def _placed(part: Part) -> Iterator[tuple[PlaceInside, int]]:
    """The part's equations, with parameters given by index, so that layers with other names compare equal."""
    names = {param.name: index for index, param in enumerate(part.layer.params)} | {part.layer.call.name: -1}
    for variable, size in (part.equations or {}).items():
        witness = variable.witness
        assert witness is not None, variable
        base, _, path = witness.value.partition("#")
        match witness:
            case SizeOf(axis=axis):
                yield (names[base], path, "size", axis), size
            case ContentOf(index=index):
                yield (names[base], path, "element", index), size
            case RankOf() | NumelOf():
                yield (names[base], path, type(witness).__name__, None), size


def _part(
    layer: Layer, steps: tuple[Step, ...], frame: Frame, uses: frozenset[str], chosen: frozenset[Variable]
) -> Part:
    """One side of a layer; the variables in `uses` and the dims in `chosen` are bound later, by each use."""
    numbers = Sizes(frame)
    bound = uses | set(_bound(steps))
    sizes: dict[Variable, int] = {}
    equations: Equations | None = {}
    for step in steps:
        for goal, inside, dims in _goals(step, set()):
            for variable in goal.variables():
                if variable not in chosen and variable not in dims and base_of(variable) not in bound | inside:
                    sizes[variable] = numbers[variable]
        if equations is not None:
            equations = _equations(step, equations, uses, chosen, numbers)
    return Part(layer, steps, sizes, equations)


def _bound(steps: Iterable[Step]) -> Iterator[str]:
    for step in steps:
        if not isinstance(step, Check | Assertion):
            yield step.name


Goal = tuple[Constraint, frozenset[str], frozenset[Variable]]


def _goals(step: Step, seen: set[int]) -> Iterator[Goal]:
    """The goals that a step of a layer checks, with the variables and dims that layers inside it bind.

    The conversion of a recursive type refers to itself; conversions in `seen` are skipped.
    """
    match step:
        case Check(goal=goal, blame=blame):
            for said in (goal, blame.owed):
                yield said, frozenset(), frozenset()
        case Wrap(layer=layer):
            yield from _inside((*layer.before, *layer.after), _uses(layer), _chosen(layer), seen)
        case WrapReference(read=read, write=write):
            yield from _inside(read.after, _uses(read), frozenset(), seen)
            yield from _inside(write.before, _uses(write), frozenset(), seen)
        case Convert(conversion=conversion):
            for change in _changes(conversion, seen):
                yield from _inside(change.steps, frozenset((change.param.name,)), frozenset(), seen)


def _inside(steps: Sequence[Step], names: frozenset[str], dims: frozenset[Variable], seen: set[int]) -> Iterator[Goal]:
    own = names | frozenset(_bound(steps))
    for step in steps:
        for goal, inner, chosen in _goals(step, seen):
            yield goal, inner | own, chosen | dims


def _changes(conversion: Conversion, seen: set[int]) -> Iterator[Change]:
    """The changes of a conversion and of those inside it, each once."""
    if id(conversion) in seen:
        return
    seen.add(id(conversion))
    for fields in conversion.fields.values():
        for part in fields:
            if isinstance(part, Change):
                yield part
            elif part is not None:
                yield from _changes(part, seen)


def _equations(
    step: Step, known: Equations, uses: frozenset[str], chosen: frozenset[Variable], sizes: Sizes
) -> Equations | None:
    """Add the equation of one more step; None if the step is no equation that fixes one size of a use."""
    if not isinstance(step, Check) or not isinstance(step.goal, Equal) or step.says:
        return None
    for one, other in ((step.goal.left, step.goal.right), (step.goal.right, step.goal.left)):
        variable = bare(one)
        if variable is None or base_of(variable) not in uses or variable in known:
            continue
        if any(v in chosen or base_of(v) in uses for v in other.variables()):
            continue
        try:
            return known | {variable: other.evaluate(sizes)}
        except Undefined:
            return None
    return None
