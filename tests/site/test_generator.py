"""The site's generator: links between files become links between pages, and the reference names everything there is."""

from __future__ import annotations

import io
import re
import subprocess
import sys
from pathlib import Path
from zipfile import ZipFile

import click
import pytest

from docs.generator import places, playground, reference
from docs.generator.counterparts import counterparts
from docs.generator.dialect import adapted
from docs.generator.navigation import navigation
from gradual.codes import KINDS
from gradual.ops.catalogue import CATALOGUE
from gradual.tools.cli import COMMANDS
from tests.material import ROOT

OPERATORS = [name for name, operator in CATALOGUE.items() if name == operator.name]


@pytest.fixture(scope="module")
def pages() -> dict[str, str]:
    """The generated pages by their places."""
    return dict(reference.pages())


# --------------------------------------------------------------------------------------------------------------- links
@pytest.mark.parametrize(
    ("path", "page"),
    [
        ("docs/how-to/warnings.md", "how-to/warnings.md"),
        ("docs/README.md", "index.md"),
        ("README.md", "index.md"),
        ("spec/06-typing.md", "spec/06-typing.md"),
        ("spec/errors/E0302.md", "reference/codes/E0302.md"),
        ("spec/errors/README.md", "reference/codes/index.md"),
        ("spec/conformance/protocol/README.md", "reference/protocol.md"),
        ("spec/conformance/protocol/value.schema.json", "reference/value.schema.json"),
        ("examples/skip.relay", "examples/skip.relay.md"),
        ("gradual/importers/torch/operators", "gradual/importers/torch/operators/index.md"),
    ],
)
def test_a_file_of_the_repository_has_a_page(path: str, page: str) -> None:
    assert places.page_of(path) == page


@pytest.mark.parametrize(
    ("text", "page", "expected"),
    [
        ("[a](../../spec/06-typing.md#type-let)", "how-to/x.md", "[a](../spec/06-typing.md#type-let)"),
        ("[a](warnings.md) and [b](#here)", "how-to/x.md", "[a](warnings.md) and [b](#here)"),
        ("[a](../../spec/errors/E0302.md)", "how-to/x.md", "[a](../reference/codes/E0302.md)"),
        ("[a](https://example.org/b.md)", "how-to/x.md", "[a](https://example.org/b.md)"),
        ("`[a](../../b.md)` [c](../README.md)", "how-to/x.md", "`[a](../../b.md)` [c](../index.md)"),
        ("```text\n[a](../../b.md)\n```\n", "how-to/x.md", "```text\n[a](../../b.md)\n```\n"),
    ],
)
def test_a_link_to_a_file_becomes_a_link_to_its_page(text: str, page: str, expected: str) -> None:
    assert places.linked(text, f"docs/{page}", page) == expected


# ------------------------------------------------------------------------------------------------------------- dialect
@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("- a\n  b\n", "- a\n    b\n"),
        ("1. a\n\n   ```text\n     b\n   ```\n\n2. c\n", "1. a\n\n    ```text\n      b\n    ```\n\n2. c\n"),
        ("- a\n  - b\n    c\n\nd\n", "- a\n    - b\n        c\n\nd\n"),
        ("```relay examples/head.relay\nx\n```\n", '```relay title="examples/head.relay"\nx\n```\n'),
        ('```relay title="x"\n- y\n```\n', '```relay title="x"\n- y\n```\n'),
        ("a - b\n| c | d |\n", "a - b\n| c | d |\n"),
        ("| `a \\| b` | c \\| d |\n", "| `a | b` | c \\| d |\n"),
    ],
)
def test_lists_and_fences_are_written_as_python_markdown_reads_them(text: str, expected: str) -> None:
    assert adapted(text) == expected


# ---------------------------------------------------------------------------------------------------------- navigation
def test_every_page_has_one_place_in_the_navigation() -> None:
    docs = [path.relative_to(ROOT / "docs").as_posix() for path in (ROOT / "docs").rglob("*.md")]
    listed = _pages(navigation(docs))
    assert sorted(listed) == sorted(set(docs)) or set(docs) - set(listed) == {"README.md"}
    assert len(listed) == len(set(listed))


def test_a_section_without_pages_is_left_out_and_named_pages_come_first() -> None:
    found = navigation(["how-to/annotate-programs.md", "how-to/a.md", "how-to/fix-programs.md"])
    assert found == [{"How-to": ["how-to/fix-programs.md", "how-to/annotate-programs.md", "how-to/a.md"]}]


