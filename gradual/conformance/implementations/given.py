"""The arguments of a case's calls, made from the text of its program: no checker takes part.

A literal that is written without an element type takes that of its parameter, so the annotations of parameters and the
declarations of data types are read.  Sizes do not matter for this.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

from gradual.conformance.cases.case import Request
from gradual.interface.input.arguments import values
from gradual.interface.input.values import Call
from gradual.record import record
from gradual.source import Source
from gradual.syntax.parse import parse
from gradual.syntax.tree import ast
from gradual.tensors.value import Value
from gradual.types.declared import Constructor, Data
from gradual.types.dtype import DType
from gradual.types.type import DataType, GradualType, NeverType, TensorType, TupleType, TypeVariable


@record
class Signatures:
    """The types of the parameters of each function, without their sizes, and the declared types."""

    params: Mapping[str, tuple[GradualType, ...]]
    data: Mapping[str, Data]


def given(request: Request, call: Call) -> list[Value]:
    """The values that a call passes; raises ValueError if a parameter cannot take one."""
    found = signatures(request.typed or request.text)
    return values(call.arguments, found.params[call.function], 0, found.data)


@lru_cache(64)
def signatures(text: str) -> Signatures:
    """What the annotations of a program say of the elements of its parameters."""
    module, _ = parse(Source("case.relay", text), mend=False)
    data = {one.name: _data(one) for one in module.definitions if isinstance(one, ast.TypeDef)}
    names = frozenset(data)
    functions = [one for one in module.definitions if isinstance(one, ast.Def)]
    params = {one.name.name: tuple(_type(p.annotation, names) for p in one.function.params) for one in functions}
    return Signatures(params, data | _extern(module))


def _extern(module: ast.Module) -> dict[str, Data]:
    return {one.name: Data(one.name, ()) for one in module.definitions if isinstance(one, ast.ExternType)}


def _data(declared: ast.TypeDef) -> Data:
    types = tuple(TypeVariable(binder.name) for binder in declared.binders)
    variables = frozenset(variable.name for variable in types)
    constructors = {
        one.name: Constructor(one.name, declared.name, tuple(_field(part, variables) for part in one.fields))
        for one in declared.constructors
    }
    return Data(declared.name, types, constructors)


def _field(written: ast.Type, variables: frozenset[str]) -> GradualType:
    match written:
        case ast.NamedType(name, ()) if name in variables:
            return TypeVariable(name)
        case ast.NamedType(name, arguments):
            return DataType(name, tuple(_field(part, variables) for part in arguments))
        case ast.TupleType(fields):
            return TupleType(tuple(_field(part, variables) for part in fields))
    return _type(written, frozenset())


def _type(written: ast.Type | None, data: frozenset[str]) -> GradualType:
    """A type without sizes; of a type that says nothing of elements, one that takes any."""
    match written:
        case ast.TensorType(_, dtype) if dtype in DType._value2member_map_:
            return TensorType((), DType(dtype))
        case ast.TupleType(fields):
            return TupleType(tuple(_type(part, data) for part in fields))
        case ast.NamedType(name, arguments) if name in data:
            return DataType(name, tuple(_type(part, data) for part in arguments))
    return NeverType()
