"""Inputs for the whole checker: noise, soups of tokens, and programs that somebody damaged.

An input is a function of a seed and a number, so every finding can be made again.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from random import Random

from gradual.ops.catalogue import CATALOGUE
from gradual.types.dtype import DType
from tests.material import ROOT, models, recordings

LONGEST = 3_000
"""Seeds longer than this, in characters, would only slow a campaign down."""

PIECES = re.compile(
    r'\s+|/\*.*?\*/|//[^\n]*|"(?:[^"\\]|\\.)*"|[%@]?[A-Za-z_][\w.]*|%\d+|\d[\w.]*|=>|->|==|!=|<=|>=|//|.', re.DOTALL
)
NUMBERS = ("0", "1", "2", "3", "7", "-1", "-3", "31", "64", "65536", "2147483648", "9223372036854775808", "9" * 80)
LITERALS = ("1f", "0.5f", "1e-05f", "inff", "nanf", "1i64", "300u8", "-1i8", "1f16", "True", "False", "1e999", "0x1")
WORDS = (
    *("def", "let", "fn", "if", "else", "then", "match", "type", "extern", "free_var", "operator", "assert", "where"),
    *("as", "and", "or", "not", "dim", "min", "max", "ref", "ref_read", "ref_write", "Tensor", "Dim", "Type", "meta"),
    *("None", "nullptr", "Any", "List", "Cons", "Nil", "_", "Storage"),
)
SIGNS = (
    *"()[]{}<>,;:=?*/+-.%@#|$\\\"'",
    "->",
    "=>",
    "==",
    "!=",
    "<=",
    ">=",
    "//",
    "/*",
    "*/",
    "#[version",
    "?{u.",
    "match?",
)
NAMES = ("%x", "%y", "%0", "%1", "@main", "@f", "n", "m", "%x.0", "é", "%", "@", "\N{ROMAN NUMERAL ONE}", "\ufeff")
SHAPES = (
    "Tensor[(n, 4), float32]",
    "Tensor[(?,), int64]",
    "Tensor[*, float32]",
    "Tensor[(), bool]",
    "fn (int32) -> int32",
)


@cache
def vocabulary() -> tuple[str, ...]:
    """Everything that a program is made of, and a little more."""
    return (*WORDS, *SIGNS, *NAMES, *NUMBERS, *LITERALS, *SHAPES, *map(str, DType), *CATALOGUE)


def text_of(seed: int, number: int) -> str:
    """The input with a number, in a campaign with a seed."""
    random = Random(f"{seed}/{number}")
    kinds: tuple[tuple[Callable[[Random], str], int], ...] = ((noise, 1), (soup, 3), (damaged, 16))
    make = random.choices([kind for kind, _ in kinds], [weight for _, weight in kinds])[0]
    return make(random)


def noise(random: Random) -> str:
    """Random bytes, read as Latin-1 or as UTF-8 with replacements."""
    data = random.randbytes(random.choice((1, 8, 60, 300)))
    return data.decode("latin-1") if random.random() < 0.5 else data.decode("utf-8", errors="replace")


def soup(random: Random) -> str:
    """Words of the language in no order, sometimes inside a definition."""
    words = random.choices(vocabulary(), k=random.choice((1, 4, 15, 60)))
    text = random.choice((" ", " ", " ", "")).join(words)
    return f"def @main(%x: Tensor[(n, 4), float32]) {{ {text} }}" if random.random() < 0.5 else text


# -------------------------------------------------------------------------------- damaged programs
@cache
def seeds() -> tuple[str, ...]:
    """Small programs: our own specification and examples, and recorded ones where there are any."""
    found: dict[str, None] = {}
    for path in sorted((*ROOT.glob("spec/**/*.md"), *ROOT.glob("docs/**/*.md"))):
        found.update(dict.fromkeys(re.findall(r"^```relay[^\n]*\n(.*?)^```", path.read_text("utf-8"), re.M | re.S)))
    files: list[Path] = [*sorted(ROOT.glob("examples/**/*.relay")), *models().values()]
    found.update(dict.fromkeys(path.read_text("utf-8") for path in files))
    for path in recordings().values():
        found.update(dict.fromkeys(json.loads(line)["program"] for line in path.read_text("utf-8").splitlines()))
    return (*OWN, *(text for text in found if len(text) <= LONGEST))


OWN = (
    "def @main(%x: Tensor[(n, 4), float32], %k: int64) -> Tensor[(?, 4), float32] where n > 0 {\n"
    '  let %y: Tensor[(?, ?), float32] = add(%x, %x);\n  assert dim(%y, 0) % 2 == 0, "even";\n'
    "  if (%k > 3i64) { %y as Tensor[(n, 4), float32] } else { let %z = (%x, nn.relu(%y)); %z.1 }\n}\n",
    "def @g[n, m](%f: fn (Tensor[(n,), int64]) -> Tensor[(m,), int64], %x: Tensor[(n,), int64]) {\n"
    "  let %h = fn (%a: Tensor[(n,), int64]) { %f(%a) };\n  %h(add(%x, 1i64))\n}\n"
    "def @k(%s: Tensor[(2,), int64], %x: Tensor[*, float32]) { shape_of(%x) }\n",
    "operator my.op<n>(%x: Tensor[(n,), float32], %k: int64) -> Tensor[(min(n, %k),), float32] where %k >= 0;\n"
    "def @u(%x: Tensor[(?{u. u <= 8}, 3 * (n // 2)), float32]) -> Tensor[(?, ?), float32] { %x }\n",
)


def damaged(random: Random) -> str:
    """A program a little changed: mostly in what it means, sometimes in its form, sometimes not at all."""
    pieces = PIECES.findall(random.choice(seeds()))
    damages = random.choice((CHANGES, CHANGES, (*CHANGES, *WRECKS)))
    for _ in range(random.choice((0, 1, 1, 1, 2, 3, 8))):
        random.choice(damages)(random, pieces)
    return "".join(pieces)


def _at(random: Random, pieces: Sequence[str]) -> int:
    return random.randrange(len(pieces)) if pieces else 0


def _delete(random: Random, pieces: list[str]) -> None:
    at = _at(random, pieces)
    del pieces[at : at + random.choice((1, 1, 2, 5, 20))]


def _double(random: Random, pieces: list[str]) -> None:
    at = _at(random, pieces)
    pieces[at:at] = pieces[at : at + random.choice((1, 1, 3, 10, 40))]


def _swap(random: Random, pieces: list[str]) -> None:
    if pieces:
        a, b = _at(random, pieces), _at(random, pieces)
        pieces[a], pieces[b] = pieces[b], pieces[a]


def _insert(random: Random, pieces: list[str]) -> None:
    pieces.insert(_at(random, pieces), random.choice(vocabulary()))


def _splice(random: Random, pieces: list[str]) -> None:
    other = PIECES.findall(random.choice(seeds()))
    start = _at(random, other)
    at = _at(random, pieces)
    pieces[at : at + random.choice((0, 5, 1_000))] = other[start : start + random.choice((5, 30, 200))]


def _bracket(random: Random, pieces: list[str]) -> None:
    pieces.insert(_at(random, pieces), random.choice("()[]{}") * random.choice((1, 1, 1, 2, 300)))


def _hole(random: Random, pieces: list[str]) -> None:
    _replace(
        random, pieces, lambda piece: piece.isdigit(), ("?", "?", "n", "dim(%x, 0)", "%k", "n // 2", "?{u. u >= 1}")
    )


def _number(random: Random, pieces: list[str]) -> None:
    _replace(random, pieces, lambda piece: piece[0].isdigit(), (*NUMBERS, *LITERALS))


def _name(random: Random, pieces: list[str]) -> None:
    among = [piece for piece in pieces if piece[0] in "%@" and len(piece) > 1]
    _replace(random, pieces, lambda piece: piece[0] in "%@", (*among, *NAMES))


def _dtype(random: Random, pieces: list[str]) -> None:
    _replace(
        random, pieces, lambda piece: piece in DType._value2member_map_, (*map(str, DType), "Tensor[*, int64]", "float")
    )


def _operator(random: Random, pieces: list[str]) -> None:
    _replace(random, pieces, lambda piece: piece in CATALOGUE, (*CATALOGUE, "nn.nothing"))


def _replace(random: Random, pieces: list[str], fits: Callable[[str], bool], by: Sequence[str]) -> None:
    places = [at for at, piece in enumerate(pieces) if fits(piece)]
    if places:
        pieces[random.choice(places)] = random.choice(by)


def _line(random: Random, pieces: list[str]) -> None:
    """Lose a line, say it twice, or put it elsewhere."""
    lines = "".join(pieces).splitlines(keepends=True)
    if lines:
        line = lines.pop(_at(random, lines))
        for _ in range(random.choice((0, 1, 2))):
            lines.insert(random.randint(0, len(lines)), line)
    pieces[:] = PIECES.findall("".join(lines))


CHANGES = (_hole, _hole, _number, _number, _name, _dtype, _operator, _operator, _line)
WRECKS = (_delete, _double, _swap, _insert, _splice, _bracket)
