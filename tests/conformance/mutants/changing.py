"""Changes of a module's syntax tree, one at a time: the mutants."""

from __future__ import annotations

import ast
import random
from collections import Counter
from collections.abc import Iterator, Sequence
from copy import deepcopy
from dataclasses import dataclass
from pathlib import Path

from tests.conformance.mutants.excluded import FOLDERS, asked_children, is_asked, is_function_asked

PACKAGE = Path(__file__).parents[3] / "gradual"
BOUNDARY = "boundary"
BOUNDARIES = 4
"""One mutant in so many of a sample moves a boundary: there are few of them, and they have a bar of their own."""

_SWAPPED: dict[type[ast.cmpop], tuple[str, ast.cmpop]] = {
    ast.Lt: (BOUNDARY, ast.LtE()),
    ast.LtE: (BOUNDARY, ast.Lt()),
    ast.Gt: (BOUNDARY, ast.GtE()),
    ast.GtE: (BOUNDARY, ast.Gt()),
    ast.Eq: ("equality", ast.NotEq()),
    ast.NotEq: ("equality", ast.Eq()),
    ast.Is: ("equality", ast.IsNot()),
    ast.IsNot: ("equality", ast.Is()),
    ast.In: ("equality", ast.NotIn()),
    ast.NotIn: ("equality", ast.In()),
}
_OTHER = {"any": "all", "all": "any", "min": "max", "max": "min"}


@dataclass(frozen=True)
class Where:
    """A function: its file, its qualified name and its first line, as its code object has them."""

    file: str
    name: str
    line: int


@dataclass(frozen=True)
class Mutant:
    """One change of a function.

    `number` counts the changes of the file, `twin` the equal ones before it in the function.
    """

    where: Where
    kind: str
    line: int
    before: str
    after: str
    number: int
    twin: int = 0

    @property
    def key(self) -> str:
        """What stays the same when other code is changed."""
        again = f"  #{self.twin + 1}" if self.twin else ""
        return f"{self.where.file}  {self.where.name}  {self.before}  =>  {self.after}{again}"

    @property
    def folder(self) -> str:
        """The folder of the package."""
        return self.where.file.partition("/")[0]


@dataclass
class _Site:
    """A place in a tree, and the node that replaces what stands there."""

    where: Where
    kind: str
    holder: ast.AST
    field: str
    old: ast.AST
    new: ast.AST

    def plant(self) -> None:
        """Change the tree."""
        ast.fix_missing_locations(ast.copy_location(self.new, self.old))
        value = getattr(self.holder, self.field)
        if isinstance(value, list):
            value[next(k for k, part in enumerate(value) if part is self.old)] = self.new
        else:
            setattr(self.holder, self.field, self.new)


def mutants_of(file: str) -> list[Mutant]:
    """All mutants of a file, named from the package's folder."""
    seen: Counter[tuple[Where, str, str]] = Counter()
    found = []
    for number, site in enumerate(_sites(_parsed(file), file)):
        before, after = _line(site.old), _line(site.new)
        twin = seen[site.where, before, after]
        seen[site.where, before, after] += 1
        found.append(Mutant(site.where, site.kind, getattr(site.old, "lineno", 0), before, after, number, twin))
    return found


def mutated(mutant: Mutant) -> ast.Module:
    """The tree of the file with the change."""
    tree = _parsed(mutant.where.file)
    site = next(site for number, site in enumerate(_sites(tree, mutant.where.file)) if number == mutant.number)
    site.plant()
    return tree


def every_mutant() -> list[Mutant]:
    """The mutants of all folders that a profile can ask about."""
    files = (path.relative_to(PACKAGE).as_posix() for folder in FOLDERS for path in (PACKAGE / folder).rglob("*.py"))
    return [mutant for file in sorted(files) if is_asked(file) for mutant in mutants_of(file)]


def sampled(mutants: Sequence[Mutant], count: int, seed: int) -> list[Mutant]:
    """So many mutants, drawn from the folders in turn, one in `BOUNDARIES` of them at a boundary."""
    draw = random.Random(seed)
    piles: dict[tuple[str, bool], list[Mutant]] = {}
    for mutant in mutants:
        piles.setdefault((mutant.folder, mutant.kind == BOUNDARY), []).append(mutant)
    for pile in piles.values():
        draw.shuffle(pile)
    folders, found = sorted({folder for folder, _ in piles}), []
    for turn in range(count):
        kind = turn // len(folders) % BOUNDARIES == 0
        pile = piles.get((folders[turn % len(folders)], kind)) or piles.get((folders[turn % len(folders)], not kind))
        if pile:
            found.append(pile.pop())
    return found


