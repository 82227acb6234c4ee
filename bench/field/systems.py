"""The systems, each with the question that its adapter asks of a function; a system is imported where it is asked."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from importlib.metadata import version

from gradual.syntax.tree import ast

Answer = Callable[[ast.Fn, Mapping[str, ast.Fn]], Sequence[str]]
"""The conditions that a system keeps of a function that it accepts; it raises what it has against another."""


@dataclass(frozen=True)
class System:
    """A system.

    Attributes:
        title: its name for readers.
        package: the distribution that it comes in.
        entry: the module and the function that answer.
    """

    title: str
    package: str
    entry: tuple[str, str]

    def version(self) -> str:
        """The version of the package that is installed."""
        return version(self.package)

    @property
    def answer(self) -> Answer:
        """The function that answers."""
        module, name = self.entry
        found: Answer = getattr(import_module(module), name)
        return found


SYSTEMS: Mapping[str, System] = {
    "onnx": System("ONNX", "onnx", ("bench.field.onnx_systems", "onnx")),
    "ort": System("ONNX Runtime", "onnxruntime", ("bench.field.onnx_systems", "runtime")),
    "jax": System("JAX", "jax", ("bench.field.jax_target", "answer")),
    "torch": System("PyTorch", "torch", ("bench.field.torch_target", "answer")),
}
"""The systems by the names that the command line has for them."""
