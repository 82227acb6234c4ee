"""Repairs of calls and expressions of the wrong form: tuples, indices, positional attributes, exchanged operands.

[type.call.arity] [type.call.argument] [type.instance] [type.project] [name.attribute]
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

from gradual.checker.repairs.binding import by_operator, by_row, given
from gradual.checker.repairs.foreign_rows import rows_of
from gradual.checker.repairs.place import Application, Program, called, instead
from gradual.diagnostic import Diagnostic, Help
from gradual.syntax.repair.python_indexing import indexed
from gradual.syntax.tree import ast
from gradual.types.type import TensorType, TupleType

LOGICAL = {"and": "logical_and", "or": "logical_or"}
BATCHES = "bhg"
"""The letters for batch axes in an `einsum` equation."""

COMMUTATIVE = frozenset({"add", "multiply", "maximum", "minimum", "equal", "not_equal", "logical_and", "logical_or"})


def attributes(error: Diagnostic, program: Program) -> Iterator[Help]:
    """Rename attributes and element types of other systems."""
    for application in _calls(error, program):
        operator = program.operators.get(application.name)
        written = None if operator is None else by_operator(operator, given(program, application))
        if written is not None and written != program.words(application.span):
            yield instead("this is written", application.span, written, safe=True)


def _calls(error: Diagnostic, program: Program) -> Iterator[Application]:
    """The calls around an error, inner ones first."""
    around = reversed(list(program.enclosing(error.span)))
    yield from (one for node in around if (one := program.application(node)) is not None)


def arity(error: Diagnostic, program: Program) -> Iterator[Help]:
    """Put the operands in a tuple, or pass positional attributes by name."""
    for application in program.applications(error.span):
        operator = program.operators.get(application.name)
        if application.span != error.span or operator is None:
            continue
        operands = [program.words(one) for one in application.operands]
        keyed = {one.key: program.words(one.value) for one in application.attributes}
        values = [one for one in application.operands if not isinstance(one, ast.Number | ast.Listing)]
        if len(operator.arguments) == 1 and len(values) == len(operands):
            text = called(application.name, [f"({', '.join(operands)})"], keyed)
            yield instead("pass the tensors as one tuple:", error.span, text, safe=True)
        call = given(program, application)
        rows = [by_row(row, call, program.operators) for row in rows_of(application.name, exists=True)]
        ours = by_operator(operator, call)
        turned = application.name == "transpose" and len(operands) == 3  # two axes exchanged
        for written in dict.fromkeys((*rows, ours) if turned else (ours, *rows)):
            if written is not None:
                yield instead("pass attributes by name:", error.span, written)


def structure(error: Diagnostic, program: Program) -> Iterator[Help]:
    """Rewrite an index, an `and`, `or` or `not`, or a list of tensors, or take a field of a tuple."""
    for node in program.nodes_at(error.span):
        words = program.words(node)
        match node:
            case ast.Instance():
                yield from _element(node, program)
            case ast.Project(base, index):
                yield instead(
                    "for an element of a tensor write", node.span, f"take({program.words(base)}, {index}, axis=0)"
                )
            case ast.Infix(op) if op in LOGICAL:
                yield instead("for booleans write", node.span, _logical(node, program), safe=True)
            case ast.Unary("not"):
                yield instead("for a boolean write", node.span, _logical(node, program), safe=True)
            case ast.Listing(items):
                fields = ", ".join(map(program.words, items))
                yield instead(
                    "put the tensors in a tuple:", node.span, f"({fields}{',' * (len(items) == 1)})", safe=True
                )
        if isinstance(program.type(node), TupleType) and isinstance(node, ast.Local | ast.Call | ast.Project):
            yield instead("take the field of the tuple:", node.span, f"{words}.0")


def _element(node: ast.Instance, program: Program) -> Iterator[Help]:
    """Rewrite `%x[0]` and the indices that follow it: to a projection from a tuple, or to `take`."""
    written: str | None = program.words(node.function)
    place: ast.Expr = node
    if isinstance(program.type(node.function), TupleType):
        inside = _inside(node, program)
        if inside.isdigit():
            yield instead("a field of a tuple is written", node.span, f"{written}.{inside}", safe=True)
        return
    for outer in (node, *_followed_by(node, program)):
        inside = _inside(outer, program)
        written = indexed(written, inside) if written is not None and inside else None
        place = outer
    if written is not None:
        yield instead("for an element write", place.span, written, safe=True)


def _inside(node: ast.Instance, program: Program) -> str:
    items = node.arguments
    return program.text[items[0].span.start : items[-1].span.end] if items else ""


def _followed_by(node: ast.Instance, program: Program) -> Iterator[ast.Instance]:
    """The index expressions that follow an index, inner ones first."""
    inner: ast.Expr = node
    for outer in reversed(list(program.enclosing(node.span))):
        if isinstance(outer, ast.Instance) and outer.function is inner:
            yield outer
            inner = outer


def _logical(node: ast.Expr, program: Program) -> str:
    match node:
        case ast.Infix(op, left, right) if op in LOGICAL:
            return called(LOGICAL[op], [_logical(left, program), _logical(right, program)])
        case ast.Unary("not", operand):
            return called("logical_not", [_logical(operand, program)])
        case _:
            return program.words(node)


def exchanged(error: Diagnostic, program: Program) -> Iterator[Help]:
    """Exchange two operands."""
    for application in program.application_of(error):
        operands = [program.words(one) for one in application.operands]
        if application.is_infix or application.name in COMMUTATIVE:
            continue
        if error.rule == "op.index.bounds" and application.span == error.span:
            continue  # exchanging the operands that the indices were made of may leave no indices
        keyed = {one.key: program.words(one.value) for one in application.attributes}
        for first, second in list(combinations(range(len(operands)), 2))[:6]:
            order = list(operands)
            order[first], order[second] = order[second], order[first]
            if order != operands and not _alike(application, first, second, program):
                text = called(application.name, order, keyed)
                yield instead("the arguments are in the wrong order: write", application.span, text)


def _alike(application: Application, first: int, second: int, program: Program) -> bool:
    """Whether two operands have the same tensor type, so that exchanging them does not change any size."""
    one, other = (program.type(application.operands[place]) for place in (first, second))
    return isinstance(one, TensorType) and one == other


def counterparts(error: Diagnostic, program: Program) -> Iterator[Help]:
    """Use the operator for another rank, or add a missing batch axis to an operand."""
    for application in program.application_of(error):
        operands = [program.words(one) for one in application.operands]
        keyed = {one.key: program.words(one.value) for one in application.attributes}
        for other in _RANKS.get(application.name, ()):
            yield instead("for tensors of this rank write", application.span, called(other, operands, keyed))
        yield from _batched_product(application, program)
        for operand in application.operands:
            if operand.span == error.span and application.name.startswith(("nn.", "image.")):
                text = f"expand_dims({program.words(operand)}, axis=0)"
                yield instead("add a batch axis of size 1:", operand.span, text)


def _batched_product(application: Application, program: Program) -> Iterator[Help]:
    """Rewrite a matrix product with several batch axes as an `einsum`."""
    if application.name not in ("nn.matmul", "nn.batch_matmul") or len(application.operands) != 2:
        return
    ranks = {program.rank(operand) for operand in application.operands}
    rank = ranks.pop()
    if ranks or rank is None or not 4 <= rank <= 2 + len(BATCHES):
        return
    batch = BATCHES[: rank - 2]
    turned = {one.key for one in application.attributes if program.words(one.value) == "True"}
    first = "ki" if "transpose_a" in turned else "ik"
    second = "jk" if "transpose_b" in turned else "kj"
    equation = f'"{batch}{first},{batch}{second}->{batch}ij"'
    pair = f"({', '.join(map(program.words, application.operands))})"
    text = called("einsum", [pair], {"equation": equation})
    yield instead("for several batch axes write", application.span, text)


_RANKS = {
    "nn.matmul": ("nn.batch_matmul",),
    "nn.batch_matmul": ("nn.matmul",),
    **{
        f"nn.{kind}{rank}d": tuple(f"nn.{kind}{other}d" for other in (1, 2, 3) if other != rank)
        for kind in ("conv", "max_pool", "avg_pool", "global_avg_pool", "global_max_pool", "adaptive_avg_pool")
        for rank in (1, 2, 3)
    },
}
"""Operator -> its counterparts for tensors of other ranks."""
