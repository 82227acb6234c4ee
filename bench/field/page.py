"""The page about the systems: for each, what it accepts and rejects wrongly, and what it cannot say."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from bench.field.answers import Answered
from bench.field.definitions import DEFINITIONS, Definition, Disagreement, definition
from bench.field.systems import SYSTEMS
from gradual.conformance.cases.case import Case

SHOWN = 3
"""How many of the programs that a system is wrong about are shown."""

HEAD = """# Other systems on the suite

The programs of the level [`core`](../spec/conformance/README.md#levels) of the conformance suite, put to the shape
inference of ONNX, ONNX Runtime, JAX and PyTorch. This page is written by `python -m bench.field`, which needs
`pip install 'gradual[bench]'`. It is not a ranking: the systems answer other questions than Relay does, and the page
says where the answers part.
"""

METHOD = """## How they are asked

Each system has an adapter, `python -m bench.field.adapter onnx`, that speaks
[the protocol](../spec/conformance/protocol/README.md) and replies with a verdict. It translates the text of a program
into the system's own form, operator by operator, without anything that a checker infers. Each function of a program is
translated by itself; functions that it calls are inlined, with their declared types.

ONNX is asked by `onnx.shape_inference.infer_shapes` with `check_type`, `strict_mode` and `data_prop`, ONNX Runtime by
`onnxruntime.tools.symbolic_shape_infer`, JAX by `jax.eval_shape`, and PyTorch by `torch.export.export`, not strict.

| | ONNX, ONNX Runtime | JAX | PyTorch |
|---|---|---|---|
| a name `n` | a `dim_param` of the inputs | a symbolic dimension of `jax.export` | a `Dim` from 1 |
| `?` | a dimension of which nothing is said | a symbolic dimension of its own | `Dim.AUTO` |
| `where` | no counterpart | constraints of the symbolic scope | bounds of a `Dim` |
| a declared type | `value_info` of an `Identity` node | `==` on sizes: whether JAX proves it | `torch._check` |
| `if` | `If` | `jax.lax.cond` | `torch.cond` |

A program is rejected if the system raises, or infers a shape that contradicts a declared one. PyTorch needs examples of
arguments: the program gets the first sizes of a search at which it runs by itself.

A program that has no counterpart is skipped, with the reason; so is one with an error that the translation itself would
meet, such as a name that is not defined. *Differs by definition* is a list, given at the end, of disagreements that
follow from what a system means by its shapes. Every other disagreement is *wrong* by the specification.
*Accepted without a check* counts the programs that the system and the specification accept, of which the
specification leaves a check to the run, and the system keeps none. Only PyTorch's answer has a place for conditions,
its guards and assertions; whether they are those of the specification is not compared. The kernels of any system may
still refuse sizes when they run.
"""


@dataclass
class Tally:
    """The cases of a system, sorted."""

    agreed: list[Case] = field(default_factory=list)
    unchecked: list[Case] = field(default_factory=list)
    checked: list[Case] = field(default_factory=list)
    accepted: list[Disagreement] = field(default_factory=list)
    rejected: list[Disagreement] = field(default_factory=list)
    defined: list[tuple[Definition, Disagreement]] = field(default_factory=list)
    beyond: Counter[str] = field(default_factory=Counter)
    lost: int = 0

    @property
    def answered(self) -> int:
        """How many cases have a verdict."""
        return len(self.agreed) + len(self.accepted) + len(self.rejected) + len(self.defined)


def tally(system: str, cases: Sequence[Case], answers: Mapping[str, Answered], leaves: frozenset[str]) -> Tally:
    """Sort the cases of a system by its answers."""
    found = Tally()
    for case in cases:
        answer = answers[case.id]
        if answer.lost:
            found.lost += 1
        elif answer.accepted is None:
            found.beyond[answer.says] += 1
        elif answer.accepted == case.expectation.accepted:
            found.agreed.append(case)
            if answer.accepted and case.id in leaves:
                (found.checked if answer.kept else found.unchecked).append(case)
        else:
            one = Disagreement(case, answer, case.id in leaves)
            by_definition = definition(system, one)
            if by_definition is not None:
                found.defined.append((by_definition, one))
            else:
                (found.accepted if answer.accepted else found.rejected).append(one)
    return found


def page(tallies: Mapping[str, Tally], versions: Mapping[str, str], asked: int) -> str:
    """The page, in Markdown."""
    lines = [HEAD, METHOD, f"## Results\n\n{asked} programs; a row for each system.\n", *_table(tallies, versions), ""]
    for system, found in tallies.items():
        lines += _section(system, found)
    lines += _definitions(tallies)
    return "\n".join(lines).rstrip() + "\n"


def _table(tallies: Mapping[str, Tally], versions: Mapping[str, str]) -> Iterator[str]:
    yield (
        "| system | answered | agreed | accepted wrongly | rejected wrongly | differs by definition | cannot say | "
        "accepted without a check |"
    )
    yield "|---|---:|---:|---:|---:|---:|---:|---:|"
    for system, found in tallies.items():
        unchecked = f"{len(found.unchecked)} of {len(found.unchecked) + len(found.checked)}"
        sorts: tuple[Sequence[object], ...] = (found.agreed, found.accepted, found.rejected, found.defined)
        numbers = (found.answered, *map(len, sorts))
        cells = (f"{SYSTEMS[system].title} {versions[system]}", *numbers, found.beyond.total(), unchecked)
        yield f"| {' | '.join(map(str, cells))} |"


def _section(system: str, found: Tally) -> Iterator[str]:
    title = SYSTEMS[system].title
    yield f"## {title}\n"
    if found.lost:
        yield f"Programs without a reply (a crash, or too late): {found.lost}.\n"
    yield f"### What {title} accepts wrongly\n"
    yield from _shown(found.accepted, "No program.")
    yield f"### What {title} rejects wrongly\n"
    yield from _shown(found.rejected, "No program.")
    yield f"### What {title} cannot say\n"
    yield "| programs | reason |\n|---:|---|"
    for reason, count in sorted(found.beyond.items(), key=lambda pair: (-pair[1], pair[0])):
        yield f"| {count} | {reason} |"
    yield ""


def _shown(wrong: Sequence[Disagreement], nothing: str) -> Iterator[str]:
    """The shortest programs, one for each rule, with what is wrong; the other cases by name."""
    if not wrong:
        yield f"{nothing}\n"
        return
    by_length = sorted(wrong, key=lambda one: (len(one.case.request.text), one.case.id))
    chosen: dict[tuple[str, ...], Disagreement] = {}
    for one in by_length:
        chosen.setdefault(tuple(one.case.rules[:1]), one)
    few = list(chosen.values())[:SHOWN]
    for one in few:
        yield f"```text\n{one.case.request.text.rstrip()}\n```\n"
        yield f"`{one.case.id}`: {_what(one)}\n"
    rest = [one for one in by_length if one not in few]
    if rest:
        yield "The others: " + ", ".join(f"`{one.case.id}`" for one in rest) + ".\n"


def _what(one: Disagreement) -> str:
    if one.wanted:
        return f"the specification accepts it. The system says: `{_short(one.answer.says)}`"
    errors = [each for each in one.case.expectation.diagnostics if each.severity == "error"]
    rules = " ".join(f"`{rule}`" for rule in one.case.rules)
    return f"the specification rejects it with {', '.join(each.code for each in errors)} ({rules})."


def _short(text: str, most: int = 220) -> str:
    plain = text.replace("`", "'")
    return plain if len(plain) <= most else f"{plain[:most].rsplit(' ', 1)[0]} …"


def _definitions(tallies: Mapping[str, Tally]) -> Iterator[str]:
    yield "## What differs by definition\n"
    yield f"| | {' | '.join(SYSTEMS[system].title for system in tallies)} | why |"
    yield f"|---|{'---:|' * len(tallies)}---|"
    for each in DEFINITIONS:
        counts = [sum(one is each for one, _ in found.defined) for found in tallies.values()]
        if any(counts):
            yield f"| {each.title} | {' | '.join(map(str, counts))} | {each.reason} |"
