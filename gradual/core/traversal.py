"""Copies of core with variables renamed, unknowns replaced by dims, or operands or blocks exchanged.

A dim that mentions a variable is renamed with it: `dim(%x, 0)` becomes `dim(%y, 0)` if `%x` becomes `%y`.
Names that the type of a value binds are renamed only on request (`binding`); a function's own parameters always are.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import field, replace
from operator import is_
from typing import Any, TypeVar, cast

from gradual.core.check import Check
from gradual.core.def_use import variables_of
from gradual.core.roles import Rebuilder, Role, rebuilder
from gradual.core.terms import Arm, Block, Conversion, Function
from gradual.core.value_words import renamed
from gradual.dims.term.constraint import Constraint
from gradual.dims.term.dim import ContentOf, Dim, NumelOf, RankOf, SizeOf, Variable
from gradual.record import record
from gradual.types.binder_solving import named_parts
from gradual.types.substitution import instantiated, mentioned, substituted, substituted_within
from gradual.types.type import (
    DataType,
    FunctionType,
    GradualType,
    OpenedType,
    ReferenceType,
    TensorType,
    TupleType,
    TypeVariable,
    UnrankedType,
)
from gradual.types.unpacking import base_of, content_of, numel_of, opened, rank_of, size_of

T = TypeVar("T")
S = TypeVar("S")


@record(frozen=False, eq=False)
class Rewriting:
    """A substitution, applied by copying.

    Attributes:
        names: variable -> new name.
        dims: unknown -> new dim; takes precedence over `names`.
        types: type parameter -> type in terms of the copy; applied after `names` and `dims`.
        origins: path -> the value in the copy that its unknown shape belongs to; takes precedence over `names`.
        binding: whether the parameters of function types inside are renamed, too.
    """

    names: dict[str, str] = field(default_factory=dict)
    dims: dict[Variable, Dim] = field(default_factory=dict)
    types: Mapping[TypeVariable, GradualType] = field(default_factory=dict)
    origins: dict[str, str] = field(default_factory=dict)
    binding: bool = False
    _conversions: dict[int, Conversion] = field(default_factory=dict)

    # ------------------------------------------------------------------------------------------------ names and dims
    def name(self, name: str) -> str:
        """The name of a variable in the copy."""
        return self.names.get(name, name)

    def path(self, path: str) -> str:
        """The path `%x#0` of a value in the copy."""
        base, *fields = path.split("#")
        return "#".join((self.name(base), *fields))

    def _image(self, variable: Variable) -> Dim | None:
        """The replacement of a variable; None if it is unchanged."""
        if variable in self.dims:
            return self.dims[variable]
        if base_of(variable) not in self.names:
            return None
        match variable.witness:
            case SizeOf(value, axis):
                return size_of(self.path(value), axis)
            case ContentOf(value, index):
                return content_of(self.path(value), index, variable.kind)
            case RankOf(value):
                return rank_of(self.path(value))
            case NumelOf(value):
                return numel_of(self.path(value))
        raise AssertionError(variable.name)

    def mapping(self, variables: Iterable[Variable]) -> dict[Variable, Dim]:
        """Variable -> replacement, for those of the variables that change."""
        images = ((variable, self._image(variable)) for variable in variables)
        return {variable: image for variable, image in images if image is not None}

    def dim(self, dim: Dim) -> Dim:
        """The copy of a dim."""
        found = self.mapping(dim.variables())
        return dim.substitute(found) if found else dim

    def goal(self, goal: Constraint) -> Constraint:
        """The copy of a constraint."""
        found = self.mapping(goal.variables())
        return goal.substitute(found) if found else goal

    def attribute(self, value: Any) -> Any:
        """The copy of an attribute's value."""
        match value:
            case Dim():
                return self.dim(value)
            case tuple():
                return tuple(map(self.attribute, value))
            case _:
                return value

    def type(self, type: T) -> T:
        """The copy of a type; the names that a function type binds are kept, unless `binding`."""
        made: Any = self._type(type)
        copy: Any = instantiated(made, self.types) if self.types else made
        return cast(T, copy)

    def typed(self, type: Any, path: str) -> OpenedType:
        """The copy of a value's type; holes that replace a type parameter become unknowns of the value."""
        made = self.type(type)
        return opened(made, path, lambda path, axis, hole: None)[0] if self.types else made

    def _type(self, type: Any) -> Any:
        match type:
            case UnrankedType(dtype, str(origin)):
                return UnrankedType(dtype, self.origins.get(origin) or self.path(origin))
            case TupleType(fields):
                return TupleType(tuple(map(self._type, fields)))
        found = self.mapping(set(variables_of(type)))
        made = substituted(type, found) if found else type
        return made if isinstance(made, TensorType) else self._named(made)

    def _named(self, type: Any) -> Any:
        """Rename the parameters of function types inside a type, and the sizes that mention them."""
        if not self.binding:
            return type
        match type:
            case TupleType(parts):
                return TupleType(tuple(map(self._named, parts)))
            case DataType(name, parts):
                return DataType(name, tuple(map(self._named, parts)))
            case ReferenceType(content):
                return ReferenceType(self._named(content))
            case FunctionType(names, params, result):
                inner = replace(type, params=tuple(map(self._named, params)), result=self._named(result))
                own = self.mapping(named_parts(inner))
                return replace(substituted_within(inner, own) if own else inner, names=self._names(names))
            case _:
                return type

    def _own_type(self, type: FunctionType) -> FunctionType:
        """Copy the type of a function, its parameters renamed, too."""
        found = self.mapping(set(mentioned(type)) - set(type.binders))
        inside = instantiated(substituted_within(type, found) if found else type, self.types)
        assert isinstance(inside, FunctionType)
        params, result = tuple(map(self._named, inside.params)), self._named(inside.result)
        return replace(inside, names=self._names(type.names), params=params, result=result)

    # ------------------------------------------------------------------------------------------------------- programs
    def function(self, function: Function) -> Function:
        """The copy of a function."""
        return self._node(function)

    def block(self, block: Block) -> Block:
        """The copy of a block."""
        return self._node(block)

    def step(self, step: S) -> S:
        """The copy of a step."""
        return self._node(step)

    def _node(self, node: S) -> S:
        made: S = _COPIES[type(node)](self, node)
        return made

    def _nodes(self, nodes: Iterable[S]) -> tuple[S, ...]:
        return tuple(map(self._node, nodes))

    def _names(self, names: Iterable[str]) -> tuple[str, ...]:
        return tuple(map(self.name, names))

    def _sizes(self, pairs: Iterable[tuple[Variable, Dim]]) -> tuple[tuple[Variable, Dim], ...]:
        return tuple((variable, self.dim(size)) for variable, size in pairs)

    def _attributes(self, attributes: Mapping[str, Any]) -> Mapping[str, Any]:
        return {key: self.attribute(value) for key, value in attributes.items()}

    def _types(self, types: Iterable[GradualType]) -> tuple[GradualType, ...]:
        return tuple(map(self.type, types))

    def _choices(
        self, pairs: Iterable[tuple[TypeVariable, GradualType]]
    ) -> tuple[tuple[TypeVariable, GradualType], ...]:
        return tuple((variable, self.type(type)) for variable, type in pairs)

    def _check(self, check: Check) -> Check:
        """Copy a check with its label.  Always a new object: a step occurs only once in a program."""
        goal, owed = self.goal(check.goal), self.goal(check.blame.owed)
        says = renamed(check.says, self.name) if self.names else check.says
        same = owed is check.blame.owed and goal is check.goal and says == check.says
        blame = check.blame if same else replace(check.blame, owed=owed, words={})
        return replace(check, goal=goal, blame=blame, says=says)

    def _conversion(self, conversion: Conversion) -> Conversion:
        if id(conversion) in self._conversions:
            return self._conversions[id(conversion)]
        copy = self._conversions[id(conversion)] = Conversion()
        for constructor, fields in conversion.fields.items():
            copy.fields[constructor] = tuple(how and self._node(how) for how in fields)
        return copy


