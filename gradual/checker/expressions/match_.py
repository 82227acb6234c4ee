"""`match`: patterns bind the components of a value, the arms are branches, and their values are joined.

A component of a data structure is unpacked with fresh unknowns, so that each element of a
`List[Tensor[(?, 3), float32]]` has its own first size; a component of a tuple keeps what is known about it.
[type.match] [type.pattern]
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import field

from gradual.checker.coercion.ascription import Ascription, ascribe
from gradual.checker.coercion.datatypes import constructor_named, fields_of, written_field
from gradual.checker.expressions.coverage import ANYTHING, Covering, Entangled, Matrix, Shape, shown_pattern
from gradual.checker.joins.branch import Branch, read_under, settled_facts
from gradual.checker.joins.join import joined
from gradual.checker.joins.unreachable import as_written
from gradual.checker.obligations.origins import written_at
from gradual.checker.obligations.size_tests import ends, reached
from gradual.checker.program.suggestions import similar
from gradual.checker.state.context import Elaboration
from gradual.checker.state.values import BROKEN, Broken, Made, Origin, Typed, Written
from gradual.core.check import Promise, Site
from gradual.core.pattern import Bind, CorePattern, Destructure
from gradual.core.terms import Arm, Block, Match
from gradual.diagnostic import Help, Related, Severity
from gradual.dims.term.constraint import TRUE
from gradual.record import record
from gradual.source import Span
from gradual.syntax.tree import ast
from gradual.syntax.tree.subexpressions import last
from gradual.types.print import shown
from gradual.types.type import DataType, GradualType, OpenedType, TupleType
from gradual.types.unpacking import sizes

Infer = Callable[[ast.Expr], str]


def matched(state: Elaboration, expr: ast.Match, infer: Infer, hint: str | None) -> str:
    """Check a `match`; return the core variable of its value.  [type.match]"""
    scrutinee = infer(expr.scrutinee)
    type = state.values.types[scrutinee]
    arms: list[tuple[CorePattern, Branch]] = []
    covering: list[Covering] = []
    for arm in expr.arms:
        with state.branch() as steps:
            reading = _Patterns(state, scrutinee, expr.scrutinee.span)
            pattern = reading.top(arm.pattern, type)
            result = infer(arm.body)
            held, at = result, last(arm.body).span
            ended, result = state.reach.ended_at is not None, reached(state, result, at)
            own = BROKEN if pattern is None else state.values.types[result]
            read, settled = read_under(state, TRUE, own), settled_facts(state)
            branch = Branch(Block(tuple(steps), result), own, read, at, settled=settled, ended=ended, held=held)
        if pattern is None:
            pattern = Bind(None, TupleType(()))
        else:
            covering.append(_covering(pattern))
        arms.append((pattern, branch))
    name = state.values.fresh(hint)
    if isinstance(type, Broken) or len(covering) < len(expr.arms):
        return state.values.define(name, BROKEN)
    if not arms:
        state.output.report("E0307", "type.match", "a `match` has at least one arm", expr.span)
        return state.values.define(name, BROKEN)
    _covered(state, expr, covering, type)
    landed = joined(state, name, None, [branch for _, branch in arms], "type.match.join")
    if landed is None:
        return state.values.define(name, BROKEN)
    result_type, branches = landed
    core = tuple(Arm(pattern, branch.block) for (pattern, _), branch in zip(arms, branches, strict=True))
    state.output.steps.append(Match(name, scrutinee, core, result_type, expr.span, expr.complete))
    told = as_written(state, name, result_type, [branch for _, branch in arms], "type.match.join")
    if all(branch.ended for branch in branches):
        ends(state, expr.span, "`match`")
    sources = tuple(branch.block.result for branch in branches)
    return state.values.define(name, told, Made("`match`", sources, expr.span))


# --------------------------------------------------------------------------------------------------------- patterns
@record(frozen=False)
class _Patterns:
    """A visitor of one arm's pattern, which binds its variables.

    Attributes:
        seen: variable -> the span where it is bound.
        agreed: whether a matched structure's type was inferred as the join of the types of several values.
    """

    state: Elaboration
    scrutinee: str
    span: Span
    seen: dict[str, Span] = field(default_factory=dict)
    agreed: bool = False

    def top(self, pattern: ast.Pattern, type: Typed) -> CorePattern | None:
        """The core pattern; None after reporting that it does not fit the type, with its variables bound as broken."""
        if isinstance(type, Broken):
            self._abandoned(pattern)
            return None
        annotated: list[tuple[ast.VariablePattern, str]] = []
        origin = self.state.values.origins.get(self.scrutinee)
        written = origin.annotation if isinstance(origin, Written) else None
        read = self._read(pattern, type, self.scrutinee, written, annotated)
        for variable, name in annotated:
            assert variable.annotation is not None
            at, spelling = variable.name.span, variable.name.name
            what = f"the annotation of `{spelling}`"
            bound = Ascription(variable.annotation, at, at, Site.ANNOTATION, "type.annotation", what)
            self._bind(variable, ascribe(self.state, name, bound, spelling))
        return read

    def _read(
        self,
        pattern: ast.Pattern,
        type: GradualType,
        path: str | None,
        written: ast.Type | None,
        annotated: list[tuple[ast.VariablePattern, str]],
    ) -> CorePattern | None:
        """Match a pattern against a type; `path` is the path of the matched value, None inside a data structure.

        `written` is the annotation of the type, if there is one.
        """
        match pattern:
            case ast.WildcardPattern():
                return Bind(None, TupleType(()))
            case ast.VariablePattern():
                return self._variable(pattern, type, path, written, annotated)
            case ast.TuplePattern(fields, span):
                if not isinstance(type, TupleType) or len(type.fields) != len(fields):
                    self._misfit(f"a pattern of {len(fields)} fields does not fit `{shown(type)}`", span)
                    self._abandoned(pattern)
                    return None
                paths = [None if path is None else f"{path}#{i}" for i in range(len(fields))]
                parts = written.fields if isinstance(written, ast.TupleType) else [written] * len(fields)
                return self._fields(None, fields, type.fields, paths, parts, annotated)
            case ast.ConstructorPattern(name, fields, span):
                self.agreed = self.agreed or type in self.state.strictness.agreed
                types = self._constructor(name, fields, type, span)
                if types is None:
                    self._abandoned(pattern)
                    return None
                constructor = self.state.program.constructors[name]
                declared = self.state.program.data[constructor.data]
                inside = [written and written_field(written, declared, field) for field in constructor.fields]
                return self._fields(name, fields, types, [None] * len(types), inside, annotated)

    def _fields(
        self,
        constructor: str | None,
        fields: tuple[ast.Pattern, ...],
        types: tuple[GradualType, ...],
        paths: Sequence[str | None],
        written: Sequence[ast.Type | None],
        annotated: list[tuple[ast.VariablePattern, str]],
    ) -> CorePattern | None:
        read = [self._read(*part, annotated) for part in zip(fields, types, paths, written, strict=True)]
        known = tuple(part for part in read if part is not None)
        return Destructure(constructor, known) if len(known) == len(read) else None

    def _constructor(
        self, name: str, fields: tuple[ast.Pattern, ...], type: GradualType, span: Span
    ) -> tuple[GradualType, ...] | None:
        """The field types of a constructor pattern; None after reporting that it does not fit the type."""
        program = self.state.program
        constructor = constructor_named(self.state, name)
        if constructor is None:
            message, help = f"unknown constructor `{name}`", similar("a constructor", name, program.constructors)
            self.state.output.report("E0205", "name.type", message, span, label="not declared", help=help)
            return None
        if not isinstance(type, DataType) or constructor.data != type.name:
            self._misfit(f"`{name}` is a constructor of `{constructor.data}`, not of `{shown(type)}`", span)
            return None
        if len(fields) != len(constructor.fields):
            message = f"`{name}` has {len(constructor.fields)} fields, not {len(fields)}"
            self.state.output.report("E0304", "type.pattern", message, span)
            return None
        return fields_of(program, constructor, type)

    def _misfit(self, message: str, span: Span) -> None:
        self.state.output.report(
            "E0307", "type.pattern", message, span, related=(Related(self.span, "what is matched"),)
        )

    def _variable(
        self,
        pattern: ast.VariablePattern,
        type: GradualType,
        path: str | None,
        written: ast.Type | None,
        annotated: list[tuple[ast.VariablePattern, str]],
    ) -> CorePattern:
        state, plain = self.state, pattern.annotation is None or isinstance(pattern.annotation, ast.Omitted)
        name = state.values.fresh(pattern.name.name)
        origin: Origin = Made("a pattern", (self.scrutinee if path is None else path,), pattern.name.span)
        opened: OpenedType
        if path is not None:
            opened = type  # type: ignore[assignment]  # a component of a live value: its unknowns are named already
        else:
            opened = state.enter_part(type, name, self._promise(written, pattern.name.span), self.agreed)
            origin = origin if written is None else Written(written)
        for size in sizes(opened):
            state.is_size(size)
        state.values.define(name, opened, origin)
        if plain:
            self._bind(pattern, name)
        else:
            annotated.append((pattern, name))
        return Bind(name, opened)

    def _promise(self, written: ast.Type | None, at: Span) -> Callable[[str, int | None], Promise]:
        """The place to blame for an element's unknown sizes: the matched value's annotation, or else the pattern."""

        def promise(path: str, axis: int | None) -> Promise:
            if written is None:
                return Promise(at, "the value that is matched, whose type leaves its parts open")
            place = written_at(written, path.split("#")[1:], axis)
            return Promise(place, f"a part of `{self.scrutinee}`, whose type leaves it open")

        return promise

    def _bind(self, pattern: ast.VariablePattern, held: str) -> None:
        name, span = pattern.name.name, pattern.name.span
        if name in self.seen:
            message, related = f"`{name}` is bound twice in one pattern", (Related(self.seen[name], "first here"),)
            self.state.output.report("E0204", "name.duplicate", message, span, related=related)
        self.seen.setdefault(name, span)
        self.state.scope.show(name, held, span)

    def _abandoned(self, pattern: ast.Pattern) -> None:
        """Bind the variables of an erroneous pattern as broken, so that their uses report nothing more."""
        match pattern:
            case ast.VariablePattern(name):
                self.state.scope.bind(name.name, self.state.values.broken())
            case ast.TuplePattern(fields) | ast.ConstructorPattern(_, fields):
                for inner in fields:
                    self._abandoned(inner)


# --------------------------------------------------------------------------------------------------------- coverage
def _covering(pattern: CorePattern) -> Covering:
    match pattern:
        case Bind():
            return ANYTHING
        case Destructure(constructor, fields):
            return Shape(constructor, tuple(map(_covering, fields)))


def _covered(state: Elaboration, expr: ast.Match, patterns: list[Covering], type: OpenedType) -> None:
    """Report a pattern that the arms miss, and unreachable arms.  [type.match.exhaustive] [type.match.redundant]"""
    matrix = Matrix(state.program.data, state.program.limits.patterns)
    try:
        missing = matrix.missing(patterns, type) if expr.complete else None
        if missing is not None:
            _report_missing(state, expr, shown_pattern(missing))
        for index in matrix.unreached(patterns, type):
            state.output.report(
                "E0405", "type.match.redundant", "this arm is unreachable", expr.arms[index].pattern.span,
                severity=Severity.WARNING, label="earlier arms match every value that it would",
            )  # fmt: skip
    except Entangled:
        message = "the patterns of this `match` are too complex to be compared"
        state.output.report("E0313", "type.match.exhaustive", message, expr.span)


def _report_missing(state: Elaboration, expr: ast.Match, missing: str) -> None:
    last = expr.arms[-1].span
    help = (
        Help(f"add an arm `{missing} => …`"),
        Help("write `match?` to stop the run at a value that matches no arm"),
    )
    state.output.report(
        "E0313", "type.match.exhaustive", f"this `match` does not cover `{missing}`", expr.scrutinee.span,
        label=f"may be `{missing}`", related=(Related(Span(last.end, last.end), "no arm for it"),), help=help,
    )  # fmt: skip
