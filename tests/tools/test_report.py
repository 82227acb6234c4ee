"""`gradual report`: what the page says, without a browser; `tests/browser` has what it does in one."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from html.parser import HTMLParser
from pathlib import Path

from tests.material import GRAPHS, needs_graphs
from tests.tools.conftest import Done, Gradual
from tests.tools.stacked import stacked

Write = Callable[[str, str], str]

HEAD = """def @head(%x: Tensor[(?, ?), float32], %w: Tensor[(10, 784), float32]) -> Tensor[(?, 10), float32] {
  let %h = exp(%x);
  nn.dense(%h, %w, units=None)
}
"""
SKIP = """def @skip(%x: Tensor[(n, 8), float32]) {
  let %half = strided_slice(%x, begin=[0], end=[n], strides=[2], axes=[0]);
  add(%x, repeat(%half, repeats=2, axis=0))
}
"""
CHAIN = """def @main(%x: Tensor[(n, 16), float32]) { tanh(negative(exp(%x))) }
def @other(%x: Tensor[(4, 16), float32]) { negative(exp(%x)) }
"""
VOID = {"meta", "input", "br"}


class Page(HTMLParser):
    """Reads a page, of which every element that is opened is closed."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: Counter[str] = Counter()
        self.attributes: dict[str, list[str]] = {}
        self.words = ""
        self.feed(text)
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags[tag] += 1
        for name, value in attrs:
            self.attributes.setdefault(name, []).append(value or "")
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self.open[-1:] not in (["script"], ["style"]):
            self.words += data

    def section(self, title: str, following: str) -> str:
        """The words between two headings."""
        return self.words.split(f"\n{title}", 1)[-1].split(following, 1)[0]


def reported(gradual: Gradual, *words: str) -> tuple[Done, Page, str]:
    """The page of a report."""
    done = gradual("report", *words, "-o", "page.html")
    text = Path("page.html").read_text(encoding="utf-8")
    return done, Page(text), text


def test_a_page_is_whole_and_loads_nothing(gradual: Gradual, write: Write) -> None:
    done, page, text = reported(gradual, write("a.relay", HEAD))
    assert (done.code, done.out, done.err) == (0, "", "")
    assert page.tags["html"] == 1 and page.tags.keys().isdisjoint({"link", "img", "iframe", "object"})
    assert "src" not in page.attributes
    assert not any(word in text for word in ("http:", "https:", "@import")) or set(
        re.findall(r"https?:[^\"' ]*", text)
    ) == {"http://www.w3.org/2000/svg"}
    ids = page.attributes["id"]
    assert len(ids) == len(set(ids))
    assert {link.removeprefix("#") for link in page.attributes["href"]} <= set(ids)
    for word in ("color-scheme: light dark", "@media print", "@media (max-width"):
        assert word in text


def test_a_check_has_its_cause_its_reason_and_its_blame(gradual: Gradual, write: Write) -> None:
    _, page, text = reported(gradual, write("a.relay", HEAD))
    for said in (
        "Requirements on sizes: 50.0 % proved",
        "✓ 1 proved · ◇ 1 left as run-time checks · ✗ 0 refuted",
        "1 check, left open by the value supplied for parameter %x of @head",
        "◇ c1: dim(%x, 1) == 784",
        "contracted dimensions differ, by rule op.nn.dense.contract",
        "fails for dim(%x, 1) = 0",
        "writing 784 for this ? proves it",
    ):
        assert said in page.words, said
    assert '<a href="#L3">line 3 of the program</a>' in text


def test_causes_of_many_checks_come_first_and_checks_of_emptiness_last(gradual: Gradual, write: Write) -> None:
    program = (
        "def @g(%z: Tensor[(n,), float32]) { exp(%z) }\n"
        "def @main(%x: Tensor[(?, ?), float32], %y: Tensor[(?,), float32], %v: Tensor[(?,), float32]) {\n"
        '  let %a = add(%y, ones([2], dtype="float32"));\n'
        '  let %b = nn.dense(%x, ones([5, 7], dtype="float32"));\n'
        "  let %c = reshape(%x, newshape=[3, 5]);\n"
        "  (%a, %b, %c, @g(%v))\n}\n"
    )
    _, page, text = reported(gradual, write("a.relay", program))
    causes = re.findall(r"(\d+) checks?, left open by", page.words)
    assert causes == sorted(causes, reverse=True) and len(causes) >= 2
    assert text.index("left open by") < text.index("that something is not empty")
    shown = set(re.findall(r'<article class="check" id="(c\d+)">', text))
    assert shown == set(re.findall(r"residual check (c\d+)", gradual("check", "--checks", "a.relay").out))