def _by(copied: Callable[[Rewriting, Any], Any]) -> Callable[[Rewriting, Any, Any], Any]:
    """Copy a field by a method that needs no more than the field."""
    return lambda rewriting, field, node: copied(rewriting, field)


_COPIES = rebuilder(
    {
        Role.DEFINED: _by(Rewriting.name),
        Role.SELF: _by(Rewriting.name),
        Role.HEAD: _by(Rewriting.name),
        Role.OPERAND: _by(Rewriting.name),
        Role.OPERANDS: _by(Rewriting._names),
        Role.DIM: _by(Rewriting.dim),
        Role.DIMS: _by(Rewriting._sizes),
        Role.BINDERS: _by(Rewriting._sizes),
        Role.ATTRIBUTES: _by(Rewriting._attributes),
        Role.TYPE: lambda rewriting, type, node: rewriting.typed(type, rewriting.name(node.name) or ""),  # `_` has none
        Role.SIGNATURE: _by(Rewriting._own_type),
        Role.WRITTEN: lambda rewriting, type, node: type and rewriting.type(type),
        Role.INSTANCES: _by(Rewriting._types),
        Role.CHOICES: _by(Rewriting._choices),
        Role.BLOCK: _by(Rewriting._node),
        Role.ARMS: _by(Rewriting._nodes),
        Role.LITERAL: _by(Rewriting._node),
        Role.PART: lambda rewriting, part, node: part and rewriting._node(part),
        Role.PARTS: _by(Rewriting._nodes),
        Role.LAYER: _by(Rewriting._node),
        Role.CONVERSION: _by(Rewriting._node),
        Role.ENTRY: _by(Rewriting._nodes),
    },
    fresh=True,
)
_COPIES.update({Check: Rewriting._check, Conversion: Rewriting._conversion})


