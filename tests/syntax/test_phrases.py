"""What is read as a whole phrase is what the grammar gives: the same tree, the same spans, the same diagnostics."""

from __future__ import annotations

import random
import sys
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from bench.texts import families
from gradual.limits import LIMITS
from gradual.source import Source
from gradual.syntax.parse import parse, parse_fragment, parse_incomplete
from gradual.syntax.parsing import reader
from gradual.syntax.parsing.metadata import NO_METADATA
from gradual.syntax.parsing.phrases import Phrases
from gradual.syntax.printing.print import printed
from gradual.syntax.tree import ast
from tests.generators import syntax as trees
from tests.material import ROOT
from tests.syntax.corpus import models, needs_models, needs_programs, programs
from tests.syntax.test_lexer import spanned
from tests.syntax.test_robust import PIECES
from tests.test_growth import lines_run
from tests.thorough import examples, sample, times

USUAL = [
    "%0 = nn.relu(%x);",
    "%12=add(%x,%y);",
    "%0 = %1;",
    "%0 = %x.0;",
    "%0 = %1.12 /* ty=int32 */;",
    "%0 = 2i64;",
    "let %y = @f(%x);",
    "let %0 = f(True, -1, 1.5e-3f, [1i64, -2], []);",
    "let %y: Tensor[(?, 3), float32] /* ty=Tensor[(?, 3), float32] */ = add(%x, 1f /* ty=float32 */);",
    "%0 = (%x, %y.1, 2);",
    "%0 = (%x,);",
    "%0 = concatenate((%x, %1), axis=0);",
    "%0 = where(less(%x, 0), %x.0, @f(g(%y), (%x, 1)));",
    "let %m.layer.0.w = f(%onnx::MatMul_925, %base/x, %input:0, %a.0.b.1);",
    '%0 = nn.conv2d(%x, %y, padding=[1, 1], groups=1, layout="NCHW", dtype=int8, relay.reshape_only=True, then=None);',
    '%0 = zeros(shape=[2], dtype="int8");',
    "%0 = f(%x, if=1, a=[1i64, 2], b=1e-5f, c=n);",
    "%0 = f(%x /* a */, a=1 );",
    "%0 = f(meta[relay.Constant][0] /* ty=int32 */, %x);",
    "%0 = f(%x,\r\n\t%y,\n a=1,\n b=2)\n  /* ty=int32 span=/a/b:0:0 */\n ;",
]
UNUSUAL = [
    *(
        "%0 = f();",
        "%0 = f(%x,);",
        "%0 = (%x);",
        "%0 = ();",
        "%0 = f(%x)(%y);",
        "%0 = %x + %y;",
        "%0 = f(%x) as int32;",
    ),
    *("let %y: (int32, int32) = (%x, %x);", "let %y = fn (%z: Tensor[(2), int8]) { %z };", "%0 = {%1 = f(%x); %1};"),
    *(
        "%0 = if(%x);",
        "%0 = let(%x);",
        "%0 = match(%x);",
        "%0 = ref(%x);",
        "%0 = inff(%x);",
        "%0 = True(%x);",
        "f(%x);",
    ),
    *(
        "%0 = f(%x, a=[%n]);",
        "%0 = f(%x, a=n + 1);",
        "%0 = f(%x, a=(1, 2));",
        '%0 = f(%x, a="(", b=1);',
        "%0 = f(a=1, %x);",
    ),
    *(
        "%0 = f(%x, a=1 a=2);",
        "%0 = f(%x, a=999999999999999999999);",
        "%0 = f(300i8);",
        "%0 = f(1-2);",
        "%0 = f(1.2.3);",
    ),
    *(
        "%0 = f(%x // c\n);",
        "%0 = f(/* b */ %x);",
        "%0 = f(/* a /* b */ c */ %x);",
        "%0 = f(%x /* a /*/, %y); */ */, %z);",
        "%0 = f(%x /* ** */);",
    ),
    *(
        "%0 == f(%x);",
        "%0 => f(%x);",
        "%x = f(%x);",
        "let = f(%x);",
        "let %y = f(%x.0.1);",
        "%0 = f(%x.);",
        "%0 = f(%x.a);",
    ),
    *(
        "%0 = f(%x/2);",
        "%0 = f(%x:y);",
        "%0 = @f.1(%x);",
        "%0 = f.1(%x);",
        "%0x = f(%x);",
        "%0 = f(%0x);",
        "%0 = f(%1/2);",
    ),
    *(
        "let %y = let %z = f(%x); let %w = f(%z); %w;",
        "assert n == 1; %0 = f(%x);",
        "%0 = f(%x) %1 = f(%x);",
        "%0 = f(%x)",
    ),
    *(
        "%0 = meta[a][99999999999];",
        "%0 = f(%x, a=meta[a][0]);",
        "%0 = f(%x;",
        "%0 = f(%x}; ",
        "%0 = [1, 2, -];",
        "%0 = [1 2];",
    ),
    *("let %y.1: int32 = 1; %0 = f(%y.1, %x.1);", "let %y/1x1: int32 = 1; %0 = f(%y/1x1);", "%0 = f(a=1, a=2) ; }"),
]
PARAMS = [
    "%x: Tensor[(2, ?), float32], %w: Tensor[(1), int8], %b: Tensor[(), bool]",
    "%x: Tensor[(2), float32], %w.1: Tensor[(1), int8], %b: Tensor[(), bool], %c: Tensor[(), bool]",
    "%x: Tensor[(2, 3,), float32] /* ty=int8 */,\n  %y : Tensor[(1), int8] /* a */ , %z: Tensor[(4), int8]",
    "%x: int32, %y: Tensor[(2), int8], %z: (int8, int8), %u: Tensor[(3), int8], %v: Tensor[(n), int8]",
    "%x: Tensor[(2), int8],, %y: Tensor[(2), int8]",
    ", %x: Tensor[(2), int8]",
    "%x: Tensor[(2), int8], ",
    "%x: Tensor[(2), int8] %y: Tensor[(2), int8], %z: Tensor[(2), int8]",
    "%x {a=1} : Tensor[(2), int8], %y: Tensor[(2), int8], a=1, b=2",
    "%a:0: Tensor[(2), int8], %a::b: Tensor[(2), int8], %a/b: Tensor[(2), int8], %0: Tensor[(2), int8]",
    "%x: Tensor[(2, n), int8], %y: Tensor[(2) int8], %z: Tensor[(2), int8]",
    "%x: Tensor[(99999999999), int8], %y: Tensor[*, int8], %z: Tensor[(-1), int8]",
]


