"""The verifier for data: type construction, patterns and conversions again from the declarations."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import field

from gradual.core.datatypes import known_numbers
from gradual.core.pattern import Bind, CorePattern, Destructure
from gradual.core.terms import Block, Change, Construct, Conversion, Convert, Step
from gradual.core.verify import ranks
from gradual.core.verify.recorded_types import Recorded
from gradual.dims.term.dim import Variable
from gradual.record import record
from gradual.types.declared import Constructor
from gradual.types.fit import Regular, fits
from gradual.types.print import shown
from gradual.types.relations import Coercion, Demand, Mismatch, demands
from gradual.types.substitution import instantiated
from gradual.types.type import (
    DataType,
    FunctionType,
    GradualType,
    NeverType,
    OpenedType,
    ReferenceType,
    TensorType,
    TupleType,
    TypeVariable,
    UnrankedType,
)
from gradual.types.unpacking import opened


@record(frozen=False, eq=False)
class Structures(Recorded, ABC):
    """The rules for values inside other values.

    Attributes:
        bound: the dims and type parameters of the enclosing functions.
        converted: conversions visited, each with its source and target type.
    """

    bound: frozenset[Variable | TypeVariable] = frozenset()
    converted: set[object] = field(default_factory=set)

    @abstractmethod
    def step(self, step: Step) -> None:
        """Type one step."""

    @abstractmethod
    def block(self, block: Block) -> None:
        """Type the steps of a block in order."""

    # ----------------------------------------------------------------------------------------- flow of values
    def flows(self, value: str, target: GradualType, what: str) -> None:
        """Require that a value satisfies the demands of a type."""
        for demand in demands(self.type_of(value), target):
            match demand:
                case Demand(goal):
                    self.prove(goal, f"{what}: {goal}")
                    if demand.axis is None:
                        ranks.learnt(self, goal)
                case Mismatch(_, message):
                    self.wrong(f"{what}: {message}")
                case Coercion(FunctionType() as source, FunctionType() as wanted):
                    if not self.stands_for(source, wanted):
                        self.wrong(f"{what}: {shown(source)} used as {shown(wanted)}")
                case Coercion(source, wanted):
                    self.kept(source, wanted, what)

    def ranked(self, value: str, target: GradualType, what: str) -> None:
        """Require that a value has the ranks that a type demands."""
        for demand in demands(self.type_of(value), target):
            if isinstance(demand, Demand) and demand.axis is None:
                self.prove(demand.goal, f"{what}: {demand.goal}")
                ranks.learnt(self, demand.goal)

    def alike(self, found: OpenedType, recorded: OpenedType, path: str) -> None:
        """Require the same structure, ranks and dtypes; sizes may differ."""
        match found, recorded:
            case TensorType(), TensorType() if found.rank == recorded.rank and found.dtype is recorded.dtype:
                pass
            case TupleType(fields), TupleType(others) if len(fields) == len(others):
                for i, (field, other) in enumerate(zip(fields, others, strict=True)):
                    self.alike(field, other, f"{path}#{i}")
            case FunctionType(), FunctionType() if self.stands_for(found, recorded):
                pass
            case DataType(), DataType() if found.name == recorded.name:
                self.kept(found, recorded, path)
            case NeverType(), _:
                pass
            case _ if self.same(found, recorded):
                pass
            case TensorType() | UnrankedType(), UnrankedType() if found.dtype is recorded.dtype:
                pass
            case _:
                self.differs(path, recorded, found)

    # --------------------------------------------------------------------------------------------- construction
    def _constructors(self, name: str) -> Mapping[str, Constructor]:
        return self.module.data[name].constructors

    def _fields(self, constructor: str, type: DataType) -> tuple[GradualType, ...] | None:
        declared = self.module.data[type.name]
        found = declared.constructors.get(constructor)
        if found is None:
            return None
        chosen = dict(zip(declared.types, type.arguments, strict=True))
        return tuple(instantiated(part, chosen) for part in found.fields)

    def construct(self, step: Construct) -> None:
        """Require that each operand fits its field's type, instantiated at the arguments of the result type."""
        type = step.type
        fields = self._fields(step.constructor, type) if isinstance(type, DataType) else None
        if fields is None or len(fields) != len(step.fields):
            self.found.append(f"{step.name}: {step.constructor} as {shown(type)}")
        else:
            for index, (operand, wanted) in enumerate(zip(step.fields, fields, strict=True)):
                self.flows(operand, wanted, f"field {index} of {step.name}")
        self.define(step.name, type)

    # -------------------------------------------------------------------------------------------------- patterns
    def bind(self, pattern: CorePattern, type: GradualType, inside: bool, name: str) -> None:
        """Define the variables of a pattern: at the part's own type, or `inside` a constructor with fresh unknowns."""
        match pattern, type:
            case Bind(None), _:
                return
            case Bind(str(variable), recorded), _:
                if inside:
                    self.matches(type, recorded, variable)
                elif not self.same(recorded, type):
                    self.wrong(f"{variable}: {shown(recorded)} instead of {shown(type)}")
                self.define(variable, recorded, None if inside else known_numbers(recorded))
            case Destructure(None, patterns), TupleType(fields) if len(patterns) == len(fields):
                for part, held in zip(patterns, fields, strict=True):
                    self.bind(part, held, inside, name)
            case Destructure(str(constructor), patterns), DataType() as data:
                types = self._fields(constructor, data)
                if types is None or len(types) != len(patterns):
                    self.found.append(f"{name}: no value of {shown(type)} fits a pattern of {constructor}")
                    return
                for part, held in zip(patterns, types, strict=True):
                    self.bind(part, held, True, name)
            case _:
                self.found.append(f"{name}: no value of {shown(type)} fits a pattern")

    # ----------------------------------------------------------------------------------------------- conversions
    def convert(self, step: Convert) -> None:
        """Require that a conversion gives every field of every constructor its new type."""
        source, target = self.type_of(step.operand), step.type
        if not (isinstance(source, DataType) and isinstance(target, DataType) and source.name == target.name):
            self.found.append(f"{step.name}: {shown(source)} converted to {shown(target)}")
        else:
            self._conversion(step.conversion, source, target, step.name)
        self.define(step.name, target)

    def _conversion(self, conversion: Conversion, source: DataType, target: DataType, name: str) -> None:
        key = id(conversion), source, target
        if key in self.converted:
            return
        self.converted.add(key)
        if conversion.fields.keys() != self._constructors(source.name).keys():
            self.found.append(f"{name}: the conversion leaves out a constructor of {source.name}")
            return
        for constructor, how in conversion.fields.items():
            held, wanted = self._fields(constructor, source), self._fields(constructor, target)
            assert held is not None and wanted is not None, constructor
            if len(how) != len(held):
                self.found.append(f"{name}: the conversion leaves out a field of {constructor}")
                continue
            for change, mine, theirs in zip(how, held, wanted, strict=True):
                self._changed(change, mine, theirs, name)

    def _changed(self, change: Change | Conversion | None, held: GradualType, wanted: GradualType, name: str) -> None:
        match change:
            case None:
                self.kept(held, wanted, name)
            case Conversion():
                if isinstance(held, DataType) and isinstance(wanted, DataType) and held.name == wanted.name:
                    self._conversion(change, held, wanted, name)
                else:
                    self.found.append(f"{name}: {shown(held)} converted to {shown(wanted)}")
            case Change(param, steps, result):
                if not self.same(param.written, held):
                    self.wrong(f"{name} converts {shown(param.written)} instead of {shown(held)}")
                with self.scope():
                    self.matches(param.written, param.type, param.name)
                    self.define(param.name, param.type)
                    for step in steps:
                        self.step(step)
                    self.flows(result, wanted, f"what {name} makes of {param.name}")

    def kept(self, held: GradualType, wanted: GradualType, what: str) -> None:
        """Require that an unconverted value has the new type: by the written types, or by facts known here."""
        self._kept(held, wanted, what, set())

    def _kept(self, held: GradualType, wanted: GradualType, what: str, met: set[tuple[DataType, DataType]]) -> None:
        regular = Regular(self.module.data)
        if fits(held, wanted, regular):
            return
        if isinstance(held, DataType) and isinstance(wanted, DataType) and held.name == wanted.name:
            if held.name in regular.growing:
                self.wrong(f"{what}: {shown(held)} used as {shown(wanted)}, whose parts have ever larger types")
                return
            if (held, wanted) in met:
                return
            met.add((held, wanted))
            for constructor in self._constructors(held.name):
                pairs = zip(self._fields(constructor, held) or (), self._fields(constructor, wanted) or (), strict=True)
                for mine, theirs in pairs:
                    self._kept(mine, theirs, what, met)
            return
        if isinstance(held, TupleType) and isinstance(wanted, TupleType) and len(held.fields) == len(wanted.fields):
            for mine, theirs in zip(held.fields, wanted.fields, strict=True):
                self._kept(mine, theirs, what, met)
            return
        if isinstance(held, DataType | TupleType | ReferenceType) or isinstance(wanted, DataType | TupleType):
            self.wrong(f"{what}: {shown(held)} used as {shown(wanted)}")
            return
        name = "%?part"
        with self.scope():
            type, openings = opened(held, name, lambda path, axis, hole: None)
            self.define(name, type)
            for opening in openings:
                for fact in opening.facts():
                    self.facts.assume(fact)
            self.flows(name, wanted, what)