def apart(names: Iterable[str], taken: set[str]) -> Mapping[str, str]:
    """Variable -> fresh name, `%x_1` for `%x` if taken; add the fresh names to `taken`."""
    fresh: dict[str, str] = {}
    for name in names:
        new, count = name, 0
        while new in taken:
            count += 1
            new = f"{name}_{count}"
        taken.add(new)
        fresh[name] = new
    return fresh


# ---------------------------------------------------------------------------------- steps with other operands or blocks
_WITH_OPERANDS = rebuilder(
    {
        Role.OPERAND: lambda image, name, node: image(name),
        Role.OPERANDS: lambda image, names, node: tuple(map(image, names)),
    },
    fresh=True,
)


def with_operands(step: S, image: Callable[[str], str]) -> S:
    """Replace the operands of a step; not the function that is called, nor the reference that is used."""
    made: S = _WITH_OPERANDS[type(step)](image, step)
    return made


def _with_bodies(exchanged: Callable[[Block], Block], arms: tuple[Arm, ...]) -> tuple[Arm, ...]:
    made = tuple(_WITH_BLOCKS[Arm](exchanged, arm) for arm in arms)
    return arms if all(map(is_, made, arms)) else made


_WITH_BLOCKS: Rebuilder[Callable[[Block], Block]] = rebuilder(
    {
        Role.BLOCK: lambda exchanged, block, node: exchanged(block),
        Role.ARMS: lambda exchanged, arms, node: _with_bodies(exchanged, arms),
        Role.LITERAL: lambda exchanged, function, node: _WITH_BLOCKS[Function](exchanged, function),
    },
    fresh=False,
)


def with_blocks(step: S, exchanged: Callable[[Block], Block]) -> S:
    """Replace the nested blocks of a step; the same step if nothing changes."""
    made: S = _WITH_BLOCKS[type(step)](exchanged, step)
    return made
