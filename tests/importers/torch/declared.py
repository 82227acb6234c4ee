"""The declarations of the operators that are imported, as PyTorch itself has them.

    PYTHONPATH=. python-with-torch -m tests.importers.torch.declared > gradual/importers/torch/file/declarations.txt

An operator that PyTorch does not have, such as a form that only some of a family of operators have, gets no line.
"""

from __future__ import annotations

import importlib
import inspect
from typing import Any

from gradual.importers.torch.importers import IMPORTERS
from gradual.importers.torch.program import FAMILIES

BY_POSITION = {
    "cond": "Scalar pred, Graph true_fn, Graph false_fn, Scalar[] operands=[]",
    "while_loop": "Graph cond_fn, Graph body_fn, Scalar[] carried_inputs, Scalar[] additional_inputs=[]",
    "scan": "Graph combine_fn, Scalar[] init, Scalar[] xs, Scalar[] additional_inputs=[]",
    "associative_scan": "Graph combine_fn, Scalar[] xs, Scalar[] additional_inputs=[]",
    "map_impl": "Graph f, Scalar[] xs, Scalar[] pos_args=[]",
    "wrap_with_set_grad_enabled": "bool enable_grad, Graph wrapped_func, Scalar *args",
    "wrap_with_autocast": (
        "str device_type, ScalarType? dtype, bool enabled, bool? cache_enabled, Graph wrapped_func, Scalar *args"
    ),
}
"""The operators that take graphs, as `torch/_higher_order_ops` defines them; PyTorch has no declarations of them."""


def declared(name: str) -> str | None:
    """The declaration of an operator; None for one that does not exist."""
    library, _, rest = name.partition(".")
    if library == "higher_order":
        return f"{name}({BY_POSITION[rest]})"
    if library not in ("aten", "prims"):
        place, _, last = name.rpartition(".")
        parameters = list(inspect.signature(getattr(importlib.import_module(place), last)).parameters)
        return f"{name}({', '.join(f'Scalar {one}' for one in parameters)})"
    found: Any = getattr(importlib.import_module("torch").ops, library)
    for part in rest.split("."):
        found = getattr(found, part, None)
        if found is None:
            return None
    schema = str(found._schema)
    return f"{name}({schema[schema.index('(') + 1 : schema.index(') ->')]})"


if __name__ == "__main__":
    assert FAMILIES
    print(*filter(None, map(declared, sorted(IMPORTERS))), sep="\n")
