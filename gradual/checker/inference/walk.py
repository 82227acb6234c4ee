"""Inference of omitted types over a whole file: structure and element types by unification, shapes by flow.

The walk mirrors the checker's `infer`, on inference types: it generates the flows between values and the applications
of operators, and `solved` runs them to a fixpoint.  A call of a known deferred lambda is inlined, as the checker does
it.  Nothing is reported here: the checker reports a type that it needs and that was not inferred.   [type.omitted]
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import reduce

from gradual.checker.expressions.literals import adapts, alike, neighbour, parts, vector_dtype
from gradual.checker.inference import terms as sk
from gradual.checker.inference.constraints import Application, Field, Numeral
from gradual.checker.inference.conversion import Solution, of_annotation, plain_attribute
from gradual.checker.inference.scope import Deferred, Held, Scope
from gradual.checker.inference.solver import Flows
from gradual.checker.inference.structures import accessed, constructed
from gradual.checker.inference.terms import Element, InferenceType, Shape, Unknown, seen
from gradual.checker.program.elided import calls_itself, is_deferred, is_written_out
from gradual.checker.program.program import Program
from gradual.ops.catalogue import by_symbol
from gradual.ops.declaration.attributes import bound
from gradual.ops.declaration.operator import IllFormed
from gradual.ops.two_forms import PREFIX, forms
from gradual.source import Span
from gradual.syntax.tree import ast
from gradual.syntax.tree.subexpressions import mentioned
from gradual.types.dtype import DType


def solution(program: Program) -> Solution:
    """The inferred types of a file; computed on the first call."""
    if program.inferred is None:
        program.inferred = Inference(program).solved()
    assert isinstance(program.inferred, Solution)
    return program.inferred


_NARROW = {DType.FLOAT32: 0, DType.INT64: 1}
"""Default element type -> its turn: numbers whose default has the least turn are resolved first."""


class Inference:
    """One walk over a file.

    Attributes:
        scope: the names in scope at the current position.
        left: how many more calls may be inlined.
    """

    def __init__(self, program: Program) -> None:
        self.program = program
        self.flows = Flows()
        self.numerals: list[Numeral] = []
        self.found = Solution()
        self.globals: dict[str, sk.Function] = {}
        self.scope = Scope()
        self.left = program.limits.expansions

    # ------------------------------------------------------------------------------------------------- solving
    def solved(self) -> Solution:
        """Walk every definition and solve to a fixpoint; then fix open ranks and numbers one by one, solving again."""
        scopes = {}
        for name, function in self.program.functions.items():
            scopes[name] = self.scope = Scope()
            self.globals[name] = self._declared(function)
        for name, function in self.program.functions.items():
            self.scope = scopes[name]
            self.flows.flow(self.value(function.body), self.globals[name].result)
        self.flows.settle()
        while self._ranks_by_use() or self._own_types():
            self.flows.settle()
        return self.found

    def _ranks_by_use(self) -> bool:
        """Set the rank of one tensor without a shape whose uses admit a single rank; False if there is none."""
        places = (place for ways in self.found.places.values() for place in ways.values())
        for part in (part for place in places for part in sk.parts(place)):
            if isinstance(part, sk.Tensor) and part.shape.at is None and len(part.shape.ranks or ()) == 1:
                (rank,) = part.shape.ranks or (0,)
                self.flows.learn(part.shape, (None,) * rank)
                return True
        return False

    def _own_types(self) -> bool:
        """Set one number of unknown element type to its default type; False if there is no such number.

        Numbers that fewer types can represent go first, so that others adapt: `2.5`, then `5000000000`, then `2`.
        """
        for numeral in sorted(self.numerals, key=lambda one: _NARROW.get(one.own, 2)):
            if numeral.element.known() is None:
                self.flows.equate(numeral.element, Element(numeral.own))
                return True
        return False

    # -------------------------------------------------------------------------------------------- annotations
    def _place(self, place: object) -> Unknown:
        """A fresh unknown for an omitted type, recorded in the solution."""
        unknown = Unknown()
        self.found.places.setdefault(place, {})[self.scope.calls] = unknown
        return unknown

    def _written(self, annotation: ast.Type) -> InferenceType:
        """The inference type of an annotation; a `_` inside it is a fresh unknown."""
        return of_annotation(annotation, self.scope.types, self._place)

    # ------------------------------------------------------------------------------------------------ functions
    def _declared(self, literal: ast.Fn) -> sk.Function:
        """The inference type of a function; binds its parameters in the current scope."""
        own = {binder.name: sk.Named(binder.name) for binder in literal.binders}
        for name, named in own.items():
            self.scope.bind_type(name, named)
        params = []
        for param in literal.params:
            place = param.annotation
            params.append(self._place(param) if place is None else self._written(place))
            self.scope.bind(param.name.name, params[-1])
        written = None if isinstance(literal.result, ast.Omitted) else literal.result
        result = self._place(literal) if written is None else self._written(written)
        return sk.Function(tuple(params), result, tuple(own.values()))

    def _function(self, literal: ast.Fn, itself: str | None) -> sk.Function:
        """The type of a literal that becomes a closure; walks its body."""
        with self.scope.block():
            function = self._declared(literal)
            if itself is not None:
                self.scope.bind(itself, function)
            self.flows.flow(self.value(literal.body), function.result)
        return function

    def _settled(self, held: Held, span: Span) -> InferenceType:
        """The type of a value; a deferred lambda becomes a closure."""
        if not isinstance(held, Deferred):
            return held
        with self.scope.inside(held, span):
            return self._function(held.literal, held.itself)

    def _written_out(self, deferred: Deferred, operands: Sequence[Held], span: Span) -> Held:
        """Inline a call of a deferred lambda: bind its parameters to the operands and walk its body."""
        if self.left <= 0 or len(self.scope.calls) >= self.program.limits.nesting:
            return Unknown()
        self.left -= 1
        literal = deferred.literal
        with self.scope.inside(deferred, span):
            for param, operand in zip(literal.params, operands, strict=True):
                self.scope.bind(param.name.name, self._at(operand, param.annotation, span))
            return self._at(self.held(literal.body), literal.result, span)

    def _at(self, held: Held, annotation: ast.Type | None, span: Span) -> Held:
        """Let a value flow to an annotation; return it unchanged if there is none."""
        if annotation is None or isinstance(annotation, ast.Omitted):
            return held
        written = self._written(annotation)
        self.flows.flow(self._settled(held, span), written)
        return written

    # ---------------------------------------------------------------------------------------------- expressions
    def value(self, expr: ast.Expr) -> InferenceType:
        """The inference type of an expression's value."""
        return self._settled(self.held(expr), expr.span)

    def held(self, expr: ast.Expr) -> Held:
        """Like `value`, but a function literal without parameter types stays deferred."""
        match expr:
            case ast.Call():
                return self._call(expr)
            case ast.Local(name):
                return self.scope.names.get(name) or Unknown()
            case ast.Project(operand, index):
                return self._field(self.value(operand), index)
            case ast.Tuple(items):
                return sk.Product(tuple(map(self.value, items)))
            case ast.Number():
                return sk.scalar(DType(expr.dtype))
            case ast.Infix():
                return self._infix(expr)
            case ast.Block(items, result):
                with self.scope.block():
                    for item in items:
                        self._item(item)
                    return self.held(result)
            case ast.If(condition, then, orelse):
                self.flows.flow(self.value(condition), sk.scalar(DType.BOOL))
                return self._one_of([self.value(then), self.value(orelse)])
            case ast.Fn():
                return self._literal(expr, None)
            case ast.Cast(value, annotation):
                return self._at(self.held(value), annotation, value.span)
            case ast.Global(name):
                return self.globals.get(name) or Unknown()
            case ast.Instance(ast.Name("dim")):
                return sk.scalar(DType.INT64)
            case ast.Instance(function):
                return self.value(function)
            case ast.Listing(items):
                return sk.Tensor(Element(vector_dtype(items)), Shape((len(items),), fixed=True))
            case ast.Meta(kind, index):
                return self._constant(kind, index)
            case ast.Unary("-", operand):
                return self._applied("negative", [self.value(operand)], ())
            case ast.Name(name):
                return Unknown() if self._is_applied(name) else sk.scalar(DType.INT64)
            case ast.Match():
                return self._match(expr)
            case ast.Ref():
                return accessed(self.flows, expr.kind, [self.value(operand) for operand in expr.operands])
            case _:
                return Unknown()

    def _is_applied(self, name: str) -> bool:
        """Whether a name is that of an operator, a constructor or a function; otherwise it is a dim."""
        return name in self.program.constructors or name in self.globals or name in self.program.operators

    def _literal(self, literal: ast.Fn, name: str | None) -> Held:
        itself = name if name is not None and calls_itself(literal, name) else None
        if is_deferred(literal):
            names = mentioned(literal)
            held = {name: self.scope.names[name] for name in names if name in self.scope.names}
            types = {name: self.scope.types[name] for name in names if name in self.scope.types}
            return Deferred(literal, held, types, itself)
        return self._function(literal, itself)

    def _one_of(self, values: Sequence[InferenceType]) -> InferenceType:
        result = Unknown()
        for value in values:
            self.flows.flow(value, result)
        return result

    def _field(self, operand: InferenceType, index: int) -> InferenceType:
        operand = seen(operand)
        if isinstance(operand, sk.Product) and 0 <= index < len(operand.fields):
            return operand.fields[index]
        result = Unknown()
        self.flows.add(Field(operand, index, result))
        return result

    def _constant(self, kind: str, index: int) -> InferenceType:
        entry = self.program.surface.metadata.get((kind, index))
        if not isinstance(entry, ast.MetaTensor):
            return Unknown()
        return sk.Tensor(Element(DType(entry.dtype)), Shape(entry.shape, fixed=True))

    def _infix(self, expr: ast.Infix) -> InferenceType:
        """The type of an infix operation; a number without a suffix takes the other side's element type."""
        operator = by_symbol().get(expr.op)
        if operator is None:
            return Unknown()
        return self._applied(operator.name, self._operands((expr.left, expr.right), (0, 1)), ())

    def _operands(self, arguments: Sequence[ast.Expr], alike: Sequence[int]) -> list[InferenceType]:
        """The arguments' types; those at the indices `alike` share an element type, which number literals take."""
        slots = [part for place in alike for part in parts(arguments[place])]
        if not any(map(adapts, slots)):
            return list(map(self.value, arguments))
        first = slots[neighbour(slots)]
        other = self.value(first)
        held = {id(part): other if part is first else self._beside(part, other) for part in slots}
        return [
            sk.Product(tuple(held[id(part)] for part in argument.items))
            if place in alike and isinstance(argument, ast.Tuple)
            else held[id(argument)]
            if place in alike
            else self.value(argument)
            for place, argument in enumerate(arguments)
        ]

    def _beside(self, expr: ast.Expr, other: InferenceType) -> InferenceType:
        if not adapts(expr):
            return self.value(expr)
        shape = (len(expr.items),) if isinstance(expr, ast.Listing) else ()
        literal = sk.Tensor(Element(), Shape(shape, fixed=True))
        self.numerals.append(Numeral(expr, other, literal.element))
        self.flows.add(self.numerals[-1])
        return literal

    def _item(self, item: ast.Item) -> None:
        match item:
            case ast.Let(None, _, value):
                self.value(value)
            case ast.Let(name, annotation, value):
                assert name is not None
                held = self._literal(value, name.name) if isinstance(value, ast.Fn) else self.held(value)
                self.scope.bind(name.name, self._at(held, annotation, value.span))
            case ast.FreeVar(name):
                self.scope.bind(name.name, Unknown())
            case ast.Assert():
                return

    # ---------------------------------------------------------------------------------------------------- calls
    def _call(self, call: ast.Call) -> Held:
        if isinstance(call.function, ast.Name):
            if call.function.name == "dim":
                return sk.scalar(DType.INT64)
            return self._named(call.function.name, call)
        callee = self.held(call.function)
        held = [self.held(argument) for argument in call.arguments]
        if isinstance(callee, Deferred):
            if len(held) != len(callee.literal.params):
                return Unknown()
            if callee.itself is None and is_written_out(callee.literal):
                return self._written_out(callee, held, call.span)
            callee = self._settled(callee, call.function.span)
        arguments = [self._settled(one, a.span) for one, a in zip(held, call.arguments, strict=True)]
        return self._invoked(callee, arguments)

    def _named(self, name: str, call: ast.Call) -> InferenceType:
        """The result of a call by name: of a function, a constructor or an operator."""
        operator = self.program.operators.get(name)
        pairwise = None if operator is None else operator.pairwise
        if pairwise is not None and len(call.arguments) > 1 and not call.attributes:
            scalars = self._operands(call.arguments, range(len(call.arguments)))
            return reduce(lambda one, other: self._applied(pairwise, [one, other], ()), scalars)
        if name in self.globals:
            return self._applied(name, list(map(self.value, _by_place(self.program.functions[name], call))), ())
        operator = None if name in self.program.constructors else operator
        return self._applied(name, self._operands(call.arguments, alike(operator, call.arguments)), call.attributes)

    def _invoked(self, callee: InferenceType, arguments: Sequence[InferenceType]) -> InferenceType:
        callee = seen(callee)
        if isinstance(callee, Unknown):
            function = sk.Function(tuple(Unknown() for _ in arguments), Unknown())
            self.flows.flow(callee, function)
            callee = function
        if not isinstance(callee, sk.Function) or len(callee.params) != len(arguments):
            return Unknown()
        function = self.flows.instantiated(callee)
        for argument, param in zip(arguments, function.params, strict=True):
            self.flows.flow(argument, param)
        return function.result

    def _applied(self, name: str, operands: Sequence[InferenceType], written: Sequence[ast.Attribute]) -> InferenceType:
        """The result of applying a function, a constructor or an operator by name."""
        if name in self.globals and len(operands) == len(self.program.functions[name].params):
            return self._invoked(self.globals[name], operands)
        constructor = self.program.constructors.get(name)
        if constructor is not None:
            fields, data = constructed(constructor, self.program.data[constructor.data])
            for operand, place in zip(operands, fields, strict=False):
                self.flows.flow(operand, place)
            return data
        operator = self.program.operators.get(name)
        if operator is not None and name in forms():
            operator = operator if name.startswith(PREFIX) else forms()[name].of(operands)
        if operator is None or len(operands) != len(operator.arguments):
            return Unknown()
        if operator.family == "marking":
            return operands[0]
        given = {one.key: plain_attribute(one.value) for one in written if one.key != "attrs_type_key"}
        try:
            attributes = bound(operator, given)
        except IllFormed:
            return Unknown()
        result = Unknown()
        self.flows.add(Application(operator, tuple(operands), attributes, result, self.program.limits.contents))
        return result

    # ------------------------------------------------------------------------------------------ data, references
    def _match(self, expr: ast.Match) -> InferenceType:
        scrutinee = self.value(expr.scrutinee)
        results = []
        for arm in expr.arms:
            with self.scope.block():
                self._pattern(arm.pattern, scrutinee)
                results.append(self.value(arm.body))
        return self._one_of(results)

    def _pattern(self, pattern: ast.Pattern, value: InferenceType) -> None:
        match pattern:
            case ast.VariablePattern(name, annotation):
                held = self._at(value, annotation, pattern.span)
                self.scope.bind(name.name, held)
            case ast.ConstructorPattern(name, patterns):
                constructor = self.program.constructors.get(name)
                fields: tuple[InferenceType, ...] = tuple(Unknown() for _ in patterns)
                if constructor is not None and len(constructor.fields) == len(patterns):
                    fields, data = constructed(constructor, self.program.data[constructor.data])
                    self.flows.flow(value, data)
                for part, field in zip(patterns, fields, strict=True):
                    self._pattern(part, field)
            case ast.TuplePattern(patterns):
                whole = sk.Product(tuple(Unknown() for _ in patterns))
                self.flows.flow(value, whole)
                for part, field in zip(patterns, whole.fields, strict=True):
                    self._pattern(part, field)
            case ast.WildcardPattern():
                return


def _by_place(function: ast.Fn, call: ast.Call) -> Iterator[ast.Expr]:
    """The arguments of a call, positional and by keyword, in the order of the parameters."""
    names = [param.name.name.removeprefix("%") for param in function.params]
    given = {one.key: one.value for one in call.attributes} | dict(zip(names, call.arguments, strict=False))
    return (given[name] for name in names if name in given)
