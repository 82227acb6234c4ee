"""Archives that somebody damaged: what is in them changed, or the zip around it.

A mutant is a function of a seed and a number, so every finding can be made again.
"""

from __future__ import annotations

import io
import json
import struct
import warnings
import zipfile
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

import numpy as np

from tests.importers.torch.composing import Json, document, files_of, graph, node, number, ref, tensor
from tests.material import SHARED

ZOO = SHARED / "corpus" / "torch-zoo"
Files = dict[str, bytes]

ENTRIES = 60_000
"""How many files an archive is given that has far too many."""


# ------------------------------------------------------------------------------------------------------------ seeds
@cache
def seeds() -> tuple[Files, ...]:
    """The files of real archives, where there are any, and of composed ones; small ones more than once."""
    real = [_unpacked(path) for path in sorted(ZOO.glob("*.pt2"))]
    small = [one for one in real if sum(map(len, one.values())) < 40_000]
    return (*real, *small, *small, *(files_of(*made) for made in composed()))


def _unpacked(path: Path) -> Files:
    with zipfile.ZipFile(path) as archive:
        found = {name: archive.read(name) for name in archive.namelist()}
    root = path.stem + "/"
    return {"m/" + name.removeprefix(root): content for name, content in found.items()}


def composed() -> Iterator[tuple[Json, dict[str, Any]]]:
    """Programs that the real archives have no example of, each with its weights."""
    storage = np.arange(48, dtype="float32").reshape(6, 8)
    weights: dict[str, Any] = {"w": storage.T[:4, 1:4], "own.weight": storage[2:, :3], "k": np.array(3, "int64")}
    nodes = [
        node("aten.matmul.default", {"y": tensor("n", 3)}, self=ref("x"), other=ref("p_w")),
        node("aten.add.Tensor", {"z": tensor("n", 3)}, self=ref("y"), other=ref("p_k"), alpha=2),
        node("aten.sym_size.int", {"s": "n"}, self=ref("x"), dim=0),
        node("_operator.mul", {"t": "Mul(Integer(3), Symbol('n', integer=True))"}, a=number("s"), b=3),
        node("aten.view.default", {"v": tensor("Mul(Integer(3), Symbol('n'))")}, self=ref("z"), size=[number("t")]),
    ]
    inputs = {"x": tensor("n", 4)}
    yield document(inputs, nodes, [ref("v"), number("t"), 2.5, True, None, "text"], weights), weights
    numbers = {"x": tensor("n", "FloorDiv(Symbol('m'), Integer(2))", dtype="int64"), "i": "i"}
    cut = node("aten.slice.Tensor", {"c": tensor("u0", "m", dtype="int64")}, self=ref("x"), dim=0, end=number("i"))
    yield document(numbers, [cut], [ref("c"), number("i")]), {}
    yield document({"x": tensor("n")}, [_nested(3)], [ref("r3")]), {}
    yield document({"x": tensor("n"), "c": tensor(dtype="bool")}, [_looped(2)], [ref("l2")]), {}


def _nested(depth: int) -> Any:
    """A branch in a branch in a branch."""
    body = [_nested(depth - 1)] if depth else [node("aten.relu.default", {"r": tensor("n")}, self=ref("x"))]
    inner = graph({"x": tensor("n")}, body, [ref(f"r{depth - 1}" if depth else "r")])
    other = graph({"x": tensor("n")}, [], [ref("x")])
    return node("higher_order.cond", {f"r{depth}": tensor("n")}, True, inner, other, [ref("x")])


def _looped(depth: int) -> Any:
    """A loop in a loop, whose carried value gets another size with each turn."""
    inputs = {"x": tensor("n"), "c": tensor(dtype="bool")}
    body = [_looped(depth - 1)] if depth else []
    last = ref(f"l{depth - 1}") if depth else ref("x")
    joined = node("aten.cat.default", {"j": tensor("Add(Symbol('n'), Integer(1))")}, tensors=[last, last], dim=0)
    turn = graph(inputs, [*body, joined], [ref("j"), ref("c")])
    goes_on = graph(inputs, [], [ref("c")])
    results = {f"l{depth}": tensor("u0"), f"c{depth}": tensor(dtype="bool")}
    return node("higher_order.while_loop", results, goes_on, turn, [ref("x"), ref("c")], [])


