"""Random programs over data: lists, options and chains of tensors, functions and references, taken apart and converted.

Every size that is written stands in a slot, so that a program can be blurred one slot at a time.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from dataclasses import dataclass, field

PRELUDE = """
type List[A] { Cons(A, List[A]), Nil, }
type Option[A] { Some(A), Without, }
type Chain[A] { Link((A, Chain[A])), End, }
def @map[A, B](%f: fn (A) -> B, %xs: List[A]) -> List[B] {
  match (%xs) { Cons(%h, %t) => { Cons(%f(%h), @map(%f, %t)) }, Nil => { Nil }, }
}
def @first[A](%xs: List[A], %d: A) -> A { match (%xs) { Cons(%h, _) => { %h }, Nil => { %d }, } }
def @sum(%xs: List[Tensor[(3, 2), float32]], %d: Tensor[(3, 2), float32]) -> Tensor[(3, 2), float32] {
  match (%xs) { Cons(%h, %t) => { add(%h, @sum(%t, %d)) }, Nil => { %d }, }
}
def @put(%r: ref(Tensor[(?, 2), float32]), %x: Tensor[(?, 2), float32]) -> () { ref_write(%r, %x) }
def @keep(%o: Option[Tensor[(?, 2), float32]]) -> Option[Tensor[(3, 2), float32]] { %o }
"""
CALLS = [
    f"@main({truth}, float32[3, 2], float32[{n}, 2], float32[{z}, 2], {xs}, {o})"
    for truth in ("True", "False")
    for n, z, xs, o in (
        (3, 3, "Cons(float32[3, 2], Nil)", "Some(float32[3, 2])"),
        (3, 1, "Nil", "Without"),
        (0, 2, "Cons(float32[2, 2], Cons(float32[5, 2], Nil))", "Some(float32[0, 2])"),
        (1, 3, "Cons(float32[3, 2], Cons(float32[3, 2], Nil))", "Without"),
    )
]
SLOT = re.compile(r"<<(.*?)>>")

Scope = tuple[tuple[str, str], ...]
"""Variables with their kinds: T a tensor, L a list, O an option, C a chain, F a function, R a reference, P a pair, G a
list of functions."""

NAMES = {"L": "List", "O": "Option", "C": "Chain"}
LAST = {
    "T": "%x",
    "L": "Nil",
    "O": "Without",
    "C": "End",
    "F": "fn (%q: Tensor[(?, 2), float32]) -> Tensor[(?, 2), float32] { %q }",
    "R": "ref(%x)",
    "P": "(%x, Nil)",
    "G": "Nil",
}
FORMS = {
    "T": (
        "add({T}, {T})",
        "concatenate(({T}, {T}), axis=0)",
        "nn.relu({T})",
        "({F})({T})",
        "ref_read({R})",
        "({P}).0",
        "@first({L}, {T})",
        "@sum({L}, {T})",
    ),
    "L": ("Cons({T}, {L})", "Cons({T}, Cons({T}, Nil))", "Nil", "@map({F}, {L})", "({P}).1"),
    "O": ("Some({T})", "Without", "@keep({O})"),
    "C": ("Link(({T}, {C}))", "End"),
    "F": ("@first({G}, {F})",),
    "R": ("ref({T})",),
    "P": ("({T}, {L})",),
    "G": ("Cons({F}, {G})", "Nil"),
}
COMMON = ("if (%c) {{ {K} }} else {{ {K} }}", "({K} as <K>)", "match", "option", "chain", "let")


@dataclass
class Writer:
    """Writes one program."""

    draw: random.Random
    names: int = 0
    depth: int = field(default=0)

    def name(self) -> str:
        self.names += 1
        return f"%v{self.names}"

    def tensor(self) -> str:
        return f"Tensor[(<<{self.draw.choice('??33n')}>>, 2), float32]"

    def type(self, kind: str) -> str:
        of = self.tensor
        match kind:
            case "T":
                return of()
            case "F":
                return f"fn ({of()}) -> {of()}"
            case "R":
                return f"ref({of()})"
            case "P":
                return f"({of()}, List[{of()}])"
            case "G":
                return f"List[fn ({of()}) -> {of()}]"
            case _:
                return f"{NAMES[kind]}[{of()}]"

    def expression(self, kind: str, scope: Scope, depth: int) -> str:
        known = [name for name, own in scope if own == kind]
        if known and (depth <= 0 or self.draw.random() < 0.25):
            return self.draw.choice(known)
        if depth < -3:
            return LAST[kind]
        form = self.draw.choice(COMMON + FORMS[kind] * 2 + (("fn",) * 3 if kind == "F" else ()))
        match form:
            case "match" | "option" | "chain":
                return self.taken_apart(form, kind, scope, depth - 1)
            case "let":
                return self.bound(kind, scope, depth - 1)
            case "fn":
                name = self.name()
                body = self.expression("T", (*scope, (name, "T")), depth - 1)
                return f"fn ({name}: {self.tensor()}) -> {self.tensor()} {{ {body} }}"
            case _:
                return self.filled(form.replace("{K}", f"{{{kind}}}").replace("<K>", self.type(kind)), scope, depth - 1)

    def filled(self, form: str, scope: Scope, depth: int) -> str:
        whole = form.replace("{{", "\0").replace("}}", "\1")
        whole = re.sub(r"\{([A-Z])\}", lambda m: self.expression(m[1], scope, depth), whole)
        return whole.replace("\0", "{").replace("\1", "}")

    def taken_apart(self, form: str, kind: str, scope: Scope, depth: int) -> str:
        head, rest = self.name(), self.name()
        of, pattern, other, inner = {
            "match": ("L", f"Cons({head}, {rest})", "Nil", ((head, "T"), (rest, "L"))),
            "option": ("O", f"Some({head})", "Without", ((head, "T"),)),
            "chain": ("C", f"Link(({head}, {rest}))", "End", ((head, "T"), (rest, "C"))),
        }[form]
        if self.draw.random() < 0.2:
            pattern = pattern.replace(head, f"{head}: {self.tensor()}")
        value, taken = self.expression(of, scope, depth), self.expression(kind, (*scope, *inner), depth)
        left = self.expression(kind, scope, depth)
        return f"{{ match ({value}) {{ {pattern} => {{ {taken} }}, {other} => {{ {left} }}, }} }}"

    def bound(self, kind: str, scope: Scope, depth: int) -> str:
        own, name = self.draw.choice("TLOFRPC"), self.name()
        annotation = f": {self.type(own)}" if self.draw.random() < 0.4 else ""
        value, between = self.expression(own, scope, depth), ""
        if own == "R" and self.draw.random() < 0.6:
            write = self.draw.choice(("ref_write", "@put"))
            between = f"let {self.name()} = {write}({name}, {self.expression('T', scope, depth)}); "
        result = self.expression(kind, (*scope, (name, own)), depth)
        return f"{{ let {name}{annotation} = {value}; {between}{result} }}"

    def program(self) -> str:
        kind = self.draw.choice("TLOPC")
        params = "%c: bool, %x: Tensor[(3, 2), float32], %y: Tensor[(n, 2), float32]"
        params += f", %z: {self.tensor()}, %l: List[{self.tensor()}], %o: Option[{self.tensor()}]"
        scope = (("%x", "T"), ("%y", "T"), ("%z", "T"), ("%l", "L"), ("%o", "O"))
        result = f" -> {self.type(kind)}" if self.draw.random() < 0.6 else ""
        return f"def @main({params}){result} {{ {self.expression(kind, scope, self.draw.randint(2, 4))} }}"


def text(slotted: str) -> str:
    """The program with its sizes written."""
    return PRELUDE + SLOT.sub(r"\1", slotted)


def blurs(slotted: str) -> Iterator[str]:
    """The program with one size replaced by `?`, for each that is none."""
    for slot in SLOT.finditer(slotted):
        if slot[1] != "?":
            yield f"{slotted[: slot.start()]}<<?>>{slotted[slot.end() :]}"
