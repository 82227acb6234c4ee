"""Inference of a callee's type arguments: a call matches its arguments with the parameter types.

In an inferred type each unknown is `?`.  If several arguments determine one type parameter, their types are joined.
[type.parameter] [type.call.types]
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import field

from gradual.dims.term.constraint import TRUE, Constraint
from gradual.dims.term.dim import Dim, Variable
from gradual.record import record
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


@record
class Shown:
    """A type found for a type parameter, and the index of the argument that gives it."""

    type: GradualType
    argument: int


Agree = Callable[[Shown, Shown], GradualType | None]
"""Combine two types found for one type parameter; None, after reporting an error, if they do not agree."""


@record
class Applied:
    """A function type instantiated at one call, in the caller's terms.

    Attributes:
        types: the type arguments, in the order of the type parameters; `_` for one that nothing determines.
        shown: type parameter -> the types found for it in the arguments.
        owed: the constraints that the call requires for its dims to exist, each with the index of its argument.
        unsolved: whether some dim is determined by no argument; such a dim becomes `?`, and clauses on it are dropped.
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
    """The function type at the dims and types inferred from its arguments (and from a wanted result).

    None if `agree` refused.  Dims are substituted first: inferred types mention the caller's names.
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
    """The function type at given types, and at the dims inferred from its arguments."""
    return _applied(type, measured(type, arguments), tuple(types), {})


def at_given(
    type: FunctionType, dims: Mapping[Variable, Dim], types: Mapping[TypeVariable, GradualType]
) -> FunctionType:
    """The function type at some of its dims and types; the others stay parameters.  [type.instance]"""
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
    """A part of a function type at the inferred dims, with `?` for a dim that no argument determines."""
    known = closed(part, lambda variable: variable not in choice.unsolved) if choice.unsolved else part
    return substituted(known, choice.mapping)


def _clause_at(choice: Measured, clause: Constraint) -> Constraint:
    """A clause at the inferred dims; TRUE if it mentions a dim that no argument determines."""
    return clause.substitute(choice.mapping) if clause.variables().isdisjoint(choice.unsolved) else TRUE


def _joined(left: Shown, right: Shown) -> GradualType:
    joined = join(left.type, right.type)
    return joined if joined is not None else left.type


def is_generic(type: GradualType) -> bool:
    """Whether a type contains a function type with dim or type parameters, not counting parts of function types."""
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
    """Whether a type has no values: `_`, a tuple with an empty field, a reference to an empty type."""
    match type:
        case TupleType(fields):
            return any(map(is_empty, fields))
        case ReferenceType(content):
            return is_empty(content)
        case _:
            return isinstance(type, NeverType)


def settled_type(type: OpenedType) -> GradualType:
    """The type as a type argument: each existential becomes `?`."""
    return closed(type, lambda variable: not variable.is_existential)


def is_gradual(type: GradualType) -> bool:
    """Whether an unknown size or rank occurs anywhere in a type."""
    match type:
        case TensorType(shape):
            return Hole in [extent.__class__ for extent in shape]  # the usual case, and faster than `any`
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


@record(frozen=False)
class Choosing:
    """Solves for type variables by matching patterns that contain them with types, one after the other.

    A generic function among the arguments is instantiated at the solutions found before it.

    Attributes:
        among: the type variables to solve for.
        agree: combines two types found for one variable.
        shown: type variable -> every type found for it.
    """

    among: set[TypeVariable]
    agree: Agree
    chosen: dict[TypeVariable, Shown] = field(default_factory=dict)
    shown: dict[TypeVariable, list[Shown]] = field(default_factory=dict)

    def type(self, variable: TypeVariable) -> GradualType:
        """The solution for a variable; `_` if nothing determines it."""
        return self.chosen[variable].type if variable in self.chosen else NeverType()

    def shown_by(self, patterns: Sequence[GradualType], arguments: Sequence[OpenedType]) -> bool:
        """Match the arguments left to right, functions and generic functions last; False if they do not agree."""
        last = [
            isinstance(one, FunctionType) + is_generic(other) for one, other in zip(patterns, arguments, strict=True)
        ]
        order = sorted(range(len(last)), key=last.__getitem__)
        return all(self.match(patterns[index], settled_type(arguments[index]), index) for index in order)

    def match(self, pattern: GradualType, found: GradualType, argument: int) -> bool:
        """Match a pattern with the type found; False if it does not agree with an earlier solution."""
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
    """The parts of a wanted function type paired with the found one's, which is first called at the wanted types."""
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
