"""Candidate edits that replace the unknowns of a definition; edits of everything come before edits of parts.

Each candidate is only a guess: the caller checks the edited program, and may refuse it.   [check.annotated]
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain, count

from gradual.checker.fixes.requirements import clauses_added
from gradual.checker.program.elided import is_omitted
from gradual.checker.state.context import Elaboration
from gradual.compilation import Compilation
from gradual.core.terms import Function
from gradual.diagnostic import Edit
from gradual.dims.solver.decide import Decider
from gradual.dims.term.atom import Kind, Variable, named
from gradual.dims.term.constraint import Constraint
from gradual.dims.term.dim import Dim, of_atom
from gradual.record import record
from gradual.source import Span
from gradual.syntax.parsing.lexer import Lexer
from gradual.syntax.parsing.metadata import NO_METADATA
from gradual.syntax.tree import ast
from gradual.syntax.tree.subexpressions import within
from gradual.tools.migrating.needs import LONGEST, clauses, solved
from gradual.tools.migrating.unknowns import OpenSize, open_ranks, open_sizes
from gradual.types.dtype import DType
from gradual.types.positive import positive
from gradual.types.print import shown
from gradual.types.type import GradualType, TensorType, TupleType

NAMES = "nmkpqrstuvw"
"""Fresh names for sizes; after these come `n0`, `n1`, …"""

_WORD = re.compile(r"(?<![%@\w])[^\W\d]\w*")
"""A word that may be the name of a size: it has no sigil of a variable or function."""


@record
class Proposal:
    """Edits to apply together.

    Attributes:
        at: the spans of the unknowns that the edits replace.
        writes: the new text, for messages.
    """

    edits: tuple[Edit, ...]
    at: tuple[Span, ...]
    writes: str


@record(eq=False)
class Site:
    """A definition of a checked program.

    Attributes:
        function: the elaborated function.
        taken: words that no fresh size name may be.
        everything: whether missing types and clauses are proposed too.
    """

    text: str
    definition: ast.Def
    state: Elaboration
    function: Function
    taken: frozenset[str]
    everything: bool

    @property
    def name(self) -> str:
        """The definition's name, such as `@f`."""
        return self.definition.name.name

    @property
    def written(self) -> ast.Fn:
        """The definition's function in the surface syntax."""
        return self.definition.function


def sites(compilation: Compilation, *, everything: bool) -> Iterator[Site]:
    """The elaborated definitions, last first, which usually puts callers before callees."""
    text = compilation.source.text
    definitions = [one for one in compilation.surface.definitions if isinstance(one, ast.Def) and not one.implicit]
    outside = _outside(compilation.surface)
    states = compilation.elaborations
    for definition in reversed(definitions):
        name = definition.name.name
        function = compilation.core.functions.get(name)
        if function is not None and name in states:
            words = _WORD.findall(text, definition.span.start, definition.span.end)
            yield Site(text, definition, states[name], function, outside.union(words), everything)


def _outside(module: ast.Module) -> frozenset[str]:
    """The names of types and constructors, which are not available for sizes."""
    found: set[str] = set()
    for one in module.definitions:
        if isinstance(one, ast.TypeDef | ast.ExternType):
            found.add(one.name)
        if isinstance(one, ast.TypeDef):
            found.update(constructor.name for constructor in one.constructors)
    return frozenset(found)


def proposals(site: Site) -> Iterator[Proposal]:
    """The proposals: missing types, ranks, sizes with their clauses, forgotten sizes, the result type."""
    if site.everything:
        yield from _missing(site)
    yield from _ranks(site)
    yield from _sizes(site)
    yield from _forgotten(site)
    if site.everything:
        yield from _result(site)


# ------------------------------------------------------------------------------------------------------ missing types
def _missing(site: Site) -> Iterator[Proposal]:
    """The inferred types of parameters without a type: all at once, then each alone."""
    pairs = zip(site.written.params, site.function.type.params, strict=True)
    found = [_typed(param, shown(own)) for param, own in pairs if is_omitted(param.annotation)]
    yield from _all_then_each(found)


