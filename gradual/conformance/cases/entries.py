"""The chapter of operators' entries, generated from the declarations, so that nothing is written twice."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from pathlib import Path

from gradual.ops.catalogue import CATALOGUE
from gradual.ops.declaration.dynamic_variant import Twin
from gradual.ops.declaration.operator import AttributeSpec, Operator

FILE = "07-operators-entries.md"
_HEADING = re.compile(r"^#+ (op(?:\.[a-z0-9_]+)+)$", re.MULTILINE)
_CITED = re.compile(r"\s*\[(op(?:\.[a-z0-9_]+)+)\]")
_HEAD = """# 7 · Operators: the entries

Generated from the declarations by `gradual conformance entries`; not edited by hand. Each operator has its signature,
what its declaration says, and its attributes with their defaults. "The result has contents" means that its elements
are tracked where those of the operands are (`type.contents`). Each family ends with the rules by which its operators
require constraints or reject operands, each with what operators say of it; `conformance/` shows them in programs.
"""


def shared_rules(spec: Path) -> list[str]:
    """The rules of operators that have their heading in a hand-written chapter."""
    chapters = (path for path in sorted(spec.glob("[0-9]*.md")) if path.name != FILE)
    return [rule for path in chapters for rule in _HEADING.findall(path.read_text(encoding="utf-8"))]


def entries(shared: Iterable[str]) -> str:
    """The chapter's text; rules in `shared` have their headings in the hand-written chapter."""
    skipped = set(shared)
    parts = [_HEAD]
    operators = sorted(_distinct(CATALOGUE), key=lambda operator: operator.family)
    cited = _citations(operators)
    for family, group in groupby(operators, key=lambda operator: operator.family):
        members = sorted(group, key=lambda operator: operator.name)
        parts.append(f"## Family: {family}\n")
        parts += [_entry(operator) for operator in members]
        new = dict.fromkeys(rule for operator in members for rule in operator.rules if rule not in skipped)
        parts += [_rule(rule, cited[rule]) for rule in sorted(new)]
        skipped |= set(new)
    return "\n".join(parts)


def _distinct(catalogue: Mapping[str, Operator]) -> list[Operator]:
    return [operator for name, operator in catalogue.items() if operator.name == name]


def _entry(operator: Operator) -> str:
    lines = [f"### Operator `{operator.name}`\n", f"`{_call(operator)}`\n", _prose(operator)]
    if said := " ".join(_said(operator)):
        lines.append(f"\n{said}")
    return "\n".join(lines) + "\n"


def _said(operator: Operator) -> Iterator[str]:
    """The facts in an operator's declaration that are not in its docstring, one sentence each."""
    if operator.aliases:
        yield f"Also written {', '.join(f'`{alias}`' for alias in operator.aliases)}."
    if operator.reads:
        yield f"The elements of {_and([operator.arguments[index] for index in operator.reads])} are used as sizes."
    if operator.contents is not None:
        yield "The result has contents."
    if operator.data_dependent:
        yield "The result's sizes depend on the elements."


def _and(names: Sequence[str]) -> str:
    quoted = [f"`{name}`" for name in names]
    return " and ".join(filter(None, (", ".join(quoted[:-1]), quoted[-1])))


def _call(operator: Operator) -> str:
    attributes = [_attribute(attribute) for attribute in operator.attributes]
    return f"{operator.name}({', '.join([*operator.arguments, *attributes])})"


def _attribute(attribute: AttributeSpec) -> str:
    return attribute.name if attribute.required else f"{attribute.name}={_default(attribute.default)}"


def _default(value: object) -> str:
    if isinstance(value, tuple):
        return f"[{', '.join(map(_default, value))}]"
    return f'"{value}"' if isinstance(value, str) else str(value)


def _prose(operator: Operator) -> str:
    return re.sub(r"\[(op(?:\.[a-z0-9_]+)+)\]", r"(`\1`)", operator.description)


def _citations(operators: Iterable[Operator]) -> dict[str, list[tuple[str, str]]]:
    """Rule -> operators that cite it, with the citing clause; a dynamic variant cites the rules of its static form."""
    found: dict[str, list[tuple[str, str]]] = {}
    for operator in operators:
        twin = getattr(operator.judge, "__self__", None)
        for rule, words in _clauses((twin.static if isinstance(twin, Twin) else operator).description):
            found.setdefault(rule, []).append((operator.name, words))
    return found


def _clauses(text: str) -> Iterator[tuple[str, str]]:
    """Each cited rule with the clause that cites it, or with the first paragraph if the clause is only the citation."""
    for clause in re.split(r"(?<=[.;])\s+|\n\n", text):
        for match in _CITED.finditer(clause):
            alone = "->" in clause or not _CITED.sub("", clause).strip()
            said = text.split("\n\n")[0] if alone else clause
            yield match[1], " ".join(_CITED.sub("", said).strip(" .:;,\n").split())


def _rule(rule: str, cited: list[tuple[str, str]]) -> str:
    of: dict[str, list[str]] = {}
    for name, words in cited:
        of.setdefault(words, []).append(name)
    said = [f"- {_and(sorted(set(names)))}: {_sentence(words)}" for words, names in of.items()]
    return "\n".join([f"### {rule}\n", *said, ""])


def _sentence(words: str) -> str:
    return f"{words[:1].upper()}{words[1:]}."
