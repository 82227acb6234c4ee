"""`dim.text`: dims, constraints and types in the language's own syntax."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from .dims import Con, Dim, Div, Ite, Max, Mono, Var, dim, make
from .types import Tensor, Tuple, Type


def order(a: object) -> str:
    """[dim.text]: names come first, then quotients, if-then-else dims, maxima and minima."""
    if isinstance(a, Var):
        return f" {a.name}"
    if isinstance(a, Div):
        return f"|1({rank(a.top)}, {rank(a.by)})"
    if isinstance(a, Ite):
        return f"|2({con(a.cond)}, {rank(a.yes)}, {rank(a.no)})"
    assert isinstance(a, Max)
    return f"|{3 + a.low}({', '.join(sorted(map(rank, a.parts)))})"


def rank(d: Dim) -> str:
    """The order of dims: of their first terms that differ."""
    terms = sorted(d.terms or (((), 0),), key=lambda t: (-sum(k for _, k in t[0]), factors(t[0])))
    return " + ".join(f"{'*'.join(factors(m))}*{c}" for m, c in terms)


def factors(m: Mono) -> list[str]:
    return sorted(order(a) for a, k in m for _ in range(k))


def atom(a: object) -> str:
    if isinstance(a, Var):
        return a.name
    if isinstance(a, Div):
        return f"{wrap(a.top)} // {wrap(a.by, True)}"
    if isinstance(a, Max):
        return (
            ("min(" if a.low else "max(")
            + ", ".join(text(p) for p in sorted(a.parts, key=lambda p: (p.number is not None, rank(p))))
            + ")"
        )
    assert isinstance(a, Ite)
    c = a.cond
    if c.kind == "eq" and c.d is not None and c.d == a.no - 1 and (not c.sides or c.sides[0] == a.no):
        return f"broadcast({text(a.no)}, {text(a.yes)})"
    return f"(if {con(a.cond)} then {text(a.yes)} else {text(a.no)})"


def wrap(d: Dim, right: bool = False) -> str:
    t = text(d)
    single = d.number is not None and d.number >= 0
    if len(d.terms) == 1 and d.terms[0][1] == 1:
        m = d.terms[0][0]
        single = len(m) == 1 and m[0][1] == 1 and not isinstance(m[0][0], Div)
        if not right and (len(m) > 1 or (m and (m[0][1] > 1 or isinstance(m[0][0], Div)))):
            single = True
    elif len(d.terms) == 1 and d.terms[0][1] > 0 and not right:
        single = True
    return t if single else f"({t})"


def mono(m: Mono, c: int) -> str:
    """One term: its number, then its factors in their order."""
    parts = [str(c)] if c != 1 or not m else []
    atoms = sorted((a for a, k in m for _ in range(k)), key=order)
    alone = not parts and len(atoms) == 1
    parts += [f"({atom(a)})" if isinstance(a, Div) and not alone else atom(a) for a in atoms]
    return " * ".join(parts)


def text(d: Dim) -> str:
    """[dim.text] [dim.remainder]"""
    rest: list[tuple[int, list[str], int, str]] = []
    for m, _ in d.terms:
        for q, _k in m:
            if isinstance(q, Div):
                other = d - (q.top - q.by * dim(q))
                if (
                    len(other.terms) < len(d.terms)
                    and m not in dict(other.terms)
                    and all(x > 0 for _, x in other.terms)
                ):
                    t = f"{wrap(q.top)} % {wrap(q.by, True)}"
                    return f"{text(other)} + {t}" if other.terms else t
    terms = dict(d.terms)
    for m, c in terms.items():
        rest.append((-sum(k for _, k in m), factors(m), c, mono(m, abs(c))))
    good = sorted([t for t in rest if t[2] > 0], key=lambda t: t[:2])
    bad = sorted([t for t in rest if t[2] < 0], key=lambda t: t[:2])
    if not good and not bad:
        return "0"
    out = " + ".join(t[3] for t in good)
    quotients = [atom(a) for m in terms for a, _ in m if isinstance(a, Div)]  # `-m // 2` is `(-m) // 2`
    for one in bad:
        out = f"{out} - {one[3]}" if out else f"-({one[3]})" if one[3] in quotients else f"-{one[3]}"
    return out


def con(c: Con) -> str:
    """[dim.constraint]"""
    if c.kind == "eq" and c.d is not None:
        for m, _ in c.d.terms:
            for q, _k in m:
                if isinstance(q, Div) and c.d in (q.top - q.by * dim(q), q.by * dim(q) - q.top):
                    return f"{wrap(q.top)} % {wrap(q.by, True)} == 0"
        a, b = level(c)
        return f"{text(a)} == {text(b)}"
    if c.kind == "le" and c.d is not None:
        a, b = level(c)
        if b.number is None and a.number is None and (b - a).number is not None:
            a, b = split(c.d)
        if a.number is not None:
            return f"{text(b)} >= {text(a)}"
        if a.const == 1 and b.number is None:
            return f"{text(a - 1)} < {text(b)}"
        return f"{text(a)} <= {text(b)}"
    if c.kind == "not":
        p = c.parts[0]
        if p.kind == "eq" and p.d is not None:
            a, b = level(p)
            return f"{text(a)} != {text(b)}"
        return f"not ({con(p)})"
    if c.kind == "or" and len(c.parts) == 3 and all(p.kind == "eq" and p.d is not None and p.sides for p in c.parts):
        s, t, u = (p.sides for p in c.parts)
        if s and t and u and t[1] == dim(1) and u[1] == dim(1) and {t[0], u[0]} == set(s):
            return f"broadcasts({text(s[0])}, {text(s[1])})"
    if c.kind == "or":
        return " or ".join(map(con, c.parts))
    if c.kind == "and":
        return joined(c.parts)
    return "True" if c.kind == "true" else "False"


def joined(cs: Sequence[Con]) -> str:
    """A conjunction."""
    parts = [(con(c), c.kind == "or" and len(cs) > 1) for c in cs]
    return " and ".join(f"({t})" if more and not t.startswith("broadcasts") else t for t, more in parts)


def level(c: Con) -> tuple[Dim, Dim]:
    """[dim.constraint]: the two sides as written, those of an inequality with the constants collected."""
    assert c.d is not None
    a, b = c.sides or split(c.d)
    if c.kind == "eq":
        return (a, b) if a.number is None else (b, a)
    low, high = a.const, b.const
    both = min(low, high) if low > 0 and high > 0 else max(low, high) if low < 0 and high < 0 else 0
    shift = high if a.number is not None else low if b.number is not None else both
    a, b = a - shift, b - shift
    turned = any(n.number is not None and all(x < 0 for _, x in d.terms) for d, n in ((a, b), (b, a)))
    return (-b, -a) if turned else (a, b)


def split(d: Dim) -> tuple[Dim, Dim]:
    """The positive part on the left, the negative one on the right."""
    a = make({m: c for m, c in d.terms if c > 0})
    b = make({m: -c for m, c in d.terms if c < 0})
    return a, b


def shown(t: Type, keep: Callable[[Dim], bool] | None = None) -> str:
    """A type; `keep` says which dims have a name outside [type.close]."""
    if isinstance(t, Tuple):
        parts = [shown(p, keep) for p in t.parts]
        return "(" + ", ".join(parts) + (",)" if len(parts) == 1 else ")")
    assert isinstance(t, Tensor)
    if not t.shape:
        return t.dtype
    dims = [text(d) if keep is None or keep(d) else "?" for d in t.shape]
    return f"Tensor[({', '.join(dims)}{',' if len(dims) == 1 else ''}), {t.dtype}]"