def _typed(param: ast.Param, type: str) -> Proposal:
    at = param.span
    edit = Edit(Span(at.end, at.end), f": {type}") if param.annotation is None else Edit(param.annotation.span, type)
    return Proposal((edit,), (at,), f"{param.name.name}: {type}")


def _all_then_each(found: Sequence[Proposal]) -> Iterator[Proposal]:
    if len(found) > 1:
        edits = tuple(dict.fromkeys(edit for one in found for edit in one.edits))
        spans = tuple(span for one in found for span in one.at)
        yield Proposal(edits, spans, ", ".join(one.writes for one in found))
    yield from found


# ------------------------------------------------------------------------------------------------------------ shapes
def _ranks(site: Site) -> Iterator[Proposal]:
    """For each tensor of unknown rank whose rank is determined, a shape of that many `?`."""
    ranks = open_ranks(site.written)
    needs = solved(_goals(site), [one.variable for one in ranks])
    for one in ranks:
        rank = needs.sizes.get(one.variable)
        if rank is not None and rank.value is not None and 0 < rank.value <= site.state.program.limits.rank:
            shape = ", ".join(["?"] * rank.value) + "," * (rank.value == 1)
            text = f"Tensor[({shape}), {one.dtype}]"
            yield Proposal((Edit(one.span, text),), (one.span,), text)


def _goals(site: Site) -> list[Constraint]:
    return [need.goal for need in site.state.program.latent.get(site.name, ())]


def _sizes(site: Site) -> Iterator[Proposal]:
    """Each unknown size replaced by its solution or by a fresh name, with the clauses of a `where`.

    First all sizes at once, then those that need no fresh name, then one by one, but together where a name is shared.
    """
    opens = open_sizes(site.written)
    needs = solved(_goals(site), {one.variable for one in opens})
    free = [one.variable for one in opens if one.variable not in needs.sizes]
    names = dict(zip(free, map(_rigid, _fresh(site.taken)), strict=False))
    written = names | {variable: dim.substitute(names) for variable, dim in needs.sizes.items()}
    rest = [goal.substitute(names) for goal in needs.rest]
    groups: dict[Variable, list[OpenSize]] = {}
    settled: list[OpenSize] = []
    for one in opens:
        own = next((name for name in free if name in needs.sizes.get(one.variable, of_atom(one.variable)).names), None)
        groups.setdefault(own or one.variable, []).append(one)
        settled += [] if own else [one]
    whole = _sized(site, opens, written, rest)
    yield from [whole] if whole.edits else []
    if 1 < len(settled) < len(opens):
        yield _sized(site, settled, written, rest)
    for some in groups.values() if len(groups) > 1 else ():
        yield _sized(site, some, written, rest)


def _rigid(name: str) -> Dim:
    return of_atom(named(name, Kind.RIGID, None))


def _fresh(taken: frozenset[str]) -> Iterator[str]:
    return (name for name in chain(NAMES, (f"n{i}" for i in count())) if name not in taken)


def _sized(
    site: Site, opens: Sequence[OpenSize], written: Mapping[Variable, Dim], rest: Iterable[Constraint]
) -> Proposal:
    """The proposal for some unknown sizes, with the clauses that mention only names then in scope."""
    sizes = [written[one.variable] for one in opens]
    names = {name for size in sizes for name in size.names}
    own = site.function.type.binders
    edits = [Edit(one.span, str(size)) for one, size in zip(opens, sizes, strict=True)]
    says = ", ".join(dict.fromkeys(str(size) for size in sizes))
    if site.everything:
        known = (*site.function.type.where, *(positive(size) for size in dict.fromkeys(sizes) if size.value is None))
        goals = [goal for goal in rest if goal.names <= names.union(own)]
        found = clauses(goals, known, Decider(site.state.program.limits))
        if found and all(len(str(clause)) <= LONGEST for clause in found):
            edits.append(clauses_added(found, site.written))
            says = f"{says} where {', '.join(map(str, found))}".strip()
    return Proposal(tuple(edits), tuple(one.span for one in opens), says)


