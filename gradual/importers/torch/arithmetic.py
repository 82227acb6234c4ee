"""Operators that are compositions of the language's operators, written in Python's arithmetic notation.

Operators of ATen that the language lacks are declared as functions of such terms; the parameters have the names of the
schema's arguments:

    @composed("aten.threshold.default")
    def threshold(self: Term, threshold: Term, value: Term) -> Term:
        return where(self > threshold, self, value)
"""

from __future__ import annotations

from collections.abc import Callable
from inspect import Parameter, signature
from typing import Any

from gradual.importers.common.composed.arithmetic import Term
from gradual.importers.common.values import Value
from gradual.importers.torch.importers import IMPORTERS, Use
from gradual.types.dtype import DType


def composed(*names: str) -> Callable[[Callable[..., Term]], Callable[..., Term]]:
    """Declare the importer of operators that a function of terms computes.

    It computes in the element type of the result, narrow floats in float32, as PyTorch does.
    """

    def declared(made: Callable[..., Term]) -> Callable[..., Term]:
        parameters = signature(made).parameters

        def imported(use: Use) -> Value:
            dtype = use.dtype()
            wide = DType.FLOAT32 if dtype.is_float and dtype.bits < 32 else dtype
            terms = {name: _argument(use, one, wide) for name, one in parameters.items()}
            return use.as_type(made(**terms).value, dtype)

        for name in names:
            IMPORTERS[name] = imported
        return made

    return declared


def _argument(use: Use, parameter: Parameter, dtype: DType) -> Any:
    """An argument or its default as a term; None if it is None."""
    is_optional = parameter.default is not Parameter.empty
    if is_optional and use.given(parameter.name) is None:
        default = parameter.default
        return default if default is None else Term(use, use.builder.number(default, dtype))
    return Term(use, use.scalar(parameter.name, dtype))
