"""`drop-dead`: drop steps whose value is not used and that cannot fail.   [pass.dead]"""

from __future__ import annotations

from dataclasses import field

from gradual.core.check import Check
from gradual.core.def_use import blocks, defined, reads
from gradual.core.terms import Apply, Assertion, Block, Function, If, Module, Step
from gradual.core.traversal import with_blocks
from gradual.dims.term.dim import Dim
from gradual.passes.analysis.may_fault import Failing, failing_of
from gradual.passes.framework.map_steps import with_body, with_functions
from gradual.passes.framework.pass_ import Context, Note, Pass, Transformed
from gradual.record import record
from gradual.types.unpacking import sizes


@record(frozen=False, eq=False)
class Dropping:
    """A backward walk over one function: a step is kept if a later step uses its value or if it may fail.

    Attributes:
        among: candidates to drop, along with steps whose values only they use; None if every step is a candidate.
        unread: the steps whose values are not used, but which may fail.
    """

    among: set[str] | None = None
    unread: list[Step] = field(default_factory=list)
    _needed: set[str] = field(default_factory=set)
    _safe: set[int] = field(default_factory=set)
    _surveyed: bool = False
    _function: Function = field(init=False)
    _failing: Failing = field(init=False)

    def function(self, function: Function) -> Function:
        """Drop the dead code of a function.   [pass.dead]"""
        self._failing = failing_of(function)
        self._function = function
        return with_body(function, self._block(function.body))

    def _is_safe(self, step: Step) -> bool:
        """Whether a step cannot fail, given the sizes of earlier values; all steps are surveyed at the first call."""
        if not self._surveyed and isinstance(step, Apply | If):
            self._surveyed = True
            self._failing.sizes.update(size for param in self._function.params for size in sizes(param.type))
            self._survey(self._function.body)
        return id(step) in self._safe

    def _survey(self, block: Block) -> None:
        """Find the steps that cannot fail, in order; sizes of a value are known up to the end of its block."""
        known = self._failing.sizes
        new: list[Dim] = []
        for step in block.steps:
            for inner in blocks(step):
                self._survey(inner)
            if self._cannot_fail(step):
                self._safe.add(id(step))
            if isinstance(step, Check | Assertion):
                continue
            for size in sizes(step.type):
                if size not in known:
                    new.append(size)
                    known.add(size)
        known.difference_update(new)

    def _cannot_fail(self, step: Step) -> bool:
        if isinstance(step, If):
            return all(id(inner) in self._safe for block in blocks(step) for inner in block.steps)
        return self._failing.cannot(step)

    def _block(self, block: Block) -> Block:
        self._needed.add(block.result)
        kept: list[Step] = []
        for step in reversed(block.steps):
            if not self._is_dead(step):
                kept.append(self._kept(step))
            elif self.among is not None:
                self.among.update(reads(step))
        kept.reverse()
        return block if tuple(kept) == block.steps else Block(tuple(kept), block.result)

    def _is_dead(self, step: Step) -> bool:
        name = defined(step)
        if name is None or name in self._needed or (self.among is not None and name not in self.among):
            return False
        if self._failing.cannot(step) or self._is_safe(step):
            return True
        self.unread.append(step)
        return False

    def _kept(self, step: Step) -> Step:
        kept = with_blocks(step, self._block)
        self._needed.update(reads(kept))
        return kept


def dropped(module: Module, context: Context) -> Transformed:
    """Drop dead code in all functions, and report unread steps that are kept since they may fail.   [pass.dead]"""
    functions, notes = {}, []
    for name, function in module.functions.items():
        dropping = Dropping()
        functions[name] = dropping.function(function)
        notes += [_stays(name, step) for step in reversed(dropping.unread) if isinstance(step, Apply)]
    return Transformed(with_functions(module, functions), tuple(notes))


def _stays(function: str, step: Apply) -> Note:
    says = f"`{step.name}` is unused, but `{step.operator.name}` may fail"
    return Note(function, step.span, says, left=True)


PASSES: tuple[Pass, ...] = (
    Pass("drop-dead", "Remove unused steps that cannot fail.   [pass.dead]", dropped, idempotent=True),
)
