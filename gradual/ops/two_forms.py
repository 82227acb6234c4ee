"""One name for the two forms of an operator: `reshape(x, newshape=[…])` and `reshape(x, s)`.

An operator with a dynamic variant has two forms, which differ in their number of arguments.  A program may call either
form by the static name.  A merged operator has no rule: the number of the given arguments selects the form whose
judgement, meaning and contents are used.   [op.dyn.form]
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from types import MappingProxyType
from typing import Any

from gradual.ops.catalogue import CATALOGUE
from gradual.ops.declaration.operator import AttributeSpec, Contents, Judgement, Operator
from gradual.record import record

PREFIX = "dyn."


@record(eq=False)
class Forms:
    """The forms of one operator.

    Attributes:
        promoted: the attributes of the static form that the dynamic form takes as arguments.
    """

    static: Operator
    dynamic: Operator
    promoted: tuple[str, ...]

    def of(self, arguments: Sequence[Any]) -> Operator:
        """The form that takes this number of arguments."""
        return self.dynamic if len(arguments) == len(self.dynamic.arguments) else self.static

    def judge(self, *given: Any, **attributes: Any) -> Judgement:
        """The judgement of the form that takes this number of arguments.  Raises IllFormed."""
        return self.of(given).judge(*given, **self._own(given, attributes))

    def meaning(self, *given: Any, **attributes: Any) -> Any:
        """The meaning of the form that takes this number of arguments.  Raises TensorFault."""
        return self.of(given).meaning(*given, **self._own(given, attributes))

    def contents(self, *given: Any, **attributes: Any) -> Contents:
        """The contents of the form that takes this number of arguments."""
        rule = self.of(given).contents
        return None if rule is None else rule(*given, **self._own(given, attributes))

    def flat(self, *given: Any, **attributes: Any) -> tuple[int, ...]:
        """The arguments of which only the number of elements matters to the form that takes so many arguments."""
        rule = self.of(given).flat
        return () if rule is None else rule(*given, **self._own(given, attributes))

    def _own(self, given: Sequence[Any], attributes: Mapping[str, Any]) -> dict[str, Any]:
        known = {spec.name for spec in self.of(given).attributes}
        return {name: value for name, value in attributes.items() if name in known}


@cache
def forms() -> Mapping[str, Forms]:
    """Name or alias of either form -> both forms, for every operator with a dynamic variant."""
    found: dict[str, Forms] = {}
    for twin in dict.fromkeys(CATALOGUE.values()):
        static = CATALOGUE.get(twin.name.removeprefix(PREFIX))
        if static is None or static is twin:
            continue
        both = Forms(static, twin, _promoted(static, twin))
        assert len(static.arguments) < len(twin.arguments), f"the forms of {static.name} take equally many arguments"
        found |= dict.fromkeys((static.name, *static.aliases, twin.name, *twin.aliases), both)
    return MappingProxyType(found)


def _promoted(static: Operator, twin: Operator) -> tuple[str, ...]:
    left = {spec.name: spec for spec in twin.attributes if spec.annotation != "object"}
    return tuple(spec.name for spec in static.attributes if spec.name not in left)


class Merged(Operator):
    """An operator in both of its forms."""

    __slots__ = ()

    def __reduce__(self) -> tuple[Callable[[str], Operator], tuple[str]]:
        """Pickle the operator by its name."""
        return merged, (self.name,)

    def form(self, operands: Sequence[str]) -> Operator:
        """The form that takes this number of arguments."""
        return forms()[self.name].of(operands)


@cache
def merged(name: str) -> Merged:
    """The operator of that name in both of its forms.  [op.dyn.form]"""
    both = forms()[name]
    static, twin = both.static, both.dynamic
    return Merged(
        name=static.name,
        family=static.family,
        arguments=twin.arguments,
        attributes=tuple(_optional(spec) if spec.name in both.promoted else spec for spec in static.attributes),
        judge=both.judge,
        meaning=both.meaning,
        contents=both.contents if static.contents is not None or twin.contents is not None else None,
        reads=tuple(sorted({*static.reads, *twin.reads})),
        rules=tuple(dict.fromkeys((*static.rules, *twin.rules))),
        summary=static.summary,
        aliases=static.aliases,
        data_dependent=twin.data_dependent,
        flat=both.flat if static.flat is not None or twin.flat is not None else None,
        faults=twin.faults,
        identity=static.identity,
        onnx=static.onnx,
        writes_shape=static.writes_shape,
    )


def _optional(spec: AttributeSpec) -> AttributeSpec:
    """A promoted attribute, which is written in one form only."""
    return AttributeSpec(spec.name, f"{spec.annotation} | None", None) if spec.required else spec
