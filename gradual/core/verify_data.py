"""The verifier's part on data: what is constructed, taken apart and converted, typed again from the declarations."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field

from gradual.core.declared import known_numbers
from gradual.core.terms import Bind, Change, Construct, Conversion, Convert, CorePattern, Destructure
from gradual.core.verifying import Verifying
from gradual.limits import LIMITS
from gradual.types.declared import Constructor
from gradual.types.fitting import Regular, fits
from gradual.types.opening import opened
from gradual.types.relate import instantiated, is_same
from gradual.types.text import shown
from gradual.types.type import DataType, GradualType, ReferenceType, TupleType


@dataclass(slots=True)
class Structures:
    """Data in one function under verification; `met` are the types between which a kept value is looked at."""

    verifier: Verifying
    met: set[tuple[DataType, DataType]] = field(default_factory=set)

    def _constructors(self, name: str) -> Mapping[str, Constructor]:
        return self.verifier.module.data[name].constructors

    def _fields(self, constructor: str, type: DataType) -> tuple[GradualType, ...] | None:
        declared = self.verifier.module.data[type.name]
        found = declared.constructors.get(constructor)
        if found is None:
            return None
        chosen = dict(zip(declared.types, type.arguments, strict=True))
        return tuple(instantiated(part, chosen) for part in found.fields)

    def construct(self, step: Construct) -> None:
        """Each field flows into the field's type at the arguments that the result has."""
        type = step.type
        fields = self._fields(step.constructor, type) if isinstance(type, DataType) else None
        if fields is None or len(fields) != len(step.fields):
            self.verifier.found.append(f"{step.name}: {step.constructor} as {shown(type)}")
        else:
            for index, (operand, wanted) in enumerate(zip(step.fields, fields, strict=True)):
                self.verifier._flows(operand, wanted, f"field {index} of {step.name}")
        self.verifier._define(step.name, type)

    # -------------------------------------------------------------------------------------------------- patterns
    def bind(self, pattern: CorePattern, type: GradualType, inside: bool, name: str) -> None:
        """What a pattern binds has the type of its place: as it is outside data, opened anew inside."""
        match pattern, type:
            case Bind(None), _:
                return
            case Bind(str(variable), recorded), _:
                if inside:
                    self.verifier._matches(type, recorded, variable)
                elif not is_same(recorded, type):
                    self.verifier.found.append(f"{variable}: {shown(recorded)} instead of {shown(type)}")
                self.verifier._define(variable, recorded, None if inside else known_numbers(recorded))
            case Destructure(None, patterns), TupleType(fields) if len(patterns) == len(fields):
                for part, held in zip(patterns, fields, strict=True):
                    self.bind(part, held, inside, name)
            case Destructure(str(constructor), patterns), DataType() as data:
                types = self._fields(constructor, data)
                if types is None or len(types) != len(patterns):
                    self.verifier.found.append(f"{name}: no value of {shown(type)} fits a pattern of {constructor}")
                    return
                for part, held in zip(patterns, types, strict=True):
                    self.bind(part, held, True, name)
            case _:
                self.verifier.found.append(f"{name}: no value of {shown(type)} fits a pattern")

    # ----------------------------------------------------------------------------------------------- conversions
    def convert(self, step: Convert) -> None:
        """Every field of every constructor becomes one of the new type."""
        source, target = self.verifier._type(step.operand), step.type
        if not (isinstance(source, DataType) and isinstance(target, DataType) and source.name == target.name):
            self.verifier.found.append(f"{step.name}: {shown(source)} converted to {shown(target)}")
        else:
            self._conversion(step.conversion, source, target, step.name)
        self.verifier._define(step.name, target)

    def _conversion(self, conversion: Conversion, source: DataType, target: DataType, name: str) -> None:
        key = id(conversion), source, target
        if key in self.verifier.converted:
            return
        self.verifier.converted.add(key)
        if conversion.fields.keys() != self._constructors(source.name).keys():
            self.verifier.found.append(f"{name}: the conversion leaves out a constructor of {source.name}")
            return
        for constructor, how in conversion.fields.items():
            held, wanted = self._fields(constructor, source), self._fields(constructor, target)
            assert held is not None and wanted is not None, constructor
            if len(how) != len(held):
                self.verifier.found.append(f"{name}: the conversion leaves out a field of {constructor}")
                continue
            for change, mine, theirs in zip(how, held, wanted, strict=True):
                self._changed(change, mine, theirs, name)

    def _changed(self, change: Change | Conversion | None, held: GradualType, wanted: GradualType, name: str) -> None:
        match change:
            case None:
                Structures(self.verifier).kept(held, wanted, name)
            case Conversion():
                if isinstance(held, DataType) and isinstance(wanted, DataType) and held.name == wanted.name:
                    self._conversion(change, held, wanted, name)
                else:
                    self.verifier.found.append(f"{name}: {shown(held)} converted to {shown(wanted)}")
            case Change(param, steps, result):
                if not is_same(param.written, held):
                    self.verifier.found.append(f"{name} converts {shown(param.written)} instead of {shown(held)}")
                with self._scope():
                    self.verifier._matches(param.written, param.type, param.name)
                    self.verifier._define(param.name, param.type)
                    for step in steps:
                        self.verifier._step(step)
                    self.verifier._flows(result, wanted, f"what {name} makes of {param.name}")

    def kept(self, held: GradualType, wanted: GradualType, what: str) -> None:
        """A value that stays as it is has the new type: by what is written, or by what is known here."""
        if fits(held, wanted, Regular(self.verifier.module.data, LIMITS.parts)):
            return
        if isinstance(held, DataType) and isinstance(wanted, DataType) and held.name == wanted.name:
            if (held, wanted) in self.met:
                return
            self.met.add((held, wanted))
            for constructor in self._constructors(held.name):
                pairs = zip(self._fields(constructor, held) or (), self._fields(constructor, wanted) or (), strict=True)
                for mine, theirs in pairs:
                    self.kept(mine, theirs, what)
            return
        if isinstance(held, TupleType) and isinstance(wanted, TupleType) and len(held.fields) == len(wanted.fields):
            for mine, theirs in zip(held.fields, wanted.fields, strict=True):
                self.kept(mine, theirs, what)
            return
        if isinstance(held, DataType | TupleType | ReferenceType) or isinstance(wanted, DataType | TupleType):
            self.verifier.found.append(f"{what}: {shown(held)} used as {shown(wanted)}")
            return
        name = "%?part"
        with self._scope():
            type, openings = opened(held, name, lambda path, axis, hole: None)
            self.verifier._define(name, type)
            for opening in openings:
                for fact in opening.facts():
                    self.verifier.facts.assume(fact)
            self.verifier._flows(name, wanted, what)

    @contextmanager
    def _scope(self) -> Iterator[None]:
        """What is defined and learnt inside ends with it."""
        verifier = self.verifier
        mark, types, shared = verifier.facts.mark(), dict(verifier.types), dict(verifier.shared)
        yield
        verifier.facts.rollback(mark)
        verifier.types, verifier.shared = types, shared
