"""Archives as `torch.export.save` writes them, composed without PyTorch from a short description.

pt2(path, inputs={"x": tensor("n", 4)}, nodes=[node("aten.relu.default", {"y": tensor("n", 4)}, self=ref("x"))],
    outputs=[ref("y")])
"""

from __future__ import annotations

import json
import zipfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

_NAMES = "uint8 int8 int16 int32 int64 float16 float32 float64 complex32 complex64 complex128 bool bfloat16"
NUMBERS = {name: at for at, name in enumerate(_NAMES.split(), 1)}
NUMBERS |= {"uint16": 28, "float8_e4m3fn": 29, "uint32": 34, "uint64": 35}
"""`ScalarType` by name."""
Json = dict[str, Any]


@dataclass(frozen=True)
class Ref:
    """A value of the graph by its name; `kind` is `tensor`, or `sym_int`, `sym_float` and `sym_bool` for numbers."""

    name: str
    kind: str = "tensor"


@dataclass(frozen=True)
class Raw:
    """An argument as it stands in the file."""

    form: Any


def ref(name: str) -> Ref:
    """A tensor of the graph."""
    return Ref(name)


def number(name: str) -> Ref:
    """An integer of the graph."""
    return Ref(name, "sym_int")


def size(extent: int | str) -> Json:
    """A size: a number, the name of a symbol, or the text of a formula as sympy prints it."""
    if isinstance(extent, int):
        return {"as_int": extent}
    text = f"Symbol('{extent}', positive=True, integer=True)" if extent.isidentifier() else extent
    return {"as_expr": {"expr_str": text, "hint": None}}


def tensor(*extents: int | str, dtype: str = "float32", strides: Sequence[int] | None = None, offset: int = 0) -> Json:
    """What an archive records of a tensor."""
    steps = [1] * len(extents) if strides is None else strides
    return {
        "dtype": NUMBERS[dtype],
        "sizes": [size(one) for one in extents],
        "requires_grad": False,
        "device": {"type": "cpu", "index": None},
        "strides": [{"as_int": step} for step in steps],
        "storage_offset": {"as_int": offset},
        "layout": 7,
    }


def argument(value: Any) -> Json:
    """A value of Python as an argument of a node."""
    match value:
        case Raw(form):
            return dict(form)
        case Ref(name, "tensor"):
            return {"as_tensor": {"name": name}}
        case Ref(name, kind):
            return {f"as_{kind}": {"as_name": name}}
        case None:
            return {"as_none": True}
        case bool():
            return {"as_bool": value}
        case int():
            return {"as_int": value}
        case float():
            return {"as_float": value}
        case str():
            return {"as_string": value}
        case dict():
            return {"as_graph": {"name": "body", "graph": value}}
    return _listed(list(value))


def _listed(values: list[Any]) -> Json:
    if all(isinstance(one, Ref) and one.kind == "tensor" for one in values):
        return {"as_tensors": [{"name": one.name} for one in values]}
    if any(one is None for one in values):
        return {"as_optional_tensors": [argument(one) for one in values]}
    if any(isinstance(one, Ref) for one in values):
        return {"as_sym_ints": [{"as_name": one.name} if isinstance(one, Ref) else {"as_int": one} for one in values]}
    return {"as_floats" if any(isinstance(one, float) for one in values) else "as_ints": values}


@dataclass(frozen=True)
class Made:
    """A node: its form in the file, and what is recorded of its results."""

    form: Json
    records: Mapping[str, Any]


def node(target: str, results: Mapping[str, Any], *positional: Any, trace: str = "", **named: Any) -> Made:
    """A call.

    Args:
        results: by name, what is recorded of each: of `tensor`, a formula for an integer, None for a truth value.
        trace: the stack trace.
    """
    inputs = [{"name": "", "arg": argument(one), "kind": 1} for one in positional]
    inputs += [{"name": name.rstrip("_"), "arg": argument(one), "kind": 1} for name, one in named.items()]
    outputs = [argument(Ref(name, _kind(one))) for name, one in results.items()]
    form = {
        "target": target if target.startswith("_operator") else f"torch.ops.{target}",
        "inputs": inputs,
        "outputs": outputs,
        "metadata": {"stack_trace": trace} if trace else {},
        "is_hop_single_tensor_return": None,
        "name": next(iter(results), "nameless"),
    }
    return Made(form, results)


