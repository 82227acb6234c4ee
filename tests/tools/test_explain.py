"""Every code has a page, and every page is true: its broken example gives exactly this code, its fixed one none."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from gradual.codes import KINDS, LOST
from gradual.compilation import Compilation
from gradual.compiler import compile_source
from gradual.interface.input.allowed import allowed
from gradual.interface.input.arguments import read_call, values
from gradual.interface.pages import explained, front_matter, glossary
from gradual.ops.catalogue import CATALOGUE
from gradual.report.lost import lost
from gradual.resources import folder
from gradual.run.value import Stop
from gradual.source import Source
from tests.tools.conftest import Gradual

ROOT = Path(__file__).parents[2]
PAGES = folder("spec") / "errors"
KEYS = ["title", "summary", "severity", "phase", "rules"]
PHASES = {
    "E01": "syntax",
    "E02": "names",
    "E03": "shapes",
    "E04": "gradual",
    "E05": "solver",
    "E06": "run",
    "E07": "files",
    "E08": "lints",
    "E09": "internal",
}
OUTSIDE = ("files", "internal")
"""Phases whose troubles are the tool's: their pages show console sessions."""
RULELESS = (*OUTSIDE, "lints")
"""Phases that no rule of the language speaks of."""


def page(code: str) -> str:
    return (PAGES / f"{code}.md").read_text(encoding="utf-8")


def block(code: str, language: str, kind: str) -> str | None:
    """The fenced block of a page, if it has one."""
    match = re.search(rf"^```{language} {kind}\n(.*?)^```$", page(code), re.DOTALL | re.MULTILINE)
    return match and match[1]


def of_programs() -> list[str]:
    return [code for code in KINDS if PHASES[code[:3]] not in OUTSIDE]


def found(code: str, kind: str) -> set[str]:
    """The codes that the example of a page gives, when it is checked and its calls are run."""
    text = block(code, "relay", kind)
    assert text is not None
    compilation = compile_source(Source("example.relay", text))
    said = {diagnostic.code for diagnostic in compilation.diagnostics}
    if code == "E0401":
        said |= {"E0401"} if compilation.checks else set()
    if code == "E0408":
        said |= {diagnostic.code for diagnostic in lost(compilation.checks)}
    if code == "E0406":
        said |= {diagnostic.code for diagnostic in compilation.obstacles("@main")}
    if code == "E0407":
        said |= {diagnostic.code for diagnostic in compilation.unknowns()}
    if PHASES[code[:3]] == "lints":
        comments = allowed(compilation.source)
        said |= {diagnostic.code for diagnostic in comments.kept(compilation.source, compilation.lints())}
        said |= {diagnostic.code for diagnostic in comments.unknown}
    return said | set(stops(compilation, block(code, "run", kind) or ""))


def stops(compilation: Compilation, calls: str) -> Iterator[str]:
    for call in calls.splitlines():
        name, arguments = read_call(call)
        try:
            compilation.run(name, *values(arguments, compilation.functions[name].params, 0, compilation.core.data))
        except Stop as stop:
            yield stop.code


@pytest.mark.parametrize("code", of_programs())
def test_the_broken_example_gives_exactly_this_code(code: str) -> None:
    assert found(code, "broken") == {code}


@pytest.mark.parametrize("code", of_programs())
def test_the_fixed_example_gives_no_code(code: str) -> None:
    assert found(code, "fixed") == set()


@pytest.mark.parametrize("code", list(KINDS))
def test_a_page_has_its_facts_and_its_parts(code: str) -> None:
    facts = front_matter(page(code))
    assert list(facts) == KEYS
    kind = KINDS[code]
    assert (kind.title, kind.severity, kind.phase) == (facts["title"], facts["severity"], facts["phase"])
    assert kind.phase == PHASES[code[:3]]
    assert re.findall(r"^## (.*)$", page(code), re.MULTILINE) == ["Meaning", "Why", "Example"]
    assert facts["rules"] or facts["phase"] in RULELESS


def test_the_codes_that_are_given_are_the_codes_that_have_a_page() -> None:
    given: set[str] = set()
    for path in (ROOT / "gradual").rglob("*.py"):
        if path.name != "codes.py":
            given |= set(re.findall(r'"(E0\d{3})"', path.read_text(encoding="utf-8")))
    given.add(LOST)  # it is named in `codes.py`, and given by that name
    assert given == {"E0900", *KINDS}
    assert {path.stem for path in PAGES.glob("E*.md")} == set(KINDS)


