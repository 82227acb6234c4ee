"""The reference of operators: a page for each family, from declarations, importers and the conformance suite."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby

from docs.generator import examples
from docs.generator.counterparts import counterparts
from docs.generator.dialect import cell
from docs.generator.rules import cited
from gradual.interface.reports.operators import signature
from gradual.interface.reports.operators import written as default_text
from gradual.ops.catalogue import CATALOGUE
from gradual.ops.declaration.operator import Operator

PLACE = "reference/operators"
_HEAD = """# Operators

The {count} operators of the language. An entry has the signature, the shapes as a formula, what the operator does,
its attributes, an example from the conformance suite, and the operators of ONNX, PyTorch and TensorFlow that are
imported as this operator alone. `gradual ops NAME` prints an entry in the terminal.

| operator | family | what it does |
|---|---|---|
"""


def operator_pages() -> Iterator[tuple[str, str]]:
    """Every page with its text in Markdown: the list of operators, and one page for each family."""
    operators = sorted(
        (one for name, one in CATALOGUE.items() if name == one.name), key=lambda one: (one.family, one.name)
    )
    yield f"{PLACE}/index.md", _index(operators)
    for family, group in groupby(operators, key=lambda one: one.family):
        page = f"{PLACE}/{family}.md"
        yield page, "\n".join([f"# Operators: {family}\n", *(_entry(one, page) for one in group)])


def _index(operators: list[Operator]) -> str:
    head = _HEAD.format(count=len(operators))
    return head + "\n".join(_index_row(one) for one in sorted(operators, key=lambda one: one.name)) + "\n"


def _index_row(operator: Operator) -> str:
    words = cell(cited(_parts(operator)[0], f"{PLACE}/index.md"))
    return f"| [`{operator.name}`]({operator.family}.md#{_anchor(operator)}) | {operator.family} | {words} |"


def _entry(operator: Operator, page: str) -> str:
    words, formula = _parts(operator)
    _, _, details = operator.description.partition("\n\n")
    parts = [
        f"## `{operator.name}` {{ #{_anchor(operator)} }}",
        f"```text\n{signature(operator)}\n```",
        cited(words, page),
        f'```text title="shapes"\n{formula}\n```' if formula else "",
        cited(details, page),
        _attributes(operator),
        _notes(operator),
        _example(operator),
        _elsewhere(operator),
    ]
    return "\n\n".join(filter(None, parts)) + "\n"


def _anchor(operator: Operator) -> str:
    return operator.name.replace(".", "-")


def _parts(operator: Operator) -> tuple[str, str]:
    """The first sentence of an operator and its formula, which follow each other after three blanks."""
    words, _, rest = operator.summary.partition("   ")
    formula, _, cites = rest.partition("   ")
    return " ".join(f"{words} {cites}".split()), " ".join(formula.split())


def _attributes(operator: Operator) -> str:
    if not operator.attributes:
        return ""
    defaults = ["required" if one.required else f"`{default_text(one.default)}`" for one in operator.attributes]
    rows = [
        f"| `{one.name}` | `{one.annotation}` | {default} |"
        for one, default in zip(operator.attributes, defaults, strict=True)
    ]
    return "\n".join(["| attribute | type | default |", "|---|---|---|", *rows])


def _notes(operator: Operator) -> str:
    aliases = ", ".join(f"`{alias}`" for alias in operator.aliases)
    reads = ", ".join(f"`{operator.arguments[index]}`" for index in operator.reads)
    return " ".join(
        text
        for text, said in (
            (f"Also written {aliases}.", aliases),
            (f"The elements of {reads} are used as sizes.", reads),
            ("The sizes of the result depend on elements.", operator.data_dependent),
        )
        if said
    )


def _example(operator: Operator) -> str:
    case = examples.examples().get(operator.name)
    if case is None:
        return ""
    blocks = [f"```relay\n{examples.written(case, 'relay')}\n```"]
    for block, title in (("types", "types"), ("run", "calls and their values")):
        if text := examples.written(case, block):
            blocks.append(f'```text title="{title}"\n{text}\n```')
    return "\n\n".join(["**Example.**", *blocks])


def _elsewhere(operator: Operator) -> str:
    found = counterparts().get(operator.name, {})
    rows = [f"| {system} | {', '.join(f'`{name}`' for name in names)} |" for system, names in found.items()]
    return "\n".join(["| imported from | operator |", "|---|---|", *rows]) if rows else ""
