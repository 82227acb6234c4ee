"""The canonical text of a tree: parsing it gives the same tree, with the same bits of every number.

The printer uses an explicit stack, so that it does not recurse, however long or deep the program.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache
from typing import Any

from gradual.syntax.parsing.lexer import METADATA_MARK
from gradual.syntax.printing.layout import laid_out
from gradual.syntax.printing.pieces import DEFINING, Piece, Sort
from gradual.syntax.tree import ast
from gradual.syntax.tree.literals import quoted, written

Printable = ast.Module | ast.Definition | ast.Item | ast.Expr | ast.Type | ast.Pattern

# Precedence of positions, lowest first; an expression of lower precedence is parenthesized there.
LOOSE, CAST, OR, AND, NOT, EQUALITY, RELATION, SUM, PRODUCT, SIGNED, POSTFIX = range(11)
LEVELS = {
    **dict.fromkeys(("or",), OR),
    **dict.fromkeys(("and",), AND),
    **dict.fromkeys(("==", "!="), EQUALITY),
    **dict.fromkeys(("<", "<=", ">", ">="), RELATION),
    **dict.fromkeys(("+", "-"), SUM),
    **dict.fromkeys(("*", "/", "//", "%"), PRODUCT),
}
RESULT = 1
"""The position of a type at which a trailing `where` would be parsed as part of the enclosing construct."""

KEYWORDS = DEFINING | {
    *("let", "fn", "if", "then", "else", "match", "match?", "free_var", "ref", "ref_read", "ref_write"),
    *("where", "as", "and", "or", "not", "assert"),
}

Part = Piece | tuple[Any, int]
"""A finished piece of text, or a node and its syntactic position."""


def printed(node: Printable) -> str:
    """The canonical text of a module, definition, expression, type or pattern.   [syntax.print]"""
    text = laid_out(_pieces(node))
    return f"{text}\n" if isinstance(node, ast.Module) and text else text


def _pieces(node: Printable) -> Iterator[Piece]:
    todo: list[Part] = [(node, LOOSE)]
    while todo:
        part = todo.pop()
        if isinstance(part, Piece):
            yield part
        else:
            todo.extend(reversed(list(PARTS[type(part[0])](*part))))


def _of(*texts: str) -> list[Part]:
    """The parts that are keywords and signs."""
    return [_fixed(text) for text in texts]


@cache
def _fixed(text: str) -> Piece:
    return Piece(text, Sort.KEYWORD if text in KEYWORDS else Sort.SIGN)


def _operand(text: str) -> list[Part]:
    return [Piece(text, Sort.OPERAND)]


def _commas(parts: Iterable[Sequence[Part]], always: bool = False) -> list[Part]:
    """Parts with commas between them; with `always`, also after the last."""
    joined: list[Part] = []
    for part in parts:
        joined += [*part, *_of(",")]
    return joined if always or not joined else joined[:-1]


def _each(nodes: Iterable[Any], place: int = LOOSE) -> list[list[Part]]:
    return [[(node, place)] for node in nodes]


def _bracketed(parts: list[Part], level: int, place: int) -> list[Part]:
    return [*_of("("), *parts, *_of(")")] if level < place else parts


# ------------------------------------------------------------------------------------------------- files
def _module(node: ast.Module, _: int) -> list[Part]:
    parts: list[Part] = []
    settings = [("version", node.version)] if node.version is not None else []
    settings += [(key, value) for key, value, _ in node.settings]
    parts += [Piece(f"#[{key} = {quoted(value)}]", Sort.HEADER) for key, value in settings]
    match node.definitions:
        case (ast.Def(function=function, implicit=True),):
            parts += _script(function)
        case definitions:
            parts += [(definition, LOOSE) for definition in definitions]
    if node.metadata_text is not None:
        parts.append(Piece(f"{METADATA_MARK}\n{node.metadata_text}", Sort.METADATA))
    return parts


def _script(node: ast.Fn) -> list[Part]:
    """The parts of a program that is one expression."""
    plain = not (node.binders or node.params or node.attributes or node.result or node.where)
    match node.body:
        case ast.Block(items, result) if plain and (items or not isinstance(result, ast.Fn)):
            return [*((item, LOOSE) for item in items), (result, LOOSE)]
    return [(node, LOOSE)]


# ------------------------------------------------------------------------------------------- definitions
def _def(node: ast.Def, _: int) -> list[Part]:
    return [*_of("def"), *_operand(node.name.name), *_function(node.function)]


def _function(node: ast.Fn) -> list[Part]:
    params = [*_each(node.params), *_each(node.attributes)]
    result = [*_of("->"), (node.result, RESULT)] if node.result else []
    return [*_binders(node.binders), *_of("("), *_commas(params), *_of(")"), *result, *_where(node.where), *_body(node)]


def _body(node: ast.Fn | ast.OperatorDef) -> list[Part]:
    return [(node.body, LOOSE)] if isinstance(node.body, ast.Block) else [*_of("{"), (node.body, LOOSE), *_of("}")]


def _where(where: tuple[ast.Expr, ...]) -> list[Part]:
    return [*_of("where"), *_commas(_each(where))] if where else []


def _binders(binders: tuple[ast.Binder, ...], opener: str = "[", closer: str = "]") -> list[Part]:
    return [*_of(opener), *_commas(map(_binder, binders)), *_of(closer)] if binders else []


def _binder(node: ast.Binder) -> list[Part]:
    return [*_operand(node.name), *([*_of(":"), *_operand(node.kind)] if node.kind else [])]


def _param(node: ast.Param, _: int) -> list[Part]:
    return _variable(node.name, node.attributes, node.annotation)


def _variable(name: ast.Local, attributes: tuple[ast.Attribute, ...], annotation: ast.Type | None) -> list[Part]:
    """The parts of a variable where it is bound: its name, its attributes, and its type."""
    says = [*_of("{"), *_commas(_each(attributes)), *_of("}")] if attributes else []
    return [*_operand(name.name), *says, *_annotation(annotation)]


def _annotation(node: ast.Type | None) -> list[Part]:
    return [*_of(":"), (node, LOOSE)] if node else []


def _attribute(node: ast.Attribute, _: int) -> list[Part]:
    return [*_operand(node.key), *_of("="), (node.value, LOOSE)]


def _type_def(node: ast.TypeDef, _: int) -> list[Part]:
    constructors = _commas(map(_constructor, node.constructors), always=True)
    return [*_of("type"), *_operand(node.name), *_binders(node.binders), *_of("{"), *constructors, *_of("}")]


def _constructor(node: ast.Constructor) -> list[Part]:
    return [*_operand(node.name), *_fields(node.fields)]


def _fields(fields: tuple[Any, ...]) -> list[Part]:
    return [*_of("("), *_commas(_each(fields)), *_of(")")] if fields else []


def _extern_type(node: ast.ExternType, _: int) -> list[Part]:
    return [*_of("extern", "type"), *_operand(node.name), *_binders(node.binders)]


def _operator_def(node: ast.OperatorDef, _: int) -> list[Part]:
    head = [*_of("operator"), *_operand(node.name.name), *_binders(node.binders, "<", ">")]
    params = [*_of("("), *_commas(_each(node.params)), *_of(")", "->")]
    end = _of(";") if node.body is None else _body(node)
    return [*head, *params, (node.result, RESULT), *_where(node.where), *end]


# ------------------------------------------------------------------------------------------------- items
def _let(node: ast.Let, _: int) -> list[Part]:
    value: list[Part] = [(node.value, LOOSE), *_of(";")]
    if node.name is None:
        return value
    if node.annotation is None and node.name.name[1:].isdecimal() and not node.attributes:
        return [*_operand(node.name.name), *_of("="), *value]
    return [*_of("let"), *_variable(node.name, node.attributes, node.annotation), *_of("="), *value]


def _free_var(node: ast.FreeVar, _: int) -> list[Part]:
    return [*_of("free_var"), *_operand(node.name.name), *_annotation(node.annotation), *_of(";")]


def _assert(node: ast.Assert, _: int) -> list[Part]:
    message = [*_of(","), *_operand(quoted(node.message))] if node.message is not None else []
    return [*_of("assert"), (node.condition, LOOSE), *message, *_of(";")]


# ------------------------------------------------------------------------------------------- expressions
def _named(node: ast.Local | ast.Global | ast.Name, _: int) -> list[Part]:
    return _operand(node.name)


def _number(node: ast.Number, place: int) -> list[Part]:
    parts = _operand(written(node.value, node.dtype, node.explicit))
    return _bracketed(parts, SIGNED, place) if node.dtype != "bool" else parts


def _text(node: ast.Text, _: int) -> list[Part]:
    return _operand(quoted(node.value))


def _nothing(_: ast.Nothing, __: int) -> list[Part]:
    return _operand("None")


def _meta(node: ast.Meta, _: int) -> list[Part]:
    return _operand(f"meta[{node.kind}][{node.index}]")


def _listing(node: ast.Listing, _: int) -> list[Part]:
    return [*_of("["), *_commas(_each(node.items)), *_of("]")]


def _call(node: ast.Call, _: int) -> list[Part]:
    return [(node.function, POSTFIX), *_of("("), *_commas(_each((*node.arguments, *node.attributes))), *_of(")")]


def _infix(node: ast.Infix, place: int) -> list[Part]:
    level = LEVELS[node.op]
    return _bracketed([(node.left, level), *_of(node.op), (node.right, level + 1)], level, place)


def _unary(node: ast.Unary, place: int) -> list[Part]:
    level = NOT if node.op == "not" else SIGNED
    return _bracketed([*_of(node.op), (node.operand, level)], level, place)


def _choose(node: ast.Choose, place: int) -> list[Part]:
    condition, then, orelse = ([(side, LOOSE)] for side in (node.condition, node.then, node.orelse))
    return _bracketed([*_of("if"), *condition, *_of("then"), *then, *_of("else"), *orelse], LOOSE, place)


def _hole(node: ast.Hole, _: int) -> list[Part]:
    if node.bound is None:
        return _operand("?")
    return [Piece(f"?{{{node.binder}.", Sort.SIGN), (node.bound, LOOSE), *_of("}")]


def _tuple(node: ast.Tuple, _: int) -> list[Part]:
    return [*_of("("), *_commas(_each(node.items), always=len(node.items) == 1), *_of(")")]


def _project(node: ast.Project, _: int) -> list[Part]:
    return [(node.tuple, POSTFIX), *_operand(f".{node.index}")]


def _instance(node: ast.Instance, _: int) -> list[Part]:
    arguments: list[list[Part]] = [[(a, RESULT if isinstance(a, ast.FnType) else LOOSE)] for a in node.arguments]
    return [(node.function, POSTFIX), *_of("["), *_commas(arguments), *_of("]")]


def _if(node: ast.If, _: int) -> list[Part]:
    orelse = [(node.orelse, LOOSE)] if isinstance(node.orelse, ast.If) else _braced(node.orelse)
    return [*_of("if", "("), (node.condition, LOOSE), *_of(")"), *_braced(node.then), *_of("else"), *orelse]


def _braced(node: ast.Expr) -> list[Part]:
    return [(node, LOOSE)] if isinstance(node, ast.Block) else [*_of("{"), (node, LOOSE), *_of("}")]


def _match(node: ast.Match, _: int) -> list[Part]:
    head = [*_of("match" if node.complete else "match?", "("), (node.scrutinee, LOOSE), *_of(")", "{")]
    return [*head, *_commas(_each(node.arms), always=True), *_of("}")]


def _arm(node: ast.Arm, _: int) -> list[Part]:
    return [(node.pattern, LOOSE), *_of("=>"), (node.body, LOOSE)]


def _fn(node: ast.Fn, _: int) -> list[Part]:
    return [*_of("fn"), *_function(node)]


def _ref(node: ast.Ref, _: int) -> list[Part]:
    return [*_of(node.kind, "("), *_commas(_each(node.operands)), *_of(")")]


def _cast(node: ast.Cast, place: int) -> list[Part]:
    return _bracketed([(node.value, CAST), *_of("as"), (node.type, RESULT)], CAST, place)


def _block(node: ast.Block, _: int) -> list[Part]:
    return [*_of("{"), *((item, LOOSE) for item in node.items), (node.result, LOOSE), *_of("}")]


# ---------------------------------------------------------------------------------------------- patterns
def _wildcard(_: ast.WildcardPattern, __: int) -> list[Part]:
    return _operand("_")


def _variable_pattern(node: ast.VariablePattern, _: int) -> list[Part]:
    return [*_operand(node.name.name), *_annotation(node.annotation)]


def _constructor_pattern(node: ast.ConstructorPattern, _: int) -> list[Part]:
    return [*_operand(node.constructor), *_fields(node.fields)]


def _tuple_pattern(node: ast.TuplePattern, _: int) -> list[Part]:
    return [*_of("("), *_commas(_each(node.fields)), *_of(")")]


# ------------------------------------------------------------------------------------------------- types
_BARE = re.compile(r"(bool|(u?int|float|bfloat)[0-9]+)(x[0-9]+)?")


def _tensor_type(node: ast.TensorType, _: int) -> list[Part]:
    if node.shape == () and _BARE.fullmatch(node.dtype):
        return _operand(node.dtype)
    shape = _of("*")
    if node.shape is not None:
        shape = [*_of("("), *_commas(_each(node.shape), always=len(node.shape) == 1), *_of(")")]
    return [*_of("Tensor["), *shape, *_of(","), *_operand(node.dtype), *_of("]")]


def _tuple_type(node: ast.TupleType, _: int) -> list[Part]:
    return [*_of("("), *_commas(_each(node.fields), always=len(node.fields) == 1), *_of(")")]


def _fn_type(node: ast.FnType, place: int) -> list[Part]:
    trails = len(node.where) == 1 and place != RESULT
    inside = _commas(map(_binder, node.binders)) + ([] if trails else _where(node.where))
    binders = [*_of("["), *inside, *_of("]")] if inside else []
    params = [*_of("("), *_commas(_each(node.params)), *_of(")", "->"), (node.result, RESULT)]
    return [*_of("fn"), *binders, *params, *(_where(node.where) if trails else [])]


def _named_type(node: ast.NamedType, _: int) -> list[Part]:
    bare = not node.arguments and node.name != "_" and not _BARE.fullmatch(node.name)
    arguments = [] if bare else [*_of("["), *_commas(_each(node.arguments)), *_of("]")]
    return [*_operand(node.name), *arguments]


def _ref_type(node: ast.RefType, _: int) -> list[Part]:
    return [*_of("ref", "("), (node.content, LOOSE), *_of(")")]


PARTS: dict[type, Callable[[Any, int], list[Part]]] = {
    ast.Module: _module,
    ast.Def: _def,
    ast.TypeDef: _type_def,
    ast.ExternType: _extern_type,
    ast.OperatorDef: _operator_def,
    ast.Param: _param,
    ast.Attribute: _attribute,
    ast.Let: _let,
    ast.FreeVar: _free_var,
    ast.Assert: _assert,
    ast.Local: _named,
    ast.Global: _named,
    ast.Name: _named,
    ast.Number: _number,
    ast.Text: _text,
    ast.Nothing: _nothing,
    ast.Meta: _meta,
    ast.Listing: _listing,
    ast.Call: _call,
    ast.Infix: _infix,
    ast.Unary: _unary,
    ast.Choose: _choose,
    ast.Hole: _hole,
    ast.Tuple: _tuple,
    ast.Project: _project,
    ast.Instance: _instance,
    ast.If: _if,
    ast.Match: _match,
    ast.Arm: _arm,
    ast.Fn: _fn,
    ast.Ref: _ref,
    ast.Cast: _cast,
    ast.Block: _block,
    ast.WildcardPattern: _wildcard,
    ast.VariablePattern: _variable_pattern,
    ast.ConstructorPattern: _constructor_pattern,
    ast.TuplePattern: _tuple_pattern,
    ast.TensorType: _tensor_type,
    ast.TupleType: _tuple_type,
    ast.FnType: _fn_type,
    ast.NamedType: _named_type,
    ast.RefType: _ref_type,
    ast.Omitted: _wildcard,
}
