"""The chapter of operators' entries, generated from the declarations, so that nothing is written twice."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby

from gradual.conformance.entries import element_types, kinds, requirements
from gradual.ops.catalogue import CATALOGUE
from gradual.ops.declaration.operator import AttributeSpec, Operator

FILE = "07-operators-entries.md"
HEAD = """# 7 · Operators: the entries

Generated from the declarations by `gradual conformance entries`; not edited by hand. Each operator has its signature,
its attributes with their defaults, and what its declaration says: a summary, the shapes, the equation that defines an
element of the result, and what the operator requires, with the rule of each requirement (`07-operators-rules.md`).
"The result has contents" means that its elements are tracked where those of the operands are (`type.contents`).

An equation is read as follows.

- `out` is the result, and `out.0`, `out.1`, … are the parts of a tuple; operands and attributes have their names, and
  `data.0` is part 0 of a tuple `data`. Indices count from 0. Letters that the right side does not bind stand for every
  index that the result has; `..a` is any number of indices, `..` those that both sides share. Fewer indices than axes
  denote a slice, and a list in round brackets a slice along the last axis. An operand that broadcasts is read at index
  0 where it has size 1, and without the axes that it lacks (`op.broadcast.agree`).
- `a // b` is rounded down, `a % b` is `a - a // b * b`, `a ** b` is a power, and `x if c else y` is x where c holds.
- A sum begins with 0 and a product with 1; the terms follow in row-major order of its indices, the last one fastest
  (`scalar.total`). Floats are computed in binary64, and rounded to the element type once,
  when the element is stored (`scalar.keep`); integers are exact, and wrap when they are stored
  (`scalar.integer.wrap`). Functions such as `exp` are those of `scalar.float.function`. `max` and `min` of floats are
  NaN if one is NaN, and take +0 to be greater than -0. Conversions are those of `scalar.cast`.
- Equations are written for the default layout. With another `layout`, `data_layout`, `kernel_layout` or `out_layout`
  the axes of that tensor are those letters in another order; an empty `out_layout` is the layout of the data. In a
  kernel O are the output and I the input channels. `before` and `after` (or `top` and `left` for the first two of
  `before`) are the two sides of the `padding` along an axis (`op.window.padding`). One number for several spatial axes,
  as in `strides=[2]`, is used for all of them.
- `out_dtype`, if it is not None, is the element type of the result, and the one in which it is computed. Two operands
  whose elements are multiplied may then have different element types, except bool, and floats only if it is a float.
- "Element types" are those that each operand may have (`scalar.type`): `integer` is each signed and unsigned integer
  type, `float` each type of floats, and `any` each type, also bool. Operands that are named together have one element
  type; otherwise they are independent of each other. `data.0` and `data.1` are parts of a tuple: if they are the same,
  all its parts are, and else the line says of part 1 what holds for each later one. Any other element type of an
  operand is an error of `op.dtype`. An attribute that is an element type is one of those listed, or else an error of
  the rule in brackets. A text that is no element type, such as "flot32", is an error of `name.attribute` (E0207), also
  where the line says `any`. The text above the line may say which of them fit the operands; one that does not fit is an
  error of `op.dtype`, unless the text names another rule.
- "Attributes" has the kind of each attribute's value; any other kind is an error of `name.attribute` (E0207). "A size"
  is any dim in scope (chapter 4), and an integer is written as a number, never computed. In place of a list one value
  may stand for a list of one: `newshape=6` is `newshape=[6]`. A number may be written as an integer, True and False as
  1 and 0, None as the empty text, and an element type as a text. "Anything" is ignored: TVM prints these attributes,
  which follow from the arguments. A value of the right kind that the operator does not take, such as an unknown mode or
  layout, is an error of `op.attribute` (E0312).
- "Required in this order" lists the rules of the requirements in the order in which an application owes them
  (`type.operator`), as far as they apply to it. Those of one rule are owed in the order of the rule's own text, or else
  operand by operand, and axis by axis in the order of the default layout. The order in which the text above the line
  names the rules has no meaning.
"""


def entries() -> str:
    """The chapter's text."""
    parts = [HEAD]
    operators = sorted(_distinct(CATALOGUE), key=lambda operator: (operator.family, operator.name))
    for family, group in groupby(operators, key=lambda operator: operator.family):
        parts.append(f"## Family: {family}\n")
        parts += map(_entry, group)
    return "\n".join(parts)


def _distinct(catalogue: Mapping[str, Operator]) -> list[Operator]:
    return [operator for name, operator in catalogue.items() if operator.name == name]


def _entry(operator: Operator) -> str:
    lines = [f"### Operator `{operator.name}`\n", f"`{_call(operator)}`\n", _prose(operator)]
    said = element_types.sentence(operator), kinds.sentence(operator), requirements.sentence(operator)
    facts = " ".join(_said(operator)), *said
    lines += [f"\n{said}" for said in facts if said]
    return "\n".join(lines) + "\n"


def _said(operator: Operator) -> Iterator[str]:
    """The facts in an operator's declaration that are not in its docstring, one sentence each."""
    if operator.aliases:
        yield f"Also written {', '.join(f'`{alias}`' for alias in operator.aliases)}."
    if operator.reads:
        yield f"The elements of {_and([operator.arguments[index] for index in operator.reads])} are used as sizes."
    if operator.contents is not None:
        yield "The result has contents."
    if operator.data_dependent:
        yield "The result's sizes depend on the elements."


def _and(names: Sequence[str]) -> str:
    quoted = [f"`{name}`" for name in names]
    return " and ".join(filter(None, (", ".join(quoted[:-1]), quoted[-1])))


def _call(operator: Operator) -> str:
    attributes = [_attribute(attribute) for attribute in operator.attributes]
    return f"{operator.name}({', '.join([*operator.arguments, *attributes])})"


def _attribute(attribute: AttributeSpec) -> str:
    return attribute.name if attribute.required else f"{attribute.name}={_default(attribute.default)}"


def _default(value: object) -> str:
    if isinstance(value, tuple):
        return f"[{', '.join(map(_default, value))}]"
    return f'"{value}"' if isinstance(value, str) else str(value)


def _prose(operator: Operator) -> str:
    return re.sub(r"\[(op(?:\.[a-z0-9_]+)+)\]", r"(`\1`)", operator.description)
