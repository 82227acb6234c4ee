"""Programs that grow in one way each: nested, refused, declared or joined so many times over."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial

from gradual.compiler import compile_source
from gradual.limits import LIMITS, Options
from gradual.source import Source

BAR = 1.2
"""The greatest power with which cost may grow with size."""
NESTED = 1.6
"""The same for conditions on sizes inside each other: each stands in the size of all those around it."""

LINEAR = 1.1
"""The greatest power with which lines that are run may grow, which are counted and do not vary."""

Work = Callable[[], object]
VECTORS = "Tensor[(?,), float32]"


def _function(params: Iterable[str], lines: Iterable[str], result: str, name: str = "@main") -> str:
    body = "".join(f"  {line}\n" for line in lines)
    return f"def {name}({', '.join(params)}) {{\n{body}  {result}\n}}\n"


def _named(count: int, size: str = "n{}") -> list[str]:
    """So many vectors, each with a size of its own."""
    return [f"%x{i}: Tensor[({size.format(i)},), float32]" for i in range(count)]


def _variables(count: int) -> str:
    return ", ".join(f"%x{i}" for i in range(count))


# ------------------------------------------------------------------------------------------------- errors and checks
def like_errors(count: int) -> str:
    """The same mistake so many times."""
    params = ("%x: Tensor[(3,), float32]", "%y: Tensor[(4,), float32]")
    return _function(params, (f"let %a{i} = add(%x, %y);" for i in range(count)), "%x")


def residual_checks(count: int) -> str:
    """A check for each parameter."""
    lines = (f"let %a{i} = %x{i} as Tensor[(4,), float32];" for i in range(count))
    return _function(_named(count, "?"), lines, "%x0")


# ------------------------------------------------------------------------------------------------- structures
def nested_tuples(depth: int) -> str:
    """A tuple in a tuple in a tuple."""
    lines = (f"let %t{i + 1} = (%t{i}, %x);" for i in range(depth))
    return _function([f"%x: {VECTORS}"], ["let %t0 = (%x,);", *lines], f"%t{depth}")


def projections(depth: int) -> str:
    """A nested tuple of tensors of unknown rank, and taken apart again."""
    lines = [f"let %t{i + 1} = (%t{i}, %x);" for i in range(depth)]
    apart = [f"let %t{depth + i + 1} = %t{depth + i}.0;" for i in range(depth)]
    return _function(["%x: Tensor[*, float32]"], ["let %t0 = (%x,);", *lines, *apart], f"%t{2 * depth}")


def constructors(count: int) -> str:
    """A type of so many constructors, and a match with an arm for each."""
    declared = ", ".join(f"C{i}({VECTORS})" for i in range(count))
    arms = "".join(f"\n    C{i}(%v) => %v," for i in range(count))
    return f"type T {{ {declared} }}\n" + _function(["%t: T"], (), f"match (%t) {{{arms}\n  }}")


def pairs_of_constructors(count: int) -> str:
    """A match of pairs: an arm for each constructor twice, and one for the rest."""
    declared = ", ".join(f"C{i}" for i in range(count))
    arms = "".join(f"\n    (C{i}, C{i}) => {i}," for i in range(count))
    return f"type T {{ {declared} }}\n" + _function(
        ["%t: T", "%u: T"], (), f"match ((%t, %u)) {{{arms}\n    _ => 0\n  }}"
    )


def sizes_of_a_match(count: int) -> str:
    """A match whose arms have sizes of their own."""
    declared = ", ".join(f"C{i}" for i in range(count))
    arms = "".join(f"\n    C{i} => %x{i}," for i in range(count))
    return f"type T {{ {declared} }}\n" + _function(["%t: T", *_named(count, "?")], (), f"match (%t) {{{arms}\n  }}")


# ------------------------------------------------------------------------------------------------- branches
def nested_conditions(depth: int) -> str:
    """A condition on two sizes in the branch of another, and so on; then what has all these sizes is used."""
    inner = f"%x{depth}"
    for i in reversed(range(depth)):
        inner = f"if (n{i} >= n{i + 1}) {{ %x{i} }} else {{ {inner} }}"
    return _function(_named(depth + 1), [f"let %z = {inner};"], "add(%z, %z)")


def nested_conditions_on_one_size(depth: int) -> str:
    """The same, where all conditions are on one size."""
    inner = "%y"
    for i in range(depth):
        inner = f"if (n >= {i + 2}) {{ %x }} else {{ {inner} }}"
    params = ("%x: Tensor[(n,), float32]", "%y: Tensor[(m,), float32]")
    return _function(params, [f"let %z = {inner};"], "add(%z, %z)")


def unlike_joins(count: int) -> str:
    """Branches that give unlike shapes of one matrix, where a condition says nothing of them."""
    lines = (
        f"let %y{i} = if (%c) {{ reshape(%x, newshape=[-1, {i + 1}]) }} else {{ transpose(%x) }};" for i in range(count)
    )
    return _function(("%x: Tensor[(?, ?), float32]", "%c: bool"), lines, "%x")


def growing_joins(count: int, size: str = "n") -> str:
    """Branches of which one makes what was joined before longer."""
    lines = (f"let %x{i + 1} = if (%c) {{ concatenate((%x{i}, %y)) }} else {{ %x{i} }};" for i in range(count))
    params = (f"%x0: Tensor[({size},), float32]", "%y: Tensor[(m,), float32]", "%c: bool")
    return _function(params, lines, f"%x{count}")


def branches_after_ranks(count: int) -> str:
    """Ranks that become known, and as many branches after them."""
    ranks = [f"let %y{i} = %x{i} as Tensor[(?, 4), float32];" for i in range(count)]
    lines = [f"let %z{i} = if (%c) {{ %y0 }} else {{ %y0 }};" for i in range(count)]
    return _function((*(f"%x{i}: Tensor[*, float32]" for i in range(count)), "%c: bool"), [*ranks, *lines], "%y0")


# ------------------------------------------------------------------------------------------------- declarations
def named_dims(count: int) -> str:
    """A named size for each parameter, and a call that measures them all."""
    call = _function(_named(count), (), f"@callee({_variables(count)})")
    return _function(_named(count), (), "%x0", "@callee") + call


def computed_dims(count: int) -> str:
    """Sizes from which the named ones have to be solved."""
    return _function(_named(count, "2 * n{} + 1"), (), "%x0")


def free_facts(count: int) -> str:
    """A clause for each size, which has nothing to do with the others."""
    clauses = ", ".join(f"n{i} >= {i + 2}" for i in range(count))
    return f"def @main({', '.join(_named(count))}) -> Tensor[(n0,), float32] where {clauses} {{\n  %x0\n}}\n"


def functions(count: int) -> str:
    """So many functions with two bindings."""
    params = ("%x: Tensor[(?, 4), float32]", "%w: Tensor[(n, 4), float32]")
    lines = ("let %a = nn.dense(%x, %w);", "let %b = nn.relu(%a);")
    return "".join(_function(params, lines, "%b", f"@f{i}") for i in range(count))


# ------------------------------------------------------------------------------------------------- what is done
def checked(text: str) -> Work:
    """Check a program."""
    return partial(compile_source, Source("bench.relay", text))


def helped(text: str) -> Work:
    """Ask for a help for each residual check, with no budget to try any: what the account of them costs."""
    compilation = compile_source(Source("bench.relay", text), Options(limits=replace(LIMITS, trials=0)))
    return lambda: list(compilation.helps())


def opened(text: str) -> Work:
    """Open a program in the editor: read it, check it, and tell what was found."""
    from gradual.tools.lsp.answers.diagnostics import Pages, diagnostics
    from gradual.tools.lsp.checking import Checker
    from gradual.tools.lsp.document import Document

    def work() -> object:
        document = Document("bench.relay", text, 1)
        return diagnostics(document, Checker().check(document), Pages())

    return work


@dataclass(frozen=True, slots=True)
class Kind:
    """Programs that grow in one way, with what is done with them.

    Attributes:
        sizes: what is timed.
        few: sizes small enough to count every line that is run.
        bar: the greatest power with which cost may grow; lines of what is linear are held to LINEAR.
        work: what is done with a text, ready to be done.
    """

    name: str
    make: Callable[[int], str]
    sizes: Sequence[int]
    few: Sequence[int]
    bar: float = BAR
    work: Callable[[str], Work] = checked


def kinds() -> Iterator[Kind]:
    """Every kind."""
    yield Kind("like errors", like_errors, (1_000, 2_000, 4_000, 8_000), (25, 100, 400))
    yield Kind("residual checks with helps", residual_checks, (500, 1_000, 2_000, 4_000), (20, 60, 180), work=helped)
    yield Kind("nested tuples", nested_tuples, (200, 400, 800, 1_600), (40, 160, 640))
    yield Kind("projections of nested tuples", projections, (200, 400, 800, 1_600), (40, 160, 640))
    yield Kind("constructors of one match", constructors, (80, 160, 320, 640), (15, 45, 135))
    yield Kind("pairs of constructors", pairs_of_constructors, (80, 160, 320, 640), (15, 45, 135))
    yield Kind("sizes of one match", sizes_of_a_match, (32, 64, 128, 256), (8, 24, 72))
    yield Kind("nested conditions on sizes", nested_conditions, (4, 8, 16, 32), (4, 8, 16, 32), NESTED)
    yield Kind("nested conditions on one size", nested_conditions_on_one_size, (4, 8, 16, 32), (4, 8, 16, 32), NESTED)
    yield Kind("joins of unlike shapes", unlike_joins, (6, 12, 24, 48), (6, 18, 54))
    yield Kind("sizes that grow through joins", growing_joins, (20, 40, 80, 160), (20, 40, 80))
    yield Kind("unknown sizes that grow", lambda size: growing_joins(size, "?"), (20, 40, 80, 160), (20, 40, 80))
    yield Kind("branches after ranks", branches_after_ranks, (20, 40, 80, 160), (6, 18, 54))
    yield Kind("named dims of parameters", named_dims, (400, 800, 1_600, 3_200), (30, 120, 480))
    yield Kind("dims that are solved for", computed_dims, (400, 800, 1_600, 3_200), (30, 120, 480))
    yield Kind("free facts", free_facts, (500, 1_000, 2_000, 4_000), (30, 120, 480))
    yield Kind("functions opened in the editor", functions, (500, 1_000, 2_000, 4_000), (20, 80, 320), work=opened)
