"""Reading a `.pt2` archive: the JSON of `torch/_export/serde` as the values of `schema`.

Only what a program needs is read; a field of another form than the schema says makes the archive unreadable.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import IO, Any

from gradual.importers.common.python_frames import user_frames
from gradual.importers.common.refusals import Unread, Unsupported
from gradual.importers.common.sizes.ports import Extent
from gradual.importers.torch.file.archive import Archive
from gradual.importers.torch.file.expressions import size
from gradual.importers.torch.file.schema import Graph, Meta, Model, Name, Node, Stored
from gradual.limits import LIMITS
from gradual.tensors.exchange.array_protocols import elements_of
from gradual.tensors.index import numel
from gradual.tensors.tensor import Tensor, tensor_of
from gradual.types.dtype import DType

MAJOR = 8
"""The version of the schema that is read; its minor versions only add fields."""

DTYPES = {
    1: DType.UINT8,
    2: DType.INT8,
    3: DType.INT16,
    4: DType.INT32,
    5: DType.INT64,
    6: DType.FLOAT16,
    7: DType.FLOAT32,
    8: DType.FLOAT64,
    12: DType.BOOL,
    13: DType.BFLOAT16,
    28: DType.UINT16,
    34: DType.UINT32,
    35: DType.UINT64,
}
"""`ScalarType` of the schema, by number."""
OTHER_TYPES = {9: "complex32", 10: "complex64", 11: "complex128", 29: "float8_e4m3fn", 30: "float8_e5m2"}
"""Those that programs do not have."""

MODEL = "models/model.json"
FOLDERS = {"data/weights/": "model_weights_config.json", "data/constants/": "model_constants_config.json"}
"""Where tensors are, and which file there lists them."""


def load(file: str | IO[bytes], name: str | None = None) -> tuple[Model, Archive]:
    """The program in an archive, and the archive for its weights; messages call the file by `name`.

    Raises Unreadable if the file holds no program.
    """
    archive = Archive(file, name or str(file))
    try:
        document = archive.json(MODEL)
        _check_version(archive, document)
        return _Reading(archive).model(document), archive
    except (KeyError, TypeError, AttributeError, IndexError, ValueError, RecursionError) as error:
        raise archive.invalid(f"`{MODEL}` is not as its schema says ({type(error).__name__}: {error})") from error


def _check_version(archive: Archive, document: Any) -> None:
    version = document["schema_version"]
    major = version["major"]
    if major != MAJOR:
        raise archive.invalid(
            f"it has version {major}.{version.get('minor', 0)} of the export schema, and version {MAJOR} is read here"
        )


class _Reading:
    """One archive under way."""

    def __init__(self, archive: Archive) -> None:
        self.archive = archive

    def model(self, document: Any) -> Model:
        module = document["graph_module"]
        signature = module["signature"]
        graph = self.graph(module["graph"])
        tensors = dict(self.tensors())
        users: list[str | None] = []
        stored: dict[str, tuple[str, Stored]] = {}
        for spec in signature["input_specs"]:
            kind, body = _only(spec)
            if kind == "user_input":
                users.append(_argument_name(body["arg"]))
            elif kind in ("parameter", "buffer", "tensor_constant"):
                own = body[f"{kind}_name"]
                if own not in tensors:
                    raise ValueError(f"`{own}` is nowhere in the archive")
                stored[body["arg"]["name"]] = own, tensors[own]
            elif kind != "constant_input":
                raise Unsupported(f"an input of the kind `{kind}`")
        outputs = [_only(spec)[0] for spec in signature["output_specs"]]
        return Model(
            graph,
            tuple(users),
            stored,
            tuple(index for index, kind in enumerate(outputs) if kind == "user_output"),
            {name: (one.get("min_val"), one.get("max_val")) for name, one in document["range_constraints"].items()},
            tuple(document.get("guards_code") or ()),
            str(document.get("torch_version", "")),
        )

    def tensors(self) -> Iterator[tuple[str, Stored]]:
        """The tensors of the archive by their names in the module."""
        for folder, listing in FOLDERS.items():
            if not self.archive.has(folder + listing):
                continue
            for name, entry in self.archive.json(folder + listing)["config"].items():
                meta = entry["tensor_meta"]
                path = None if entry.get("use_pickle") or "path_name" not in entry else folder + entry["path_name"]
                dtype = DTYPES.get(meta["dtype"])
                shape, strides = (tuple(_number(one) for one in meta[key]) for key in ("sizes", "strides"))
                if len(shape) != len(strides) or len(shape) > LIMITS.rank or min((*shape, *strides), default=0) < 0:
                    raise ValueError(f"the sizes and strides of `{name}`")
                yield name, Stored(path, dtype, shape, strides, _number(meta["storage_offset"]))

    def graph(self, form: Any) -> Graph:
        """A graph, with the graphs inside it."""
        return Graph(
            tuple(_argument_name(one) for one in form["inputs"]),
            tuple(self.argument(one) for one in form["outputs"]),
            tuple(map(self.node, form["nodes"])),
            {name: _meta(one) for name, one in form["tensor_values"].items()},
            {name: _integer(one) for name, one in form.get("sym_int_values", {}).items()},
        )

    def node(self, form: Any) -> Node:
        positional, named = list[Any](), dict[str, Any]()
        for one in form["inputs"]:
            value = self.argument(one["arg"])
            if one["name"]:
                named[one["name"]] = value
            else:
                positional.append(value)
        metadata = form.get("metadata", {})
        return Node(
            form.get("name") or "",
            form["target"],
            tuple(positional),
            named,
            tuple(map(_output, form["outputs"])),
            _module(metadata.get("nn_module_stack", "")),
            user_frames(metadata.get("stack_trace", "")),
        )

    def argument(self, form: Any) -> Any:
        """An argument of a node; raises ValueError for a form that the schema does not have."""
        kind, body = _only(form)
        match kind:
            case "as_none":
                return None
            case "as_tensor" | "as_custom_obj":
                return Name(body["name"])
            case "as_tensors":
                return tuple(Name(one["name"]) for one in body)
            case "as_optional_tensor":
                return self.argument(body)
            case "as_optional_tensors" | "as_nested_tensors":
                return tuple(self.argument(one) if isinstance(one, dict) else self.tuple(one) for one in body)
            case "as_sym_int" | "as_sym_float" | "as_sym_bool":
                return _symbolic(body)
            case "as_sym_ints" | "as_sym_floats" | "as_sym_bools":
                return tuple(map(_symbolic, body))
            case "as_int" | "as_float" | "as_bool" | "as_string":
                return float(body) if kind == "as_float" else body
            case "as_ints" | "as_floats" | "as_bools" | "as_strings":
                return tuple(map(float, body)) if kind == "as_floats" else tuple(body)
            case "as_int_lists":
                return tuple(map(tuple, body))
            case "as_scalar_type":
                return DTYPES[body] if body in DTYPES else OTHER_TYPES.get(body, f"scalar type {body}")
            case "as_graph":
                return self.graph(body["graph"])
            case "as_device" | "as_layout" | "as_memory_format":
                return None
            case "as_complex" | "as_operator" | "as_string_to_argument":
                return Unread(f"an argument of the kind `{kind}`")
        raise ValueError(f"the argument `{kind}`")

    def tuple(self, forms: Any) -> tuple[Any, ...]:
        return tuple(Name(one["name"]) for one in forms)


def _only(form: Any) -> tuple[str, Any]:
    """The one entry of a mapping, which says by its key which of several forms it is."""
    ((key, value),) = form.items()
    return key, value


def _argument_name(form: Any) -> str | None:
    """The name of a parameter; None for one that is a constant."""
    kind, body = _only(form)
    if kind in ("as_tensor", "as_custom_obj"):
        return str(body["name"])
    return str(body["as_name"]) if kind.startswith("as_sym_") and "as_name" in body else None


def _symbolic(body: Any) -> Any:
    """A number that may be computed while the program runs."""
    kind, value = _only(body)
    return Name(value) if kind == "as_name" else value


def _output(form: Any) -> str | tuple[str, ...] | None:
    kind, body = _only(form)
    if kind == "as_tensors":
        return tuple(str(one["name"]) for one in body)
    return _argument_name(form)


def _meta(form: Any) -> Meta:
    dtype = form["dtype"]
    kind = "" if dtype in DTYPES else OTHER_TYPES.get(dtype, f"scalar type {dtype}")
    return Meta(DTYPES.get(dtype), tuple(map(_integer, form["sizes"])), kind)


def _integer(form: Any) -> Extent:
    kind, body = _only(form)
    return size(body["expr_str"]) if kind == "as_expr" else int(body)


def _number(form: Any) -> int:
    kind, body = _only(form)
    if kind != "as_int" or not isinstance(body, int):
        raise ValueError("a stored tensor whose sizes are no numbers")
    return body


def _module(stack: str) -> str:
    """The path of the innermost module in `key,path,type;key,path,type`; empty for the outermost one."""
    last = stack.rpartition(";")[2].split(",")
    return last[1] if len(last) == 3 and last[0].startswith("L__self__") else ""


def weight(archive: Archive, name: str, stored: Stored) -> Tensor:
    """Read a tensor.  Raises Unsupported where the language has no such tensor, Unreadable where the bytes are not."""
    if stored.path is None:
        raise Unsupported(f"`{name}` is saved as a Python object")
    if stored.dtype is None:
        raise Unsupported(f"`{name}` has elements of a type that programs do not have")
    if numel(stored.shape) > LIMITS.elements:
        raise Unsupported(f"`{name}` has {numel(stored.shape)} elements: the limit is {LIMITS.elements}")
    width = stored.dtype.bits // 8
    raw = archive.content(stored.path)
    last = stored.offset + sum((length - 1) * step for length, step in zip(stored.shape, stored.strides, strict=True))
    if (numel(stored.shape) and (last + 1) * width > len(raw)) or len(raw) % width:
        raise archive.invalid(f"`{stored.path}` has {len(raw)} bytes, too few for `{name}`")
    elements = elements_of(stored.dtype, raw, sys.byteorder == "big")
    return tensor_of(stored.shape, stored.dtype, _strided(elements, stored))


def _strided(elements: Any, stored: Stored) -> Any:
    """The elements of a tensor in row-major order, out of its storage."""
    count, contiguous = 1, list[int]()
    for length in reversed(stored.shape):
        contiguous.insert(0, count)
        count *= length
    steps = zip(stored.shape, stored.strides, contiguous, strict=True)
    if all(length <= 1 or step == wanted for length, step, wanted in steps):
        return elements[stored.offset : stored.offset + count]
    indices = [stored.offset]
    for length, step in zip(stored.shape, stored.strides, strict=True):
        indices = [base + place * step for base in indices for place in range(length)]
    chosen = elements[:0]
    chosen.extend(elements[index] for index in indices)
    return chosen
