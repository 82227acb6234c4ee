"""Everything of a definition but its steps: data types, attributes, strictness; and patterns."""

from __future__ import annotations

from gradual.core.def_use import checks_in, every
from gradual.core.pattern import Bind, CorePattern, Destructure
from gradual.core.terms import Block, Convert, Function, Rename, Wrap, WrapReference
from gradual.delaborate.demands import written
from gradual.delaborate.types import NOWHERE, Spelling, binder, local
from gradual.syntax.tree import ast
from gradual.types.declared import Data
from gradual.types.instantiation import is_gradual


def data_declared(data: Data) -> ast.TypeDef | ast.ExternType:
    """Write a data type, or an extern type."""
    binders = tuple(map(binder, data.types))
    if not data.constructors:
        return ast.ExternType(data.name, binders, NOWHERE)
    spelling = Spelling()
    constructors = tuple(
        ast.Constructor(one.name, tuple(map(spelling.type, one.fields)), NOWHERE) for one in data.constructors.values()
    )
    return ast.TypeDef(data.name, binders, constructors, NOWHERE)


def said(function: Function) -> tuple[ast.Attribute, ...]:
    """The attributes of a definition."""
    dtypes = {bool: "bool", int: "int32", float: "float32"}
    return tuple(
        ast.Attribute(
            key,
            ast.Text(value, NOWHERE)
            if isinstance(value, str)
            else ast.Number(value, dtypes[type(value)], False, NOWHERE),
            NOWHERE,
        )
        for key, value in function.attributes.items()
    )


def converts_with_checks(function: Function) -> bool:
    """Whether a conversion of functions, data or references in a definition contains checks."""
    converting = (step for step in every(function.body) if isinstance(step, Wrap | WrapReference | Convert))
    return any(any(checks_in(Block((step,), step.name))) for step in converting)


def is_open(function: Function) -> bool:
    """Whether the text of a definition has an unknown, so that it is not strict."""
    renamed = (step for step in every(function.body) if isinstance(step, Rename))
    return any(is_gradual(param.written) for param in function.params) or any(
        is_gradual(written(step)) for step in renamed
    )


def written_pattern(pattern: CorePattern) -> ast.Pattern:
    """The syntax of a pattern."""
    match pattern:
        case Bind(None):
            return ast.WildcardPattern(NOWHERE)
        case Bind(str(name)):
            return ast.VariablePattern(local(name), None, NOWHERE)
        case Destructure(None, fields):
            return ast.TuplePattern(tuple(map(written_pattern, fields)), NOWHERE)
        case Destructure(str(constructor), fields):
            return ast.ConstructorPattern(constructor, tuple(map(written_pattern, fields)), NOWHERE)
    raise AssertionError(pattern)