def readings(text: str) -> Any:
    """All that is read from a text as a file and as the input of a session."""
    module, diagnostics = parse(Source("any", text))
    fragment, found = parse_fragment(Source("any", text))
    definitions = module.version, spanned(module.settings), spanned(module.definitions), module.metadata.keys()
    return definitions, diagnostics, spanned(fragment), found, parse_incomplete(text)


@pytest.fixture(scope="module")
def same() -> Iterator[Callable[[str], None]]:
    """Asserts that a text is read in the same way with and without phrases."""

    def compared(text: str) -> None:
        reader.LONG = sys.maxsize
        by_the_grammar = readings(text)
        reader.LONG = -1
        assert readings(text) == by_the_grammar, text

    before = reader.LONG
    yield compared
    reader.LONG = before


def body(items: str, params: str = "%x: int32") -> str:
    """A function with these items."""
    return f"def @f({params}) {{\n  {items}\n  %x\n}}\n"


@pytest.fixture
def phrases(monkeypatch: pytest.MonkeyPatch) -> list[object]:
    """The bindings and parameters that are read as phrases."""
    found: list[object] = []
    several = Phrases._several

    def recorded(self: Phrases, phrase: Any, at: int) -> Any:
        nodes, end = several(self, phrase, at)
        found.extend(nodes)
        return nodes, end

    monkeypatch.setattr(Phrases, "_several", recorded)
    monkeypatch.setattr(reader, "LONG", -1)
    return found


@pytest.mark.parametrize("item", USUAL)
def test_a_usual_binding_is_a_phrase_and_what_the_grammar_gives(
    item: str, same: Callable[[str], None], phrases: list[object]
) -> None:
    same(body(item))
    phrases.clear()
    reader.read(body(item * 3), "module", NO_METADATA)
    assert len(phrases) == 3


@pytest.mark.parametrize("item", UNUSUAL)
def test_an_unusual_item_is_what_the_grammar_gives(item: str, same: Callable[[str], None]) -> None:
    same(body(item))
    same(body(f"%0 = f(%x); {item} %1 = f(%x); let %y = g(%x, a=1);"))
    same(f"%0 = f(%x); {item} {{ {item} }}")