def _kind(record: Any) -> str:
    return "tensor" if isinstance(record, dict) else "sym_bool" if record is None else "sym_int"


def graph(inputs: Mapping[str, Any], nodes: Sequence[Made], outputs: Sequence[Any]) -> Json:
    """A graph: its inputs by name as the results of nodes are, its calls, and its results."""
    records = {**inputs, **{name: one for made in nodes for name, one in made.records.items()}}
    return {
        "inputs": [argument(Ref(name, _kind(one))) for name, one in inputs.items()],
        "outputs": [argument(one) for one in outputs],
        "nodes": [made.form for made in nodes],
        "tensor_values": {name: one for name, one in records.items() if isinstance(one, dict)},
        "sym_int_values": {name: size(one) for name, one in records.items() if isinstance(one, int | str)},
        "sym_bool_values": {},
        "is_single_tensor_return": False,
        "custom_obj_values": {},
        "sym_float_values": {},
    }


def document(
    inputs: Mapping[str, Any],
    nodes: Sequence[Made],
    outputs: Sequence[Any],
    weights: Mapping[str, Any] | None = None,
    ranges: Mapping[str, tuple[int | None, int | None]] | None = None,
    guards: Sequence[str] = (),
) -> Json:
    """The JSON of a program; the weights, which are arrays, are parameters `p_NAME` before its inputs."""
    parameters = {f"p_{name}": tensor(*one.shape, dtype=str(one.dtype)) for name, one in (weights or {}).items()}
    specs: list[Json] = [
        {"parameter": {"arg": {"name": f"p_{name}"}, "parameter_name": name}} for name in weights or {}
    ]
    specs += [{"user_input": {"arg": argument(Ref(name, _kind(one)))}} for name, one in inputs.items()]
    return {
        "graph_module": {
            "graph": graph({**parameters, **inputs}, nodes, outputs),
            "signature": {
                "input_specs": specs,
                "output_specs": [{"user_output": {"arg": argument(one)}} for one in outputs],
            },
            "module_call_graph": [],
            "metadata": {},
        },
        "opset_version": {"aten": 10},
        "range_constraints": {name: {"min_val": low, "max_val": high} for name, (low, high) in (ranges or {}).items()},
        "schema_version": {"major": 8, "minor": 20},
        "verifiers": ["TRAINING"],
        "torch_version": "2.14.1",
        "guards_code": list(guards),
    }


def listing(weights: Mapping[str, Any]) -> tuple[Json, dict[str, bytes]]:
    """The list of some arrays as it stands in an archive, and the files that it names.

    An array that is a view lies in the file of the array that it is a view of, as in a storage of PyTorch.
    """
    config, files, places = Json(), dict[str, bytes](), dict[int, str]()
    for name, array in weights.items():
        whole: Any = array
        while whole.base is not None:
            whole = whole.base
        place = places.setdefault(id(whole), f"weight_{len(places)}")
        files[place] = whole.tobytes()
        offset = (array.__array_interface__["data"][0] - whole.__array_interface__["data"][0]) // array.itemsize
        steps = [step // array.itemsize for step in array.strides]
        meta = tensor(*array.shape, dtype=str(array.dtype), strides=steps, offset=offset)
        config[name] = {"path_name": place, "is_param": True, "use_pickle": False, "tensor_meta": meta}
    return {"config": config}, files


def files_of(form: Json, weights: Mapping[str, Any] | None = None) -> dict[str, bytes]:
    """The files of an archive by name."""
    config, raw = listing(weights or {})
    return {
        **{f"m/data/weights/{name}": content for name, content in raw.items()},
        "m/data/weights/model_weights_config.json": json.dumps(config).encode(),
        "m/data/constants/model_constants_config.json": b'{"config": {}}',
        "m/models/model.json": json.dumps(form).encode(),
        "m/archive_format": b"pt2",
        "m/archive_version": b"0",
        "m/byteorder": b"little",
    }


def write(path: Path, files: Mapping[str, bytes]) -> Path:
    """Write an archive of these files."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as made:
        for name, content in files.items():
            made.writestr(name, content)
    return path


def pt2(path: Path, weights: Mapping[str, np.ndarray[Any, Any]] | None = None, **description: Any) -> Path:
    """Write the archive of a program, whose description `document` takes."""
    return write(path, files_of(document(weights=weights, **description), weights))
