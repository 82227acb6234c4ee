"""Repairs of annotations that differ from the inferred type by the order of sizes, or by one size.  [type.result]"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import permutations

from gradual.checker.repairs.place import Program, instead, shortened
from gradual.diagnostic import Diagnostic, Edit, Help
from gradual.syntax.tree import ast
from gradual.syntax.tree.subexpressions import last
from gradual.types.type import TensorType

SOURCE = re.compile(r"(.*) comes from here")
"""The label of the source position where a size is declared."""

LONGEST = 20
"""The greatest length, in characters, of a size that is proposed for a type."""


def results(error: Diagnostic, program: Program) -> Iterator[Help]:
    """Reorder the declared result's sizes, or transpose the result."""
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
    yield instead("transpose the result to the declared order:", body.span, turned)


def declared(error: Diagnostic, program: Program) -> Iterator[Help]:
    """Replace a declared size in a parameter's type by the one that an operator requires."""
    definition = program.definition(error.span)
    named = {related.span: match[1] for related in error.related if (match := SOURCE.fullmatch(related.label))}
    sides = error.data.get("sides")
    if definition is None or len(named) != 1 or not isinstance(sides, list) or not error.rule.startswith("op."):
        return
    ((span, own),) = named.items()
    other = [side for side in sides if side != own]
    if len(other) != 1 or len(other[0]) > LONGEST or "//" in other[0]:
        return
    for param in definition.function.params:
        written = param.annotation
        if isinstance(written, ast.TensorType) and span in [size.span for size in written.shape or ()]:
            text = program.words(written.span)
            start, end = span.start - written.span.start, span.end - written.span.start
            whole = f"`{param.name.name}: {text[:start]}{other[0]}{text[end:]}`"
            yield Help(f"if the declared size is wrong, write {shortened(whole)}", (Edit(span, other[0]),))
