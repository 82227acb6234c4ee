"""A result whose written type has the right sizes in another order.  [type.result]"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import permutations

from gradual.checker.repairs.place import Program, instead
from gradual.diagnostic import Diagnostic, Help
from gradual.syntax import ast
from gradual.syntax.within import last
from gradual.types.type import TensorType


def results(error: Diagnostic, program: Program) -> Iterator[Help]:
    """The result's type in the order that it has, or the result in the order that is written."""
    definition = program.definition(error.span)
    if error.rule != "type.result" or definition is None:
        return
    written, body = definition.function.result, last(definition.function.body)
    found = program.type(body)
    if not isinstance(written, ast.TensorType) or written.shape is None or not isinstance(found, TensorType):
        return
    sizes = [program.words(size) for size in written.shape]
    has = [str(size) for size in found.shape]
    if sorted(sizes) != sorted(has) or sizes == has:
        return
    text = f"Tensor[({', '.join(has)}{',' * (len(has) == 1)}), {written.dtype}]"
    yield instead("the result has its sizes in this order: write", written.span, text)
    order = next(one for one in permutations(range(len(has))) if [has[axis] for axis in one] == sizes)
    turned = f"transpose({program.words(body)}, axes=[{', '.join(map(str, order))}])"
    yield instead("the result in the order of its type is", body.span, turned)
