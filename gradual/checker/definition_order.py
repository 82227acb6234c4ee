"""The order in which a file's definitions are checked: callees first.   [type.recursion] [type.call.latent]"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from gradual.checker.program.elided import is_omitted
from gradual.syntax.tree import ast
from gradual.syntax.tree.subexpressions import within

Calls = Mapping[str, Sequence[str]]
"""Definition -> the definitions it mentions, or waits for, in source order."""


def mentioned(functions: Mapping[str, ast.Fn]) -> Calls:
    """Definition -> the definitions it mentions."""
    if len(functions) == 1 and not any(is_omitted(function.result) for function in functions.values()):
        return dict.fromkeys(functions, ())  # a single function needs no order, so it is not traversed
    return {
        name: [part.name for part in within(function.body) if isinstance(part, ast.Global) and part.name in functions]
        for name, function in functions.items()
    }


def waits_for(functions: Mapping[str, ast.Fn], mentions: Calls) -> Calls:
    """Definition -> the mentioned definitions with omitted result types, which must be inferred before it.

    Written interfaces are known before any body is checked, so they impose no order.  [type.recursion]
    """
    inferred = {name for name, function in functions.items() if is_omitted(function.result)}
    return {name: [callee for callee in callees if callee in inferred] for name, callees in mentions.items()}


def helpers_first(functions: Mapping[str, ast.Fn], mentions: Calls, circles: Collection[str]) -> Calls:
    """As `waits_for`, plus callees of written result types, whose `Latent` requirements the calls need.

    Mutually recursive definitions have no latent requirements.  [type.call.latent]
    """
    return {
        name: [one for one in callees if is_omitted(functions[one].result) or (one != name and one not in circles)]
        for name, callees in mentions.items()
    }


def callees_first(calls: Calls) -> tuple[list[str], set[str]]:
    """The names in topological order, callees first, and the names on a cycle; by an iterative depth-first search."""
    order: list[str] = []
    circular: set[str] = set()
    entered: set[str] = set()
    for root in calls:
        path: list[str] = [root] if root not in entered else []
        waiting = [iter(calls[root])] if path else []
        active = {root: 0} if path else {}
        entered.add(root)
        while path:
            callee = next(waiting[-1], None)
            if callee is None:
                waiting.pop()
                order.append(path.pop())
                del active[order[-1]]
            elif callee in active:
                circular.update(path[active[callee] :])
            elif callee not in entered:
                entered.add(callee)
                active[callee] = len(path)
                path.append(callee)
                waiting.append(iter(calls[callee]))
    return order, circular


def in_circles(calls: Calls) -> set[str]:
    """The mutually recursive names: strongly connected components of more than one (Tarjan), computed iteratively."""
    number: dict[str, int] = {}
    lowest: dict[str, int] = {}
    found: set[str] = set()
    held: list[str] = []
    for root in calls:
        path = [] if root in number else [(root, iter(calls[root]))]
        while path:
            name, rest = path[-1]
            if name not in number:
                number[name] = lowest[name] = len(number)
                held.append(name)
            callee = next(rest, None)
            if callee is None:
                path.pop()
                if path:
                    above = path[-1][0]
                    lowest[above] = min(lowest[above], lowest[name])
                if lowest[name] == number[name]:
                    component = [held.pop()]
                    while component[-1] != name:
                        component.append(held.pop())
                    found.update(component if len(component) > 1 else ())
                    lowest.update(dict.fromkeys(component, len(calls)))
            elif callee not in number:
                path.append((callee, iter(calls[callee])))
            else:
                lowest[name] = min(lowest[name], lowest[callee])
    return found
