"""The kind of value that each attribute of an operator takes, in words.   [name.attribute]"""

from __future__ import annotations

from gradual.ops.declaration.attributes import described, form_of
from gradual.ops.declaration.operator import Operator


def sentence(one: Operator) -> str:
    """The line of an entry, with attributes of one kind together; empty for an operator without attributes."""
    kinds: dict[str, list[str]] = {}
    for spec in one.attributes:
        kinds.setdefault(described(form_of(spec.annotation)), []).append(f"`{spec.name}`")
    said = [f"{_and(names)} {kind}" for kind, names in kinds.items()]
    return f"Attributes: {'; '.join(said)}." if said else ""


def _and(names: list[str]) -> str:
    return " and ".join(filter(None, (", ".join(names[:-1]), names[-1])))