def _pages(parts: object) -> list[str]:
    match parts:
        case str():
            return [parts]
        case dict():
            return [page for part in parts.values() for page in _pages(part)]
        case list():
            return [page for part in parts for page in _pages(part)]
    raise AssertionError(parts)


# ----------------------------------------------------------------------------------------------------------- reference
def test_every_operator_has_an_entry_and_all_but_a_few_an_example(pages: dict[str, str]) -> None:
    text = "".join(page for place, page in pages.items() if place.startswith("reference/operators/"))
    entries = re.findall(r"^## `(.*?)` \{.*?(?=^## |\Z)", text, re.DOTALL | re.MULTILINE)
    assert sorted(entries) == sorted(OPERATORS)
    assert text.count("**Example.**") >= len(OPERATORS) * 0.95


def test_an_entry_has_signature_shapes_attributes_example_and_counterparts(pages: dict[str, str]) -> None:
    entry = pages["reference/operators/linear.md"].partition("## `nn.dense`")[2].partition("\n## ")[0]
    for part in (
        "nn.dense(data, weight, units=None, out_dtype=None)",
        "t[.., k], t[m, k] -> t[.., m]",
        "../../spec/07-operators-rules.md#opnndensecontract",
        "| `units` | `Dim | None` | `None` |",
        "=> float32 [[68], [161]]",
        "| ONNX | `Gemm` |",
    ):
        assert part in entry


@pytest.mark.parametrize(
    ("operator", "system", "name"),
    [
        ("nn.relu", "PyTorch", "aten.relu.default"),  # bound in a table
        ("nn.conv2d", "PyTorch", "aten.conv2d.default"),  # by a name that is composed
        ("where", "PyTorch", "aten.masked_fill.Scalar"),  # what a function returns
        ("add", "TensorFlow", "AddV2"),
        ("nn.conv2d", "ONNX", "Conv"),  # declared
    ],
)
def test_counterparts_are_those_of_the_importers(operator: str, system: str, name: str) -> None:
    assert name in counterparts()[operator][system]


@pytest.mark.parametrize(
    ("operator", "name"), [("exp", "aten.elu.default"), ("sqrt", "aten.var.dim"), ("add", "aten.addmm.default")]
)
def test_an_operator_that_an_importer_needs_beside_others_is_no_counterpart(operator: str, name: str) -> None:
    assert name not in counterparts()[operator]["PyTorch"]


def test_every_code_has_the_page_that_explain_prints(pages: dict[str, str]) -> None:
    for code in KINDS:
        assert f"({code}.md)" in pages["reference/codes/index.md"]
        page = pages[f"reference/codes/{code}.md"]
        assert page.startswith(f"# {code}: ") and "## Meaning" in page
    assert "Rules: [`check.strict`](../../spec/09-elaboration.md#checkstrict)." in pages["reference/codes/E0302.md"]


def test_every_command_and_option_is_in_the_page_of_the_command_line(pages: dict[str, str]) -> None:
    text = pages["reference/command-line.md"]
    for name in COMMANDS:
        assert f"## `gradual {name}`" in text
    command = reference.root.get_command(click.Context(reference.root), "check")
    assert command is not None
    for option in (one for one in command.params if isinstance(one, click.Option)):
        assert option.opts[0] in text
    assert "### `gradual conformance run`" in text


# ---------------------------------------------------------------------------------------------------------- playground
def test_the_archive_checks_programs_without_any_other_package(tmp_path: Path) -> None:
    ZipFile(io.BytesIO(playground.archive())).extractall(tmp_path)
    programs = [(playground._text("skip.relay"), 1), (playground._text("head.relay"), 0), ("def @f( {", 0)]
    code = f"""
import os, sys
sys.path.insert(0, {str(tmp_path)!r})
os.environ["XDG_CACHE_HOME"] = {str(tmp_path / playground.CACHE)!r}
import gradual
for text, refuted in {programs!r}:
    found = gradual.check(text, "x.relay", smt=False)
    assert found.render(checks=True, color=True) and found.refuted == refuted
assert gradual.__file__.startswith({str(tmp_path)!r})
print(sorted({{"lark", "z3", "click", "rich"}} & set(sys.modules)))
"""
    done = subprocess.run([sys.executable, "-I", "-S", "-c", code], capture_output=True, text=True, check=False)
    assert (done.stdout, done.stderr) == ("[]\n", "")


def test_each_example_of_the_playground_is_a_program_with_what_it_shows() -> None:
    found = playground.examples()
    assert found[0]["name"] == "head.relay" and len(found) >= 15
    assert all(one["text"] and one["shows"] and "](" not in one["shows"] for one in found)
