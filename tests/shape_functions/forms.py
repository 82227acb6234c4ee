"""The three forms of a shape function on the same arguments, and the machine beside them."""

from __future__ import annotations

import subprocess
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from shutil import which
from typing import Any

import pytest

from gradual.compilation import Compilation
from gradual.compiler import compile_source
from gradual.limits import Options
from gradual.report.located import place_of
from gradual.run.graph.plan import Plan
from gradual.run.sizes import Sizes
from gradual.run.steps.checks import measure
from gradual.run.value import Blame, Fault, Frame
from gradual.shape_functions import c, python, relay
from gradual.shape_functions.build import Subject, shape_function
from gradual.shape_functions.form import ABSENT, Need, ShapeFunction
from gradual.source import Source
from gradual.tensors.tensor import Tensor
from gradual.tensors.value import Value

COMPILER = next((path for name in ("gcc", "cc", "clang") if (path := which(name)) is not None), None)
FLAGS = ("-std=c99", "-Wall", "-Wextra", "-Werror", "-pedantic")
needs_compiler = pytest.mark.skipif(COMPILER is None, reason="no compiler of C on this machine")


@dataclass(frozen=True)
class Answer:
    """What a form says of a call: the need that fails, or an overflow, or the shapes.

    Attributes:
        kind: "need", "overflow" or "shapes".
        need: everything about the need that fails, in one line.
        numbers: the sizes of the results, the offsets and the bytes of the buffers, the arena, in this order.
    """

    kind: str
    need: str = ""
    numbers: tuple[int, ...] = ()


OVERFLOW = Answer("overflow")