@pytest.mark.parametrize("code", [code for code in KINDS if PHASES[code[:3]] == "files"])
@pytest.mark.parametrize("kind", ["broken", "fixed"])
def test_the_console_sessions_of_a_page_are_what_the_tool_prints(gradual: Gradual, code: str, kind: str) -> None:
    import shlex

    Path("ok.relay").write_text("def @main(%x: Tensor[(n,), float32]) { %x }\n", encoding="utf-8")
    Path("relu.onnx").write_bytes(relu())
    for name, setting in (("typo", "smtt = false"), ("right", "smt = false")):
        Path(name).mkdir()
        Path(name, "gradual.toml").write_text(f"{setting}\n", encoding="utf-8")
        Path(name, "ok.relay").write_text(Path("ok.relay").read_text(encoding="utf-8"), encoding="utf-8")
    first, _, wanted = (block(code, "console", kind) or "").partition("\n")
    done = gradual(*shlex.split(first.removeprefix("$ gradual ")))
    assert done.out + done.err == wanted
    assert done.code == (2 if kind == "broken" else 0)


def relu() -> bytes:
    """An ONNX model of one node."""
    from onnx import TensorProto, helper

    x, y = (helper.make_tensor_value_info(name, TensorProto.FLOAT, ["n"]) for name in "xy")
    graph = helper.make_graph([helper.make_node("Relu", ["x"], ["y"])], "relu", [x], [y])
    return bytes(
        helper.make_model(graph, ir_version=8, opset_imports=[helper.make_opsetid("", 17)]).SerializeToString()
    )


# ------------------------------------------------------------------------------------------------- explain
def test_explain_shows_the_page_of_a_code_whatever_its_case(gradual: Gradual) -> None:
    done = gradual("explain", "e0302")
    assert (done.code, done.lines[0]) == (0, "# E0302: refuted for some size")
    assert "## Meaning" in done.out and "---" not in done.lines


def test_explain_shows_the_section_of_a_rule_and_no_more(gradual: Gradual) -> None:
    done = gradual("explain", "type.cast")
    assert done.lines[0] == "## type.cast"
    assert sum(line.startswith("## ") for line in done.lines) == 1


def test_explain_names_what_is_near(gradual: Gradual) -> None:
    done = gradual("explain", "type.casts")
    assert (done.code, done.out) == (2, "")
    assert "near: type.cast" in done.err
    assert isinstance(explained("E9999"), list)
    assert "near: residual, residual check, check.residual" in gradual("explain", "residul").err
    assert "near: nn.dense" in gradual("explain", "nn.dens").err
    assert gradual("explain", "zzzz").err.endswith("nothing is called `zzzz`\n")


def test_explain_shows_of_an_operator_what_ops_shows(gradual: Gradual) -> None:
    for name in ("nn.dense", "add"):
        assert gradual("explain", name).out == gradual("ops", name).out
    shown = gradual("explain", "where").out
    assert shown.startswith(gradual("ops", "where").out + "\n**`where`** The preconditions") and "\n## Sizes\n" in shown


@pytest.mark.parametrize(
    ("words", "start"),
    [
        (("residual",), "**residual** The outcome of a goal"),
        (("Named", "sizes"), "**named size** A name such as"),
        (("residual check",), "**check** A step of core"),
        (("?",), "**unknown size** A size that exists"),
        (("let",), "## `let`\n"),
        (("match",), "## Data types and `match`\n"),
        (("Tensor",), "## Types\n"),
        (("syntax/print/shapes",), "## syntax/print/shapes\n"),
    ],
)
def test_explain_shows_words_of_the_glossary_and_cases(gradual: Gradual, words: tuple[str, ...], start: str) -> None:
    done = gradual("explain", *words)
    assert done.code == 0 and done.out.startswith(start)


def test_explain_lists_the_codes(gradual: Gradual) -> None:
    rows = gradual("explain").out.splitlines()
    assert [row.split()[0] for row in rows] == list(KINDS) and "E0402  warning" in "\n".join(rows)


@pytest.mark.parametrize("what", ["nn", "nn.", "linear"])
def test_ops_lists_a_family(gradual: Gradual, what: str) -> None:
    names = [row.split()[0] for row in gradual("ops", what).out.splitlines()]
    wanted = {
        one.name for one in CATALOGUE.values() if what == one.family or one.name.startswith(f"{what.rstrip('.')}.")
    }
    assert sorted(wanted) == names and len(names) > 1


def test_a_word_that_refers_to_another_shows_both(gradual: Gradual) -> None:
    first, second = gradual("explain", "opening").out.split("\n\n")
    assert first.startswith("**opening** See *unpacking*.") and second.startswith("**unpacking** ")


def test_links_of_the_glossary_lead_from_the_top_of_the_project(gradual: Gradual) -> None:
    targets = re.findall(r"\]\(([^)#]+)", "\n".join(glossary().values()))
    assert targets and [target for target in targets if not (ROOT / target).exists()] == []


def test_a_terminal_reads_pages_as_pages(gradual: Gradual, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    done = gradual("explain", "E0302", "--color", "always")
    assert "refuted for some size" in done.out and "## Meaning" not in done.out
    assert "## Meaning" in gradual("explain", "E0302", "--color", "never").out
