"""How a call chooses the types of its callee: its arguments are matched with the parameters.

Every choice is a closed type: no unknown is named in it.  What several arguments show of one parameter is joined.
[type.parameter] [type.call.types]
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from gradual.dims.term.constraint import TRUE, Constraint
from gradual.dims.term.dim import Dim, Variable
from gradual.types.binder_solving import Measured, measured, named_parts, unmeasured
from gradual.types.relations import join
from gradual.types.substitution import instantiated, renamed, substituted, type_variables
from gradual.types.type import (
    DataType,
    FunctionType,
    GradualType,
    Hole,
    NeverType,
    OpenedType,
    ReferenceType,
    TensorType,
    TupleType,
    TypeVariable,
    UnrankedType,
)
from gradual.types.unpacking import closed, opened, without_dims


@dataclass(frozen=True, slots=True)
class Shown:
    """What an argument shows of a type parameter."""

    type: GradualType
    argument: int


Agree = Callable[[Shown, Shown], GradualType | None]
"""The type of what two arguments show, or two parts of one; None (after saying so) if there is none."""


@dataclass(frozen=True, slots=True)
class Applied:
    """A function type at one call, in the caller's terms.

    Attributes:
        types: the type arguments, in the order of the type's own parameters; `_` where nothing shows one.
        shown: what the arguments showed of each.
        owed: what measuring the dims demands, by argument.
        unsolved: whether a dim is left that no argument shows: where it stands is `?`, and nothing is owed of it.
    """

    params: tuple[GradualType, ...]
    result: GradualType
    where: tuple[Constraint, ...]
    types: tuple[GradualType, ...]
    shown: Mapping[TypeVariable, Sequence[Shown]]
    owed: tuple[tuple[int, Constraint], ...]
    unsolved: bool


def at_arguments(
    type: FunctionType, arguments: Sequence[OpenedType], wanted: GradualType | None = None, agree: Agree | None = None
) -> Applied | None:
    """The function type at the dims and types that its arguments (and a wanted result) show.

    None if `agree` refused.  The dims are chosen first: a chosen type speaks of the caller's names.
    """
    choice = measured(type, arguments)
    choosing = Choosing(set(type.types), agree or _joined)
    if not type.types:
        return _applied(type, choice, (), choosing.shown)
    params = tuple(_at(choice, param) for param in type.params)
    if not choosing.shown_by(params, arguments):
        return None
    if wanted is not None:
        choosing.among -= choosing.chosen.keys()
        if not choosing.match(_at(choice, type.result), wanted, len(params)):
            return None
    return _applied(type, choice, tuple(map(choosing.type, type.types)), choosing.shown)


def at_types(type: FunctionType, arguments: Sequence[OpenedType], types: Sequence[GradualType]) -> Applied:
    """The function type at given types, and at the dims that its arguments show."""
    return _applied(type, measured(type, arguments), tuple(types), {})


def at_given(
    type: FunctionType, dims: Mapping[Variable, Dim], types: Mapping[TypeVariable, GradualType]
) -> FunctionType:
    """The function type at some of its dims and types; it chooses the others as before.  [type.instance]"""
    left = FunctionType(
        type.names,
        type.params,
        type.result,
        tuple(variable for variable in type.binders if variable not in dims),
        type.where,
        tuple(variable for variable in type.types if variable not in types),
        tuple(one for one in type.order if one not in dims and one not in types),
    )
    inside = instantiated(substituted(left, dims), types)
    assert isinstance(inside, FunctionType)
    return inside


def _applied(
    type: FunctionType, choice: Measured, types: tuple[GradualType, ...], shown: Mapping[TypeVariable, Sequence[Shown]]
) -> Applied:
    every = dict(zip(type.types, types, strict=True))
    return Applied(
        tuple(instantiated(_at(choice, param), every) for param in type.params),
        instantiated(_at(choice, type.result), every),
        tuple(_clause_at(choice, clause) for clause in type.where),
        types,
        shown,
        choice.owed,
        bool(choice.unsolved),
    )


def _at(choice: Measured, part: GradualType) -> GradualType:
    """A part of a function type at the dims that were chosen; `?` stands where no argument shows one."""
    known = closed(part, lambda variable: variable not in choice.unsolved) if choice.unsolved else part
    return substituted(known, choice.mapping)


def _clause_at(choice: Measured, clause: Constraint) -> Constraint:
    """What a clause says at the dims that were chosen; nothing is owed of one that no argument shows."""
    return clause.substitute(choice.mapping) if clause.variables().isdisjoint(choice.unsolved) else TRUE


def _joined(left: Shown, right: Shown) -> GradualType:
    joined = join(left.type, right.type)
    return joined if joined is not None else left.type


def is_generic(type: GradualType) -> bool:
    """Whether a function inside chooses dims or types of its own."""
    match type:
        case FunctionType():
            return bool(type.binders or type.types)
        case TupleType(parts) | DataType(_, parts):
            return any(map(is_generic, parts))
        case ReferenceType(content):
            return is_generic(content)
        case _:
            return False


def is_empty(type: GradualType) -> bool:
    """Whether there is no value of a type: `_`, a tuple with a field of which there is none, a reference to none."""
    match type:
        case TupleType(fields):
            return any(map(is_empty, fields))
        case ReferenceType(content):
            return is_empty(content)
        case _:
            return isinstance(type, NeverType)


def settled_type(type: OpenedType) -> GradualType:
    """The type as a type argument: no unknown is named in it."""
    return closed(type, lambda variable: not variable.is_existential)


def is_gradual(type: GradualType) -> bool:
    """Whether an unknown size or rank stands anywhere in a type."""
    match type:
        case TensorType(shape):
            return any(isinstance(extent, Hole) for extent in shape)
        case UnrankedType():
            return True
        case TupleType(parts) | DataType(_, parts):
            return any(map(is_gradual, parts))
        case FunctionType(_, params, result):
            return any(map(is_gradual, (*params, result)))
        case ReferenceType(content):
            return is_gradual(content)
        case _:
            return False


@dataclass(slots=True)
class Choosing:
    """Type variables being chosen: what was found in turn for the patterns in which they stand.

    A function found that chooses types or dims itself is called at what was chosen before.

    Attributes:
        agree: what several places show of one becomes this.
        shown: what each argument showed of each.
    """

    among: set[TypeVariable]
    agree: Agree
    chosen: dict[TypeVariable, Shown] = field(default_factory=dict)
    shown: dict[TypeVariable, list[Shown]] = field(default_factory=dict)

    def type(self, variable: TypeVariable) -> GradualType:
        """The type that was chosen; `_` where nothing shows one."""
        return self.chosen[variable].type if variable in self.chosen else NeverType()

    def shown_by(self, patterns: Sequence[GradualType], arguments: Sequence[OpenedType]) -> bool:
        """Choose by arguments from left to right, functions after the others; False if they do not agree."""
        last = [
            isinstance(one, FunctionType) + is_generic(other) for one, other in zip(patterns, arguments, strict=True)
        ]
        order = sorted(range(len(last)), key=last.__getitem__)
        return all(self.match(patterns[index], settled_type(arguments[index]), index) for index in order)

    def match(self, pattern: GradualType, found: GradualType, argument: int) -> bool:
        """Choose such that what was found fits; False if that does not agree with what was found before."""
        match pattern, found:
            case TypeVariable(), _ if pattern in self.among:
                return self._show(pattern, Shown(found, argument))
            case TupleType(fields), TupleType(others) if len(fields) == len(others):
                return self._all(zip(fields, others, strict=True), argument)
            case DataType(name, parts), DataType(other, others) if name == other:
                return self._all(zip(parts, others, strict=True), argument)
            case ReferenceType(content), ReferenceType(theirs):
                return self.match(content, theirs, argument)
            case FunctionType(), FunctionType() if len(pattern.params) == len(found.params):
                known = {variable: one.type for variable, one in self.chosen.items()}
                return self._all(_callable(pattern, found, self.among, known), argument)
            case _:
                return True

    def _all(self, pairs: Iterable[tuple[GradualType, GradualType]], argument: int) -> bool:
        return all(self.match(pattern, found, argument) for pattern, found in pairs)

    def _show(self, variable: TypeVariable, found: Shown) -> bool:
        self.shown.setdefault(variable, []).append(found)
        before = self.chosen.get(variable)
        if before is None:
            self.chosen[variable] = found
            return True
        agreed = self.agree(*sorted((before, found), key=lambda one: one.argument))
        if agreed is not None:
            self.chosen[variable] = Shown(agreed, before.argument)
        return agreed is not None


def _callable(
    pattern: FunctionType, found: FunctionType, among: set[TypeVariable], known: Mapping[TypeVariable, GradualType]
) -> Iterator[tuple[GradualType, GradualType]]:
    """Each part of a wanted function type with what is found there, the found function called as the wanted one is."""
    depends = any(map(named_parts, (pattern, found)))
    if not (depends or pattern.binders or pattern.types or is_generic(found)):
        yield from zip((*pattern.params, pattern.result), (*found.params, found.result), strict=True)
        return
    others = FunctionType((), tuple(known.values()), TupleType(()))
    pattern = renamed(pattern, pattern, found, others) or pattern
    inner = renamed(found, found, pattern, others) or found
    passed = [
        instantiated(mine, known) if among.isdisjoint(set(type_variables(mine)) - known.keys()) else theirs
        for mine, theirs in zip(pattern.params, inner.params, strict=True)
    ]
    arguments = [opened(param, f"%?{i}", lambda path, axis, hole: None)[0] for i, param in enumerate(passed)]
    call = at_arguments(without_dims(inner, unmeasured(inner, arguments)), arguments)
    assert call is not None
    own = {*pattern.binders, *inner.binders, *named_parts(pattern), *named_parts(inner)}
    hidden = {*pattern.types, *inner.types}
    for mine, theirs in zip((*pattern.params, pattern.result), (*call.params, call.result), strict=True):
        if hidden.isdisjoint(type_variables(theirs)):
            yield mine, closed(theirs, lambda variable: not variable.is_existential and variable not in own)
