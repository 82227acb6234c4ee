"""The mechanised metatheory: it compiles, rests on no axiom, and its table says what is there."""

from __future__ import annotations

import hashlib
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from gradual.resources import folder
from tests.material import ROOT
from tests.properties.laws import LAWS

HERE = ROOT / "spec" / "mechanized"
README = HERE / "README.md"
needs_coq = pytest.mark.skipif(shutil.which("coqc") is None, reason="no coqc: the proofs are not compiled")

EXTENSIONALITY = "FunctionalExtensionality.functional_extensionality_dep"
PROVED = re.compile(r"^\s*(?:Theorem|Lemma|Corollary|Example) (\w+)", re.MULTILINE)
NAME = re.compile(r"`([A-Z]\w+)\.(?!v`)(\w+)`")
"""A theorem by its file; `Core.v` is none."""
RULE = r"[a-z]+(?:\.[a-z0-9_-]+)+"
ASKED = re.compile(r"^Print Assumptions (\w+\.\w+)\.$", re.MULTILINE)


def compiled(sources: Path, place: Path) -> subprocess.CompletedProcess[str]:
    """A run of the build script of the folder `sources`, in the folder `place`."""
    place.mkdir()
    return subprocess.run([str(sources / "build"), str(place)], capture_output=True, text=True, timeout=900)


def sources(place: Path, **texts: str) -> Path:
    """A folder with the build script and nothing but these sources."""
    place.mkdir()
    shutil.copy(HERE / "build", place)
    for name, text in texts.items():
        (place / f"{name}.v").write_text(text, encoding="utf-8")
    listed = "".join(f"{name}.v\n" for name in texts)
    (place / "_CoqProject").write_text(f"-Q . Gradual\n{listed}", encoding="utf-8")
    return place


def asked() -> list[str]:
    return ASKED.findall((HERE / "Assumptions.v").read_text(encoding="utf-8"))


def test_the_sources_are_those_that_were_proved() -> None:
    """`make proofs` writes the digest of what it has compiled; `make test` does not compile it again."""
    files = [HERE / "_CoqProject", HERE / "build", *sorted(HERE.glob("*.v"))]
    digest = hashlib.sha256(b"".join(path.read_bytes() for path in files))
    assert (HERE / "proved").read_text(encoding="ascii").split()[0] == digest.hexdigest(), "run `make proofs`"


@pytest.mark.rest
@pytest.mark.slow
@needs_coq
def test_every_theorem_is_proved_and_rests_on_no_axiom(tmp_path: Path) -> None:
    done = compiled(HERE, tmp_path / "built")
    assert done.returncode == 0, f"{done.stdout}\n{done.stderr}"
    rest = dict(line.split(": ") for line in done.stdout.splitlines())
    assert list(rest) == asked()
    assert {name for name, axiom in rest.items() if axiom != "closed"} == set(on_extensionality())
    assert {axiom for axiom in rest.values() if axiom != "closed"} <= {EXTENSIONALITY}


def on_extensionality() -> list[str]:
    """The theorems that the README says rest on functional extensionality."""
    (line,) = (line for line in README.read_text(encoding="utf-8").splitlines() if "functional extensionality:" in line)
    return [".".join(name) for name in NAME.findall(line)]


@needs_coq
@pytest.mark.parametrize(
    "text",
    [
        "Axiom free : False.\nTheorem all : False. Proof. exact free. Qed.",
        "Theorem all : False. Admitted.",
        "Section S. Theorem all : False. Proof. admit. Admitted. End S.",
        "From Coq Require Import Classical. Theorem all (P:Prop) : P \\/ ~P. Proof. apply classic. Qed.",
        "Theorem all : False. Proof. exact I. Qed.",
    ],
    ids=["axiom", "admitted", "admit", "excluded middle", "wrong"],
)
def test_the_build_refuses_what_is_not_proved(text: str, tmp_path: Path) -> None:
    asks = "From Gradual Require Import Free.\nPrint Assumptions Free.all.\n"
    assert compiled(sources(tmp_path / "free", Free=text, Assumptions=asks), tmp_path / "built").returncode != 0


@needs_coq
def test_the_build_accepts_what_is_proved(tmp_path: Path) -> None:
    proved = "Theorem all : True. Proof. exact I. Qed."
    asks = "From Gradual Require Import Free.\nPrint Assumptions Free.all.\n"
    done = compiled(sources(tmp_path / "free", Free=proved, Assumptions=asks), tmp_path / "built")
    assert (done.returncode, done.stdout) == (0, "Free.all: closed\n"), done.stderr


def test_every_file_is_built() -> None:
    listed = [line for line in (HERE / "_CoqProject").read_text(encoding="utf-8").splitlines() if line.endswith(".v")]
    assert sorted(listed) == sorted(path.name for path in HERE.glob("*.v"))
    assert listed[-1] == "Assumptions.v"


def test_the_readme_names_what_is_proved_and_all_that_is_asked_for() -> None:
    named = {".".join(name) for name in NAME.findall(README.read_text(encoding="utf-8"))}
    proved = {f"{path.stem}.{name}" for path in HERE.glob("*.v") for name in PROVED.findall(path.read_text("utf-8"))}
    assert named <= proved, sorted(named - proved)
    assert set(asked()) <= named, sorted(set(asked()) - named)


def rows() -> list[list[str]]:
    """The table's rows: theorems, what they say, where that is tested, and the rules it is about."""
    lines = README.read_text(encoding="utf-8").splitlines()
    table = [[cell.strip() for cell in line.strip("|").split(" | ")] for line in lines if line.startswith("| `")]
    return [row for row in table if NAME.match(row[0])]


def rules() -> set[str]:
    """The specification's rules by their headings."""
    heading = re.compile(rf"^## ({RULE})$", re.MULTILINE)
    return {rule for path in folder("spec").glob("[0-9]*.md") for rule in heading.findall(path.read_text("utf-8"))}


def test_the_proofs_cite_rules_that_exist() -> None:
    cited = {rule for path in HERE.glob("*.v") for rule in re.findall(rf"\[({RULE})\]", path.read_text("utf-8"))}
    assert cited
    assert cited <= rules(), sorted(cited - rules())


def test_the_table_names_laws_tests_and_rules_that_exist() -> None:
    known = rules()
    assert len(rows()) > 10
    for theorems, says, tested, about in rows():
        assert NAME.search(theorems) and says, theorems
        for test in re.findall(r"`([^`]+)`", tested):
            assert test in LAWS or (ROOT / test).is_file(), test
        assert not (wrong := set(re.findall(r"`([^`]+)`", about)) - known), wrong
