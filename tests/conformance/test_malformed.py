"""A case that cannot be read fails, and stops no other; an empty block of core is filled by `bless`."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from gradual.conformance.cases.read import load
from gradual.conformance.cli import conformance
from gradual.resources import folder
from tests.conformance.suites import CHAPTER, REFUTED, collected

SMALL = """
## passes/{name}
rules: `check.residual`

```relay
def @f(%x: Tensor[(n,), float32]) {{ copy(%x) }}
```
```{block}
{inside}```
"""
COPY = SMALL.format(name="copy", block="pass", inside="drop-dead\n") + "```after\n```\n"
FINE = SMALL.format(name="fine", block="types", inside="@f : fn (Tensor[(n,), float32]) -> Tensor[(n,), float32]\n")
UNREADABLE = SMALL.format(name="unreadable", block="types", inside="@f is a function\n")


@pytest.fixture
def spec(tmp_path: Path) -> Path:
    (tmp_path / "conformance").mkdir()
    (tmp_path / "1-chapter.md").write_text(CHAPTER)
    return tmp_path


def asked(spec: Path, suite: str, command: str, *arguments: str) -> Result:
    (spec / "conformance" / "suite.md").write_text(suite)
    return CliRunner().invoke(conformance, [command, "--spec", str(spec), *arguments], env={"CI": ""})


def test_the_suite_has_no_malformed_case() -> None:
    assert load(folder("spec")).problems == ()


def test_a_malformed_case_fails_and_the_others_are_run(spec: Path) -> None:
    done = asked(spec, FINE + UNREADABLE, "run", "-v")
    assert done.exit_code == 1
    lines = done.output.splitlines()
    assert lines[:2] == [
        "malformed  passes/unreadable  (conformance/suite.md:19)",
        "    conformance/suite.md:19: expected `@f : T`, `%x : T` or `@f %x : T`, found `@f is a function`",
    ]
    assert "pass  passes/fine" in lines and lines[-1].startswith("1 cases: pass 1 · fail 0")
    assert lines[-1].endswith(" · malformed 1")


@pytest.mark.parametrize(("pattern", "code"), [("passes/fine", 0), ("passes/unreadable", 1), ("passes/*", 1)])
def test_a_run_of_some_cases_fails_for_those_only(spec: Path, pattern: str, code: int) -> None:
    done = asked(spec, FINE + UNREADABLE, "run", pattern)
    assert done.exit_code == code
    assert ("malformed" in done.output) is (code == 1)


def test_what_belongs_to_no_case_fails_every_run(spec: Path) -> None:
    done = asked(spec, FINE + "## No case\n", "run", "passes/fine")
    assert done.exit_code == 1 and "malformed  conformance/suite.md" in done.output
    assert "pass 1 ·" in done.output


def test_all_cases_of_one_id_are_malformed() -> None:
    collection = collected(FINE + REFUTED + REFUTED)
    assert [case.id for case in collection.cases] == ["passes/fine"]
    assert {problem.case for problem in collection.problems} == {"op/nn.dense/other-width"}


def test_what_needs_every_case_refuses_a_malformed_one(spec: Path) -> None:
    for command in ("lint", "copy", "list"):
        assert asked(spec, FINE + UNREADABLE, command).exit_code == 2


def test_an_empty_block_of_core_fails_until_it_is_blessed(spec: Path) -> None:
    before = asked(spec, COPY, "run")
    assert before.exit_code == 1 and "[after] the after differs: found `def @f" in before.output
    assert asked(spec, COPY, "bless").exit_code == 0
    text = (spec / "conformance" / "suite.md").read_text()
    assert text.startswith(COPY.removesuffix("```\n") + "def @f")
    assert asked(spec, text, "run").exit_code == 0


def test_a_malformed_case_is_not_blessed_and_the_others_are(spec: Path) -> None:
    done = asked(spec, COPY + UNREADABLE, "bless")
    assert done.exit_code == 1 and "malformed  passes/unreadable" in done.output
    assert "```after\ndef @f" in (spec / "conformance" / "suite.md").read_text()
