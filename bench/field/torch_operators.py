"""The operators of the level `core` in PyTorch."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from bench.field.eager import listed, target_shape, unit_axes
from bench.field.program import Beyond, Size
from gradual.types.dtype import DType


def operators(torch: Any, dtype: Callable[[DType], Any]) -> Mapping[str, Callable[..., Any]]:
    """Operator -> its counterpart in `torch` or `torch.nn.functional`."""
    functional = torch.nn.functional

    def divided(left: Any, right: Any) -> Any:
        kind = torch.result_type(left, right)
        return torch.div(left, right, rounding_mode=None if kind.is_floating_point else "trunc")

    def converted(out_dtype: str | None, *tensors: Any) -> Sequence[Any]:
        return tensors if out_dtype is None else [each.to(dtype(DType(out_dtype))) for each in tensors]

    def restated(result: Any, units: Size) -> Any:
        if units is not None:
            torch._check(result.shape[-1] == units)
        return result

    def dense(data: Any, weight: Any, units: Size = None, out_dtype: str | None = None) -> Any:
        return restated(functional.linear(*converted(out_dtype, data, weight)), units)

    def matmul(
        left: Any,
        right: Any,
        units: Size = None,
        out_dtype: str | None = None,
        transpose_a: bool = False,
        transpose_b: bool = False,
    ) -> Any:
        left, right = converted(out_dtype, left, right)
        left = left.transpose(-1, -2) if transpose_a else left
        return restated(torch.matmul(left, right.permute(1, 0) if transpose_b else right), units)

    def batched(
        left: Any, right: Any, out_dtype: str | None = None, transpose_a: bool = False, transpose_b: bool = False
    ) -> Any:
        left, right = converted(out_dtype, left, right)
        left = left.permute(0, 2, 1) if transpose_a else left
        return torch.matmul(left, right.permute(0, 2, 1) if transpose_b else right)

    def biased(data: Any, bias: Any, axis: int = 1) -> Any:
        behind = data.dim() - 1 - (axis if axis >= 0 else data.dim() + axis)
        return torch.add(data, bias[(slice(None), *[None] * behind)])

    def reshaped(data: Any, newshape: Sequence[Size], allowzero: bool = False) -> Any:
        return torch.reshape(data, target_shape(newshape, data.shape, allowzero))

    def expanded(data: Any, axis: int, num_newaxis: int = 1) -> Any:
        for place in unit_axes(data.dim(), axis, num_newaxis):
            data = torch.unsqueeze(data, place)
        return data

    def squeezed(data: Any, axis: Any = None) -> Any:
        axes = listed(axis)
        if axes is None:
            return torch.squeeze(data)
        for each in axes:  # `torch.squeeze` leaves another size as it is
            torch._check(data.shape[each] == 1)
        return torch.squeeze(data, axes)

    def reducing(reduce: Callable[..., Any]) -> Callable[..., Any]:
        def reduced(data: Any, axis: Any = None, keepdims: bool = False, exclude: bool = False) -> Any:
            if exclude:
                raise Beyond("the attribute exclude")
            axes = listed(axis)
            return reduce(data, tuple(range(data.dim())) if axes is None else axes, keepdims, dtype=data.dtype)

        return reduced

    def filled(make: Callable[..., Any]) -> Callable[..., Any]:
        def made(shape: Sequence[Size], dtype: str = "float32") -> Any:
            sizes = [int(size) if isinstance(size, int) else size for size in shape]
            return make(sizes, dtype=getattr(torch, str(DType(dtype))))

        return made

    return {
        **{name: getattr(torch, name) for name in _SAME},
        "multiply": torch.mul,
        "subtract": torch.sub,
        "divide": divided,
        "copy": torch.clone,
        "nn.relu": torch.relu,
        "nn.softmax": lambda data, axis=-1: torch.softmax(data, axis),
        "concatenate": lambda parts, axis=0: torch.cat(parts, axis),
        "expand_dims": expanded,
        "mean": reducing(torch.mean),
        "sum": reducing(torch.sum),
        "nn.batch_matmul": batched,
        "nn.bias_add": biased,
        "nn.dense": dense,
        "nn.matmul": matmul,
        "ones": filled(torch.ones),
        "zeros": filled(torch.zeros),
        "reshape": reshaped,
        "squeeze": squeezed,
        "transpose": lambda data, axes=None: torch.permute(data, listed(axes) or tuple(range(data.dim()))[::-1]),
        "equal": torch.eq,
        "not_equal": torch.ne,
        "less": torch.lt,
        "less_equal": torch.le,
        "greater": torch.gt,
        "greater_equal": torch.ge,
    }


_SAME = ("add", "maximum", "minimum", "negative", "exp", "sqrt", "tanh", "sigmoid")
"""Operators with the same name in `torch`."""