def test_an_error_has_its_counterexample_and_its_help(gradual: Gradual, write: Write) -> None:
    done, page, _ = reported(gradual, write("a.relay", SKIP))
    assert done.code == 1
    for said in (
        "✗ 1 error",
        "✗ error[E0302]: shapes do not broadcast together for some sizes: fails for n = 3",
        "counterexample: n = 3, where broadcasts(n, 2 * ((n + 1) // 2)) is false",
        "help: require it: where n % 2 == 0",
        "dimension 0 is n",
    ):
        assert said in page.words, said
    assert "Memory" not in page.words


def test_every_line_has_the_types_and_the_findings_on_it(gradual: Gradual, write: Write) -> None:
    _, _, text = reported(gradual, write("a.relay", SKIP))
    rows = dict(re.findall(r'role="listitem" id="(L\d+)">(.*?)</div>', text, re.DOTALL))
    assert list(rows) == ["L1", "L2", "L3", "L4"]
    assert "%half : Tensor[((n + 1) // 2, 8), float32]" in rows["L2"] and "✗" not in rows["L2"]
    assert '<a class="mark error" href="#f1">✗ E0302: ' in rows["L3"]
    assert "result : Tensor[(broadcast(n, 2), 8), float32]" in rows["L3"]


def test_memory_is_drawn_if_its_sizes_are_numbers_or_are_given(gradual: Gradual, write: Write) -> None:
    path = write("a.relay", CHAIN)
    _, page, text = reported(gradual, path)
    assert "give numbers: gradual report a.relay --bind n=32" in page.words and '<svg class="plan"' not in text
    for words in (("--bind", "n=4"), ("--entry", "@other")):
        _, page, text = reported(gradual, path, *words)
        assert '<svg class="plan"' in text and "by exp: 256 bytes, steps 1 to 2, slot 0" in page.words
    assert gradual("report", path, "--bind", "k=4").code == 2
    assert gradual("report", write("b.relay", CHAIN.replace("@main", "@f")), "--bind", "n=4").code == 2


def test_the_same_input_gives_the_same_page(gradual: Gradual, write: Write) -> None:
    path = write("a.relay", CHAIN)
    assert reported(gradual, path)[2] == gradual("report", path).out


def test_a_program_without_a_function_that_could_be_checked_has_a_page(gradual: Gradual, write: Write) -> None:
    for program in ("def @f( {", "def @f(%x: Tensor[(2,), float32]) { %y }\n", ""):
        done, page, _ = reported(gradual, write("a.relay", program))
        assert done.code == (1 if program else 0) and "No function could be checked." in page.words


def test_an_input_that_cannot_be_read_has_no_page(gradual: Gradual, tmp_path: Path) -> None:
    done = gradual("report", "nowhere.relay", "-o", "page.html")
    assert done.code == 2 and "E0701" in done.err and not (tmp_path / "page.html").exists()


# --------------------------------------------------------------------------------------------------------------- models
HOSTILE = "/</script><b>&{layer}/--><!--{block}`\"'/{at}/{operator}"


def test_names_of_a_model_are_only_text(gradual: Gradual, tmp_path: Path) -> None:
    (tmp_path / "m.onnx").write_bytes(stacked(3, HOSTILE))
    done, page, _ = reported(gradual, "m.onnx")
    assert done.code == 0 and page.tags.keys().isdisjoint({"b"})
    assert page.tags["script"] == len(re.findall(r'id="g0-box\d+-in"', Path("page.html").read_text())) + 1


def test_a_large_model_is_drawn_closed(gradual: Gradual, tmp_path: Path) -> None:
    (tmp_path / "m.onnx").write_bytes(stacked(20))
    _, page, text = reported(gradual, "m.onnx")
    drawn, _, waiting = text.partition('<script type="text/plain"')
    assert drawn.count('class="part ') < 30 < waiting.count('class="part ')
    assert {f"layer{k}" for k in range(20)} <= set(re.findall(r">(layer\d+)<", drawn))
    assert "@main: 202 nodes" in page.words


@needs_graphs
def test_a_line_of_a_model_names_its_node(gradual: Gradual) -> None:
    done, page, text = reported(gradual, str(GRAPHS / "swin_ts.onnx"), "--where", "height % 8 == 0, width % 8 == 0")
    assert done.code == 0 and "✓ no error" in page.words
    assert "Conv `/m/embeddings/patch_embeddings/projection/Conv`" in text
    assert "embeddings" in text and "layernorm: LayerNormalization" in text


def test_a_long_type_has_its_lines(gradual: Gradual, write: Write) -> None:
    inputs = ", ".join(f"%input{i}: Tensor[(n, {i}), float32]" for i in range(8))
    _, page, _ = reported(gradual, write("a.relay", f"def @long({inputs}) {{ %input0 }}\n"))
    assert "fn (\n  Tensor[(n, 0), float32],\n" in page.words
