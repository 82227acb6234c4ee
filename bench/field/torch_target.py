"""Programs for PyTorch: `torch.export.export` on modules with dynamic dimensions.

Every name of a size is a `Dim`, which has to be free in its range; `?` is `Dim.AUTO`, of which PyTorch finds out what
it may be.  What is declared is stated by `torch._check`.  Exporting needs examples of the arguments: they have the
first sizes that are found at which the program itself runs on tensors without elements.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from importlib import import_module
from typing import Any

from bench.field.eager import Eager
from bench.field.program import Beyond, Measured, Rejected, Scalar, Size, Value, names_in, names_of
from bench.field.torch_operators import operators
from bench.field.walk import Scope, Walk
from gradual.syntax.tree import ast
from gradual.types.dtype import DType

PRIMES = (7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47)
"""The sizes that are tried first: none divides another."""

TRIED = 3000
"""How many sizes are tried for an example before the first ones are taken all the same."""

GREATEST = 1 << 24
"""The most elements of an argument of an example."""


class Torch(Eager):
    """PyTorch as a target; `exporting` is False while an example is looked for."""

    def __init__(self, exporting: bool) -> None:
        self.torch = import_module("torch")
        self.operators = operators(self.torch, self.dtype)
        self.exporting = exporting

    def array(self, value: Value) -> Any:
        """A tensor; a size becomes one as a program of PyTorch makes it."""
        match value:
            case Measured(size):
                return self.torch.scalar_tensor(size, dtype=self.torch.int64)
            case Scalar(number, dtype):
                return self.torch.tensor(number, dtype=self.dtype(dtype))
        return value

    def vector(self, elements: Sequence[int], dtype: DType) -> Value:
        """A written vector."""
        return self.torch.tensor(list(elements), dtype=self.dtype(dtype))

    def dtype(self, dtype: DType) -> Any:
        """The element type of this name."""
        return getattr(self.torch, str(dtype))

    def check(self, condition: Any, says: str) -> None:
        """`torch._check`, which a program states conditions on sizes with."""
        if condition is False:
            raise Rejected(says)
        self.torch._check(condition, lambda: says)

    def branch(self, condition: Value, then: Callable[[], Value], orelse: Callable[[], Value]) -> Value:
        """`torch.cond`; while an example is looked for, both branches."""
        if self.exporting:
            predicate = self.array(condition)
            return self.torch.cond(predicate, lambda: self._copied(then()), lambda: self._copied(orelse()), ())
        found = then()
        orelse()
        return found

    def _copied(self, value: Value) -> Any:
        """A result that is none of the operands, as `torch.cond` requires."""
        return tuple(map(self._copied, value)) if isinstance(value, tuple) else self.array(value).clone()


def answer(function: ast.Fn, functions: Mapping[str, ast.Fn]) -> tuple[str, ...]:
    """The guards of the exported function.  Raises Beyond, Rejected, and whatever PyTorch raises."""
    entry = _Entry(function, functions)
    torch = import_module("torch")
    sizes = next((each for each in itertools.islice(entry.sizes(), TRIED) if entry.runs(each)), None)
    example = entry.arguments(next(entry.sizes()) if sizes is None else sizes, "cpu")
    module = _module(torch, lambda *values: entry.result(Torch(exporting=True), values))
    specs = tuple(entry.dynamic(param.annotation) for param in function.params)
    found = torch.export.export(module, example, dynamic_shapes=(specs,) if specs else None, strict=False)
    return (*getattr(found, "_guards_code", ()), *_asserted(found.graph))


def _asserted(graph: Any) -> Iterator[str]:
    """The assertions that are left in an exported graph, but for those that a size is not negative."""
    for node in graph.nodes:
        if "_assert_scalar" in str(node.target) and ">= 0" not in (says := str(node.args[1])):
            yield says


def _module(torch: Any, computes: Callable[..., Any]) -> Any:
    """A module that computes a function of Python."""

    class Module(torch.nn.Module):  # type: ignore[misc]  # the class is known at run time
        def forward(self, *values: Any) -> Any:
            return computes(*values)

    return Module()


class _Entry:
    """A function with its parameters as PyTorch has them."""

    def __init__(self, function: ast.Fn, functions: Mapping[str, ast.Fn]) -> None:
        self.function = function
        self.functions = functions
        types = [param.annotation for param in function.params if param.annotation is not None]
        if len(types) < len(function.params):
            raise Beyond("a parameter without a type")
        self.types = types
        self.names = names_of(types)
        self.bounds = _bounds(function.where)
        self.dims = {name: self._dim(name) for name in self.names}
        written = sorted(set(_integers(tuple(functions.values()))))
        products = [one * other for one in written for other in written if one <= other]
        self.others = [*dict.fromkeys((*written, 2, 3, 4, 6, 8, *PRIMES[:3], *products[:20], 1, 0))]

    def _dim(self, name: str) -> Any:
        least, most = self.bounds.get(name, (1, None))
        if least == most:
            raise Beyond("a name with a range of one size")
        return import_module("torch").export.Dim(name, min=least, max=most)

    def dynamic(self, type_: ast.Type | None) -> Any:
        """What `dynamic_shapes` says of a parameter."""
        if isinstance(type_, ast.TupleType):
            return tuple(map(self.dynamic, type_.fields))
        assert isinstance(type_, ast.TensorType) and type_.shape is not None
        auto = import_module("torch").export.Dim.AUTO
        found = {axis: self._spec(size, auto) for axis, size in enumerate(type_.shape)}
        return {axis: spec for axis, spec in found.items() if spec is not None}

    def _spec(self, size: object, auto: Any) -> Any:
        match size:
            case ast.Number():
                return None
            case ast.Hole(bound=None):
                return auto
            case ast.Name(name):
                return self.dims[name]
        factor, rest, name = linear(size)
        dim = self.dims[name] if factor == 1 else factor * self.dims[name]
        return dim if rest == 0 else dim + rest

    # ------------------------------------------------------------------------------------------ examples
    def sizes(self) -> Iterator[tuple[int, ...]]:
        """Sizes for the names and then for each `?`: primes, of which up to three are replaced by others."""
        count = len(self.names) + sum(_unknown(type_) for type_ in self.types)
        first = tuple(itertools.islice(itertools.cycle(PRIMES), count))
        yield first
        for changed in range(1, 4):
            for places in itertools.combinations(range(count), changed):
                for values in itertools.product(self.others, repeat=changed):
                    replaced = dict(zip(places, values, strict=True))
                    yield tuple(replaced.get(place, size) for place, size in enumerate(first))

    def runs(self, sizes: tuple[int, ...]) -> bool:
        """Whether the program runs on tensors of these sizes."""
        if not all(self._within(name, size) for name, size in zip(self.names, sizes, strict=False)):
            return False
        target = Torch(exporting=False)
        try:
            with target.torch.device("meta"):
                self.result(target, self.arguments(sizes, "meta"))
        except Beyond:
            raise
        except Exception:  # whatever PyTorch raises means that the example is none
            return False
        return True

    def _within(self, name: str, size: int) -> bool:
        least, most = self.bounds.get(name, (1, None))
        return size >= least and (most is None or size <= most)

    def arguments(self, sizes: tuple[int, ...], device: str) -> tuple[Any, ...]:
        """Arguments of these sizes."""
        scope = Scope(sizes=dict(zip(self.names, sizes, strict=False)))
        rest = iter(sizes[len(self.names) :])
        torch = Torch(exporting=False)
        walk = Walk(torch, self.functions)

        def made(type_: ast.Type) -> Any:
            if isinstance(type_, ast.TupleType):
                return tuple(map(made, type_.fields))
            assert isinstance(type_, ast.TensorType) and type_.shape is not None
            known = [walk.size(size, scope) for size in type_.shape]
            shape = [next(rest) if size is None else size for size in known]
            if math.prod(shape) > GREATEST:
                raise Rejected("an example of too many elements")
            return torch.torch.empty(shape, dtype=torch.dtype(DType(type_.dtype)), device=device)

        return tuple(map(made, self.types))

    def result(self, target: Torch, values: Sequence[Any]) -> Any:
        """The program on some tensors; its names for sizes are sizes of the tensors."""
        scope = Scope()
        for param, value, type_ in zip(self.function.params, values, self.types, strict=True):
            scope.values[param.name.name] = value
            for size, name, factor, rest in _places(type_, value):
                scope.sizes.setdefault(name, (size - rest) // factor if (factor, rest) != (1, 0) else size)
        return target.result(Walk(target, self.functions).body(self.function, scope))


def _places(type_: ast.Type, value: Any) -> Iterator[tuple[Size, str, int, int]]:
    """The sizes of a parameter that are `factor * name + rest`, those that are names first."""
    found: list[tuple[Size, str, int, int]] = []
    if isinstance(type_, ast.TupleType):
        for field, part in zip(type_.fields, value, strict=True):
            found += _places(field, part)
    elif isinstance(type_, ast.TensorType):
        for size, extent in zip(type_.shape or (), value.shape, strict=True):
            if names_in(size):
                factor, rest, name = linear(size)
                found.append((extent, name, factor, rest))
    yield from sorted(found, key=lambda place: (place[2], place[3]) != (1, 0))


def linear(size: object) -> tuple[int, int, str]:
    """A size as factor, rest and name: what `Dim` can say of another.  Raises Beyond for another form."""
    match size:
        case ast.Name(name):
            return 1, 0, name
        case ast.Infix("+" | "-" as op, left, ast.Number(value)):
            factor, rest, name = linear(left)
            return factor, rest + int(value) * (1 if op == "+" else -1), name
        case ast.Infix("+", ast.Number(value), right):
            factor, rest, name = linear(right)
            return factor, rest + int(value), name
        case ast.Infix("*", left, ast.Number(value)) | ast.Infix("*", ast.Number(value), left):
            factor, rest, name = linear(left)
            return factor * int(value), rest * int(value), name
    raise Beyond("a size of a parameter that is no multiple of one name plus a number")


def _bounds(where: Sequence[object]) -> dict[str, tuple[int, int | None]]:
    """The bounds of names that `where` clauses state.  Raises Beyond for other clauses."""
    found: dict[str, tuple[int, int | None]] = {}
    for clause in where:
        match clause:
            case ast.Infix(_, ast.Number(), ast.Number()):
                continue
            case ast.Infix(">=" | ">" as op, ast.Name(name), ast.Number(value)):
                bound = int(value) + (op == ">")
                least, most = found.get(name, (bound, None))
                found[name] = max(least, bound), most
            case ast.Infix("<=" | "<" as op, ast.Name(name), ast.Number(value)):
                least, most = found.get(name, (1, None))
                bound = int(value) - (op == "<")
                found[name] = least, bound if most is None else min(most, bound)
            case _:
                raise Beyond("a where clause that is no bound of one name")
    return found


def _unknown(type_: ast.Type) -> int:
    match type_:
        case ast.TupleType(fields):
            return sum(map(_unknown, fields))
        case ast.TensorType(shape=shape):
            return sum(isinstance(size, ast.Hole) for size in shape or ())
    return 0


def _integers(node: object) -> Iterator[int]:
    """The integers that a function has written."""
    match node:
        case ast.Number(value) if type(value) is int and 1 < value <= 4096:
            yield value
        case tuple():
            for part in node:
                yield from _integers(part)
        case _ if hasattr(node, "__dataclass_fields__"):
            for name in node.__dataclass_fields__:
                yield from _integers(getattr(node, name))