@pytest.mark.parametrize("params", PARAMS)
def test_parameters_are_what_the_grammar_gives(params: str, same: Callable[[str], None]) -> None:
    same(body("", params))
    same(f"fn ({params}) {{ match (%x) {{ ({params}) => f({params}) }} }}")
    same(f"operator f({params}) -> int8;")


def test_usual_parameters_are_phrases(phrases: list[object]) -> None:
    assert reader.read(body("", PARAMS[0]), "module", NO_METADATA).diagnostics == []
    assert len(phrases) == 3


@pytest.mark.parametrize(
    "item", ["%0 = 1;", "%0 = f(%x, a=1);", "%0 = f(%x, a=1f);", "%0 = f(g(%x.0), a=1f);", "let %y = (f((%x, %y)), 1);"]
)
@pytest.mark.parametrize(
    "around", [("(", ")"), ("-", ""), ("let %a = ", "; %a"), ("f({ ", " })"), ("if a then b else ", "")]
)
def test_nesting_is_counted_as_by_the_grammar(item: str, around: tuple[str, str], same: Callable[[str], None]) -> None:
    before, after = around
    half = LIMITS.nesting // 2
    for count in (*range(half - 5, half + 1), *range(LIMITS.nesting - 26, LIMITS.nesting + 2)):
        same(before * count + f"{{ {item} %x }}" + after * count)


@needs_models
def test_models_are_what_the_grammar_gives(same: Callable[[str], None]) -> None:
    for name, text in models():
        if "any" not in name:
            same(text)


@needs_programs
def test_programs_are_what_the_grammar_gives(same: Callable[[str], None]) -> None:
    for _, text in sample(list(programs()), 25):
        same(text)


def test_the_texts_of_the_project_are_what_the_grammar_gives(same: Callable[[str], None]) -> None:
    texts = [path.read_text() for path in sorted(ROOT.glob("examples/*.relay"))]
    pages = [path.read_text().split("```") for path in sorted((ROOT / "spec").rglob("*.md"))]
    fenced = [block.partition("\n")[2] for page in pages for block in page[1::2]]
    assert texts and len(fenced) > 100
    for text in (*texts, *sample(fenced, 30)):
        same(text)


@settings(examples(40), suppress_health_check=list(HealthCheck))
@given(trees.modules())
def test_a_generated_module_is_what_the_grammar_gives(same: Callable[[str], None], module: ast.Module) -> None:
    same(printed(module))


@settings(examples(60), suppress_health_check=list(HealthCheck))
@given(st.lists(st.sampled_from([*USUAL, *UNUSUAL]), max_size=6), st.sampled_from(PARAMS), st.integers(0, 2**32))
def test_a_damaged_body_is_what_the_grammar_gives(
    same: Callable[[str], None], items: list[str], params: str, seed: int
) -> None:
    chance = random.Random(seed)
    text = body("\n".join(items), params)
    for _ in range(chance.randint(0, 3)):
        first, last = sorted(chance.choices(range(len(text) + 1), k=2))
        text = text[:first] + "".join(chance.choices(PIECES, k=chance.randint(0, 2))) + text[min(last, first + 6) :]
    same(text)


@needs_programs
def test_a_damaged_program_is_what_the_grammar_gives(same: Callable[[str], None]) -> None:
    chance = random.Random(5)
    texts = [text for _, text in programs() if len(text) < 3000]
    for _ in range(times(60)):
        text = chance.choice(texts)
        for _ in range(chance.randint(1, 3)):
            first, last = sorted(chance.choices(range(len(text) + 1), k=2))
            text = text[:first] + "".join(chance.choices(PIECES, k=chance.randint(0, 3))) + text[min(last, first + 9) :]
        same(text)


def test_phrases_halve_the_work_of_reading(monkeypatch: pytest.MonkeyPatch) -> None:
    make = {family.name: family.make for family in families()}["cnn"]
    text = make(100)
    reader.read(text, "module", NO_METADATA)
    costs = []
    for limit in (-1, sys.maxsize):
        monkeypatch.setattr(reader, "LONG", limit)
        costs.append(lines_run(lambda: reader.read(text, "module", NO_METADATA)))
    assert 2 * costs[0] <= costs[1], costs
