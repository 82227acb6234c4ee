"""The declaration of an operator: its judgement and its meaning, side by side.

    @operator("nn.dense", meaning=_dense, family="nn")
    def dense(x: TensorType[Dim], w: TensorType[Dim], *, units: Dim | None = None) -> Judgement:
        '''Inner product with a transposed weight.   t[.., k], t[m, k] -> t[.., m]   [op.nn.dense.contract]'''

Positional parameters are arguments, keyword-only ones are attributes; arity, attribute names, types, defaults and
their order come from the signature, once.  A judgement returns the result type and the needs, which are constraints;
it never decides these, and computes with `Dim` only, so on constant dims it is the run-time shape function.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Mapping, Sequence
from textwrap import indent
from typing import Any, Unpack

from gradual.dims.term.constraint import Constraint
from gradual.dims.term.dim import Dim
from gradual.ops.declaration.element_ranges import RangeRule
from gradual.ops.declaration.facts import Connective, Facts, Faults, Identity, StaticForm
from gradual.ops.declaration.lookups import Lookups
from gradual.ops.declaration.padding import Padding
from gradual.record import record
from gradual.types.type import Content, Hole, Type

Result = Type[Dim | Hole]
Contents = tuple[Content, ...] | None


@record
class Need:
    """A constraint that a rule requires.

    Attributes:
        goal: what has to hold.
        rule: the rule's name, such as `op.nn.dense.contract`.
        says: the failure in the user's words, such as "contracted dimensions differ".
        operands: the arguments concerned as (index, axis); an axis of None means the contents of the argument, or the
            argument as a whole.  A tuple argument's field is addressed by (index, field, axis).
        sides: the two numbers that must agree, for reports; by default the sizes of two operands.
    """

    goal: Constraint
    rule: str
    says: str
    operands: tuple[tuple[int | None, ...], ...] = ()
    sides: tuple[Dim, Dim] | None = None


@record
class Judgement:
    """The result type of an application, and the constraints that it requires, in the order of its rules.

    `attributes` are the attributes that differ in core from the program. In a reshape with computed sizes, which may be
    0, core has the copied size in place of each code 0, and states that 0 is a size.
    """

    result: Result
    needs: tuple[Need, ...] = ()
    attributes: Mapping[str, Any] | None = None


class IllFormed(Exception):
    """An application that no size could make valid: its rank, dtype, axis or attribute value is wrong.

    `rule` is the violated rule; `operand` is the argument's index.

    [op.rank] [op.dtype] [op.axis] [op.attribute] [op.structure]
    """

    def __init__(self, rule: str, message: str, operand: int | None = None) -> None:
        super().__init__(message)
        self.rule = rule
        self.message = message
        self.operand = operand

    def anew(self) -> IllFormed:
        """A copy without traceback, to be kept or raised again."""
        return IllFormed(self.rule, self.message, self.operand)


class OpenRank(IllFormed):
    """The rank of the result depends on the size at an axis of an operand, which is not known.

    The caller may judge again for each value that the size can have.   [op.dynamic]
    """

    def __init__(self, operand: int, axis: int) -> None:
        super().__init__(
            "op.rank",
            f"the size of dimension {axis} of argument {operand + 1} determines the rank of the result",
            operand,
        )
        self.axis = axis


@record
class AttributeSpec:
    """A keyword-only parameter of a judgement: name, annotation as written, default (or `inspect.Parameter.empty`)."""

    name: str
    annotation: str
    default: Any

    @property
    def required(self) -> bool:
        """Whether the attribute must be written."""
        return self.default is inspect.Parameter.empty


@record(eq=False)
class Operator:
    """An operator, gathered into `ops.catalogue.CATALOGUE`.

    Attributes:
        name: as written in programs, `nn.dense`.
        family: the group under which it is listed.
        arguments: names of the positional parameters.
        judge: `(*argument types, **attributes) -> Judgement`; raises IllFormed.
        meaning: `(*tensors, **attributes) -> Tensor | tuple[Tensor, ...]`; raises `tensors.fault.TensorFault`.
        contents: the known elements of the result: `(*argument types, **attributes) -> Contents`
            (None for a tuple result); called only when some argument's contents are known or unpacked.
        reads: indices of arguments whose elements the judgement uses as sizes; unknown elements are unpacked before it
            is called.
        rules: the rule names its docstring cites.
        data_dependent: whether the result's shape depends on elements, not only on shapes and contents.
        flat: `(*argument types, **attributes) -> indices` of the arguments of which only the number of elements
            matters to the judgement: it is the same for a vector of that length.
        alike: indices of the arguments that share an element type; a tuple among them has it in each field.
        faults: when the meaning faults.
        padding: along which axes operands may be padded; None if that is not known.
        identity: when a result that has the first operand's type is that operand, or its only field; None if it never
            is.
        connective: the logical connective that it computes on booleans, if any.
        comparison: whether it compares elements.
        symbol: its infix symbol, if any.
        pairwise: the name of the binary operator that a call with several scalars means: `maximum` for `max`.
        onnx: the corresponding ONNX operator, in the default domain at opset 17 and later; if one ONNX operator
            corresponds to several operators, each of them names it.  Attributes and their defaults may differ.
        static_form: how it is replaced by its static form, if it depends on elements that no type tracks.
        writes_shape: whether the program writes the shape of the result, so that a size of 1 in it is intended.
        ranges: the rule for the range of the result's integers; None if there is none.
        lookups: which operands are indices, and into which axes.
        fast: the meaning with NumPy, in the same bits; it returns None for operands on which it is not
            defined.  None if there is only the meaning.
        definition: the equation of a dynamic variant; that of any other operator is in its docstring.
    """

    name: str
    family: str
    arguments: tuple[str, ...]
    attributes: tuple[AttributeSpec, ...]
    judge: Callable[..., Judgement]
    meaning: Callable[..., Any]
    contents: Callable[..., Contents] | None
    reads: tuple[int, ...]
    rules: tuple[str, ...]
    summary: str
    aliases: tuple[str, ...] = ()
    data_dependent: bool = False
    flat: Callable[..., tuple[int, ...]] | None = None
    alike: tuple[int, ...] = ()
    faults: Faults = Faults.NEVER
    padding: Padding | None = None
    identity: Identity | None = None
    connective: Connective | None = None
    comparison: bool = False
    symbol: str | None = None
    pairwise: str | None = None
    onnx: str | None = None
    static_form: StaticForm | None = None
    writes_shape: bool = False
    ranges: RangeRule | None = None
    lookups: Lookups | None = None
    fast: Callable[..., Any] | None = None
    definition: str = ""

    @property
    def description(self) -> str:
        """The judgement's docstring, with its equations in indented blocks.

        For a dynamic variant, whose judgement is not its own, the summary and its definition by the static form.
        """
        text = inspect.getdoc(self.judge) or ""
        whole = text if self.summary in text else f"{self.summary}\n\n{self.definition}"
        return "\n\n".join(map(_set_apart, whole.split("\n\n")))

    def form(self, operands: Sequence[str]) -> Operator:
        """The operator that these operands select, if this one merges a static and a dynamic form; else itself."""
        del operands
        return self


def _set_apart(paragraph: str) -> str:
    """A paragraph, indented if it is an equation; `inspect` removes the indentation that all paragraphs share."""
    return indent(paragraph, "    ") if paragraph.startswith(("out[", "out.", "out = ")) else paragraph


_RULE = re.compile(r"\[(op(?:\.[a-z0-9_]+)+)\]")


def operator(
    name: str,
    *,
    meaning: Callable[..., Any],
    family: str,
    contents: Callable[..., Contents] | None = None,
    reads: tuple[int, ...] = (),
    aliases: tuple[str, ...] = (),
    data_dependent: bool = False,
    flat: Callable[..., tuple[int, ...]] | None = None,
    alike: tuple[int, ...] = (),
    **facts: Unpack[Facts],
) -> Callable[[Callable[..., Judgement]], Operator]:
    """Declare an operator from its judgement: signature, rules and summary are taken from the function."""

    def declared(judge: Any) -> Operator:
        arguments, attributes = _parameters(judge)
        text = inspect.getdoc(judge) or ""
        return Operator(
            name=name,
            family=family,
            arguments=arguments,
            attributes=attributes,
            judge=judge,
            meaning=meaning,
            contents=contents,
            reads=reads,
            rules=tuple(dict.fromkeys(_RULE.findall(text))),
            summary=text.split("\n\n")[0],
            aliases=aliases,
            data_dependent=data_dependent,
            flat=flat,
            alike=alike,
            **facts,
        )

    return declared


def _parameters(judge: Any) -> tuple[tuple[str, ...], tuple[AttributeSpec, ...]]:
    """The arguments and the attributes of a judgement, from its code; `inspect.signature` takes far longer."""
    code, types, defaults = judge.__code__, judge.__annotations__, judge.__kwdefaults__ or {}
    assert not code.co_flags & (inspect.CO_VARARGS | inspect.CO_VARKEYWORDS), judge
    arguments = code.co_varnames[: code.co_argcount]
    named = code.co_varnames[code.co_argcount : code.co_argcount + code.co_kwonlyargcount]
    empty = inspect.Parameter.empty
    return arguments, tuple(AttributeSpec(name, types[name], defaults.get(name, empty)) for name in named)
