"""Substitution in core: copy it with other names for its variables and other dims for its unknowns.

A dim that mentions a variable is renamed with it: `dim(%x, 0)` becomes `dim(%y, 0)` if `%x` becomes `%y`.
What a function type binds is not renamed.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar, cast

from gradual.core.check import Check
from gradual.core.def_use import variables_of
from gradual.core.pattern import Bind, CorePattern, Destructure
from gradual.core.terms import (
    Apply,
    Arm,
    Assertion,
    Block,
    Change,
    Closure,
    Constant,
    Construct,
    Conversion,
    Convert,
    Function,
    If,
    Instantiate,
    Invoke,
    Layer,
    MakeReference,
    MakeTuple,
    Match,
    Param,
    Project,
    ReadReference,
    Rename,
    Size,
    Step,
    Stop,
    Wrap,
    WrapReference,
    WriteReference,
)
from gradual.dims.term.constraint import Constraint
from gradual.dims.term.dim import ContentOf, Dim, NumelOf, RankOf, SizeOf, Variable
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


@dataclass(slots=True, eq=False)
class Rewriting:
    """A substitution, applied by copying.

    Attributes:
        names: variable -> new name.
        dims: unknown -> new dim; takes precedence over `names`.
        types: type parameter -> type in terms of the copy; applied after `names` and `dims`.
        origins: path -> the origin of its unknown shape in the copy; takes precedence over `names`.
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
        """A dim in the copy."""
        found = self.mapping(dim.variables())
        return dim.substitute(found) if found else dim

    def goal(self, goal: Constraint) -> Constraint:
        """A constraint in the copy."""
        found = self.mapping(goal.variables())
        return goal.substitute(found) if found else goal

    def attribute(self, value: Any) -> Any:
        """An attribute's value in the copy."""
        match value:
            case Dim():
                return self.dim(value)
            case tuple():
                return tuple(map(self.attribute, value))
            case _:
                return value

    def type(self, type: T) -> T:
        """A type in the copy; the names that a function type binds are its own."""
        made: Any = self._type(type)
        copy: Any = instantiated(made, self.types) if self.types else made
        return cast(T, copy)

    def typed(self, type: Any, path: str) -> OpenedType:
        """The type of a value in the copy; holes that replace a type parameter become unknowns of the value."""
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
        """A function in the copy."""
        return replace(
            function,
            name=self.name(function.name),
            params=tuple(map(self._param, function.params)),
            binders=self._binders(function.binders),
            entry=tuple(map(self._check, function.entry)),
            body=self.block(function.body),
            type=self._own_type(function.type),
        )

    def block(self, block: Block) -> Block:
        """A block in the copy."""
        return Block(self.steps(block.steps), self.name(block.result))

    def steps(self, steps: Iterable[Step]) -> tuple[Step, ...]:
        """Steps in the copy."""
        return tuple(map(self.step, steps))

    def step(self, step: S) -> S:
        """A step in the copy."""
        made: S = self._step(step)  # type: ignore[arg-type]
        return made

    def _step(self, step: Step) -> Any:
        match step:
            case Check():
                return self._check(step)
            case Assertion(condition, message, span):
                return Assertion(self.name(condition), message, span)
            case Convert():
                conversion = self._conversion(step.conversion)
                return self._made(step, operand=self.name(step.operand), conversion=conversion)
            case Apply():
                return self._made(
                    step,
                    operands=self._names(step.operands),
                    attributes={key: self.attribute(value) for key, value in step.attributes.items()},
                    accepts=step.accepts and self._check(step.accepts),
                )
            case Constant() | Stop():
                return self._made(step)
            case Size(dim=dim):
                return self._made(step, dim=self.dim(dim))
            case MakeTuple(fields=fields) | Construct(fields=fields):
                return self._made(step, fields=self._names(fields))
            case Project() | MakeReference():
                return self._made(step, operand=self.name(step.operand))
            case Rename(written=written):
                return self._made(step, operand=self.name(step.operand), written=written and self.type(written))
            case Instantiate():
                return self._made(
                    step,
                    operand=self.name(step.operand),
                    dims=tuple((variable, self.dim(dim)) for variable, dim in step.dims),
                    types=tuple((variable, self.type(type)) for variable, type in step.types),
                )
            case Invoke():
                return self._made(
                    step,
                    function=self.name(step.function),
                    operands=self._names(step.operands),
                    types=tuple(map(self.type, step.types)),
                )
            case Closure():
                function = self.function(step.function)
                return Closure(self.name(step.name), function, function.type, step.span)
            case If():
                return self._made(
                    step,
                    condition=self.name(step.condition),
                    then=self.block(step.then),
                    orelse=self.block(step.orelse),
                )
            case Match():
                arms = tuple(Arm(self._pattern(arm.pattern), self.block(arm.block)) for arm in step.arms)
                return self._made(step, scrutinee=self.name(step.scrutinee), arms=arms)
            case ReadReference():
                return self._made(step, reference=self.name(step.reference))
            case WriteReference():
                return self._made(step, reference=self.name(step.reference), operand=self.name(step.operand))
            case Wrap():
                return self._made(step, operand=self.name(step.operand), layer=self._layer(step.layer))
            case WrapReference():
                read, write = self._layer(step.read), self._layer(step.write)
                return self._made(step, operand=self.name(step.operand), read=read, write=write)

    def _made(self, step: Any, **fields: Any) -> Any:
        name = self.name(step.name)
        return replace(step, name=name, type=self.typed(step.type, name), **fields)

    def _names(self, names: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(map(self.name, names))

    def _param(self, param: Param) -> Param:
        name = self.name(param.name)
        return replace(param, name=name, type=self.typed(param.type, name), written=self.type(param.written))

    def _binders(self, binders: Iterable[tuple[Variable, Dim]]) -> tuple[tuple[Variable, Dim], ...]:
        return tuple((variable, self.dim(size)) for variable, size in binders)

    def _check(self, check: Check) -> Check:
        """Copy a check with its label.  Always a new object: a step occurs only once in a program."""
        goal, owed = self.goal(check.goal), self.goal(check.blame.owed)
        same = owed is check.blame.owed and goal is check.goal
        blame = check.blame if same else replace(check.blame, owed=owed, words={})
        return replace(check, goal=goal, blame=blame)

    def _pattern(self, pattern: CorePattern) -> CorePattern:
        match pattern:
            case Bind(name, type):
                new = self.name(name) if name is not None else None
                return Bind(new, self.typed(type, new or ""))
            case Destructure(constructor, fields):
                return Destructure(constructor, tuple(map(self._pattern, fields)))

    def _layer(self, layer: Layer) -> Layer:
        return replace(
            layer,
            params=tuple(map(self._param, layer.params)),
            binders=self._binders(layer.binders),
            before=self.steps(layer.before),
            call=self.step(layer.call),
            after=self.steps(layer.after),
            result=self.name(layer.result),
        )

    def _conversion(self, conversion: Conversion) -> Conversion:
        if id(conversion) in self._conversions:
            return self._conversions[id(conversion)]
        copy = self._conversions[id(conversion)] = Conversion()
        for constructor, fields in conversion.fields.items():
            copy.fields[constructor] = tuple(map(self._converted, fields))
        return copy

    def _converted(self, how: Change | Conversion | None) -> Change | Conversion | None:
        match how:
            case None:
                return None
            case Change(param, steps, result):
                return Change(self._param(param), self.steps(steps), self.name(result))
            case Conversion():
                return self._conversion(how)


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
