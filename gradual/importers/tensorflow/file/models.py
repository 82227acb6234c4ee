"""The part of a graph that is imported: its parameters and results, from a signature or else from the graph itself.

Field numbers are those of `meta_graph.proto` and `saved_model.proto` of TensorFlow.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from gradual.importers.common.refusals import Misused, Unread, Unsupported
from gradual.importers.common.sizes.ports import Port
from gradual.importers.tensorflow.file.attributes import OF_RESOURCES, as_shape, dtype, shape
from gradual.importers.tensorflow.file.bundle import NOTHING, Saved
from gradual.importers.tensorflow.file.graphs import functions_of, nodes_of, numbered
from gradual.importers.tensorflow.file.restoring import bound, restored
from gradual.importers.tensorflow.file.schema import Function, Model, Node, Nodes, Source, Variable
from gradual.importers.tensorflow.file.traces import Traces
from gradual.importers.tensorflow.file.wire import EMPTY, Malformed, Message
from gradual.record import record
from gradual.types.dtype import DType

DEFAULT = "serving_default"
"""The name of the signature that is imported by default."""
_INITIAL = "__saved_model_init_op"
"""A signature that prepares a session."""

PLACEHOLDER = "Placeholder"
_RESULTS = ("Identity", "IdentityN", "_Retval")
"""Operators that stand at the end of a graph to name its results."""
_RESULT = re.compile(r"Identity(_[0-9]+)?")
"""The names of the results of a concrete function."""
_EFFECTS = ("NoOp", "Assert", "Const", "PrintV2", PLACEHOLDER)
"""Operators whose unused results are not results of the graph."""


@record
class Beside:
    """What is saved beside a graph.

    Attributes:
        debug: the Python lines of nodes; a graph may have them itself.
    """

    saved: Saved = NOTHING
    debug: Message = EMPTY

    def traces(self, graph: Message) -> Traces:
        """The Python lines of the nodes of a graph."""
        return Traces(graph.message(5) if graph.has(5) else self.debug)


def of_graph(graph: Message, beside: Beside) -> Model:
    """The model of a `GraphDef`: its results are those of the nodes whose results no other node uses.

    If some of these nodes are identities, only they count; a concrete function ends in `Identity`, `Identity_1`, ...
    """
    traces = beside.traces(graph)
    nodes, functions = nodes_of(graph, traces), functions_of(graph, traces)
    taken = {one.node for node in nodes.values() for one in node.inputs}
    ends = [node for node in nodes.values() if node.name not in taken and node.operator not in _EFFECTS]
    named = [node for node in ends if node.operator in _RESULTS]
    own = [node for node in named if _RESULT.fullmatch(node.name)]
    results = sorted(own or named or ends, key=_place)
    outputs = tuple((node.name, source) for node in results for source in _results(node))
    inputs = {node.name: port_of(node) for node in nodes.values() if _is_input(node)}
    return Model(nodes, functions, inputs, outputs, (), variables_of(nodes, functions, beside.saved))


def _results(node: Node) -> Iterator[Source]:
    """The results of a node; an `IdentityN` has one for each input."""
    count = len(node.inputs) if node.operator == "IdentityN" else 1
    return (Source(node.name, "", index) for index in range(count))


def _place(node: Node) -> tuple[int, int]:
    """The key by which the results of a concrete function are sorted: `Identity`, `Identity_1`, ..."""
    word, _, number = node.name.rpartition("_")
    return (1, int(number)) if number.isdecimal() and word == "Identity" else (0, 0)


def _is_input(node: Node) -> bool:
    return node.operator == PLACEHOLDER and node.attributes.get("dtype") != OF_RESOURCES


def port_of(node: Node, name: str = "") -> Port:
    """The parameter of a placeholder."""
    kind = _dtype(node)
    if isinstance(kind, Unread):
        kind = Unread(f"`{name or node.name}` has {kind.says}")
    return Port(name or node.name, kind, as_shape(node.attributes.get("shape")))


def _dtype(node: Node) -> DType | Unread:
    """The element type of a placeholder or a variable."""
    found = node.attributes.get("dtype")
    return found if isinstance(found, DType | Unread) else Unread("no element type")


def variables_of(
    nodes: Nodes, functions: Mapping[str, Function], saved: Saved, objects: Message = EMPTY
) -> Mapping[str, Variable]:
    """The variables among some nodes: nodes that are variables or handles, and placeholders for handles."""
    names = dict(restored(nodes, functions)) if saved.values else {}
    names |= {name: saved.objects[number] for name, number in bound(nodes, objects) if number in saved.objects}
    return {name: replace(one, stored=saved.values.get(names.get(name, ""))) for name, one in _variables(nodes)}


def _variables(nodes: Nodes) -> Iterator[tuple[str, Variable]]:
    for node in nodes.values():
        if node.operator == PLACEHOLDER and node.attributes.get("dtype") == OF_RESOURCES:
            yield node.name, Variable(node.name)
        elif node.operator in ("VarHandleOp", "VariableV2", "Variable"):
            is_reference = node.operator != "VarHandleOp"
            sizes = as_shape(node.attributes.get("shape"))
            yield node.name, Variable(node.name, _dtype(node), sizes, None, is_reference)


# --------------------------------------------------------------------------------------------------------- signatures
def of_saved_model(whole: Message, beside: Beside, wanted: str) -> Model:
    """The model of a signature in a `SavedModel`; its first graph with the tag `serve`, or else its first."""
    graphs = list(whole.messages(2))
    if not graphs:
        raise Malformed("it has no graph")
    served = [one for one in graphs if "serve" in one.message(1).texts(4)]
    return of_meta_graph((served or graphs)[0], beside, wanted)


def of_meta_graph(meta: Message, beside: Beside, wanted: str) -> Model:
    """The model of a signature in a `MetaGraphDef`; the model of the graph itself if there are no signatures."""
    signatures = {name: one for name, one in meta.entries(5) if name != _INITIAL}
    graph = meta.message(2)
    if not signatures and not wanted:
        if meta.has(7):
            raise Unsupported(_without_signature(meta.message(7)))
        return of_graph(graph, beside)
    name = wanted or (DEFAULT if DEFAULT in signatures else next(iter(signatures)))
    if name not in signatures or (not wanted and len(signatures) > 1 and name != DEFAULT):
        have = ", ".join(f"`{one}`" for one in sorted(signatures)) or "none"
        says = f"`{name}` names no signature" if wanted else "no signature is the default one"
        raise Misused("signature", f"{says}; the signatures are {have}")
    traces = beside.traces(graph)
    nodes, functions = nodes_of(graph, traces), functions_of(graph, traces)
    inputs = {place.node: _port(nodes, place, name, info) for name, place, info in _ports(signatures[name], 1)}
    outputs = tuple((name, place) for name, place, _ in _ports(signatures[name], 2))
    variables = variables_of(nodes, functions, beside.saved, meta.message(7))
    return Model(nodes, functions, inputs, outputs, (), variables)


def _without_signature(objects: Message) -> str:
    """What is said of a module that was saved without signatures: the graph has no function that is served."""
    nodes = list(objects.messages(1))
    children = list(nodes[0].messages(1)) if nodes else []
    functions = [one.text(2) for one in children if one.number(1) < len(nodes) and nodes[one.number(1)].has(6)]
    first = functions[0] if functions else "f"
    have = f"; the functions are {', '.join(f'`{name}`' for name in functions)}" if functions else ""
    return f"it has no signature; save the module with `signatures=module.{first}`{have}"


def _ports(signature: Message, field: int) -> Sequence[tuple[str, Source, Message]]:
    """The inputs or outputs of a `SignatureDef`, by name."""
    found = sorted(signature.entries(field), key=lambda entry: entry[0])
    return [(name, numbered(info.text(1)), info) for name, info in found]


def _port(nodes: Nodes, place: Source, name: str, info: Message) -> Port:
    """An input of a signature, as the signature declares it."""
    if place.node not in nodes:
        raise Malformed(f"a signature's input `{place}` that no node is")
    kind = dtype(info.number(2))
    if isinstance(kind, Unread):
        kind = Unread(f"`{name}` has {kind.says}")
    return Port(name, kind, shape(info.message(3)) if info.has(3) else None)
