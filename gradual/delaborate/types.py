"""Core's dims, predicates and types as the syntax of a program.  [pass.surface]"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import field
from functools import reduce
from typing import Any

from gradual.dims.term.atom import FloorDiv, Ite, Max, Min, Product
from gradual.dims.term.constraint import And, AtMost, Constraint, Equal, Not, Or, Truth
from gradual.dims.term.dim import ContentOf, Dim, NumelOf, RankOf, SizeOf, Variable, of_atom
from gradual.dims.term.print import broadcast_of, broadcasts_of, factors_of, remainders
from gradual.record import record
from gradual.source import Span
from gradual.syntax.tree import ast
from gradual.types.binder_solving import named_parts
from gradual.types.dtype import DType
from gradual.types.positive import stated
from gradual.types.type import (
    DataType,
    FunctionType,
    GradualType,
    Hole,
    NeverType,
    ReferenceType,
    TensorType,
    TupleType,
    TypeVariable,
    UnrankedType,
)

NOWHERE = Span(0, 0)
"""The span of generated syntax."""

_MOST = (1 << 63) - 1
"""The greatest number that a literal can write."""

_ANY = "u"
"""The name of an unknown whose bound is generated."""


class Inexpressible(Exception):
    """Raised for core that no program can express; the argument describes it."""


def local(name: str) -> ast.Local:
    """A variable."""
    return ast.Local(name, NOWHERE)


def called(name: str, *arguments: ast.Expr) -> ast.Call:
    """`name(arguments)`."""
    return ast.Call(ast.Name(name, NOWHERE), arguments, (), NOWHERE)


def integer(value: int) -> ast.Number:
    """A number in a dim or an attribute.  Raises Inexpressible."""
    if not ~_MOST <= value <= _MOST:
        raise Inexpressible(f"the number {value}, which no int64 holds")
    dtype = DType.INT32 if -(1 << 31) <= value < 1 << 31 else DType.INT64
    return ast.Number(value, dtype, False, NOWHERE)


def _natural(value: int) -> ast.Expr:
    """A natural number in a dim; beyond int64, an expression that computes it.  [pass.surface.number]"""
    if value <= _MOST:
        return integer(value)
    whole, rest = divmod(value, _MOST)
    product = _product([integer(_MOST), *([_natural(whole)] if whole > 1 else [])])
    return _infix("+", product, integer(rest)) if rest else product


@record(frozen=False, eq=False)
class Spelling:
    """How the variables of core are spelled.

    Attributes:
        names: variable -> spelling, if it is not its own name.
        counted: number of elements of a value of known rank -> product of its sizes, as elaboration computes it.
        measured: dim that mentions sizes that may not exist -> equal size of a join.
    """

    names: dict[str, str] = field(default_factory=dict)
    counted: dict[Variable, Dim] = field(default_factory=dict)
    measured: dict[Dim, Dim] = field(default_factory=dict)

    def local(self, name: str) -> ast.Local:
        """A variable of core."""
        return local(self.names.get(name, name))

    def variable(self, name: str) -> ast.Expr:
        """A value: a variable, a function, or a declared operator."""
        if name.startswith("%"):
            return self.local(name)
        return ast.Global(name, NOWHERE) if name.startswith("@") else ast.Name(name, NOWHERE)

    def _path(self, path: str) -> ast.Expr:
        """The value at a path: `%t.0` for `%t#0`."""
        base, *fields = path.split("#")
        return reduce(lambda whole, index: ast.Project(whole, int(index), NOWHERE), fields, self.variable(base))

    # ------------------------------------------------------------------------------------------------------- dims
    def dim(self, dim: Dim) -> ast.Expr:
        """A dim, with terms in the order of `dims.term.print.written`.  Raises Inexpressible."""
        found, rest = remainders(dim.substitute(self.counted) if self.counted else dim)
        terms = [self._term(coefficient, monomial) for monomial, coefficient in rest.terms]
        last = len(terms) - 1 if rest.terms and not rest.terms[-1][0] else len(terms)
        terms[last:last] = [self._remainder(*remainder) for remainder in found]
        terms.sort(key=lambda term: term[0] < 0)
        if not terms:
            return integer(0)
        (sign, head), *others = terms
        if sign < 0:
            head = integer(-int(head.value)) if isinstance(head, ast.Number) else ast.Unary("-", head, NOWHERE)
        return reduce(lambda left, term: _infix("+" if term[0] > 0 else "-", left, term[1]), others, head)

    def alone(self, dim: Dim) -> ast.Expr:
        """A dim in brackets, since outside of brackets `//` begins a comment: `dim[n // 2]`.  [type.size]"""
        return ast.Instance(ast.Name("dim", NOWHERE), (self.dim(dim),), NOWHERE)

    def _term(self, coefficient: int, monomial: Sequence[Any]) -> tuple[int, ast.Expr]:
        """The sign of a term, and the term without it."""
        factors = [self._atom(atom) for atom in monomial]
        if abs(coefficient) != 1 or not factors:
            factors.insert(0, _natural(abs(coefficient)))
        return (1 if coefficient > 0 else -1), _product(factors)

    def _remainder(self, cofactor: Dim, dividend: Dim, divisor: Dim) -> tuple[int, ast.Expr]:
        modulo = _infix("%", self.dim(dividend), self.dim(divisor))
        ((monomial, coefficient),) = cofactor.terms
        if cofactor.value in (1, -1):
            return coefficient, modulo
        sign, factor = self._term(coefficient, monomial)
        return sign, _infix("*", factor, modulo)

    def _atom(self, atom: Any) -> ast.Expr:
        match atom:
            case Variable():
                return self._unknown(atom)
            case FloorDiv(dividend=dividend, divisor=divisor):
                return _infix("//", self.dim(dividend), self.dim(divisor))
            case Max(operands=operands):
                return called("max", *map(self.dim, operands))
            case Min(operands=operands):
                return called("min", *map(self.dim, operands))
            case Product(operands=operands):
                return _product(list(map(self.dim, operands)))
            case Ite() if (size := self.measured.get(of_atom(atom))) is not None:
                return self.dim(size)
            case Ite() if (pair := broadcast_of(atom)) is not None:
                return called("broadcast", *map(self.dim, pair))
            case Ite(condition=condition, then=then, orelse=orelse):
                return ast.Choose(self.predicate(condition), self.dim(then), self.dim(orelse), NOWHERE)
        raise AssertionError(atom)

    def _unknown(self, variable: Variable) -> ast.Expr:
        """A name, or a size, element or rank of a value.  [dim.size] [dim.element] [dim.rank]"""
        match variable.witness:
            case SizeOf(path, axis):
                return called("dim", self._path(path), integer(axis))
            case ContentOf(path, ()):
                return self._path(path)
            case ContentOf(path, (index,)):
                return ast.Instance(self._path(path), (integer(index),), NOWHERE)
            case RankOf(path):
                return called("ndim", self._path(path))
            case NumelOf(path):
                return called("numel", self._path(path))
        return ast.Name(variable.name, NOWHERE)

    # ------------------------------------------------------------------------------------------------- predicates
    def predicate(self, goal: Constraint) -> ast.Expr:
        """A predicate.  Raises Inexpressible."""
        match goal:
            case Truth(holds=holds):
                return ast.Number(holds, "bool", False, NOWHERE)
            case Equal(left=left, right=right):
                return _infix("==", self._side(left), self._side(right))
            case Not(part=Equal(left=left, right=right)):
                return _infix("!=", self._side(left), self._side(right))
            case AtMost(left=left, right=right):
                return self._order(left, right)
            case And(parts=parts):
                return reduce(lambda left, right: _infix("and", left, right), map(self.predicate, parts))
            case Or() if (pair := broadcasts_of(goal)) is not None:
                return called("broadcasts", *map(self.dim, pair))
            case Or(parts=parts):
                return reduce(lambda left, right: _infix("or", left, right), map(self.predicate, parts))
        raise AssertionError(goal)

    def _side(self, side: Dim) -> ast.Expr:
        """A side of an equation, in the form of `dims.term.print.written`.  Raises Inexpressible."""
        return _product([self.dim(factor) for factor in factors_of(side) or (side,)])

    def _order(self, left: Dim, right: Dim) -> ast.Expr:
        if left.value is not None:
            return _infix(">=", self.dim(right), self.dim(left))
        if right.value is None and left.offset == 1:
            return _infix("<", self.dim(left - 1), self.dim(right))
        return _infix("<=", self.dim(left), self.dim(right))

    # ------------------------------------------------------------------------------------------------------ types
    def type(self, type: GradualType) -> ast.Type:
        """The syntax of a type.  Raises Inexpressible."""
        match type:
            case TensorType(shape, dtype):
                return ast.TensorType(tuple(map(self.extent, shape)), dtype, NOWHERE)
            case UnrankedType(dtype):
                return ast.TensorType(None, dtype, NOWHERE)
            case TupleType(fields):
                return ast.TupleType(tuple(map(self.type, fields)), NOWHERE)
            case DataType(name, arguments):
                return ast.NamedType(name, tuple(map(self.type, arguments)), NOWHERE)
            case ReferenceType(content):
                return ast.RefType(self.type(content), NOWHERE)
            case TypeVariable(name):
                return ast.NamedType(name, (), NOWHERE)
            case NeverType():
                raise Inexpressible("a type without values")
            case FunctionType():
                return self._function(type)

    def extent(self, extent: Dim | Hole) -> ast.Expr:
        """A dim, `?`, or `?{u. p}`.  Raises Inexpressible."""
        if not isinstance(extent, Hole):
            return self.dim(extent)
        name = extent.binder.name if extent.binder is not None else _ANY
        bounds: list[ast.Expr] = []
        bounds += [_infix(">=", ast.Name(name, NOWHERE), self.dim(extent.low))] if extent.low is not None else []
        bounds += [_infix("<=", ast.Name(name, NOWHERE), self.dim(extent.high))] if extent.high is not None else []
        bounds += [self.predicate(extent.bound)] if extent.bound is not None else []
        if not bounds:
            return ast.Hole(NOWHERE)
        return ast.Hole(NOWHERE, name, reduce(lambda left, right: _infix("and", left, right), bounds))

    def _function(self, type: FunctionType) -> ast.FnType:
        if named_parts(type):
            raise Inexpressible("a function type whose sizes are read off its parameters")
        params = tuple(map(self.type, type.params))
        binders = tuple(binder(one) for one in ordered(type))
        return ast.FnType(binders, params, self.type(type.result), tuple(map(self.predicate, stated(type))), NOWHERE)


def _infix(op: str, left: ast.Expr, right: ast.Expr) -> ast.Infix:
    return ast.Infix(op, left, right, NOWHERE)


def _product(factors: list[ast.Expr]) -> ast.Expr:
    return reduce(lambda left, right: _infix("*", left, right), factors)


# ---------------------------------------------------------------------------------------------------------- binders
def ordered(type: FunctionType) -> tuple[Variable | TypeVariable, ...]:
    """The dims and types that a function binds, in the order in which an instance gives them."""
    return type.order or (*type.binders, *type.types)


def binder(one: Variable | TypeVariable) -> ast.Binder:
    """A binder of a dim or a type; its kind is inferred from its uses."""
    return ast.Binder(one.name, None, NOWHERE)


def brackets(type: FunctionType, params: Iterable[ast.Type]) -> tuple[ast.Binder, ...]:
    """The binders in brackets; none if the parameters bind the same names in the same order."""
    every = ordered(type)
    shown = dict.fromkeys(name for param in params for name in _named(_own_extents(param)))
    own = {one.name for one in every}
    return () if [name for name in shown if name in own] == [one.name for one in every] else tuple(map(binder, every))


def _own_extents(type: ast.Type) -> Iterator[object]:
    """The dims of a parameter that bind names: those outside of function types."""
    match type:
        case ast.TensorType(tuple(shape)):
            yield from shape
        case ast.TupleType(fields) | ast.NamedType(_, fields):
            for part in fields:
                yield from _own_extents(part)


def _named(dims: Iterable[object]) -> Iterator[str]:
    """The bare names in dims, left to right."""
    waiting = list(dims)[::-1]
    while waiting:
        match waiting.pop():
            case ast.Name(name):
                yield name
            case ast.Infix(_, left, right):
                waiting += (right, left)
            case ast.Unary(_, operand):
                waiting.append(operand)
            case ast.Hole(_, str(own), bound) if bound is not None:
                yield from (name for name in _named((bound,)) if name != own)
            case ast.Choose(condition, then, orelse):
                waiting += (orelse, then, condition)
            case ast.Call(_, arguments):
                waiting += arguments[::-1]


def shape_forgotten(type: GradualType) -> GradualType:
    """The type with every size of its values unknown."""
    match type:
        case TensorType(shape, dtype):
            return TensorType(tuple(Hole() for _ in shape), dtype)
        case TupleType(fields):
            return TupleType(tuple(map(shape_forgotten, fields)))
        case UnrankedType(dtype):
            return UnrankedType(dtype)
        case DataType(name, arguments):
            return DataType(name, tuple(map(shape_forgotten, arguments)))
        case ReferenceType(content):
            return ReferenceType(shape_forgotten(content))
        case FunctionType(names, params, result, types=types):
            open = tuple(map(shape_forgotten, params))
            return FunctionType(names, open, shape_forgotten(result), types=types, order=types)
        case _:
            return type
