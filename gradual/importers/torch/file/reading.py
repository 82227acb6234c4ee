"""Reading a `.pt2` archive: the JSON of `torch/_export/serde` as the values of `schema`.

Only the fields that a program needs are read.  The archive is unreadable if a field violates the schema, or if a name
is used before it is defined.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from math import isinf
from typing import IO, Any

from gradual.gc_paused import collector_paused
from gradual.importers.common.python_frames import user_frames
from gradual.importers.common.refusals import Unread, Unreadable
from gradual.importers.torch.file import forms
from gradual.importers.torch.file.archive import Archive
from gradual.importers.torch.file.forms import Malformed, entry, items, mapping, only, text, whole
from gradual.importers.torch.file.lending import with_frames
from gradual.importers.torch.file.records import dtype, extent, meta, stored
from gradual.importers.torch.file.schema import Graph, Meta, Model, Name, Node, Stored
from gradual.limits import LIMITS
from gradual.types.dtype import DType

MAJOR = 8
"""The major version of the schema that is read; minor versions only add fields."""

NUMBERS = {"as_sym_int": DType.INT64, "as_sym_float": DType.FLOAT64, "as_sym_bool": DType.BOOL}
"""Kind of a Python number that may be computed while the program runs -> its element type."""

MODELS = "models/"
WEIGHTS, CONSTANTS = "data/weights/", "data/constants/"
LISTINGS = {WEIGHTS: "_weights_config.json", CONSTANTS: "_constants_config.json"}
"""Folder of tensors -> the suffix of the name of the file that lists these tensors."""
STORED = {"parameter": "parameter_name", "buffer": "buffer_name", "tensor_constant": "tensor_constant_name"}
WRITTEN = {"buffer_mutation": "buffer_name", "parameter_mutation": "parameter_name"}
WRITTEN |= {"user_input_mutation": "user_input_name"}
"""Kinds of inputs and outputs in the signature -> the field with the name of the tensor."""


@collector_paused()
def load(file: str | IO[bytes], name: str | None = None) -> tuple[Model, Archive]:
    """The program in an archive, and the archive, from which weights are read; `name` is the file's name in messages.

    Raises Unreadable if the file contains no program.
    """
    archive = Archive(file, name or str(file))
    part = MODELS
    try:
        own = _only_model(archive)
        part = f"{MODELS}{own}.json"
        document = archive.json(part)
        _check_version(archive, document)
        return _Reading(archive, own).model(document), archive
    except Malformed as error:
        archive.close()
        raise archive.invalid(f"`{part}` is not as its schema says: {error}") from error
    except Unreadable:
        archive.close()
        raise


def _only_model(archive: Archive) -> str:
    """The name of the program in the archive."""
    found = [name.removesuffix(".json") for name in archive.names(MODELS) if name.endswith(".json")]
    if not found:
        raise archive.invalid("it has no program")
    if len(found) > 1:
        raise archive.invalid(f"it has {len(found)} programs, `{found[0]}` and others; save each on its own")
    return found[0]


def _check_version(archive: Archive, document: Any) -> None:
    version = entry(document, "schema_version")
    major, minor = whole(entry(version, "major")), whole(entry(version, "minor"))
    if major != MAJOR:
        raise archive.invalid(f"it has version {major}.{minor} of the export schema, and version {MAJOR} is read here")


class _Reading:
    """Reads one archive.

    Attributes:
        own: the name of the program in the archive.
        depth: the nesting depth of the graph that is being read.
        operations: how many nodes have been read.
    """

    def __init__(self, archive: Archive, own: str) -> None:
        self.archive = archive
        self.own = own
        self.depth = 0
        self.operations = 0

    # ------------------------------------------------------------------------------------------------- the program
    def model(self, document: Any) -> Model:
        """The program, with its inputs and outputs as its signature describes them."""
        module = entry(document, "graph_module")
        graph = self.graph(entry(module, "graph"))
        signature = entry(module, "signature")
        inputs = [only(one) for one in items(entry(signature, "input_specs"))]
        outputs = [only(one) for one in items(entry(signature, "output_specs"))]
        if tuple(map(_input_name, inputs)) != graph.inputs or len(outputs) != len(graph.outputs):
            raise Malformed("the signature has other inputs or outputs than the graph")
        ranges = mapping(entry(document, "range_constraints"))
        return Model(
            graph,
            tuple(_input_name(one) for one in inputs if one[0] == "user_input"),
            dict(self.stored(inputs, graph)),
            tuple(at for at, (kind, _) in enumerate(outputs) if kind in ("user_output", "loss_output")),
            {name: (_bound(one, "min_val"), _bound(one, "max_val")) for name, one in ranges.items()},
            tuple(map(text, items(document.get("guards_code") or []))),
            text(document.get("torch_version", "")),
            tuple(_reasons(inputs)),
            tuple(text(entry(body, WRITTEN[kind])) for kind, body in outputs if kind in WRITTEN),
        )

    def stored(self, inputs: list[tuple[str, Any]], graph: Graph) -> Iterator[tuple[str, tuple[str, Stored]]]:
        """Input name -> name and tensor of the parameter, buffer or constant that is passed there."""
        tensors = dict(self.tensors())
        for kind, body in inputs:
            if kind not in STORED:
                continue
            own, name = text(entry(body, STORED[kind])), text(entry(entry(body, "arg"), "name"))
            meta = graph.tensors.get(name)
            if meta is None:
                raise Malformed(f"`{name}` is no tensor")
            shape = tuple(size for size in meta.sizes if isinstance(size, int))
            found = tensors.get(own, Stored(None, meta.dtype, shape, (0,) * len(shape), 0))
            if own not in tensors and not self.is_pickled:
                raise Malformed(f"the archive has no tensor `{own}`")
            if (found.dtype, found.shape) != (meta.dtype, meta.sizes):
                raise Malformed(f"`{own}` is another tensor in the archive than in the graph")
            yield name, (own, found)

    @property
    def is_pickled(self) -> bool:
        """Whether all tensors are pickled, as by PyTorch 2.8; then their types are recorded in the graph only."""
        return self.archive.has(f"{WEIGHTS}{self.own}.pt")

    def tensors(self) -> Iterator[tuple[str, Stored]]:
        """The tensors of the archive, each with its name in the module."""
        for folder, ending in LISTINGS.items():
            listing = f"{folder}{self.own}{ending}"
            if not self.archive.has(listing):
                continue
            for name, one in mapping(entry(self.archive.json(listing), "config")).items():
                if mapping(one).get("tensor_meta") is not None:
                    yield name, stored(folder, one)

    # -------------------------------------------------------------------------------------------------- the graphs
    def graph(self, form: Any) -> Graph:
        """A graph, including the graphs inside it."""
        if self.depth > LIMITS.graphs:
            raise self.too_large(f"its graphs nest deeper than the limit `graphs`, {LIMITS.graphs}")
        self.depth += 1
        tensors = {name: meta(one) for name, one in mapping(entry(form, "tensor_values")).items()}
        inputs = items(entry(form, "inputs"))
        names = tuple(map(_argument_name, inputs))
        defined = set[str]()
        self.define(inputs, names, tensors, defined)
        nodes = []
        for index, one in enumerate(items(entry(form, "nodes"))):
            try:
                nodes.append(self.node(one, tensors, defined))
            except Malformed as error:
                raise Malformed(f"node {index}: {error}") from error
        outputs = tuple(self.argument(one) for one in items(entry(form, "outputs")))
        _check_defined(outputs, defined)
        self.depth -= 1
        integers = {name: extent(one) for name, one in mapping(form.get("sym_int_values", {})).items()}
        numbers = {
            name: NUMBERS[kind]
            for name, (kind, _) in zip(names, map(only, inputs), strict=True)
            if name is not None and kind in NUMBERS
        }
        return Graph(names, outputs, tuple(with_frames(nodes)), tensors, integers, numbers)

    def too_large(self, why: str) -> Unreadable:
        """The error for a program beyond a limit."""
        return Unreadable("E0704", f"`{self.archive.path}`: {why}")

    def define(self, given: list[Any], names: Any, tensors: Mapping[str, Meta], defined: set[str]) -> None:
        """Add the names of inputs or results to `defined`; each must be new, and each tensor must have a record."""
        for one, name in zip(given, names, strict=True):
            is_tensor = only(one)[0] in ("as_tensor", "as_tensors")
            for each in name if isinstance(name, tuple) else (name,):
                if each in defined:
                    raise Malformed(f"`{each}` is defined twice")
                if is_tensor and each is not None and each not in tensors:
                    raise Malformed(f"nothing is recorded of the tensor `{each}`")
                if each is not None:
                    defined.add(each)

    def node(self, form: Any, tensors: Mapping[str, Meta], defined: set[str]) -> Node:
        """A call; raises Malformed if an argument is not defined."""
        self.operations += 1
        if self.operations > LIMITS.operations:
            raise self.too_large(f"it has more nodes than the limit `operations`, {LIMITS.operations}")
        positional, named = list[Any](), dict[str, Any]()
        for one in items(entry(form, "inputs")):
            value, name = self.argument(entry(one, "arg")), text(entry(one, "name"))
            _check_defined(value, defined)
            if name:
                named[name] = value
            else:
                positional.append(value)
        given = items(entry(form, "outputs"))
        outputs = tuple(map(_output, given))
        self.define(given, outputs, tensors, defined)
        metadata = mapping(form.get("metadata", {}))
        first = next((one for one in outputs if isinstance(one, str)), "")
        return Node(
            text(form.get("name") or first),
            text(entry(form, "target")),
            tuple(positional),
            named,
            outputs,
            _module(text(metadata.get("nn_module_stack", ""))),
            user_frames(text(metadata.get("stack_trace", ""))),
        )

    def argument(self, form: Any) -> Any:
        """An argument of a node."""
        kind, body = only(form)
        if kind in _PLAIN:
            return _PLAIN[kind](body)
        if kind in _LISTS:
            return tuple(map(_LISTS[kind], items(body)))
        match kind:
            case "as_optional_tensor":
                return self.argument(body)
            case "as_optional_tensors":
                return tuple(map(self.argument, items(body)))
            case "as_nested_tensors":
                return tuple(tuple(map(_name, items(one))) for one in items(body))
            case "as_int_lists":
                return tuple(tuple(map(whole, items(one))) for one in items(body))
            case "as_float_lists":
                return tuple(tuple(map(forms.real, items(one))) for one in items(body))
            case "as_graph":
                return self.graph(entry(body, "graph"))
            case "as_custom_obj":
                return Unread(f"an object of the class `{text(entry(body, 'class_fqn'))}`")
            case "as_complex" | "as_operator" | "as_string_to_argument":
                return Unread(f"an argument of the kind `{kind}`")
        raise Malformed(f"there is no argument `{kind[:40]}`")


def _name(form: Any) -> Name:
    return Name(text(entry(form, "name")))


def _symbolic(form: Any) -> Any:
    """A number that may be computed while the program runs."""
    kind, body = only(form)
    match kind:
        case "as_name":
            return Name(text(body))
        case "as_int" | "as_float" | "as_bool":
            return _PLAIN[kind](body)
    raise Malformed(f"there is no number `{kind[:40]}`")


_PLAIN: Mapping[str, Any] = {
    "as_none": lambda body: None,
    "as_tensor": _name,
    "as_int": whole,
    "as_float": forms.real,
    "as_bool": forms.truth,
    "as_string": text,
    "as_sym_int": _symbolic,
    "as_sym_float": _symbolic,
    "as_sym_bool": _symbolic,
    "as_scalar_type": dtype,
    "as_device": lambda body: None,
    "as_layout": lambda body: None,
    "as_memory_format": lambda body: None,
}
"""Kind of argument without parts -> the function that reads such an argument."""
_LISTS = {f"{kind}s": _PLAIN[kind] for kind in ("as_tensor", "as_int", "as_float", "as_bool", "as_string", *NUMBERS)}
"""Kind of list -> the function that reads an element."""


def _check_defined(argument: Any, defined: set[str]) -> None:
    """Raise Malformed for a name in an argument that is not defined before its use."""
    match argument:
        case Name(name) if name not in defined:
            raise Malformed(f"`{name}` is not defined where it is used")
        case tuple():
            for one in argument:
                _check_defined(one, defined)


def _reasons(inputs: list[tuple[str, Any]]) -> Iterator[str]:
    """The reasons why some inputs prevent an import."""
    for kind, body in inputs:
        if kind == "user_input" and only(entry(body, "arg"))[0] == "as_custom_obj":
            yield "an input that is an object"
        elif kind not in ("user_input", "constant_input", *STORED):
            yield f"an input of the kind `{kind[:40]}`"


def _input_name(spec: tuple[str, Any]) -> str | None:
    """The name of an input in the signature; None for a constant or an object."""
    kind, body = spec
    if kind == "user_input":
        return _argument_name(entry(body, "arg"))
    return text(entry(entry(body, "arg"), "name")) if kind in STORED else None


def _argument_name(form: Any) -> str | None:
    """The name of a parameter; None for a constant or an object."""
    kind, body = only(form)
    if kind == "as_tensor":
        return text(entry(body, "name"))
    found = _symbolic(body) if kind in NUMBERS else None
    return found.name if isinstance(found, Name) else None


def _output(form: Any) -> str | tuple[str, ...] | None:
    kind, body = only(form)
    if kind == "as_tensors":
        return tuple(text(entry(one, "name")) for one in items(body))
    return _argument_name(form)


def _bound(form: Any, key: str) -> int | None:
    """A bound of a size; None if it is missing or infinite."""
    found = entry(form, key)
    return None if found is None or (not isinstance(found, int) and isinf(forms.real(found))) else whole(found)


def _module(stack: str) -> str:
    """The path of the innermost module in `key,path,type;key,path,type`; empty for the outermost one."""
    last = stack.rpartition(";")[2].split(",")
    return last[1] if len(last) == 3 and last[0].startswith("L__self__") else ""
