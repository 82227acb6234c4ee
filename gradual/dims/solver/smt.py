"""The only interface to Z3: queries as SMT-LIB text, under a resource budget instead of a timeout.

Each query has a fresh context; the text is sorted and complete, so the answer is the same on every machine, and
`gradual smt` shows the exact query.  `div` rounds like `//` for divisors of at least 1, the only ones that are defined.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from gradual.dims.store.facts import Facts
from gradual.dims.term.atom import FloorDiv, Ite, Max, Min, Product, Variable, bottom_up
from gradual.dims.term.constraint import And, AtMost, Constraint, Equal, Not, Or, Truth, at_least, at_most, negated
from gradual.dims.term.dim import Dim, constant, of_atom
from gradual.limits import LIMITS


class Answer(NamedTuple):
    """Z3's answer: "unsat", "sat" with a model, or "unknown"."""

    status: str
    model: Mapping[Variable, int]


# ------------------------------------------------------------------------------------------------- text


def script(constraints: Iterable[Constraint]) -> str:
    """The SMT-LIB query whether the constraints are satisfiable.  [dim.smt]"""
    ordered = sorted(dict.fromkeys(constraints), key=lambda constraint: constraint.key)
    names = _symbols(ordered)
    texts: dict[Any, str] = {}
    lines = [f"(declare-const {symbol} Int)" for symbol in names.values()]
    for node in (node for constraint in ordered for node in bottom_up(constraint)):
        if node not in texts:
            texts[node] = _text(node, texts, names)
            if not isinstance(node, Dim) and node.children and isinstance(node, FloorDiv | Max | Min | Ite | Product):
                lines.append(f"(define-fun |{len(lines)}:| () Int {texts[node]})")
                texts[node] = f"|{len(lines) - 1}:|"
    lines.extend(f"(assert {texts[constraint]})" for constraint in ordered)
    lines.extend(f"(assert (>= {texts[divisor]} 1))" for divisor in _divisors(ordered))
    return "\n".join(["(set-logic QF_NIA)", *lines, "(check-sat)"])


def question(facts: Facts, goal: Constraint) -> str:
    """Both queries about a goal, plausibility and then proof, as one SMT-LIB text.  [dim.smt.question]"""
    goal = facts.rewrite(goal)
    known, path, _ = facts.cone(goal)
    parts = (
        ("; can it hold?  unsat: refuted", script([*known, goal])),
        ("; can it fail?  unsat: proved", script([*known, *path, negated(goal)])),
    )
    return "\n".join(line for comment, text in parts for line in (comment, text, "(reset)")) + "\n"


def _symbols(constraints: Sequence[Constraint]) -> dict[Variable, str]:
    """Variable -> quoted symbol; apostrophes distinguish variables of the same name."""
    symbols: dict[Variable, str] = {}
    for name in sorted(frozenset[Variable]().union(*(constraint.names for constraint in constraints))):
        symbol = name.name.replace("|", "!").replace("\\", "!")
        while f"|{symbol}|" in symbols.values():
            symbol += "'"
        symbols[name] = f"|{symbol}|"
    return symbols


def _text(node: Any, texts: Mapping[Any, str], names: Mapping[Variable, str]) -> str:
    if isinstance(node, Dim):
        return _sum_text(node, texts, names)
    parts = [texts[child] for child in node.children]
    match node:
        case Truth(holds=holds):
            return "true" if holds else "false"
        case Max():
            return _chosen(">=", parts)
        case Min():
            return _chosen("<=", parts)
    return f"({_OPERATORS[type(node)]} {' '.join(parts)})"


_OPERATORS = {FloorDiv: "div", Ite: "ite", Product: "*", Equal: "=", AtMost: "<=", Not: "not", And: "and", Or: "or"}


def _chosen(comparison: str, parts: Sequence[str]) -> str:
    text, *others = parts
    for other in others:
        text = f"(let ((a {text}) (b {other})) (ite ({comparison} a b) a b))"
    return text


def _sum_text(dim: Dim, texts: Mapping[Any, str], names: Mapping[Variable, str]) -> str:
    products = []
    for monomial, coefficient in dim.terms:
        factors = [names[atom] if isinstance(atom, Variable) else texts[atom] for atom in monomial]
        if coefficient != 1 or not factors:
            factors.insert(0, str(coefficient) if coefficient >= 0 else f"(- {-coefficient})")
        products.append(factors[0] if len(factors) == 1 else f"(* {' '.join(factors)})")
    return f"(+ {' '.join(products)})" if len(products) > 1 else products[0] if products else "0"


def _divisors(constraints: Iterable[Constraint]) -> list[Dim]:
    """The divisors outside if-then-else and disjunctions; each must be at least 1.  [dim.floor]"""
    found: dict[Dim, None] = {}
    seen: set[object] = set()
    stack: list[Any] = [part for constraint in constraints for part in conjuncts(constraint)]
    while stack:
        node = stack.pop()
        if node not in seen:
            seen.add(node)
            if isinstance(node, FloorDiv) and node.divisor.value is None:
                found[node.divisor] = None
            stack.extend(() if isinstance(node, Ite | Or) else node.children)
    return sorted(found, key=lambda dim: dim.key)


def conjuncts(constraint: Constraint) -> tuple[Constraint, ...]:
    """The conjuncts of a constraint."""
    return constraint.parts if isinstance(constraint, And) else (constraint,)


# ------------------------------------------------------------------------------------------------ queries


def ask(constraints: Sequence[Constraint], rlimit: int) -> Answer:
    """Query Z3 within a budget; the caller must check a model by evaluation.  [dim.smt]"""
    import z3

    names = _symbols(constraints)
    context = z3.Context()
    solver = z3.Solver(ctx=context)
    solver.set("rlimit", rlimit)
    solver.set("random_seed", 0)
    solver.from_string(script(constraints).removesuffix("(check-sat)"))
    status = str(solver.check())
    if status != "sat":
        return Answer(status, {})
    model = _model(solver.model(), {symbol.strip("|"): name for name, symbol in names.items()})
    return Answer("unknown", {}) if model is None else Answer(status, model)


def _model(model: Any, names: Mapping[str, Variable]) -> dict[Variable, int] | None:
    """Z3's model as integers, None if a number is too long to be evaluated."""
    found = dict.fromkeys(names.values(), 0)
    for declaration in model.decls():
        if declaration.name() in names:
            digits = model[declaration].as_string()
            if len(digits) > LIMITS.number // 4:  # a digit has more than three bits
                return None
            found[names[declaration.name()]] = int(digits)
    return found


def small_answer(constraints: Sequence[Constraint], rlimit: int, largest: int) -> Answer:
    """Search for a model with smaller numbers than `largest`, the largest of a known model.  [dim.smt.small]"""
    names = sorted(frozenset[Variable]().union(*(constraint.names for constraint in constraints)))
    bound = 4
    while bound < largest:
        box = [c for name in names for c in (at_most(of_atom(name), bound), at_least(of_atom(name), constant(-bound)))]
        answer = ask([*constraints, *box], rlimit)
        if answer.status == "sat":
            return answer
        bound *= bound
    return Answer("unknown", {})