def _parsed(file: str) -> ast.Module:
    return ast.parse((PACKAGE / file).read_text(encoding="utf-8"))


def _line(node: ast.AST) -> str:
    text = "nothing" if isinstance(node, ast.Pass | ast.If) and _is_nothing(node) else ast.unparse(node)
    return " ".join(text.split())[:160]


def _is_nothing(node: ast.AST) -> bool:
    return isinstance(node, ast.Pass) or (isinstance(node, ast.If) and isinstance(node.test, ast.Constant))


def _sites(tree: ast.Module, file: str) -> Iterator[_Site]:
    yield from _within(tree, file, "", None)


def _within(node: ast.AST, file: str, prefix: str, where: Where | None) -> Iterator[_Site]:
    """The sites below a node; there are none outside of functions."""
    for field, part in asked_children(node):
        if where is not None:
            for kind, new in _changes(part, field):
                yield _Site(where, kind, node, field, part, new)
        match part:
            case ast.FunctionDef(name=name):
                first = min([part.lineno, *(one.lineno for one in part.decorator_list)])
                own = Where(file, prefix + name, first) if is_function_asked(file, prefix + name) else None
                yield from _within(part, file, f"{prefix}{name}.<locals>.", own)
            case ast.ClassDef(name=name):
                yield from _within(part, file, f"{prefix}{name}.", None)
            case ast.Lambda():
                name = f"{prefix}<lambda>"
                own = Where(file, name, part.lineno) if is_function_asked(file, name) else None
                yield from _within(part, file, f"{name}.<locals>.", own)
            case _:
                yield from _within(part, file, prefix, where)


def _changes(node: ast.AST, field: str) -> Iterator[tuple[str, ast.AST]]:
    """The nodes that may stand in place of a node, each with the kind of change."""
    match node:
        case ast.Compare(left, ops, comparators):
            for k, op in enumerate(ops):
                kind, other = _SWAPPED[type(op)]
                yield kind, ast.Compare(left, [*ops[:k], other, *ops[k + 1 :]], comparators)
        case ast.BoolOp(op, values):
            for k in range(len(values)):
                rest = [*values[:k], *values[k + 1 :]]
                yield "condition", rest[0] if len(rest) == 1 else ast.BoolOp(op, rest)
        case ast.Constant(bool() as value):
            yield "truth", ast.Constant(not value)
        case ast.Constant(int() as value):
            yield "off by one", ast.Constant(value + 1)
        case ast.Call(ast.Name(name), args, keywords) if name in _OTHER:
            yield "extremum", ast.Call(ast.Name(_OTHER[name], ast.Load()), args, keywords)
        case ast.Call(called, [ast.expr() as first, ast.expr() as second, *rest], keywords) if _differ(first, second):
            yield "arguments", ast.Call(called, [second, first, *rest], keywords)
        case ast.UnaryOp(ast.Not(), operand):
            yield "negation", operand
        case ast.Expr(ast.Yield() | ast.YieldFrom()):
            yield "dropped", ast.If(ast.Constant(False), [deepcopy(node)], [])
        case ast.Expr(ast.Call()) | ast.AugAssign() | ast.Raise():
            yield "dropped", ast.Pass()
        case ast.If(test, body, orelse):
            yield "negation", ast.If(ast.UnaryOp(ast.Not(), test), body, orelse)
        case ast.IfExp(test, body, orelse):
            yield "negation", ast.IfExp(test, orelse, body)
        case _ if field == "ifs" and isinstance(node, ast.expr):
            yield "negation", ast.UnaryOp(ast.Not(), node)


def _differ(first: ast.expr, second: ast.expr) -> bool:
    """Whether an exchange of two arguments could be seen, and is one of two arguments."""
    starred = isinstance(first, ast.Starred) or isinstance(second, ast.Starred)
    return not starred and ast.dump(first) != ast.dump(second)
