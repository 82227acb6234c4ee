"""Specializing functions to sizes that the user pins, and redirecting the calls that are proved to have these sizes.

specialize n=3                          the program's entry points take `n = 3` from now on
specialize @f:n=3                       where `@f` is called in the program: a copy `@f_n_3` is added
specialize @f:%x=(10,10) calls=check    `@f` becomes that copy, and each call checks what is not proved
"""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import field, replace
from itertools import count

from gradual.core.check import Blame, Check, Site
from gradual.core.def_use import blocks, every, operands, reads
from gradual.core.terms import Function, Invoke, Module, Step
from gradual.core.traversal import Rewriting, apart
from gradual.dims.solver.decide import Decider
from gradual.dims.store.facts import Facts
from gradual.dims.term.constraint import Constraint, all_of
from gradual.passes.framework.map_steps import changed_function, visited, with_functions
from gradual.passes.framework.pass_ import Context, Note, Pass, Transformed, Unusable
from gradual.passes.framework.pins import Pins, by_function
from gradual.passes.refine.sweep import Sweep
from gradual.passes.transform.at_numbers import at_numbers
from gradual.record import record
from gradual.types.instantiation import at_types
from gradual.types.relations import Coercion, Demand, demands, is_same
from gradual.types.subsumption import subsumes
from gradual.types.type import FunctionType, GradualType, OpenedType, TensorType, TupleType, UnrankedType
from gradual.types.unpacking import with_contents
from gradual.verdict import Proved

Types = Mapping[str, OpenedType]


def specialize(module: Module, context: Context) -> Transformed:
    """Specialize the functions that have the pinned names.  Raises Unusable.

    [pass.specialize] [pass.specialize.names] [pass.specialize.calls] [pass.specialize.check]
    """
    given = dict(context.given)
    how = given.pop("calls", "redirect")
    if how not in ("redirect", "check"):
        raise Unusable(f'`calls` is "redirect" or "check", not "{how}"')
    if not given:
        raise Unusable("`specialize` needs an argument, such as `n=3`, which pins the dim `n`")
    made = Specializing(module, context.decider)
    for name, pins in by_function(module, given).items():
        if how == "redirect" and name in mentioned(module):
            made.copy(name, pins)
        else:
            made.replace(name, pins)
    return made.finished()


def settled(function: Function) -> Function:
    """Remove the `codegen` attribute of a function, after its policy was applied."""
    kept = {key: value for key, value in function.attributes.items() if key != "codegen"}
    return function if len(kept) == len(function.attributes) else replace(function, attributes=kept)


def mentioned(module: Module) -> set[str]:
    """The declared functions that are called or used as values in the module."""
    bodies = [function.body for function in module.functions.values()]
    names = {name for body in bodies for step in every(body) for name in reads(step)}
    return (names | {body.result for body in bodies}) & module.functions.keys()


# ------------------------------------------------------------------------------------------------------------- modules
@record(frozen=False, eq=False)
class Specializing:
    """Builds a module with functions specialized to numbers.

    Attributes:
        copies: function -> its specialized copies.
        demanding: functions whose calls all have to be checked.
    """

    module: Module
    decider: Decider
    copies: dict[str, list[str]] = field(default_factory=dict)
    demanding: set[str] = field(default_factory=set)
    notes: list[Note] = field(default_factory=list)

    def copy(self, name: str, pins: Pins) -> str:
        """Add a specialized copy of a function.   [pass.specialize.calls]"""
        at = at_numbers(self.module, self.module.functions[name], pins, self.decider)
        new = self.add(replace(at, name=f"{name}_{pins.label}"))
        self.copies.setdefault(name, []).append(new)
        return new

    def add(self, function: Function) -> str:
        """Add a function under its name or a similar fresh one, without its `codegen` attribute.

        Copy its steps, as facts are recorded by the identity of steps.
        """
        name = apart((function.name,), set(self.module.functions))[function.name]
        self.module = with_functions(self.module, {name: replace(Rewriting().function(settled(function)), name=name)})
        return name

    def exchange(self, function: Function) -> None:
        """Replace the function of the same name."""
        self.module = with_functions(self.module, {function.name: function})

    def replace(self, name: str, pins: Pins) -> None:
        """Specialize a function in place: its interface changes.   [pass.specialize.interface]"""
        function = at_numbers(self.module, self.module.functions[name], pins, self.decider)
        if name in mentioned(self.module):
            _only_called(self.module, name)
            self.demanding.add(name)
        self.exchange(function)

    def finished(self) -> Transformed:
        """Update the calls of copied or changed functions until a fixpoint, and return the module."""
        while self._round():
            self.demanding.clear()
        return Transformed(self.module, tuple(self.notes))

    def _round(self) -> bool:
        """Update the calls that the current facts allow; return whether there was one."""
        calls = Calls(self.module, self.decider, self.copies, self.demanding)
        visited(self.module, self.decider, calls.visit, self._callers({*self.copies, *self.demanding}))
        names = {*calls.redirected.values(), *self.demanding}
        functions = {name: self._calling(f, calls, names) for name, f in self.module.functions.items()}
        self.module = replace(self.module, functions=functions)
        return bool(calls.redirected or calls.owed)

    def _callers(self, names: set[str]) -> set[str]:
        """The functions that call one of the functions of these names."""
        return {
            caller.name
            for caller in self.module.functions.values()
            if any(isinstance(step, Invoke) and step.function in names for step in every(caller.body))
        }

    def _calling(self, function: Function, calls: Calls, names: set[str]) -> Function:
        """Update the calls in a function, and refine the types that depend on their results."""
        made = changed_function(function, calls.changed)
        return function if made is function else Sweep(self.decider, self.module, changed=set(names)).function(made)