# ---------------------------------------------------------------------------------------------------------- mutants
def mutant(seed: int, number: int) -> bytes:
    """The archive with a number, in a campaign with a seed."""
    random = Random(f"{seed}/{number}")
    kinds: tuple[tuple[Callable[[Random], bytes], int], ...] = (
        *((noise, 1), (broken, 4), (deep, 1), (crowded, 1)),
        *((tricky, 8), (other_weights, 8), (changed, 77)),
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of files with the same name
        return random.choices([kind for kind, _ in kinds], [weight for _, weight in kinds])[0](random)


def noise(random: Random) -> bytes:
    """Random bytes, sometimes with the marks of a zip archive."""
    data = random.randbytes(random.choice((0, 1, 22, 60, 3_000)))
    return random.choice((b"", b"PK\x03\x04", b"PK\x05\x06")) + data + random.choice((b"", b"PK\x05\x06" + bytes(18)))


def broken(random: Random) -> bytes:
    """An archive with a few bytes changed, cut off, or appended."""
    data = bytearray(packed(random.choice(seeds()), random.choice((zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED))))
    match random.randrange(4):
        case 0:
            del data[random.randrange(len(data)) :]
        case 1:
            data += random.randbytes(random.choice((1, 22, 70_000)))
        case 2:
            at = data.rfind(b"PK\x05\x06")
            data[at + random.randrange(4, 22)] = random.randrange(256)
        case _:
            start = random.choice((0, data.find(b"PK\x01\x02")))
            for _ in range(random.choice((1, 1, 3, 30))):
                data[random.randrange(start, len(data))] = random.randrange(256)
    return bytes(data)


def packed(files: Files, method: int = zipfile.ZIP_DEFLATED) -> bytes:
    """An archive of these files."""
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", method) as made:
        for name, content in files.items():
            made.writestr(zipfile.ZipInfo(name), content, method)
    return stream.getvalue()


def crowded(random: Random) -> bytes:
    """An archive of very many files, of which few matter."""
    files = random.choice(seeds())
    return packed({**files, **{f"m/{at}": b"" for at in range(ENTRIES)}}, zipfile.ZIP_STORED)


def deep(random: Random) -> bytes:
    """A program, or the JSON itself, that nests very deep."""
    depth = random.choice((15, 16, 17, 18, 100, 1_000, 20_000))
    if random.random() < 0.5 and depth < 200:
        form = document({"x": tensor("n")}, [_nested(depth)], [ref(f"r{depth}")])
        return packed(files_of(form))
    files = dict(random.choice(seeds()))
    opens, closes = random.choice((("[", "]"), ('{"as_graph": {"graph": ', "}}"), ('{"as_optional_tensor": ', "}")))
    inner = opens * depth + random.choice(("0", "{}", '{"as_none": true}')) + closes * depth
    text = files["m/models/model.json"].decode()
    places = [at for at in range(len(text)) if text.startswith('"arg": {', at)]
    at = random.choice(places or [0])
    files["m/models/model.json"] = (text[:at] + f'"arg": {inner}, "was": ' + text[at + 7 :]).encode()
    return packed(files)


# ------------------------------------------------------------------------------------------------------------- zips
def tricky(random: Random) -> bytes:
    """An archive whose zip does something odd."""
    files = dict(random.choice(seeds()))
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as made:
        for name, content in files.items():
            method = random.choice(_METHODS) if random.random() < 0.1 else zipfile.ZIP_DEFLATED
            made.writestr(zipfile.ZipInfo(_strange(random, name)), content, method)
        match random.randrange(12):
            case 0:
                made.writestr(zipfile.ZipInfo(random.choice(list(files))), b"{}")
            case 1:
                made.writestr(zipfile.ZipInfo("m/data/weights/weight_0"), bytes(1 << 25), zipfile.ZIP_DEFLATED)
            case 2:
                made.writestr(zipfile.ZipInfo("m/models/model.json"), b" " * (1 << 27), zipfile.ZIP_DEFLATED)
            case 3:
                made.writestr(zipfile.ZipInfo("m/models/other.json"), b"{}")
    data = bytearray(stream.getvalue())
    for _ in range(random.choice((0, 1, 1, 2))):
        _lie(random, data)
    return bytes(data)


_METHODS = zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA


def _strange(random: Random, name: str) -> str:
    if random.random() < 0.9:
        return name
    return random.choice(("/" + name, "../" + name, name.replace("/", "\\"), name + "\0x", name.upper(), "é/" + name))


def _lie(random: Random, data: bytearray) -> None:
    """Say something else in the header of a file: a flag, a method, a length or a place."""
    starts = [at for at in range(len(data)) if data.startswith(b"PK\x01\x02", at)]
    at = random.choice(starts or [0])
    offset, form = random.choice(((8, "<H"), (10, "<H"), (20, "<L"), (24, "<L"), (42, "<L"), (28, "<H"), (30, "<H")))
    value = random.choice((0, 1, 8, 12, 99, 0xFFFF, random.randrange(1 << 16)))
    if form == "<L":
        value = random.choice((value, 0xFFFFFFFF, 0xFFFFFFFE, 1 << 30))
    if len(data) >= at + offset + 4:
        struct.pack_into(form, data, at + offset, value)


# ---------------------------------------------------------------------------------------------------------- weights
def other_weights(random: Random) -> bytes:
    """An archive whose weights, or what is said of them, are others."""
    files = dict(random.choice([one for one in seeds() if b"path_name" in one[LISTING]]))
    form = json.loads(files[LISTING])
    names = list(form["config"])
    for _ in range(random.choice((1, 1, 2))):
        one = form["config"][random.choice(names)]
        meta = one["tensor_meta"]
        raw = f"m/data/weights/{one['path_name']}"
        match random.randrange(8):
            case 0:
                files[raw] = files.get(raw, b"")[: random.randrange(40)]
            case 1:
                files[raw] = files.get(raw, b"") + random.randbytes(random.randrange(9))
            case 2:
                one["path_name"] = random.choice(("../../x", "/etc/passwd", "weight_0", "", "é\0", 5))
            case 3:
                one["use_pickle"] = random.choice((True, None, 1))
            case 4:
                _value(random, meta, random.choice(("storage_offset", "dtype", "layout")))
            case 5 if meta["strides"]:
                _value(random, random.choice(meta["strides"]), "as_int")
            case 6 if meta["sizes"]:
                _value(random, random.choice(meta["sizes"]), "as_int")
            case _:
                files["m/byteorder"] = random.choice((b"big", b"middle", b"", b"\xff"))
    files[LISTING] = json.dumps(form).encode()
    return packed(files)


LISTING = "m/data/weights/model_weights_config.json"


# ------------------------------------------------------------------------------------------------------------- JSON
def changed(random: Random) -> bytes:
    """An archive whose program is changed a little."""
    files = dict(random.choice(seeds()))
    form = json.loads(files["m/models/model.json"])
    for _ in range(random.choice((1, 1, 1, 2, 3, 6))):
        try:
            random.choice(CHANGES)(random, form)
        except (AttributeError, IndexError, KeyError, TypeError, ValueError):  # what it changes is not there any more
            continue
    files["m/models/model.json"] = json.dumps(form).encode("utf-8", "surrogatepass")
    return packed(files)


def places(form: Any) -> list[tuple[Any, Any]]:
    """Every place of a JSON value: what contains it, and its key or index there."""
    found, todo = [], [form]
    while todo:
        one = todo.pop()
        keys: Sequence[Any] = list(one) if isinstance(one, dict) else range(len(one)) if isinstance(one, list) else ()
        found += [(one, key) for key in keys]
        todo += [one[key] for key in keys]
    return found


NUMBERS = (0, 1, -1, 2, 3, 7, 64, -3, 65_536, 2**31 - 1, 2**31, 2**63 - 1, -(2**63), 2**64, 10**30, -(10**40))
TEXTS = ("", "x", "é", "\ud800", "\x02" + "0" + "\x03", '"', "\\", "{", "%x", "\n}", "as_none", "if", "a.b", "\0", "𝛼")
OTHERS: tuple[Any, ...] = (None, True, False, 1.5, float("nan"), float("inf"), "NaN", "Infinity", [], {}, [[]], {"": 0})
KINDS = (
    *("as_none", "as_tensor", "as_tensors", "as_int", "as_ints", "as_float", "as_floats", "as_string", "as_strings"),
    *("as_sym_int", "as_sym_ints", "as_scalar_type", "as_memory_format", "as_layout", "as_device", "as_bool"),
    *("as_bools", "as_sym_bool", "as_sym_bools", "as_graph", "as_optional_tensors", "as_custom_obj", "as_operator"),
    *("as_sym_float", "as_optional_tensor", "as_complex", "as_nested_tensors", "as_int_lists", "as_name", "as_expr"),
    *("as_string_to_argument", "as_float_lists", "as_other", ""),
)
FORMULAS = (
    "Integer(0)",
    "Integer(-4)",
    "Mul(Integer(-1), Symbol('s0', integer=True))",
    "Add(Integer(-1), FloorDiv(Add(Symbol('s0'), Integer(3)), Integer(2)))",
    "Max(Integer(1), Symbol('s0'), Symbol('s1'))",
    "Mod(Symbol('s0'), Integer(0))",
    "Pow(Symbol('s0'), Integer(40))",
    "Pow(Integer(9), Integer(999999999))",
    "Symbol('if')",
    "Symbol('é')",
    "Symbol('a b')",
    "Rational(1, 2)",
    "FloorDiv(Integer(1), Integer(0))",
    "__import__('os').system('true')",
    "Symbol(" * 300,
    "(" * 300 + "1" + ")" * 300,
    "-" * 3000 + "1",
    "Mul(" + ", ".join(["Symbol('s0')"] * 900) + ")",
    "Add(" + ", ".join(f"Symbol('s{at}')" for at in range(300)) + ")",
    "1" * 5000,
    "",
)


def _value(random: Random, owner: Any, key: Any) -> None:
    """Put another value in a place, mostly of the same type."""
    found = owner[key]
    if random.random() < 0.15:
        owner[key] = random.choice(OTHERS)
    elif isinstance(found, bool):
        owner[key] = not found
    elif isinstance(found, int | float):
        owner[key] = random.choice(NUMBERS)
    elif isinstance(found, str):
        owner[key] = random.choice(TEXTS)
    else:
        owner[key] = random.choice((*OTHERS, *NUMBERS, *TEXTS))


def _some_value(random: Random, form: Any) -> None:
    owner, key = random.choice(places(form))
    _value(random, owner, key)


def _call_value(random: Random, form: Any) -> None:
    """Change an argument or a result of a node."""
    inside = places(random.choice(nodes(form))["inputs"]) + places(random.choice(nodes(form))["outputs"])
    if inside:
        owner, key = random.choice(inside)
        _value(random, owner, key)


def _gone(random: Random, form: Any) -> None:
    owner, key = random.choice(_near(random, form))
    del owner[key]


def _again(random: Random, form: Any) -> None:
    lists = [(owner, key) for owner, key in _near(random, form) if isinstance(owner, list)]
    if lists:
        owner, key = random.choice(lists)
        owner.insert(random.randint(0, len(owner)), owner[key])


def _renamed(random: Random, form: Any) -> None:
    found = [(owner, key) for owner, key in _near(random, form) if isinstance(owner, dict)]
    if found:
        owner, key = random.choice(found)
        owner[random.choice((*TEXTS, *KINDS, *owner))] = owner.pop(key)


def _grafted(random: Random, form: Any) -> None:
    """Put what stands in one place into another one."""
    spots = _near(random, form)
    (owner, key), (other, at) = random.choice(spots), random.choice(spots)
    owner[key] = json.loads(json.dumps(other[at])) if at in other or isinstance(other, list) else 0


def _other_kind(random: Random, form: Any) -> None:
    """Say that an argument is of another kind, with what it has or something that fits."""
    spots = [(owner, key) for owner, key in _near(random, form) if isinstance(key, str) and key.startswith("as_")]
    if not spots:
        return
    owner, key = random.choice(spots)
    kind, body = random.choice(KINDS), owner.pop(key)
    fitting = {"as_int": random.choice(NUMBERS), "as_ints": random.sample(NUMBERS, 2), "as_bool": True, "as_none": True}
    fitting |= {"as_float": 0.5, "as_string": random.choice(TEXTS), "as_tensors": [], "as_scalar_type": 7}
    fitting |= {"as_complex": {"real": 0.0, "imag": 1.0}, "as_custom_obj": {"name": "x", "class_fqn": "C"}}
    owner[kind] = fitting.get(kind, body) if random.random() < 0.7 else body


def _near(random: Random, form: Any) -> list[tuple[Any, Any]]:
    """The places of one part of the program: a node, the records of its tensors, its signature, or all of it."""
    module = form["graph_module"]
    parts = (*(lambda: random.choice(nodes(form)) for _ in range(5)), *(lambda: module["graph"]["tensor_values"],) * 2)
    part = random.choice((*parts, lambda: module["signature"], lambda: form))()
    return places(part) or places(form)


def nodes(form: Any) -> list[Any]:
    """The nodes of a program, those inside nodes among them."""
    return [owner[key] for owner, key in places(form) if isinstance(owner[key], dict) and "target" in owner[key]]


def _reordered(random: Random, form: Any) -> None:
    random.shuffle(form["graph_module"]["graph"]["nodes"])


def _exchanged(random: Random, form: Any) -> None:
    order = form["graph_module"]["graph"]["nodes"]
    one, other = random.randrange(len(order)), random.randrange(len(order))
    order[one], order[other] = order[other], order[one]


def _other_operator(random: Random, form: Any) -> None:
    """Call another operator with the same arguments."""
    random.choice(nodes(form))["target"] = random.choice(operators())


@cache
def operators() -> tuple[str, ...]:
    """The targets of all seeds, and of all operators that are imported."""
    from gradual.importers.torch.importers import IMPORTERS
    from gradual.importers.torch.program import FAMILIES

    assert FAMILIES
    return tuple(sorted(f"torch.ops.{name}" if name.startswith("aten") else name for name in IMPORTERS))


def _other_argument(random: Random, form: Any) -> None:
    """Rename, double or lose an argument."""
    call = random.choice(nodes(form))
    if not call["inputs"]:
        return
    one = random.choice(call["inputs"])
    match random.randrange(3):
        case 0:
            one["name"] = random.choice((*ARGUMENTS, ""))
        case 1:
            call["inputs"].append({**one, "name": random.choice(ARGUMENTS)})
        case _:
            call["inputs"].remove(one)


ARGUMENTS = ("self", "other", "dim", "start", "end", "step", "size", "dtype", "keepdim", "alpha", "weight", "indices")


def _other_name(random: Random, form: Any) -> None:
    """Use another value of the graph, or one that is made later, or none."""
    spots = [(owner, key) for owner, key in places(nodes(form)) if key in ("name", "as_name") and "arg" not in owner]
    names = [*form["graph_module"]["graph"]["tensor_values"], "nowhere", *TEXTS]
    if spots:
        owner, key = random.choice(spots)
        owner[key] = random.choice(names)


def _other_size(random: Random, form: Any) -> None:
    """Record another size of a tensor: a number, or some formula."""
    spots = [(owner, key) for owner, key in places(form) if key in ("as_expr", "expr_str", "as_int")]
    if spots:
        owner, key = random.choice(spots)
        if key == "as_int":
            owner[key] = random.choice(NUMBERS)
        else:
            owner["expr_str" if key == "expr_str" else key] = (
                random.choice(FORMULAS) if key == "expr_str" else {"expr_str": random.choice(FORMULAS)}
            )


def _other_meta(random: Random, form: Any) -> None:
    """Record another element type, layout, rank or stride of a tensor."""
    metas = list(form["graph_module"]["graph"]["tensor_values"].values())
    if not metas:
        return
    meta = random.choice(metas)
    match random.randrange(4):
        case 0:
            meta["dtype"] = random.randrange(40)
        case 1:
            meta["layout"] = random.randrange(9)
        case 2 if meta.get("sizes"):
            meta["sizes"] = meta["sizes"] * random.choice((0, 2, 9))
        case _:
            meta["sizes"] = [{"as_int": random.choice(NUMBERS)}] * random.choice((0, 1, 3))


def _self_contained(random: Random, form: Any) -> None:
    """Put a program's own graph into one of its nodes."""
    own = json.loads(json.dumps(form["graph_module"]["graph"]))
    random.choice(nodes(form))["inputs"].append({"name": "", "arg": {"as_graph": {"name": "g", "graph": own}}})


CHANGES = (
    *(_some_value, _call_value, _call_value, _gone, _again, _renamed, _grafted, _other_kind, _other_kind, _reordered),
    *(_exchanged, _other_operator, _other_operator, _other_operator, _other_argument, _other_argument, _other_name),
    *(_other_name, _other_size, _other_size, _other_meta, _other_meta, _self_contained),
)
