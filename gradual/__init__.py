"""Gradual Relay: tensor programs whose shapes are proved, refuted with a counterexample, or checked with blame.

>>> import gradual
>>> c = gradual.check("def @f(%x: Tensor[(n, ?), float32]) { nn.relu(%x) }")
>>> c.ok, c.types["@f"]
(True, 'fn (Tensor[(n, ?), float32]) -> Tensor[(n, ?), float32]')
>>> c.run("@f", gradual.Tensor([[1.0, -2.0]])).tolist()
[[1.0, 0.0]]
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from gradual.compilation import Compilation
    from gradual.compiler import apply, check
    from gradual.diagnostic import Diagnostic
    from gradual.exported import from_torch
    from gradual.importers.common.refusals import Refused, Unreadable
    from gradual.passes.framework.pass_ import Unusable
    from gradual.run.value import Blame, Fault, NotStatic
    from gradual.tensors.tensor import Tensor
    from gradual.tensors.value import Constructed

__version__ = "0.1.0"
__all__ = [
    "Blame",
    "Compilation",
    "Constructed",
    "Diagnostic",
    "Fault",
    "NotStatic",
    "Refused",
    "Tensor",
    "Unreadable",
    "Unusable",
    "__version__",
    "apply",
    "check",
    "from_torch",
]

_HOMES = {
    "Blame": "gradual.run.value",
    "Compilation": "gradual.compilation",
    "Constructed": "gradual.tensors.value",
    "Diagnostic": "gradual.diagnostic",
    "Fault": "gradual.run.value",
    "NotStatic": "gradual.run.value",
    "Refused": "gradual.importers.common.refusals",
    "Tensor": "gradual.tensors.tensor",
    "Unreadable": "gradual.importers.common.refusals",
    "Unusable": "gradual.passes.framework.pass_",
    "apply": "gradual.compiler",
    "check": "gradual.compiler",
    "from_torch": "gradual.exported",
    "load_ipython_extension": "gradual.tools.notebook",
}


def __dir__() -> list[str]:
    """The public names, whether they were used before or not."""
    return sorted(__all__)


def __getattr__(name: str) -> Any:
    """The public names, each imported when it is first used: `import gradual` alone costs nothing."""
    if name not in _HOMES:
        raise AttributeError(f"module 'gradual' has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(_HOMES[name]), name)
