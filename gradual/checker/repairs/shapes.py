"""Repairs of sizes that do not fit, for the most common mistakes.

The mistakes are a reduction without `keepdims`, a missing axis, a transposed weight, a wrong layout, padding, stride
or axis.
[op.broadcast.agree]
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from gradual.checker.repairs.elements import with_attribute
from gradual.checker.repairs.place import Application, Program, called, instead
from gradual.diagnostic import Diagnostic, Edit, Help
from gradual.dims.term.dim import Dim
from gradual.source import Span
from gradual.syntax.tree import ast
from gradual.syntax.tree.subexpressions import last, within
from gradual.types.type import TensorType

REDUCTIONS = frozenset({"mean", "sum", "max", "min", "prod", "all", "any", "argmax", "argmin", "variance"})
FOLLOWED = 40
"""The limit of variables that are resolved to their bindings."""

TURNED = frozenset({"nn.dense", "nn.matmul", "nn.batch_matmul", "nn.bias_add"})
BETWEEN = frozenset({"type.result", "op.broadcast.agree", "op.concatenate.agree", "type.cast"})
"""The rules about two sizes that come from different expressions."""

LAYOUTS = {"2d": "NHWC", "1d": "NWC", "3d": "NDHWC"}
KERNELS = {"2d": "HWIO", "1d": "WIO", "3d": "DHWIO"}
FRONT = {"2d": "[0, 3, 1, 2]", "1d": "[0, 2, 1]", "3d": "[0, 4, 1, 2, 3]"}
FROM_HWIO = {"2d": "[3, 2, 0, 1]", "1d": "[2, 1, 0]", "3d": "[4, 3, 0, 1, 2]"}


def broadcast(error: Diagnostic, program: Program) -> Iterator[Help]:
    """Make the operands of an elementwise operator broadcast: keep, add or transpose axes."""
    if error.rule != "op.broadcast.agree":
        return
    for application in program.application_of(error):
        ranks = [program.rank(operand) for operand in application.operands]
        if len(ranks) < 2:
            continue
        known = [rank for rank in ranks if rank is not None]
        for operand, rank in zip(application.operands, ranks, strict=True):
            if rank is None or rank < max(known):
                yield from _keeping(operand, program)
        yield from _keeping_all(application, program)
        for operand, rank in zip(application.operands, ranks, strict=True):
            if rank is not None and 0 < rank < max(known):
                yield from _expanded(operand, rank, max(known), program)
        for operand, rank in zip(reversed(application.operands), reversed(ranks), strict=True):
            if rank == max(known) == 2:
                yield instead("transpose it:", operand.span, f"transpose({program.words(operand)})")


def _keeping(operand: ast.Expr, program: Program) -> Iterator[Help]:
    """Add `keepdims` to each reduction that an operand was computed with."""
    for made in _made_from(operand, program):
        if made.name in REDUCTIONS and not any(
            one.key == "keepdims" and program.words(one.value) == "True" for one in made.attributes
        ):
            yield with_attribute(made, "keepdims", "True", program)


def _made_from(operand: ast.Expr, program: Program) -> Iterator[Application]:
    """The applications that an operand was computed with, the last first."""
    waiting, seen = [program.value(operand)], set[Span]()
    while waiting and len(seen) < FOLLOWED:
        for node in within(waiting.pop()):
            value = program.value(node)
            if value is not node and value.span not in seen:
                seen.add(value.span)
                waiting.append(value)
            made = program.application(node)
            if made is not None:
                yield made


def _keeping_all(application: Application, program: Program) -> Iterator[Help]:
    """Add `keepdims` to all reductions in the function, if several lack it: a repeated mistake."""
    made = [one for one in program.applications_in(application.span) if one.name in REDUCTIONS]
    dropping = [one for one in made if not any(given.key == "keepdims" for given in one.attributes)]
    if len(dropping) > 1:
        edits = tuple(edit for one in dropping for edit in with_attribute(one, "keepdims", "True", program).edits)
        names = " and ".join(dict.fromkeys(f"`{one.name}`" for one in dropping))
        yield Help(f"write `keepdims=True` for each {names} here", edits)


def _expanded(operand: ast.Expr, rank: int, wanted: int, program: Program) -> Iterator[Help]:
    """Add the missing axes to an operand, after or between its own."""
    for more in range(wanted - rank, 0, -1):
        for axis in range(rank, 0, -1):
            named = {"axis": str(axis)} | ({"num_newaxis": str(more)} if more > 1 else {})
            text = called("expand_dims", [program.words(operand)], named)
            said = "add the missing axis:" if more == 1 else "add the missing axes:"
            yield instead(said, operand.span, text)


# ----------------------------------------------------------------------------------------------------- products
def products(error: Diagnostic, program: Program) -> Iterator[Help]:
    """Transpose a weight or a factor of a matrix product."""
    for application in program.application_of(error):
        if application.name not in TURNED or len(application.operands) != 2:
            continue
        specs = program.operators[application.name].attributes
        written = {one.key: program.words(one.value) for one in application.attributes}
        for key in ("transpose_b", "transpose_a"):
            if any(spec.name == key for spec in specs):
                yield with_attribute(application, key, "False" if written.get(key) == "True" else "True", program)
        if application.name in ("nn.dense", "nn.matmul"):
            for operand in reversed(application.operands):
                if program.rank(operand) == 2:
                    yield instead("transpose it:", operand.span, f"transpose({program.words(operand)})")


def reshaped(error: Diagnostic, program: Program) -> Iterator[Help]:
    """Let a `reshape` infer one of its sizes with -1, a later one first."""
    if error.rule != "op.reshape.elements":
        return
    for application in program.application_of(error):
        written = next((one.value for one in application.attributes if one.key == "newshape"), None)
        sizes = [program.words(one) for one in written.items] if isinstance(written, ast.Listing | ast.Tuple) else []
        if not any(size.startswith("-") for size in sizes):
            for at in reversed(range(len(sizes))):
                if sizes[at] != "0":
                    text = f"[{', '.join([*sizes[:at], '-1', *sizes[at + 1 :]])}]"
                    yield with_attribute(application, "newshape", text, program)


# ------------------------------------------------------------------------------------------------ layouts and axes
def layouts(error: Diagnostic, program: Program) -> Iterator[Help]:
    """Fix the layout of channels-last images and kernels, or the number of groups."""
    if error.rule in BETWEEN:
        return
    for application in program.application_of(error):
        dims = application.name[-2:]
        operator = program.operators.get(application.name)
        if operator is None or dims not in LAYOUTS:
            continue
        names = {spec.name for spec in operator.attributes}
        data = application.operands[0] if application.operands else None
        key = "data_layout" if "data_layout" in names else "layout"
        last = _last(data, program) if data is not None else None
        if key in names and not any(one.key == key for one in application.attributes):
            if key == "layout" or last == "3":
                yield with_attribute(application, key, f'"{LAYOUTS[dims]}"', program)
            if "kernel_layout" in names:
                yield from _kernels(application, key, dims, program)
        if data is not None and key == "data_layout":
            text = called("transpose", [program.words(data)], {"axes": FRONT[dims]})
            yield instead("move the channels first:", data.span, text)
        if "groups" in names and len(application.operands) == 2:
            yield from _groups(application, program)


def _kernels(application: Application, key: str, dims: str, program: Program) -> Iterator[Help]:
    both = f', {key}="{LAYOUTS[dims]}", kernel_layout="{KERNELS[dims]}"'
    at = Span(application.span.end - 1, application.span.end - 1)
    yield Help(f"write `{both[2:]}` for `{application.name}`", (Edit(at, both),))
    yield with_attribute(application, key, f'"{LAYOUTS[dims]}"', program)
    yield with_attribute(application, "kernel_layout", f'"{KERNELS[dims]}"', program)
    if len(application.operands) == 2:
        weight = application.operands[1]
        text = called("transpose", [program.words(weight)], {"axes": FROM_HWIO[dims]})
        yield instead("move the channels of the kernel first:", weight.span, text)


def _groups(application: Application, program: Program) -> Iterator[Help]:
    """Set `groups` to the number of channels if the kernel has one input channel (depthwise)."""
    weight, data = (program.type(application.operands[place]) for place in (1, 0))
    if not isinstance(weight, TensorType) or not isinstance(data, TensorType) or min(weight.rank, data.rank) < 2:
        return
    if weight.shape[1].value == 1:
        yield with_attribute(application, "groups", str(data.shape[1]), program)


def _last(data: ast.Expr, program: Program) -> str | None:
    type = program.type(data)
    return str(type.shape[-1]) if isinstance(type, TensorType) and type.shape else None


def windows(error: Diagnostic, program: Program) -> Iterator[Help]:
    """Add the padding that keeps the sizes of a convolution or a pooling, or the strides that halve them."""
    if error.rule not in BETWEEN:
        return
    definition = program.definition(error.span)
    operands = [operand for application in program.application_of(error) for operand in application.operands]
    if error.rule == "type.result" and definition is not None:
        operands = [last(definition.function.body)]
    for made in dict.fromkeys(one for operand in operands for one in _made_from(operand, program)):
        kernel = _kernel(made, program)
        given = {one.key for one in made.attributes}
        if kernel and "padding" not in given and all(side % 2 for side in kernel):
            text = f"[{', '.join(str(side // 2) for side in kernel)}]"
            yield with_attribute(made, "padding", text, program)
        if kernel and "strides" not in given and any(side > 1 for side in kernel):
            yield with_attribute(made, "strides", f"[{', '.join('2' for _ in kernel)}]", program)


def _kernel(made: Application, program: Program) -> tuple[int, ...]:
    """The constant sides of the window of a convolution or a pooling; empty for any other operator."""
    name = re.fullmatch(r"nn\.(conv|max_pool|avg_pool)([123])d", made.name)
    if name is None:
        return ()
    if name[1] != "conv":
        written = next((program.words(one.value) for one in made.attributes if one.key == "pool_size"), "")
        return tuple(map(int, re.findall(r"[0-9]+", written)))
    weight = program.type(made.operands[1]) if len(made.operands) == 2 else None
    sides = weight.shape[2:] if isinstance(weight, TensorType) else ()
    return tuple(side.value for side in sides if isinstance(side, Dim) and side.value is not None)


def enlarged(error: Diagnostic, program: Program) -> Iterator[Help]:
    """Add `output_padding` to a transposed convolution whose result is too small for the other operand."""
    for application in program.application_of(error):
        parts = [part for operand in application.operands for part in _fields(program.value(operand))]
        for part in parts:
            made = program.application(program.value(part))
            if made is None or not re.fullmatch(r"nn\.conv[123]d_transpose", made.name):
                continue
            if not any(one.key == "output_padding" for one in made.attributes):
                axes = int(made.name[len("nn.conv")])
                yield with_attribute(made, "output_padding", f"[{', '.join(['1'] * axes)}]", program)


def _fields(value: ast.Expr) -> tuple[ast.Expr, ...]:
    return value.items if isinstance(value, ast.Tuple) else (value,)


def axes(error: Diagnostic, program: Program) -> Iterator[Help]:
    """Change the `axis` of the application that has the rejected one as an operand, or else of the rejected one."""
    if error.rule.endswith(".extent"):  # another axis is rarely meant only because this one may be empty
        return
    found = list(program.application_of(error))
    taking = [one for one in found if one.span != error.span]
    for application in taking or found:
        operator = program.operators.get(application.name)
        spec = None if operator is None else next((one for one in operator.attributes if one.name == "axis"), None)
        if spec is None or "int" not in spec.annotation or application.name == "take":
            continue
        written = next((program.words(one.value) for one in application.attributes if one.key == "axis"), "")
        value = program.value(application.operands[0]) if application.operands else None
        first = value.items[0] if isinstance(value, ast.Tuple) and value.items else value
        rank = program.rank(first) if first is not None else None
        for axis in (-1, *range(rank if rank is not None else 4)):
            if str(axis) not in (written, written.strip("[]")):
                text = f"[{axis}]" if written.startswith("[") else str(axis)
                yield with_attribute(application, "axis", text, program)
