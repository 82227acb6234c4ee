"""Where a node of an ONNX model comes from: what its exporter recorded in the node's metadata."""

from __future__ import annotations

import ast

from gradual.importers.common.python_frames import user_frames
from gradual.importers.onnx.file.model import Node
from gradual.origin import Origin

TRACE = "pkg.torch.onnx.stack_trace"
SCOPES = "pkg.torch.onnx.name_scopes"
"""What PyTorch's exporter records with each node: the Python stack, and the modules around the node."""
NO_MODULE = "_empty_nn_module_stack_from_metadata_hook"
"""What it records as the module of nodes that it adds itself."""


def origin_of(node: Node) -> Origin:
    """The origin of what is made from a node."""
    return Origin(
        f"{node.operator} `{node.title}`",
        f"{', '.join(filter(None, node.outputs))} = {node.operator}({', '.join(node.inputs)})",
        module=_module(node.metadata.get(SCOPES, "")),
        frames=user_frames(node.metadata.get(TRACE, "")),
    )


def _module(scopes: str) -> str:
    """The path of the module around a node, from the list of all scopes, whose last one is the node itself."""
    try:
        found = ast.literal_eval(scopes) if scopes else []
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return ""
    modules = [one for one in found[:-1] if isinstance(one, str)] if isinstance(found, list) else []
    return modules[-1] if modules and modules[-1] != NO_MODULE else ""
