"""Retyping a function after sizes or elements became known: one sweep over its blocks, forward.

A step is looked at again only if something it reads has another type than before.  Its rule is asked on the types
that its operands have now; where the recorded size is the step's own unknown and the rule now says a dim, that dim
stands for the unknown from there on.  Checks that have become provable go, checks that now always fail stay with
their labels, and an `if` whose condition has become constant is its branch.   [pass.sharpen]
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import Enum, auto
from itertools import zip_longest
from typing import Any

from gradual.core.declared import declarations, is_own, known_numbers, without_contents
from gradual.core.rewriting import Rewriting, apart
from gradual.core.terms import (
    Apply,
    Arm,
    Assertion,
    Bind,
    Block,
    Check,
    Closure,
    Constant,
    CorePattern,
    Destructure,
    Function,
    If,
    Invoke,
    MakeTuple,
    Match,
    Module,
    Param,
    Project,
    Rename,
    Size,
    Step,
    Stop,
)
from gradual.dims.constraint import FALSE, TRUE, Constraint, all_of, negated
from gradual.dims.decide import Decider
from gradual.dims.dim import Dim, RankOf, SizeOf, Variable
from gradual.dims.knowing import Knowing, Passed, Path
from gradual.dims.reduce import is_large
from gradual.limits import LIMITS
from gradual.ops.operator import Contents, IllFormed, Judgement
from gradual.ops.ranks import Asking
from gradual.passes.naming import names_in
from gradual.passes.retyping import Literal, Retyping, elements, fits, images, is_alike, is_closed, says
from gradual.source import Span
from gradual.tensors.tensor import scalar
from gradual.types.choosing import at_types
from gradual.types.dtype import DType
from gradual.types.keying import identities, keyed
from gradual.types.opening import (
    at_rank,
    base_of,
    opened,
    placed_sizes,
    shapes_unknown,
    sizes,
    tracked_length,
    with_contents,
)
from gradual.types.type import (
    FunctionType,
    GradualType,
    Hole,
    NeverType,
    OpenedType,
    TensorType,
    TupleType,
)
from gradual.verdict import Proved, Refuted


def sharpened(
    module: Module, function: Function, decider: Decider, dims: Mapping[Variable, Dim] | None = None
) -> Function:
    """The function where `dims` stand for some of its unknowns, and everything that follows is known.

    The interface is the caller's affair: parameters and result stay as written, but for what `dims` says of them.
    """
    return Sweep(module, decider, Rewriting(dims=dict(dims or {}))).function(function)


class Rank(Enum):
    """What a check says of a rank: nothing or something new, what is known, or what cannot be."""

    NEW = auto()
    KNOWN = auto()
    ANOTHER = auto()


class _Unreachable(Exception):
    """No run comes here: what stands before it always fails.

    `end` is a variable that has no value, or the step that is to say why there is none.
    """

    def __init__(self, end: str | Stop) -> None:
        super().__init__(end)
        self.end = end


@dataclass(slots=True, eq=False)
class Sweep:
    """One function on its way through a pass.

    Attributes:
        rewriting: what stands for the names and unknowns that are gone.
        types: what the variables that have a value here have, by their names in the new function.
        changed: the variables, by their names in the old function, of which another type is known now.
        taken: the names that are in use, so that no new one is among them.
        improve: what else becomes of an operator's application, once its type is known: a step, or the name of a
            variable that holds its value.
        expand: the function that is called, with names and dims of its own, where the call is to be its body.
        projects: whether a field of a tuple that was made here is the variable it was made of.
        literals: the variables that hold a constant, or a tuple of constants, with its value.
        tuples: the tuples that were made here, with the variables that they are made of.
        around: the dims that are measured here, by the function and the literals around.
        closures: the variables that hold a function literal, with it.
        shared: the unknowns that results of equal applications have in common, by what they depend on.
        loosened: variables that were read by what is gone, and that perhaps nobody reads any more.
        _written_out: how many branches and functions the steps that are swept were taken out of.
    """

    module: Module
    decider: Decider
    rewriting: Rewriting = field(default_factory=Rewriting)
    taken: set[str] = field(default_factory=set)
    improve: Callable[[Sweep, Apply], Step | str] | None = None
    expand: Callable[[Sweep, Invoke], Function | None] | None = None
    projects: bool = False
    types: dict[str, OpenedType] = field(default_factory=dict)
    changed: set[str] = field(default_factory=set)
    literals: dict[str, Literal] = field(default_factory=dict)
    tuples: dict[str, tuple[str, ...]] = field(default_factory=dict)
    around: frozenset[Variable] = frozenset()
    closures: dict[str, Function] = field(default_factory=dict)
    loosened: set[str] = field(default_factory=set)
    shared: dict[object, Dim] = field(default_factory=dict)
    knowing: Knowing = field(init=False)
    _out: list[Step] = field(default_factory=list)
    _scope: list[str] = field(default_factory=list)
    _unranked: dict[str, list[str]] = field(default_factory=dict)
    _vague: list[tuple[str, OpenedType]] = field(default_factory=list)
    _ranks: dict[str, int] = field(default_factory=dict)
    _written_out: int = 0

    def __post_init__(self) -> None:
        self.knowing = Knowing(self.decider)

    # ------------------------------------------------------------------------------------------------- functions
    def function(self, function: Function) -> Function:
        """The function with its body swept."""
        self.taken = self.taken or names_in(function)
        shell = self.rewriting.function(replace(function, body=Block((), function.body.result)))
        self.knowing.enter()
        for param, before in zip(shell.params, function.params, strict=True):
            self._define(before.name, param.type, before.type)
        for goal in declarations(shell):
            self.knowing.tell(goal)
        outer = self.around
        self.around = outer | {variable for variable, _ in shell.binders}
        body, _ = self._block(function.body)
        self.around = outer
        self.knowing.leave()
        if self._is_untouched and body is function.body:
            return function
        return replace(shell, body=body)

    def _block(self, block: Block) -> tuple[Block, OpenedType]:
        """A block swept, with a list of steps of its own, and its value's type; what it defines ends with it."""
        outer, scope, vague, ranks = self._out, self._scope, len(self._vague), dict(self._ranks)
        shared = dict(self.shared)
        self._out, self._scope = [], []
        result = self._swept(block)
        made, type = Block(tuple(self._out), result), self.type_of(result)
        self._forget()
        while len(self._vague) > vague:
            name, type_before = self._vague.pop()
            self.types[name] = type_before
        self._ranks, self.shared = ranks, shared
        self._out, self._scope = outer, scope
        return (block if made.steps == block.steps and result == block.result else made), type

    def _forget(self) -> None:
        """What was defined in this scope is not seen outside."""
        for name in self._scope:
            self.types.pop(name, None)

    def _swept(self, block: Block) -> str:
        """The steps of a block emitted; the name of its value."""
        steps = iter(block.steps)
        try:
            for step in steps:
                self._step(step)
        except _Unreachable as reached:
            return self._ended(reached.end, next(steps, None))
        return self.rewriting.name(block.result)

    def _ended(self, end: str | Stop, following: Step | None) -> str:
        """The block ends here, without a value; by the step that said so before, if there was one."""
        if isinstance(end, str):
            return end
        end = following if isinstance(following, Stop) else replace(end, name=apart([end.name], self.taken)[end.name])
        self._moved(end)
        return self.rewriting.name(end.name)

    def type_of(self, name: str) -> OpenedType:
        """The type of a variable of the new function, or of a function of the file."""
        found = self.module.functions.get(name)
        return found.type if found is not None else self.types[name]

    # ----------------------------------------------------------------------------------------------------- steps
    def _step(self, step: Step) -> None:
        match step:
            case Apply():
                self._apply(step)
            case Check():
                self._check(step)
            case Assertion():
                self._assertion(step)
            case If():
                self._conditional(step)
            case Match():
                self._match(step)
            case Closure():
                self._closure(step)
            case Rename():
                self._rename(step)
            case Project() if self.projects and self.rewriting.name(step.operand) in self.tuples:
                self._project(step)
            case Invoke() if self.expand is not None and (callee := self.expand(self, self.rewriting.step(step))):
                self._inline(step, callee)
            case Invoke(function=name) if self.module.declares(name):
                self._retyped(step)
            case Invoke() | Project() | MakeTuple() if self._is_touched(step):
                self._retyped(step)
            case Size(dim=dim) if (size := self.rewriting.dim(dim).value) is not None and 0 <= size < 1 << 63:
                self._emit(
                    Constant(step.name, scalar(size, DType.INT64), self.rewriting.type(step.type), step.span), step
                )
            case _:
                self._moved(step)

    def _moved(self, step: Any) -> None:
        """A step whose type says what it said, under the new names."""
        moved = step if self._is_untouched else self.rewriting.step(step)
        self._emit(moved, step)

    def _emit(self, moved: Any, step: Any) -> None:
        self._out.append(moved)
        if isinstance(moved, Constant):
            self.literals[moved.name] = moved.value
        elif isinstance(moved, MakeTuple):
            self.tuples[moved.name] = moved.fields
            if all(name in self.literals for name in moved.fields):
                self.literals[moved.name] = tuple(self.literals[name] for name in moved.fields)
        self._define(step.name, moved.type, step.type)

    @property
    def _is_untouched(self) -> bool:
        """Whether nothing in the function has changed so far."""
        return not (self.changed or self.rewriting.names or self.rewriting.dims or self.rewriting.types)

    def _is_touched(self, step: Any) -> bool:
        match step:
            case Apply(operands=read) | MakeTuple(fields=read):
                return any(name in self.changed for name in read)
            case Invoke(function=function, operands=read):
                return function in self.changed or any(name in self.changed for name in read)
            case _:
                return step.operand in self.changed

    def _define(self, name: str, now: OpenedType, before: OpenedType) -> None:
        """A variable has a value from here on; what is known now stands for its unknowns."""
        self.types[name] = now
        self._scope.append(name)
        if not isinstance(now, TensorType):
            for origin in shapes_unknown(now):
                self._unranked.setdefault(origin, []).append(name)
        if now is not before and now != before:
            self.changed.add(name)
            self._stands_for(name, before, now)
        for size in sizes(now):
            if size.value is None:
                self.knowing.tell(size)

    def _stands_for(self, name: str, before: OpenedType, now: OpenedType) -> None:
        """What is known now stands for the unknowns of a variable of the old function."""
        for unknown, dim in images(name, before, now):
            (variable,) = unknown.variables()
            if unknown is not dim:
                self.rewriting.dims[variable] = dim

    def sharper(self, judged: GradualType, before: OpenedType, path: str) -> OpenedType:
        """The recorded type, with dims that are judged now for the unknowns of its own."""
        return self._retyping.sharper(judged, before, path)

    def _joined(self, before: OpenedType, path: str, types: list[OpenedType]) -> OpenedType:
        return self._retyping.joined(before, path, types)

    @property
    def _retyping(self) -> Retyping:
        return Retyping(self.rewriting, self.types, self._holds)

    def _holds(self, goal: Constraint) -> bool:
        """Whether a constraint is known to hold here; nothing is asked of one that is evident."""
        return goal is TRUE or isinstance(self.knowing.decide(goal), Proved)

    # ------------------------------------------------------------------------------------------------- operators
    def _apply(self, step: Apply) -> None:
        moved: Any = step if self._is_untouched else self.rewriting.step(step)
        if moved is not step and (self._is_touched(step) or moved.attributes != step.attributes):
            moved = self._judged(step, self._forgetting(step, moved))
        found = self.improve(self, moved) if self.improve is not None else moved
        if isinstance(found, str):
            self.loosened.update(moved.operands)
            self._alias(step, found)
        else:
            self._emit(self._agreeing(found) if isinstance(found, Apply) else found, step)

    def _agreeing(self, moved: Apply) -> Apply:
        """The step with the unknowns of an earlier application to the same operands for its own.   [type.open]"""
        if not any(is_own(size, *place) for place, size in placed_sizes(moved.type, moved.name)):
            return moved
        found = Asking(moved.operator, moved.operands, moved.attributes).step(self.operands(moved))
        type = self._shared(found.result, moved, moved.operands) if isinstance(found, Judgement) else moved.type
        return moved if type is moved.type else replace(moved, type=type)

    def _shared(self, judged: GradualType, moved: Apply | Invoke, operands: Sequence[str]) -> OpenedType:
        """The type of a step, where holes of one key over the same operands are one unknown."""
        holes: dict[tuple[str, int], Hole] = {}
        opened(judged, moved.name, lambda path, axis, hole: holes.update({(path, axis): hole}))
        dims: dict[Variable, Dim] = {}
        for place, size in placed_sizes(moved.type, moved.name):
            key = holes[place].key if place in holes and is_own(size, *place) else None
            if key is not None:
                earlier = self.shared.setdefault((key[0], *(operands[i] for i in key[1])), size)
                dims.update((own, earlier) for own in size.variables() if earlier is not size)
        return Rewriting(dims=dims).type(moved.type) if dims else moved.type

    def put(self, step: Any) -> None:
        """A step that the function did not have, before the one that is looked at."""
        self._emit(step, step)

    def operands(self, step: Apply) -> tuple[OpenedType, ...]:
        """The operands' types, with the elements named that the operator's rules may read."""
        for index, operand in enumerate(step.operands):
            if index in step.operator.reads or step.operator.contents is not None:
                self._open_contents(operand, index in step.operator.reads)
        return tuple(map(self.type_of, step.operands))

    def arguments(self, call: Invoke) -> tuple[OpenedType, ...]:
        """The arguments' types, with the elements named that sizes of the callee may be."""
        for operand in call.operands:
            self._open_contents(operand, False)
        return tuple(map(self.type_of, call.operands))

    def _open_contents(self, name: str, read: bool) -> None:
        type = self.types.get(name)
        if not isinstance(type, TensorType) or type.dtype is DType.BOOL or type.contents is not None:
            return
        if tracked_length(type, LIMITS.contents, read) is not None:
            self.types[name] = with_contents(type, name)

    def _forgetting(self, step: Apply, moved: Apply) -> Apply:
        """The step on literals whose numbers are not looked at, if with them it would owe what it does not check.

        What was a fault of elements stays one.   [pass.sharpen.numbers]
        """
        places = [
            place
            for place, name in enumerate(step.operands)
            if name in self.changed and known_numbers(self.type_of(moved.operands[place])) is not None
        ]
        if not places or self._is_accepted(moved):
            return moved
        operands = list(moved.operands)
        for place in places:
            (name,) = apart([operands[place]], self.taken).values()
            type = without_contents(self.type_of(operands[place]))
            self.put(Rename(name, operands[place], type, step.span))
            self.literals[name] = self.literals[operands[place]]
            operands[place] = name
        return replace(moved, operands=tuple(operands))

    def _is_accepted(self, step: Apply) -> bool:
        """Whether the rule of a step owes nothing that is not known."""
        try:
            found = Asking(step.operator, step.operands, step.attributes).step(self.operands(step))
        except IllFormed:
            return False
        if not isinstance(found, Judgement):
            return True
        return all(self._holds(need.goal) for need in found.needs)

    def _judged(self, step: Apply, moved: Apply) -> Apply:
        """The step with the type that its rule gives on what is known now."""
        asking = Asking(moved.operator, moved.operands, moved.attributes)
        try:
            operands = asking.flattened(self.operands(moved))
            found = asking.step(operands)
            result = found.result if isinstance(found, Judgement) else asking.at_any_rank(operands)
        except IllFormed as wrong:  # a check before it fails always, or its branch is never taken
            if moved.accepts is not None:
                self._out.append(replace(moved.accepts, goal=FALSE))
            raise _Unreachable(_stop(f"`{step.operator.name}`: {wrong.message}", step.span)) from None
        if not isinstance(found, Judgement):
            return moved if result is None else replace(moved, type=self.sharper(result, step.type, step.name))
        if moved.accepts is not None:
            self._accepted(found, moved.accepts)
        type = self.sharper(found.result, step.type, step.name)
        if isinstance(type, TensorType):
            type = replace(type, contents=self._contents(step, moved, operands, type))
        return replace(moved, type=type, accepts=None)

    def _accepted(self, judgement: Judgement, accepts: Check) -> None:
        """What the rule needs, once the ranks are known, is checked where it was asked, with the same label."""
        unmet = (need.goal for need in judgement.needs if not self._holds(need.goal))
        goal = all_of(*unmet)
        if goal is not TRUE:
            self._out.append(replace(accepts, goal=goal, says=""))
            self.knowing.tell(Passed(goal))

    def _contents(self, step: Apply, moved: Apply, operands: tuple[OpenedType, ...], type: OpenedType) -> Contents:
        """What the rule says of the elements; what nobody said before only where no number can be too large."""
        rule = step.operator.contents
        if rule is None or tracked_length(type, LIMITS.contents) is None:
            return None
        given = rule(*operands, **moved.attributes)
        if given is None or (isinstance(step.type, TensorType) and step.type.contents is not None):
            return given
        assert isinstance(type, TensorType)
        held = {part for operand in operands for part in elements(operand)}
        safe = all(part in held or fits(part, type.dtype) for part in given)
        return given if safe and not any(is_large(part, LIMITS.nodes) for part in given) else None

    # ------------------------------------------------------------------------------------ calls, tuples, renaming
    def _retyped(self, step: Invoke | Project | MakeTuple) -> None:
        """A step whose type follows from those of its operands."""
        moved = self.rewriting.step(step)
        match moved:
            case Invoke():
                type = self._called(step, moved)
            case Project():
                whole = self.type_of(moved.operand)
                type = whole.fields[moved.index] if isinstance(whole, TupleType) else moved.type
            case MakeTuple(fields=fields, type=TupleType(held)):
                known = zip(step.fields, fields, held, strict=True)  # type: ignore[union-attr]
                type = TupleType(tuple(self.type_of(new) if old in self.changed else was for old, new, was in known))
            case _:
                type = moved.type
        self._emit(replace(moved, type=type), step)

    def _project(self, step: Project) -> None:
        """A field of a tuple that was made here."""
        whole = self.rewriting.name(step.operand)
        self.loosened.add(whole)
        self._alias(step, self.tuples[whole][step.index])

    def _inline(self, step: Invoke, callee: Function) -> None:
        """The body of a function in place of its call.   [pass.inline]"""
        self.loosened.add(self.rewriting.name(step.function))
        outer, types = self.rewriting.types, map(self.rewriting.type, step.types)
        self.rewriting.types = dict(zip(callee.type.types, types, strict=True))
        try:
            for param, operand in zip(callee.params, map(self.rewriting.name, step.operands), strict=True):
                self._bind(param, operand)
            self._write_out(callee.body.steps)
        finally:
            self.rewriting.types = outer
        self._bind(step, self.rewriting.name(callee.body.result))

    def _write_out(self, steps: Iterable[Step]) -> None:
        """Steps of a block inside, or of another function, in the block that is swept."""
        self._written_out += 1
        try:
            for inner in steps:
                self._step(inner)
        finally:
            self._written_out -= 1

    def _bind(self, bound: Param | Invoke | If, value: str) -> None:
        """A parameter is its argument, a result what was returned, and a join its branch.

        It is ascribed where its type does not say the same sizes.

        What is a number where the body is written out may be a name around it, of which only the path knows the number.
        """
        type = self.type_of(value)
        if says(type, self.rewriting.typed(bound.type, bound.name), bound.name):
            self._alias(bound, value)
        else:
            self._emit(Rename(bound.name, value, self.sharper(type, bound.type, bound.name), bound.span), bound)

    def _called(self, step: Any, moved: Invoke) -> OpenedType:
        type, types = self.type_of(moved.function), self.arguments(moved)
        if not isinstance(type, FunctionType):
            return moved.type
        call = at_types(type, types, moved.types)
        if call.unsolved:
            return moved.type
        if not self.module.declares(moved.function):
            return self.sharper(call.result, step.type, step.name)
        result = keyed(call.result, moved.function, types)
        made = replace(moved, type=self.sharper(result, step.type, step.name))
        return self._shared(result, made, identities(moved.operands, types))

    def _rename(self, step: Rename) -> None:
        """An ascription forgets; a pass does not.  A value of which elements are known is used itself."""
        value = self.rewriting.name(step.operand)
        type = self.type_of(value)
        if isinstance(type, TensorType) and any(map(is_closed, type.contents or ())):
            self._alias(step, value)
            return
        if value in self.literals:
            self.literals[step.name] = self.literals[value]
        moved = step if self._is_untouched else self.rewriting.step(step)
        sharper = self.sharper(type, step.type, step.name)
        self._emit(moved if sharper == moved.type else replace(moved, type=sharper, written=None), step)

    def _alias(self, step: Any, value: str) -> None:
        """From here on the variable of a step is another, which holds the same value."""
        type = self.type_of(value)
        if isinstance(type, NeverType):
            raise _Unreachable(value)
        if not is_alike(type, self.rewriting.typed(step.type, step.name)):
            moved = Rename(step.name, value, self.sharper(type, step.type, step.name), step.span)
            self._emit(moved, step)
            return
        if type != step.type:
            self.changed.add(step.name)
        self._stands_for(step.name, step.type, type)
        self.rewriting.names[step.name] = value
        self.loosened.add(value)

    # ------------------------------------------------------------------------------------------------- functions
    def _closure(self, step: Closure) -> None:
        before = step.function
        type = self.rewriting.type(step.type)
        self._define(step.name, type, step.type)
        outer, self._scope = self._scope, []
        function = self.function(before)
        self._forget()
        self._scope = outer
        self._out.append(step if function is before else replace(step, function=function, type=function.type))
        self.closures[step.name] = function

    # -------------------------------------------------------------------------------------------------- branches
    def _conditional(self, step: If) -> None:
        """An `if`: its branch where the condition is constant, else both, and what they agree on now."""
        condition = self.rewriting.name(step.condition)
        truth = self._truth(condition)
        if truth is not None and truth.value is not None:
            self.loosened.add(condition)
            taken = step.then if truth.value else step.orelse
            self._write_out(taken.steps)
            self._bind(step, self.rewriting.name(taken.result))
            return
        then, first = self._branch(step.then, truth)
        orelse, second = self._branch(step.orelse, truth and negated(truth))
        type = self._joined(step.type, step.name, [first, second])
        same = then is step.then and orelse is step.orelse and condition == step.condition and type == step.type
        moved = step if same else replace(step, condition=condition, then=then, orelse=orelse, type=type)
        self._emit(moved, step)

    def _truth(self, condition: str) -> Constraint | None:
        type = self.type_of(condition)
        content = type.contents[0] if isinstance(type, TensorType) and type.contents else None
        return content if isinstance(content, Constraint) else None

    def _branch(self, block: Block, truth: Constraint | None = None) -> tuple[Block, OpenedType]:
        """A branch under its path, and the type of its value."""
        self.knowing.enter()
        if truth is not None:
            self.knowing.tell(Path(truth))
        made = self._block(block)
        self.knowing.leave()
        return made

    def _match(self, step: Match) -> None:
        scrutinee = self.rewriting.name(step.scrutinee)
        held = self.type_of(scrutinee) if step.scrutinee in self.changed else None
        arms, types = [], []
        for arm in step.arms:
            outer, self._scope = self._scope, []
            pattern = self._pattern(arm.pattern, held)
            block, type = self._branch(arm.block)
            self._forget()
            self._scope = outer
            arms.append(arm if pattern is arm.pattern and block is arm.block else Arm(pattern, block))
            types.append(type)
        joined = self._joined(step.type, step.name, types)
        same = scrutinee == step.scrutinee and tuple(arms) == step.arms and joined == step.type
        self._emit(step if same else replace(step, scrutinee=scrutinee, arms=tuple(arms), type=joined), step)

    def _pattern(self, pattern: CorePattern, held: OpenedType | None) -> CorePattern:
        """What a pattern binds, outside data at the type that its part of the value has now."""
        match pattern:
            case Bind(name, before):
                if name is None:
                    return pattern
                now = held if held is not None else self.rewriting.typed(before, name)
                self._define(name, now, before)
                return pattern if now == before else Bind(name, now)
            case Destructure(constructor, fields):
                parts: Iterable[OpenedType] = ()
                if constructor is None and isinstance(held, TupleType):
                    parts = held.fields
                made = tuple(self._pattern(*pair) for pair in zip_longest(fields, parts))
                return pattern if made == fields else Destructure(constructor, made)

    # ------------------------------------------------------------------------------------------------ obligations
    def _check(self, step: Check) -> None:
        """A check at what is known now: provable, it goes; failing, it stays and fails always."""
        moved = step if self._is_untouched else self.rewriting.step(step)
        goal, held = moved.goal, self._rank(moved.goal)
        verdict = self.knowing.decide(goal) if goal is not step.goal else None
        if isinstance(verdict, Proved) or held is Rank.KNOWN:
            self.loosened.update(base for variable in step.goal.variables() if (base := base_of(variable)))
            return
        if held is Rank.ANOTHER or isinstance(verdict, Refuted):
            self._out.append(self._refuted(step, moved))
            raise _Unreachable(_stop(f"`{step.goal}` never holds", step.span))
        self._out.append(moved)
        self.knowing.tell(Passed(goal))

    def _refuted(self, step: Check, moved: Check) -> Check:
        """A check that never holds: of the sizes that it speaks of, not of what they are known to be, if it can be."""
        named = Rewriting(self.rewriting.names).step(step)
        return named if all(map(self._is_measured, named.goal.variables())) else moved

    def _is_measured(self, variable: Variable) -> bool:
        """Whether a variable is a size of a value that is here."""
        if not isinstance(variable.witness, SizeOf):
            return False
        type = self.types.get(variable.witness.value)
        return isinstance(type, TensorType) and variable.witness.axis < type.rank

    def _rank(self, goal: Constraint) -> Rank:
        """Take in the rank that a check says, to the end of the block; whether it was known, or is another."""
        solution = goal.solution
        witness = solution[0].witness if solution is not None else None
        rank = solution[1].value if solution is not None else None
        if not isinstance(witness, RankOf) or rank is None:
            return Rank.NEW
        origin = witness.value
        if origin in self._ranks:
            return Rank.KNOWN if self._ranks[origin] == rank else Rank.ANOTHER
        self._ranks[origin] = rank
        for name in self._unranked.get(origin, ()):
            if name in self.types:
                self._vague.append((name, self.types[name]))
                self.types[name] = at_rank(self.types[name], origin, rank)
                if self._written_out:  # what follows around it does not know the rank
                    self.changed.add(name)
                    self.changed.update(old for old, new in self.rewriting.names.items() if new == name)
        return Rank.NEW

    def _assertion(self, step: Assertion) -> None:
        condition = self.rewriting.name(step.condition)
        if step.condition in self.changed and self._truth(condition) is TRUE:
            return
        self._out.append(step if condition == step.condition else replace(step, condition=condition))


def _stop(says: str, span: Span) -> Stop:
    return Stop("%stop", says, NeverType(), span)
