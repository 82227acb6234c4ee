"""Constants, identities, variables, and assertions."""

from __future__ import annotations

from collections.abc import Sequence

from gradual.importers.common.refusals import Unsupported
from gradual.importers.common.values import Value
from gradual.importers.tensorflow.file.schema import Text, Variable
from gradual.importers.tensorflow.importers import Held, Use, imports
from gradual.tensors.tensor import Tensor
from gradual.types.type import TensorType


@imports("Const", "HostConst")
def constant(use: Use) -> Held:
    """A constant."""
    found = use.attribute("value")
    if isinstance(found, Text):
        return found
    if not isinstance(found, Tensor):
        raise Unsupported("a constant without its value")
    return use.builder.constant(found, use.node.name if found.dtype.is_float else "")


@imports(
    *("Identity", "StopGradient", "PreventGradient", "Snapshot", "CheckNumerics", "DebugGradientIdentity"),
    *("PlaceholderWithDefault", "Print", "_Retval", "ReadVariableXlaSplitND"),
)
def identity(use: Use) -> Held:
    """The input itself; gradients are ignored, and a placeholder with a default always has its default."""
    return use.held(0)


@imports("IdentityN")
def identities(use: Use) -> Sequence[Held]:
    """The inputs themselves."""
    return use.inputs


@imports("NoOp", "PrintV2")
def nothing(use: Use) -> None:
    """Nothing: the node only orders other nodes by its control edges, or prints something."""


@imports("StringFormat")
def formatted(use: Use) -> Text:
    """A text that is printed; it is left empty, as programs do not print."""
    return Text(())


@imports("ReadVariableOp")
def read(use: Use) -> Value:
    """The value of a variable, which no program changes."""
    variable = use.held(0)
    if not isinstance(variable, Variable):
        raise Unsupported("a value that is no variable")
    return use.bodies.read(variable, use.dtype("dtype"))


@imports("Assert")
def asserted(use: Use) -> None:
    """An assertion, with its texts as message; nodes after it by control edges may rely on its condition.

    A condition on the sizes of the inputs is also required of callers, who are then blamed if it does not hold.
    """
    condition = use[0] if use[0].rank == 0 else use.call("all", use[0])
    use.bodies.require(condition)
    use.builder.assertion(condition, _said(use) or use.who)


def _said(use: Use) -> str:
    """The message of an assertion: texts and known numbers; a text that introduces an unknown value is left out."""
    said = list[str]()
    for one in use.inputs[1:]:
        if isinstance(one, Text):
            said += one.parts
        elif isinstance(one, Value) and isinstance(one.type, TensorType) and one.elements is not None:
            said += map(str, one.elements.flat())
        elif said and said[-1].rstrip().endswith((":", "=")):
            said.pop()
    return " ".join(word for part in said if (word := part.strip())).rstrip(" :=")
