"""Operators as Markdown and as JSON, from their declarations."""

from __future__ import annotations

from typing import Any

from gradual.ops.declaration.operator import AttributeSpec, Operator


def signature(operator: Operator) -> str:
    """The call of an operator, `nn.dense(x, w, units=None)`; an attribute without a default is required."""
    attributes = [_attribute(spec) for spec in operator.attributes]
    return f"{operator.name}({', '.join([*operator.arguments, *attributes])})"


def _attribute(spec: AttributeSpec) -> str:
    return f"{spec.name}: {spec.annotation}" if spec.required else f"{spec.name}={written(spec.default)}"


def written(default: Any) -> str:
    """A default as a program writes it."""
    if isinstance(default, str):
        return f'"{default}"'
    if isinstance(default, tuple):
        return f"[{', '.join(map(written, default))}]"
    return str(default)


def entry(operator: Operator) -> str:
    """Signature, what the operator does, its attributes and its rules, in Markdown."""
    parts = [f"    {signature(operator)}", operator.description]
    if operator.attributes:
        parts.append("\n".join(_row(spec) for spec in operator.attributes))
    if operator.aliases:
        parts.append(f"Also called {', '.join(f'`{alias}`' for alias in operator.aliases)}.")
    if operator.data_dependent:
        parts.append("The result's size depends on elements.")
    return "\n\n".join(parts)


def _row(spec: AttributeSpec) -> str:
    default = "required" if spec.required else f"default {written(spec.default)}"
    return f"- `{spec.name}`: {spec.annotation}, {default}"


def form(operator: Operator) -> dict[str, Any]:
    """An operator as a JSON object."""
    return {
        "kind": "operator",
        "name": operator.name,
        "family": operator.family,
        "arguments": list(operator.arguments),
        "attributes": [_attribute_form(spec) for spec in operator.attributes],
        "rules": list(operator.rules),
        "summary": operator.summary,
        "aliases": list(operator.aliases),
        "data_dependent": operator.data_dependent,
    }


def _attribute_form(spec: AttributeSpec) -> dict[str, Any]:
    default = {} if spec.required else {"default": written(spec.default)}
    return {"name": spec.name, "type": spec.annotation, "required": spec.required} | default
