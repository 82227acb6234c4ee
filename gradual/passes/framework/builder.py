"""Builds steps for a pass, with fresh names and the types that the rules give."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import field
from typing import Any

from gradual.core.terms import Apply, Block, Constant, If, Invoke, MakeTuple, Module, Project, Rename, Size, Step
from gradual.core.traversal import apart
from gradual.dims.term.dim import Dim, constant
from gradual.limits import LIMITS
from gradual.ops.catalogue import CATALOGUE
from gradual.ops.declaration.attributes import bound
from gradual.record import record
from gradual.source import Span
from gradual.tensors.tensor import Tensor
from gradual.types.dtype import DType
from gradual.types.instantiation import at_types
from gradual.types.type import GradualType, OpenedType, TensorType, TupleType, TypeVariable
from gradual.types.unpacking import opened, tracked_length


@record(frozen=False, eq=False)
class Writer:
    """Builds a block.

    Attributes:
        span: the source position of the steps.
        types: variable -> type.
        steps: the steps of the current block so far.
    """

    module: Module
    span: Span
    types: dict[str, OpenedType]
    steps: list[Step] = field(default_factory=list)
    _taken: set[str] = field(default_factory=set)

    def _emit(self, step: Any) -> str:
        self.steps.append(step)
        self.types[step.name] = step.type
        return str(step.name)

    def _fresh(self, hint: str) -> str:
        return apart((hint,), self._taken | self.types.keys())[hint]

    def size(self, dim: Dim, hint: str) -> str:
        """Add a size as a value."""
        return self._emit(Size(self._fresh(hint), dim, TensorType((), DType.INT64, (dim,)), self.span))

    def constant(self, value: Tensor, hint: str) -> str:
        """Add a literal of rank 0; if it is an integer, its element is known."""
        contents = (constant(int(value.elements[0])),) if value.dtype.counts else None
        type: TensorType[Dim] = TensorType((), value.dtype, contents)
        return self._emit(Constant(self._fresh(hint), value, type, self.span))

    def apply(self, operator: str, operands: tuple[str, ...], hint: str, **given: Any) -> str:
        """Add an application of an operator."""
        one = CATALOGUE[operator]
        attributes, types = bound(one, given), [self.types[operand] for operand in operands]
        judgement = one.judge(*types, **attributes)
        name = self._fresh(hint)
        type, _ = opened(judgement.result, name, lambda path, axis, hole: None)
        if one.contents is not None and isinstance(type, TensorType) and tracked_length(type, LIMITS.contents):
            type = TensorType(type.shape, type.dtype, one.contents(*types, **attributes))
        return self._emit(Apply(name, one, operands, {**attributes, **(judgement.attributes or {})}, type, self.span))

    def sized(self, name: str, axis: int, size: Dim, hint: str) -> str:
        """Ascribe a size to a tensor at an axis, to be proved by the verifier; no step if the tensor has it already."""
        type = self.types[name]
        assert isinstance(type, TensorType)
        if type.shape[axis] is size:
            return name
        shape = (*type.shape[:axis], size, *type.shape[axis + 1 :])
        return self._emit(Rename(self._fresh(hint), name, TensorType(shape, type.dtype), self.span))

    def call(self, function: str, operands: tuple[str, ...], types: tuple[TypeVariable, ...], hint: str) -> str:
        """Add a call of a declared function."""
        type, name = self.module.functions[function].type, self._fresh(hint)
        result = at_types(type, [self.types[operand] for operand in operands], types).result
        made, _ = opened(result, name, lambda path, axis, hole: None)
        return self._emit(Invoke(name, function, operands, made, self.span, types))

    def project(self, whole: str, index: int, hint: str) -> str:
        """Add a projection."""
        type = self.types[whole]
        assert isinstance(type, TupleType)
        return self._emit(Project(self._fresh(hint), whole, index, type.fields[index], self.span))

    def make_tuple(self, fields: Sequence[str], hint: str) -> str:
        """Add a tuple of variables."""
        parts = (*fields,)
        type = TupleType((*(self.types[part] for part in parts),))
        return self._emit(MakeTuple(self._fresh(hint), parts, type, self.span))

    def choose(
        self,
        condition: str,
        then: Callable[[], str],
        orelse: Callable[[], str],
        type: GradualType,
        hint: str,
    ) -> str:
        """Add an `if`; each `?` of the type becomes an unknown of the join."""
        name = self._fresh(hint)
        self._taken.add(name)
        blocks = self._block(then), self._block(orelse)
        joined, _ = opened(type, name, lambda path, axis, hole: None)
        return self._emit(If(name, condition, *blocks, joined, self.span))

    def _block(self, write: Callable[[], str]) -> Block:
        outer, self.steps = self.steps, []
        result = write()
        made, self.steps = Block(tuple(self.steps), result), outer
        return made
