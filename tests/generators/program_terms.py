"""Generated programs as terms: small enough to print, to blur and to shrink.

Expressions are kept as text; what a law has to find in them (variables, annotations, branches) has a node of its own.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from random import Random

UNKNOWN = "?"
SPELLED = r"%\w+|\b[nmkq]\d*\b"
"""The variables and dimension names of a generated program."""


@dataclass(frozen=True)
class Size:
    """A dim of an annotation; `fixed` where precision is not defined (the binding occurrence of a name)."""

    text: str
    fixed: bool = False


@dataclass(frozen=True)
class Tensor:
    """A tensor annotation."""

    sizes: tuple[Size, ...]
    dtype: str = "float32"

    def __str__(self) -> str:
        if not self.sizes:
            return self.dtype
        inside = ", ".join(size.text for size in self.sizes)
        return f"Tensor[({inside}{',' if len(self.sizes) == 1 else ''}), {self.dtype}]"


@dataclass(frozen=True)
class Fields:
    """A tuple annotation."""

    fields: tuple[Annotation, ...]

    def __str__(self) -> str:
        inside = ", ".join(map(str, self.fields))
        return f"({inside}{',' if len(self.fields) == 1 else ''})"


@dataclass(frozen=True)
class Unranked:
    """A tensor annotation of unknown rank."""

    dtype: str = "float32"

    def __str__(self) -> str:
        return f"Tensor[*, {self.dtype}]"


@dataclass(frozen=True)
class Arrow:
    """A function annotation."""

    parameters: tuple[Annotation, ...]
    result: Annotation

    def __str__(self) -> str:
        return f"fn ({', '.join(map(str, self.parameters))}) -> {self.result}"


@dataclass(frozen=True)
class Named:
    """A declared type with its arguments, or a reference: `List[T]`, `ref(T)`."""

    name: str
    argument: Annotation

    def __str__(self) -> str:
        return f"ref({self.argument})" if self.name == "ref" else f"{self.name}[{self.argument}]"


Annotation = Tensor | Unranked | Fields | Arrow | Named


@dataclass(frozen=True)
class Text:
    """An expression without branches or annotations."""

    text: str


@dataclass(frozen=True)
class Cast:
    """`value as annotation`."""

    value: str
    annotation: Annotation


@dataclass(frozen=True)
class Choice:
    """`if (condition) { then } else { orelse }`."""

    condition: str
    then: Body
    orelse: Body


@dataclass(frozen=True)
class Literal:
    """`fn (parameters) -> result where clauses { body }`."""

    parameters: tuple[tuple[str, Annotation], ...]
    result: Annotation | None
    body: Body
    clauses: tuple[str, ...] = ()


@dataclass(frozen=True)
class Cases:
    """`match (value) { pattern => body, … }`."""

    value: str
    arms: tuple[tuple[str, Body], ...]


Expression = Text | Cast | Choice | Literal | Cases


@dataclass(frozen=True)
class Let:
    """`let name: annotation = value;`."""

    name: str
    annotation: Annotation | None
    value: Expression


@dataclass(frozen=True)
class Assertion:
    """`assert condition;`."""

    condition: str


Item = Let | Assertion


@dataclass(frozen=True)
class Body:
    """Items, then a value."""

    items: tuple[Item, ...]
    result: str


@dataclass(frozen=True)
class Function:
    """`def name(parameters) -> result where clauses { body }`."""

    name: str
    parameters: tuple[tuple[str, Annotation], ...]
    result: Annotation | None
    clauses: tuple[str, ...]
    body: Body


@dataclass(frozen=True)
class Program:
    """The functions of a file; the last one is `@main`."""

    functions: tuple[Function, ...]

    @property
    def main(self) -> Function:
        """The entry."""
        return self.functions[-1]

    def __str__(self) -> str:
        text = "\n".join(map(_function_text, self.functions))
        found: dict[str, str] = {}
        while wanted := [name for name in PRELUDE if name not in found and _is_called(name, text, *found.values())]:
            found.update((name, PRELUDE[name]) for name in wanted)
        whole = "".join([*found.values(), text])
        return _DECLARED + whole if re.search(r"\b(List|Option|Cons|Nil|Some|None_)\b", whole) else whole


def _is_called(name: str, *texts: str) -> bool:
    return any(re.search(rf"{re.escape(name)}[([]", text) for text in texts)


PRELUDE = {
    "@keep": "def @keep[A](%a: A) -> A { %a }\n",
    "@held": "def @held[A](%a: A) -> ref(A) { ref(%a) }\n",
    "@either": "def @either[A](%c: bool, %a: A, %b: A) -> A { if (%c) { %a } else { %b } }\n",
    "@given": "def @given[A, B](%f: fn (int64, A) -> B, %k: int64, %a: A) -> B { %f(%k, %a) }\n",
    "@swap": "def @swap[A, B](%p: (A, B)) -> (B, A) { (%p.1, %p.0) }\n",
    "@again": """def @again[A](%k: int64, %f: fn (A) -> A, %a: A) -> A {
  if (%k <= 0) { %a } else { @again(%k - 1i64, %f, %f(%a)) }
}
""",
    "@composed": """def @composed[A, B, C](%f: fn (A) -> B, %g: fn (B) -> C) -> fn (A) -> C {
  fn (%a: A) -> C { %g(%f(%a)) }
}
""",
    "@pushed": "def @pushed[A](%c: bool, %a: A, %l: List[A]) -> List[A] { if (%c) { Cons(%a, %l) } else { %l } }\n",
    "@mapped": """def @mapped[A, B](%f: fn (A) -> B, %l: List[A]) -> List[B] {
  match (%l) { Cons(%a, %r) => { Cons(%f(%a), @mapped(%f, %r)) }, Nil => { Nil } }
}
""",
    "@first": "def @first[A](%l: List[A], %a: A) -> A { match (%l) { Cons(%b, _) => { %b }, Nil => { %a } } }\n",
    "my.twice": """operator my.twice(%x: Tensor[(n,), float32]) -> Tensor[(2 * n,), float32] where n >= 0 {
  concatenate((%x, %x), axis=0)
}
""",
    "my.half": """operator my.half(%x: Tensor[(n,), float32]) -> Tensor[(n // 2,), float32] where n % 2 == 0, n >= 0 {
  strided_slice(%x, begin=[0], end=[n // 2], strides=[1])
}
""",
    "my.some": """operator my.some(%x: Tensor[(n,), float32]) -> Tensor[(?{u. u <= n},), float32] where n >= 0 {
  unique(%x).0
}
""",
    "my.most": """operator my.most(%x: Tensor[(n,), float32], %k: int64) -> Tensor[(min(n, %k),), float32]
where %k >= 0 {
  strided_slice(%x, begin=[0], end=[min(n, %k)], strides=[1])
}
""",
    "my.valid": """operator my.valid(%x: Tensor[(n,), float32], %w: Tensor[(k,), float32]) -> Tensor[(n - k,), float32]
where k <= n {
  strided_slice(%x, begin=[k], end=[n], strides=[1])
}
""",
    "my.at": """operator my.at(%x: Tensor[(n, m), float32], %i: int64) -> Tensor[(m,), float32] where %i >= 0, %i < n {
  take(%x, %i, axis=0)
}
""",
}
"""Functions of any type and operators that programs declare, each where it is called."""

_DECLARED = """type List[A] { Cons(A, List[A]), Nil }
type Option[A] { Some(A), None_ }
"""


# ------------------------------------------------------------------------------------------------------------ text
def _function_text(function: Function) -> str:
    clauses = _clauses(function.clauses)
    head = f"def {function.name}({_parameters(function.parameters)}){_result(function.result)}{clauses} {{"
    return "\n".join([head, *_body_lines(function.body, "  "), "}"]) + "\n"


def _parameters(parameters: tuple[tuple[str, Annotation], ...]) -> str:
    return ", ".join(f"{name}: {annotation}" for name, annotation in parameters)


def _clauses(clauses: tuple[str, ...]) -> str:
    return f" where {', '.join(clauses)}" if clauses else ""


def _result(result: Annotation | None) -> str:
    return f" -> {result}" if result is not None else ""


def _body_lines(body: Body, indent: str) -> Iterator[str]:
    for item in body.items:
        yield from _item_lines(item, indent)
    yield indent + body.result


def _item_lines(item: Item, indent: str) -> Iterator[str]:
    if isinstance(item, Assertion):
        yield f"{indent}assert {item.condition};"
        return
    head = f"{indent}let {item.name}{f': {item.annotation}' if item.annotation is not None else ''} = "
    match item.value:
        case Text(text):
            yield f"{head}{text};"
        case Cast(value, annotation):
            yield f"{head}{value} as {annotation};"
        case Choice(condition, then, orelse):
            yield f"{head}if ({condition}) {{"
            yield from _body_lines(then, indent + "  ")
            yield f"{indent}}} else {{"
            yield from _body_lines(orelse, indent + "  ")
            yield f"{indent}}};"
        case Literal(parameters, result, body, clauses):
            yield f"{head}fn ({_parameters(parameters)}){_result(result)}{_clauses(clauses)} {{"
            yield from _body_lines(body, indent + "  ")
            yield f"{indent}}};"
        case Cases(value, arms):
            yield f"{head}match ({value}) {{"
            for pattern, body in arms:
                yield f"{indent}  {pattern} => {{"
                yield from _body_lines(body, indent + "    ")
                yield f"{indent}  }},"
            yield f"{indent}}};"


# ------------------------------------------------------------------------------------------------------- traversal
Change = Callable[[Annotation], Annotation]


def annotated(program: Program, change: Change) -> Program:
    """The program with every annotation changed, in the order of the text."""
    return Program(tuple(_annotated_function(function, change) for function in program.functions))


def _annotated_function(function: Function, change: Change) -> Function:
    parameters = tuple((name, change(annotation)) for name, annotation in function.parameters)
    result = change(function.result) if function.result is not None else None
    return replace(function, parameters=parameters, result=result, body=_annotated_body(function.body, change))


def _annotated_body(body: Body, change: Change) -> Body:
    return replace(body, items=tuple(_annotated_item(item, change) for item in body.items))


def _annotated_item(item: Item, change: Change) -> Item:
    if isinstance(item, Assertion):
        return item
    annotation = change(item.annotation) if item.annotation is not None else None
    return Let(item.name, annotation, _annotated_value(item.value, change))


def _annotated_value(value: Expression, change: Change) -> Expression:
    match value:
        case Cast(held, annotation):
            return Cast(held, change(annotation))
        case Choice(condition, then, orelse):
            return Choice(condition, _annotated_body(then, change), _annotated_body(orelse, change))
        case Literal(parameters, result, body):
            changed = tuple((name, change(annotation)) for name, annotation in parameters)
            told, inner = change(result) if result is not None else None, _annotated_body(body, change)
            return replace(value, parameters=changed, result=told, body=inner)
        case Cases(held, arms):
            return Cases(held, tuple((pattern, _annotated_body(body, change)) for pattern, body in arms))
        case _:
            return value


def resized(annotation: Annotation, change: Callable[[Size], Size]) -> Annotation:
    """The annotation with every dim changed, left to right."""

    def leaf(tensor: Tensor) -> Annotation:
        return Tensor(tuple(map(change, tensor.sizes)), tensor.dtype)

    return reshaped(annotation, leaf)


def reshaped(annotation: Annotation, change: Callable[[Tensor], Annotation]) -> Annotation:
    """The annotation with every tensor of known rank changed, left to right."""
    match annotation:
        case Tensor():
            return change(annotation)
        case Unranked():
            return annotation
        case Fields(fields):
            return Fields(tuple(reshaped(field, change) for field in fields))
        case Arrow(parameters, result):
            return Arrow(tuple(reshaped(part, change) for part in parameters), reshaped(result, change))
        case Named(name, argument):
            return Named(name, reshaped(argument, change))


def respelled(program: Program, spelling: Callable[[str], str]) -> str:
    """The program's text with every variable `%x` and dimension name respelled."""
    return re.sub(SPELLED, lambda found: spelling(found.group()), str(program))


def shadowed(program: Program, random: Random) -> str:
    """The program's text with names of values that are not used again given to later values."""
    text = str(program)
    for function in program.functions:
        lines = _function_text(function).splitlines()
        text = text.replace("\n".join(lines), "\n".join(_reused(lines, random)))
    return text


def _reused(lines: list[str], random: Random) -> list[str]:
    """The lines of a function, each outermost `let` under an old name where that name has no use any more."""
    free: list[str] = []
    for i, line in enumerate(lines):
        bound = re.match(r"  let (%\w+)", line)
        if bound is None:
            continue
        here = "\n".join(lines[i + 1 :])
        free = [name for name in dict.fromkeys(re.findall(r"%\w+", "\n".join(lines[:i]))) if not _mentions(here, name)]
        if free and "= fn" not in line and random.random() < 0.7:
            new = random.choice(free)
            lines = _renamed(lines, i, bound.group(1), new)
    return lines


def _renamed(lines: list[str], at: int, old: str, new: str) -> list[str]:
    """The lines with a `let` and all that follows it under another name; its value still means what it meant."""
    head = re.sub(rf"let {old}\b", f"let {new}", lines[at], count=1)
    end = next(i for i in range(at, len(lines)) if lines[i].endswith(";") and not lines[i].startswith("   "))
    rest = [re.sub(rf"{old}\b", new, line) for line in lines[end + 1 :]]
    return [*lines[:at], head, *lines[at + 1 : end + 1], *rest]


def _mentions(text: str, name: str) -> bool:
    return re.search(rf"{name}\b", text) is not None