def _forgotten(site: Site) -> Iterator[Proposal]:
    """For a `?` in an annotation or cast in the body: the size that it forgot, if numbers and names express it."""
    for existential in site.state.unknowns.forgotten:
        at = site.state.unknowns.existentials[existential].span
        size = _remembered(of_atom(existential), site.state)
        is_said = not any(name.is_existential for name in size.names) and len(str(size)) <= LONGEST
        if is_said and site.text[at.start : at.end] == "?":
            yield Proposal((Edit(at, str(size)),), (at,), str(size))


def _remembered(size: Dim, state: Elaboration) -> Dim:
    for _ in range(len(state.unknowns.forgotten)):
        size = size.substitute(state.unknowns.forgotten)
    return size


# ------------------------------------------------------------------------------------------------------------ results
def _result(site: Site) -> Iterator[Proposal]:
    """The inferred result type, if none is written and no part of it is unknown."""
    text = shown(site.function.type.result)
    if not is_omitted(site.written.result) or "?" in text or "[*" in text:
        return
    if site.written.result is not None:
        at = site.written.result.span
        yield Proposal((Edit(at, text),), (site.definition.name.span,), text)
    elif len(text) <= 2 * LONGEST:
        end = _closing(site)
        yield Proposal((Edit(Span(end, end), f" -> {text}"),), (site.definition.name.span,), text)


def without_result(site: Site) -> Edit | None:
    """The edit that removes the written result type, if a part of that is unknown."""
    result = site.written.result
    if result is None or is_omitted(result) or not _unknown_in(result):
        return None
    return Edit(Span(_closing(site), result.span.end), "")


def _unknown_in(type: ast.Type) -> bool:
    match type:
        case ast.TensorType(shape=shape):
            return shape is None or any(isinstance(size, ast.Hole) and size.bound is None for size in shape)
        case ast.TupleType(fields):
            return any(map(_unknown_in, fields))
        case _:
            return False


def filled_result(site: Site, inferred: GradualType) -> Iterator[Proposal]:
    """The unknowns of a result type replaced by the inferred sizes: all at once, then each alone."""
    assert site.written.result is not None
    yield from _all_then_each(list(_filled(site.written.result, inferred)))


def named_result(site: Site) -> Iterator[Proposal]:
    """For a recursive definition: each `?` of its result as one of its own size names."""
    if not any(isinstance(part, ast.Global) and part.name == site.name for part in within(site.written.body)):
        return
    for hole in _holes(site.written.result):
        for name in site.function.type.binders:
            yield Proposal((Edit(hole.span, name.name),), (hole.span,), name.name)


def _holes(type: ast.Type | None) -> Iterator[ast.Hole]:
    match type:
        case ast.TensorType(shape=shape):
            yield from (size for size in shape or () if isinstance(size, ast.Hole) and size.bound is None)
        case ast.TupleType(fields):
            for part in fields:
                yield from _holes(part)


def _filled(written: ast.Type, inferred: GradualType) -> Iterator[Proposal]:
    match written, inferred:
        case ast.TensorType(shape=None, dtype=dtype, span=span), TensorType(shape=shape, dtype=own):
            text = shown(TensorType(shape, own))
            if own is DType(dtype) and len(text) <= LONGEST:
                yield Proposal((Edit(span, text),), (span,), text)
        case ast.TensorType(shape=shape), TensorType(shape=sizes) if shape is not None and len(shape) == len(sizes):
            for hole, size in zip(shape, sizes, strict=True):
                is_said = isinstance(size, Dim) and len(str(size)) <= LONGEST
                if is_said and isinstance(hole, ast.Hole) and hole.bound is None:
                    yield Proposal((Edit(hole.span, str(size)),), (hole.span,), str(size))
        case ast.TupleType(fields), TupleType(fields=parts) if len(fields) == len(parts):
            for field, part in zip(fields, parts, strict=True):
                yield from _filled(field, part)


def _closing(site: Site) -> int:
    """The offset after the parenthesis that closes the parameters."""
    start = site.definition.name.span.end
    depth = 0
    for _, _, begin, end in Lexer(site.text[start : site.definition.span.end], NO_METADATA).tokens():
        sign = site.text[start + begin : start + end]
        depth += (sign == "(") - (sign == ")")
        if sign == ")" and not depth:
            return start + end
    raise AssertionError("a definition has parameters in parentheses")