def _only_called(module: Module, name: str) -> None:
    """Require that a function whose interface changes is not used as a value.  Raises Unusable."""
    for function in module.functions.values():
        results = {function.body.result}
        for step in every(function.body):
            results |= {block.result for block in blocks(step)}
            if name in (step.operands if isinstance(step, Invoke) else operands(step)):
                raise Unusable(f"`{name}` is used as a value, so that its calls are not all known", step.span)
        if name in results:
            raise Unusable(f"`{name}` is used as a value, so that its calls are not all known", function.span)


# --------------------------------------------------------------------------------------------------------------- calls
@record(frozen=False, eq=False)
class Calls:
    """Finds the calls to update, by the identity of their steps.

    Attributes:
        redirected: call -> the copy to call instead.
        owed: call -> the check that has to be inserted before it.
    """

    module: Module
    decider: Decider
    copies: Mapping[str, Sequence[str]]
    demanding: Container[str] = ()
    redirected: dict[int, str] = field(default_factory=dict)
    owed: dict[int, Check] = field(default_factory=dict)

    def visit(self, step: Step, facts: Facts, types: Types) -> None:
        """Decide what to do with a call, from the facts before it."""
        if not isinstance(step, Invoke):
            return
        for copy in self.copies.get(step.function, ()):
            goals = self._goals(copy, step, types)
            if goals is not None and all(self._holds(facts, goal) for goal in goals):
                self.redirected[id(step)] = copy
                return
        if step.function in self.demanding:
            goals = self._goals(step.function, step, types)
            if goals is None:
                says = "would have to convert a function, data or a reference to another type"
                raise Unusable(f"a call of `{step.function}` {says}", step.span)
            open_goals = [goal for goal in goals if not self._holds(facts, goal)]
            if open_goals:
                goal = all_of(*open_goals)
                self.owed[id(step)] = self._check(step, goal)
                facts.learn(goal, self.decider.decide(facts, goal))  # the check precedes the following code

    def changed(self, step: Step) -> Iterator[Step]:
        """The step with its call redirected, after its check if it needs one."""
        if id(step) in self.owed:
            yield self.owed[id(step)]
        if id(step) in self.redirected:
            assert isinstance(step, Invoke)
            yield replace(step, function=self.redirected[id(step)])
        else:
            yield step

    def _goals(self, function: str, step: Invoke, types: Types) -> list[Constraint] | None:
        """The goals of a call for a function; None if it fits at no sizes, or only with a converted argument."""
        type = self.module.functions[function].type
        arguments = [self._argument(operand, types) for operand in step.operands]
        call = at_types(type, arguments, step.types)
        if not _is_kept(call.result, step.type):
            return None
        goals = [goal for _, goal in call.owed]
        for argument, param in zip(arguments, call.params, strict=True):
            for demand in demands(argument, param):
                match demand:
                    case Demand(goal):
                        goals.append(goal)
                    case Coercion(FunctionType() as source, FunctionType() as target) if subsumes(source, target):
                        pass
                    case _:
                        return None
        return None if call.unsolved else [*goals, *call.where]

    def _argument(self, name: str, types: Types) -> OpenedType:
        """The type of an argument, with an unknown for the element of a scalar integer."""
        if name in self.module.functions:
            return self.module.functions[name].type
        type = types[name]
        if not isinstance(type, TensorType) or type.contents is not None or type.rank or not type.dtype.counts:
            return type
        return with_contents(type, name)

    def _holds(self, facts: Facts, goal: Constraint) -> bool:
        return isinstance(self.decider.decide(facts, goal), Proved)

    def _check(self, step: Invoke, goal: Constraint) -> Check:
        """The check before a call, which blames the call.   [pass.specialize.check]"""
        says = f"`{step.function}` was specialized"
        through, blamed = f"the arguments of `{step.function}`", f"the call of `{step.function}`"
        label = Blame(
            "pass.specialize.check", Site.ARGUMENT, step.span, says, through, (), blamed, (step.span,), "", goal
        )
        return Check(self._fresh_id(), goal, label, step.span)

    def _fresh_id(self) -> str:
        """A check id that is not in use."""
        bodies = (function.body for function in self.module.functions.values())
        taken = {step.id for body in bodies for step in every(body) if isinstance(step, Check)}
        taken |= {check.id for check in self.owed.values()}
        return next(id for id in (f"c{number}" for number in count(len(taken) + 1)) if id not in taken)


def _is_kept(result: GradualType, recorded: GradualType) -> bool:
    """Whether a call still has its recorded result type, ignoring sizes of tensors, which are refined later."""
    match result, recorded:
        case TensorType() | UnrankedType(), _:
            return True
        case TupleType(fields), TupleType(others):
            return all(map(_is_kept, fields, others))
        case _:
            return is_same(result, recorded)


PASSES: tuple[Pass, ...] = (
    Pass(
        "specialize",
        "Specialize functions to numbers for some of their sizes, which are checked at entry.   [pass.specialize]",
        specialize,
        takes="[@f:]n=3 … [calls=redirect|check]",
    ),
)
"""The pass `specialize`."""
