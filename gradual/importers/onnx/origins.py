"""The source of a node of an ONNX model, which its exporter recorded in the node's metadata."""

from __future__ import annotations

import ast

from gradual.importers.common.python_frames import user_frames
from gradual.importers.onnx.file.model import Node
from gradual.origin import Origin

TRACE = "pkg.torch.onnx.stack_trace"
SCOPES = "pkg.torch.onnx.name_scopes"
"""Metadata keys of PyTorch's exporter: the Python stack of a node, and the modules that contain it."""
NO_MODULE = "_empty_nn_module_stack_from_metadata_hook"
"""The module name that PyTorch's exporter records for nodes which it adds itself."""


def origin_of(node: Node) -> Origin:
    """The origin of the parts of a program that are made from a node."""
    return Origin(
        f"{node.operator} `{node.title}`",
        f"{', '.join(filter(None, node.outputs))} = {node.operator}({', '.join(node.inputs)})",
        module=_module(node.metadata[SCOPES]) if SCOPES in node.metadata else "",
        frames=user_frames(node.metadata[TRACE]) if TRACE in node.metadata else (),
    )


def _module(scopes: str) -> str:
    """The path of the module that contains a node, from the list of scopes, the last of which is the node itself."""
    try:
        found = ast.literal_eval(scopes)
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return ""
    modules = [one for one in found[:-1] if isinstance(one, str)] if isinstance(found, list) else []
    return modules[-1] if modules and modules[-1] != NO_MODULE else ""