@dataclass(frozen=True, eq=False)
class Shaped:
    """A program with the shape function of one of its functions."""

    found: Compilation
    entry: str
    made: ShapeFunction

    @cached_property
    def python(self) -> dict[str, Any]:
        """The module of Python."""
        module: dict[str, Any] = {"__name__": self.made.name}
        exec(compile(python.printed(self.made), f"{self.made.name}.py", "exec"), module)
        return module

    @cached_property
    def relay(self) -> Compilation:
        """The program, checked."""
        source = Source("shapes.relay", relay.printed(self.made, self.found.decider()))
        return compile_source(source, Options(smt=False, advise=False))

    def given(self, values: Sequence[Value]) -> list[tuple[int, ...]]:
        """What the forms take for these arguments."""
        params = self.found.core.functions[self.entry].params
        given = [*zip(params, values, strict=True)][: len(params) - len(self.found.weights)]
        tensors = [tensor for param, value in given for _, tensor in leaves(param.name, value)]
        parts: list[tuple[int, ...]] = []
        for one, tensor in zip(self.made.inputs, tensors, strict=True):
            parts.append(tensor.shape)
            if one.elements:
                elements = [int(element) for element in tensor.elements]
                parts.append(tuple((elements + [0] * len(one.elements))[: len(one.elements)]))  # of a wrong length
        return parts

    # ------------------------------------------------------------------------------------------------------- the forms
    def in_python(self, given: Sequence[tuple[int, ...]]) -> Answer:
        """What the module of Python says."""
        module = self.python
        try:
            found = module["shapes"](*given)
        except module["NeedFails"] as failed:
            return Answer("need", Need(failed.need[0], self.made.needs[0].holds, *failed.need[1:]).says)
        sizes = [size for shape in found.results for size in shape or ()]
        columns = [buffer[0] for buffer in found.buffers], [buffer[1] for buffer in found.buffers]
        numbers = [*sizes, *columns[0], *columns[1], found.arena]
        return Answer("shapes", numbers=tuple(ABSENT if number is None else number for number in numbers))

    def in_relay(self, given: Sequence[tuple[int, ...]]) -> Answer:
        """What the program says."""
        values = [Tensor(list(part), "int64", (len(part),)) for part in given]
        try:
            shapes, offsets, sizes, arena = self.relay.run(f"@{self.made.name}_shapes", *values)  # type: ignore[misc]
        except Fault as stop:
            if stop.code == "E0605":
                return OVERFLOW
            return Answer("need", stop.message.removeprefix("assertion failed: "))
        vectors = (*shapes, offsets, sizes)
        return Answer("shapes", numbers=(*(int(n) for one in vectors for n in one.elements), int(arena.elements[0])))

    # ----------------------------------------------------------------------------------------------------- the machine
    def disagreement(self, values: Sequence[Value], answer: Answer) -> str | None:
        """How the machine and its plan contradict an answer; None where they do not."""
        try:
            value, taken = self.found.measure(self.entry, *values)
        except Blame as stop:
            return self._blamed(stop, answer)
        except Fault as stop:
            asserted = self._needs_at(stop) if stop.code == "E0606" else []
            return self._expected(asserted, answer)
        if answer.kind != "shapes":
            return f"the machine gives a value, not {answer}"
        return self._values(value, taken, values, answer)

    def _blamed(self, stop: Blame, answer: Answer) -> str | None:
        assert stop.check is not None, stop
        same = [need for need in self._needs_at(stop) if need.id == stop.check.id and stop.check.shown in need.message]
        return self._expected(same, answer)

    def _needs_at(self, stop: Blame | Fault) -> list[Need]:
        at = place_of(self.found.source, stop.span)
        return [need for need in self.made.needs if need.place == at and stop.diagnostic.label in need.message]

    def _expected(self, needs: Sequence[Need], answer: Answer) -> str | None:
        """A need that the run was stopped by is the answer; what only the run decides says nothing of the answer."""
        if not needs or answer.need in [need.says for need in needs]:
            return None
        return f"the machine says {[need.says for need in needs]}, not {answer}"

    def _values(self, value: Value, taken: Mapping[str, int], given: Sequence[Value], answer: Answer) -> str | None:
        shapes = [tensor.shape for _, tensor in leaves("", value)] if _has_shapes(value) else []
        numbers = iter(answer.numbers)
        for result, shape in zip(self.made.results, shapes, strict=bool(shapes)):
            for size, number in zip(result.sizes or (), shape, strict=result.sizes is not None):
                said = next(numbers)
                fits = said == number if size.exact else said == ABSENT if size.dim is None else said >= number
                if not fits:
                    return f"result{result.path}: {said} for {number}, exact: {size.exact}"
        return self._memory(taken, given, answer)

    def _memory(self, taken: Mapping[str, int], given: Sequence[Value], answer: Answer) -> str | None:
        count = len(self.made.buffers)
        offsets, sizes = answer.numbers[-2 * count - 1 : -count - 1], answer.numbers[-count - 1 : -1]
        plan, at = self.plan, self.sizes(given)
        wanted = [
            plan.slots[b.slot].offset.evaluate(at) if b.slot is not None else ABSENT for b in plan.buffers.values()
        ]
        if [*offsets] != wanted or answer.numbers[-1] != plan.arena.evaluate(at):
            return f"offsets {offsets} and {answer.numbers[-1]} for {wanted} and {plan.arena.evaluate(at)}"
        for buffer, made, size in zip(plan.buffers.values(), self.made.buffers, sizes, strict=True):
            if buffer.bound is not None and buffer.bound.evaluate(at) != size:
                return f"{buffer.path}: {size} bytes for {buffer.bound.evaluate(at)}"
            if buffer.path in taken and size != ABSENT and not _agrees(size, taken[buffer.path], made.exact):
                return f"{buffer.path}: {size} bytes for the {taken[buffer.path]} that it took, exact: {made.exact}"
        return None

    @cached_property
    def plan(self) -> Plan:
        """The plan of memory."""
        return self.found.plan(self.entry)

    def sizes(self, values: Sequence[Value]) -> Sizes:
        """The sizes of arguments, as the machine reads them."""
        function = self.found.core.functions[self.entry]
        frame = Frame(dict(zip((param.name for param in function.params), values, strict=True)))  # type: ignore[arg-type]
        measure(function, frame)
        return Sizes(frame)


def _agrees(said: int, taken: int, exact: bool) -> bool:
    return said == taken if exact else said >= taken


def _has_shapes(value: Value) -> bool:
    """Whether every leaf of a value is a tensor."""
    return all(map(_has_shapes, value)) if isinstance(value, tuple) else isinstance(value, Tensor)


def leaves(path: str, value: Value) -> Iterator[tuple[str, Tensor]]:
    """The tensors of a value with their paths."""
    if isinstance(value, tuple):
        for index, part in enumerate(value):
            yield from leaves(f"{path}.{index}", part)
    else:
        assert isinstance(value, Tensor), path
        yield path, value


def shaped(found: Compilation, entry: str = "@main", name: str = "p") -> Shaped:
    """A program with a shape function, under a name for the forms.  Raises Refused."""
    weights = tuple(found.weights.values())
    subject = Subject(found.core, entry, found.source.name, lambda span: place_of(found.source, span), weights)
    return Shaped(found, entry, replace(shape_function(subject, found.decider()), name=name))


