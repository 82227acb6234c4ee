"""Differences that are by definition: what a system means by a name, a branch or a type is not what Relay means.

The list is short, and a disagreement that fits no entry counts as wrong.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from bench.field.answers import Answered
from gradual.conformance.cases.case import Case


@dataclass(frozen=True)
class Disagreement:
    """A case about which a system and the specification disagree; `leaves` if the specification leaves checks to it."""

    case: Case
    answer: Answered
    leaves: bool

    @property
    def codes(self) -> frozenset[str]:
        """The codes of the errors that the specification reports."""
        return frozenset(each.code for each in self.case.expectation.diagnostics if each.severity == "error")

    @property
    def wanted(self) -> bool:
        """The verdict of the specification."""
        return bool(self.case.expectation.accepted)

    def only(self, *codes: str) -> bool:
        """Whether the specification rejects the program, for these errors only."""
        return not self.wanted and self.codes <= frozenset(codes)

    def shows(self, rule: str) -> bool:
        """Whether the case shows a rule."""
        return rule in self.case.rules


@dataclass(frozen=True)
class Definition:
    """A difference by definition.

    Attributes:
        title: it in a few words.
        systems: of which systems it is true.
        reason: what the system means, and what Relay means.
        fits: whether a disagreement is of this kind.
    """

    title: str
    systems: tuple[str, ...]
    reason: str
    fits: Callable[[Disagreement], bool]


_EVERY = ("onnx", "ort", "jax", "torch")

DEFINITIONS: tuple[Definition, ...] = (
    Definition(
        "a name is one unknown size",
        ("onnx", "ort"),
        "A `dim_param` of ONNX stands for some size. In Relay a function with a named size has to be right at every "
        "size of at least 1 (E0302).",
        lambda one: one.only("E0302"),
    ),
    Definition(
        "branches of different shapes",
        ("onnx", "ort", "torch"),
        "The branches of ONNX's `If` may have different shapes and ranks, and those of `torch.cond` different sizes, "
        "for which PyTorch makes a new symbol. In Relay they have to agree unless `?` is declared (E0308).",
        lambda one: one.only("E0308"),
    ),
    Definition(
        "a conditional size",
        ("jax",),
        "The branches of `jax.lax.cond` need equal types. Relay accepts branches whose sizes are decided by the "
        "condition, or of which one is `?`.",
        lambda one: one.wanted and "cond branches must have equal output types" in one.answer.says,
    ),
    Definition(
        "no unknown sizes",
        ("jax",),
        "Every size of JAX is a number or a symbolic dimension, about which everything has to be proved. In Relay what "
        "cannot be proved of `?` is checked when the program runs.",
        lambda one: one.wanted and one.leaves,
    ),
    Definition(
        "a name beside `?`",
        ("torch",),
        "A `Dim` has to be free in its range, in every function. In Relay a requirement on a named size is a warning "
        "and a check if the function also has sizes that are `?` (E0402).",
        lambda one: one.wanted and one.leaves and "Constraints violated" in one.answer.says,
    ),
    Definition(
        "`?` does not forget",
        ("onnx", "ort", "torch"),
        "A declared type adds to what these systems know, and a contradiction is an error wherever it stands. In Relay "
        "a declared `?` forgets a size, and a check that fails only if it is reached is a warning.",
        lambda one: one.wanted and one.leaves,
    ),
    Definition(
        "conversions of element types",
        ("jax", "torch"),
        "Operands of different element types are converted, and a number is a condition. In Relay both are errors.",
        lambda one: one.only("E0306") or (one.shows("type.if.condition") and one.only("E0307")),
    ),
    Definition(
        "element types are not looked at",
        ("ort",),
        "Symbolic shape inference infers shapes only; ONNX's checker looks at element types.",
        lambda one: one.only("E0306") or (one.shows("type.if.condition") and one.only("E0307")),
    ),
    Definition(
        "operators of fewer element types",
        ("onnx", "torch"),
        "The operator of this name is not defined on the element type, as `Add` of ONNX on `bool`, or the mean of "
        "integers in PyTorch.",
        lambda one: (
            one.wanted
            and any(says in one.answer.says for says in ("unsupported type: tensor(", "could not infer output dtype"))
        ),
    ),
    Definition(
        "a bias is broadcast",
        _EVERY,
        "The counterpart of `nn.bias_add` is an addition, which broadcasts an axis of size 1.",
        lambda one: one.shows("op.nn.bias_add.axis") and one.only("E0301"),
    ),
    Definition(
        "the mean of no integers",
        _EVERY,
        "The mean over an axis of size 0 is no error of shapes in the other systems.",
        lambda one: one.shows("op.mean.extent") and not one.wanted,
    ),
    Definition(
        "-1 beside a size of 0",
        _EVERY,
        "Relay cancels equal sizes at the same position before it divides; the others refuse -1 beside a size of 0.",
        lambda one: one.wanted and one.case.id == "pitfall/zero/reshape-cancels",
    ),
    Definition(
        "0 in a shape beyond the rank",
        ("onnx", "ort"),
        "A 0 in the shape of a `Reshape` keeps a size, and there is none at that place. In Relay it is a size of 0 "
        "there.",
        lambda one: one.wanted and one.case.id.startswith("divergence/reshape/zero-beyond"),
    ),
    Definition(
        "conditions that cannot hold",
        ("jax", "torch"),
        "A `where` clause that no size meets is an error in Relay (E0311).",
        lambda one: one.only("E0311"),
    ),
)


def definition(system: str, disagreement: Disagreement) -> Definition | None:
    """The entry that a disagreement is of, if there is one."""
    return next((each for each in DEFINITIONS if system in each.systems and each.fits(disagreement)), None)
