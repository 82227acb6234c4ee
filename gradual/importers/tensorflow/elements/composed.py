"""Operators that are compositions, written as Python's arithmetic on terms.

@composed("Softsign")
def softsign(x: Term) -> Term:
    return x / (1.0 + absolute(x))
"""

from __future__ import annotations

from collections.abc import Callable
from inspect import signature

from gradual.importers.common.composed.arithmetic import Term
from gradual.importers.common.values import Value
from gradual.importers.tensorflow.importers import IMPORTERS, Use
from gradual.types.dtype import DType


def composed(*operators: str) -> Callable[[Callable[..., Term]], Callable[..., Term]]:
    """Declare the importer of operators that a function of all inputs computes, for floats in float32 or wider."""

    def declared(made: Callable[..., Term]) -> Callable[..., Term]:
        count = len(signature(made).parameters)

        def imported(use: Use) -> Value:
            dtype = use[0].dtype
            wide = DType.FLOAT32 if dtype.is_float and dtype.bits < 32 else dtype
            terms = [Term(use, use.as_type(one, wide)) for one in use.tensors(0, count)]
            return use.as_type(made(*terms).value, dtype)

        for operator in operators:
            IMPORTERS[operator] = imported
        return made

    return declared