# ------------------------------------------------------------------------------------------------------------------- C
_MAIN = r"""
#include <stdio.h>
#include <string.h>

static int read_numbers(int64_t *to, size_t count) {
  size_t k;
  for (k = 0; k < count; k++) {
    long long one;
    if (scanf("%lld", &one) != 1) return 0;
    to[k] = one;
  }
  return 1;
}

static void write_numbers(const int64_t *from, size_t count) {
  size_t k;
  for (k = 0; k < count; k++) printf(" %lld", (long long)from[k]);
}

int main(void) {
  int program, given;
  while (scanf("%d %d", &program, &given) == 2) {
    static int64_t numbers[1 << 16];
    if (!read_numbers(numbers, (size_t)given)) return 1;
    switch (program) {
CASES
      default: return 1;
    }
  }
  return 0;
}
"""
_CASE = """      case {k}: {{
        {name}_inputs in;
        {name}_outputs out;
        int found;
        memcpy(&in, numbers, (size_t)given * sizeof(int64_t));
        found = {name}_shapes(&in, &out);
        printf("%d", found);
        if (found == 0) write_numbers((const int64_t *)&out, sizeof(out) / sizeof(int64_t));
        if (found > 0) printf(" %s at %s: %s; %s", {name}_need(found).id, {name}_need(found).place,
                              {name}_need(found).message, {name}_need(found).blamed);
        printf("\\n");
        break;
      }}"""


class InC:
    """Many shape functions as one program of C, compiled once."""

    def __init__(self, programs: Sequence[Shaped], folder: Path) -> None:
        assert COMPILER is not None
        self.programs = programs
        headers = []
        for one in programs:
            (folder / f"{one.made.name}.h").write_text(c.printed(one.made), "utf-8")
            headers.append(f'#include "{one.made.name}.h"')
        cases = "\n".join(_CASE.format(k=k, name=one.made.name) for k, one in enumerate(programs))
        (folder / "all.c").write_text("\n".join(headers) + _MAIN.replace("CASES", cases), "utf-8")
        self.command = [str(folder / "all")]
        built = subprocess.run(
            [COMPILER, *FLAGS, "-o", self.command[0], str(folder / "all.c")],
            capture_output=True,
            text=True,
            check=False,
        )
        assert built.returncode == 0, built.stderr[:4000]

    def answers(self, calls: Sequence[tuple[int, Sequence[tuple[int, ...]]]]) -> list[Answer]:
        """What the forms say: each call is the number of a program, and what it is given."""
        rows = []
        for program, given in calls:
            numbers = [number for part in given for number in part]
            rows.append(" ".join(map(str, [program, len(numbers), *numbers])))
        done = subprocess.run(self.command, input="\n".join(rows), capture_output=True, text=True, check=True)
        lines = done.stdout.splitlines()
        assert len(lines) == len(calls)
        return [self._answer(program, line) for (program, _), line in zip(calls, lines, strict=True)]

    def _answer(self, program: int, line: str) -> Answer:
        made = self.programs[program].made
        code, _, rest = line.partition(" ")
        if code == "-1":
            return OVERFLOW
        if code != "0":
            need = made.needs[int(code) - 1]
            assert rest == f"{need.id} at {need.place}: {need.message}; {need.blamed}", line
            return Answer("need", need.says)
        numbers = [int(word) for word in rest.split()]
        places, count = numbers[len(numbers) - 2 * len(made.buffers) - 1 : -1], len(made.buffers)
        sizes = numbers[: len(numbers) - 2 * count - 1]
        return Answer("shapes", numbers=(*sizes, *places[::2], *places[1::2], numbers[-1]))


# ------------------------------------------------------------------------------------------------------------ together
def agreeing(
    calls: Sequence[tuple[Shaped, Sequence[Value]]],
    folder: Path,
    runs: Callable[[], AbstractContextManager[None]] = nullcontext,
) -> Counter[str]:
    """Assert that the three forms say the same of each call, and that no run contradicts them; count the answers.

    `runs` makes what the machine runs in.
    """
    programs = [*dict.fromkeys(one for one, _ in calls)]
    rows = [(programs.index(one), one.given(values)) for one, values in calls]
    in_c: Sequence[Answer | None] = InC(programs, folder).answers(rows) if COMPILER and rows else [None] * len(rows)
    counts: Counter[str] = Counter()
    for (one, values), (_, given), third in zip(calls, rows, in_c, strict=True):
        answer = one.in_python(given)
        told = f"{given}\n{one.found.source.text[:2000]}\n{python.printed(one.made)[-4000:]}"
        assert one.in_relay(given) == answer, f"Relay says {one.in_relay(given)}, Python {answer}, of {told}"
        assert third in (None, answer), f"C says {third}, Python {answer}, of {told}"
        with runs():
            wrong = one.disagreement(values, answer)
        assert wrong is None, f"{wrong}, of {told}"
        counts[answer.kind] += 1
    return counts
