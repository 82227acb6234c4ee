"""The data folders are found in a wheel, an editable install and a bare checkout alike; the gate is there to be run."""

from __future__ import annotations

import os
import subprocess
import sys
import tomllib
import venv
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
PAGES = ["gradual/docs/glossary.md", "gradual/docs/language.md"]
FAST = "Requires-Dist: numpy>=1.26; extra == 'fast'"
FIND = "from gradual.resources import folder; print(folder('spec').resolve(), folder('grammar').resolve())"


def run(*command: str | Path, cwd: Path, **environment: str) -> str:
    """What a command prints; it must succeed."""
    clean = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
    done = subprocess.run(
        [str(part) for part in command], cwd=cwd, env=clean | environment, capture_output=True, text=True, timeout=600
    )
    assert done.returncode == 0, f"{command}\n{done.stdout}{done.stderr}"
    return done.stdout.strip()


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel, built without isolation where the build backend is at hand, else from the index."""
    folder = tmp_path_factory.mktemp("wheel")
    run(sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", folder, ROOT, cwd=folder)
    (built,) = folder.glob("gradual-*.whl")
    return built


@pytest.fixture(scope="module")
def bare(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The interpreter of an environment that sees this one's libraries but installs for itself."""
    folder = tmp_path_factory.mktemp("environment")
    venv.create(folder, with_pip=True)
    python = folder / ("Scripts" if os.name == "nt" else "bin") / "python"
    site = run(python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))", cwd=folder)
    libraries = run(
        sys.executable, "-c", "import click, pathlib; print(pathlib.Path(click.__file__).parents[1])", cwd=folder
    )
    Path(site, "libraries.pth").write_text(libraries + "\n")
    return python


@pytest.mark.slow
def test_a_wheel_carries_the_grammar_the_specification_and_the_licence(wheel: Path) -> None:
    names = set(zipfile.ZipFile(wheel).namelist())
    assert {"gradual/grammar/gradual.lark", "gradual/spec/errors/E0301.md", "gradual/py.typed"} <= names
    assert sorted(name for name in names if name.startswith("gradual/docs/")) == PAGES
    assert {f"gradual/tools/overview/page.{kind}" for kind in ("css", "js")} <= names
    assert any(name.endswith("licenses/LICENSE") for name in names)
    (metadata,) = (name for name in names if name.endswith(".dist-info/METADATA"))
    lines = zipfile.ZipFile(wheel).read(metadata).decode().splitlines()
    assert [line for line in lines if line.startswith("Requires-Dist: numpy") and "'dev'" not in line] == [FAST]
    shipped = {path.relative_to(ROOT).as_posix() for path in (ROOT / "spec").rglob("*.md")}
    assert {f"gradual/{name}" for name in shipped} <= names
    assert not [name for name in names if name.startswith(("tests", "docs", "bench"))]


@pytest.mark.slow
def test_the_data_is_found_in_an_installed_wheel(wheel: Path, bare: Path, tmp_path: Path) -> None:
    run(bare, "-m", "pip", "install", "--quiet", "--no-deps", "--force-reinstall", wheel, cwd=tmp_path)
    found = run(bare, "-I", "-c", FIND, cwd=tmp_path).split()
    inside = Path(run(bare, "-I", "-c", "import sysconfig; print(sysconfig.get_path('purelib'))", cwd=tmp_path))
    assert found == [str((inside / "gradual" / name).resolve()) for name in ("spec", "grammar")]
    assert run(bare.parent / "gradual", "--version", cwd=tmp_path).startswith("gradual ")


def test_the_data_is_found_beside_the_package_in_a_bare_checkout(tmp_path: Path) -> None:
    found = run(sys.executable, "-c", FIND, cwd=tmp_path, PYTHONPATH=str(ROOT)).split()
    assert found == [str(ROOT / "spec"), str(ROOT / "grammar")]


@pytest.mark.slow
def test_the_data_is_found_through_an_editable_install(bare: Path, tmp_path: Path) -> None:
    run(bare, "-m", "pip", "uninstall", "--quiet", "--yes", "gradual", cwd=tmp_path)
    run(bare, "-m", "pip", "install", "--quiet", "--no-deps", "--editable", ROOT, cwd=tmp_path)
    assert run(bare, "-I", "-c", FIND, cwd=tmp_path).split() == [str(ROOT / "spec"), str(ROOT / "grammar")]


def test_the_installed_version_is_the_package_s() -> None:
    from gradual import __version__

    assert run(sys.executable, "-m", "gradual", "--version", cwd=ROOT) == f"gradual {__version__}"


WITHOUT_NUMPY = "import sys; sys.modules['numpy'] = None; from gradual.__main__ import main; sys.exit(main())"
IS_LOADED = """import atexit, sys
from gradual.__main__ import main
atexit.register(lambda: print("numpy" in sys.modules))
main()"""
CALL = ("run", str(ROOT / "examples" / "head.relay"), "@head(float32[2, 784], float32[10, 784])")


def test_numpy_is_optional_and_imported_by_fast_runs_only(tmp_path: Path) -> None:
    """An installation without extras runs programs without NumPy, to the same bits."""
    plain = run(sys.executable, "-c", IS_LOADED, *CALL, cwd=tmp_path, PYTHONPATH=str(ROOT))
    fast = run(sys.executable, "-c", IS_LOADED, *CALL, "--fast", cwd=tmp_path, PYTHONPATH=str(ROOT))
    assert (plain, fast) == (f"{plain.removesuffix('False')}False", f"{plain.removesuffix('False')}True")
    without = run(sys.executable, "-c", WITHOUT_NUMPY, *CALL, cwd=tmp_path, PYTHONPATH=str(ROOT))
    assert without == plain.removesuffix("False").rstrip()


EXTRAS = ("cluster", "fast", "lsp", "onnx")
"""The extras that the package imports where they are needed."""

MODULES = {"z3-solver": "z3", "protobuf": "google"}
"""Packages whose modules are called otherwise."""

PROVIDED = {"torch", "ipython", "pygments"}
"""What a caller has already: `gradual.from_torch` takes a program that PyTorch made, a notebook loads the magics,
Pygments loads the lexer."""


def test_every_third_party_import_is_a_declared_dependency() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    declared = [*project["dependencies"], *(one for extra in EXTRAS for one in project["optional-dependencies"][extra])]
    names = {MODULES.get(name, name).lower() for name in (requirement.split(">")[0] for requirement in declared)}
    assert names | PROVIDED == {name.lower() for name in imported(ROOT / "gradual")}


def imported(package: Path) -> set[str]:
    """The top-level modules that a package imports beyond the standard library and itself."""
    import ast

    found: set[str] = set()
    for path in package.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Import):
                found |= {alias.name.split(".")[0] for alias in node.names}
            elif isinstance(node, ast.ImportFrom) and node.level == 0 and node.module:
                found.add(node.module.split(".")[0])
    return found - set(sys.stdlib_module_names) - {"gradual"}


def test_the_gate_can_be_executed() -> None:
    assert os.access(ROOT / ".ci" / "run", os.X_OK)
    run("bash", "-n", ROOT / ".ci" / "run", cwd=ROOT)
