"""The files of the playground: Pyodide from npm, and the checker as one archive."""

from __future__ import annotations

import io
import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

from docs.generator.places import ROOT

PLACE = "assets/playground"
RUNTIME = ("pyodide.mjs", "pyodide.asm.mjs", "pyodide.asm.wasm", "python_stdlib.zip", "pyodide-lock.json")
BUILT = ROOT / "build"
NEEDED = ("gradual", "grammar", "spec/errors")
"""What the checker reads at run time."""

WITHOUT = ("gradual/importers", "gradual/tools", "gradual/conformance")
"""What a check in a browser never imports."""

CACHE = "cache"
"""The folder of the archive that is the user's cache in the browser."""


def files() -> Iterator[tuple[str, dict[str, Any]]]:
    """Each file's place in the site, with its source: the archive, and the runtime if `make docs` has put it here."""
    yield f"{PLACE}/gradual.zip", {"content": archive()}
    yield f"{PLACE}/examples.json", {"content": json.dumps(examples())}
    for folder in sorted(BUILT.glob("pyodide-*"))[-1:]:
        for name in RUNTIME:
            yield f"{PLACE}/pyodide/{name}", {"abs_src_path": str(folder / name)}


def examples() -> list[dict[str, str]]:
    """The programs of `examples/` in the order of its page, each with what it shows."""
    page = (ROOT / "examples" / "README.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| `(\w+\.relay)` \| (.*?) \|$", page, re.MULTILINE)
    return [{"name": name, "shows": _plain(shows), "text": _text(name)} for name, shows in rows]


def _plain(shows: str) -> str:
    return re.sub(r"\[(.*?)\]\(.*?\)|`", lambda match: match[1] or "", shows)


def _text(name: str) -> str:
    return (ROOT / "examples" / name).read_text(encoding="utf-8")


def archive() -> bytes:
    """The checker and the tables of its parser, as an archive."""
    found = io.BytesIO()
    with ZipFile(found, "w", ZIP_DEFLATED) as archive:
        for path in sorted(one for name in NEEDED for one in (ROOT / name).rglob("*")):
            name = path.relative_to(ROOT).as_posix()
            if path.is_file() and path.suffix != ".pyc" and not name.startswith(WITHOUT):
                archive.writestr(ZipInfo(name), path.read_bytes(), ZIP_DEFLATED)
        name, tables = _tables()
        archive.writestr(ZipInfo(f"{CACHE}/gradual/{name}"), tables, ZIP_DEFLATED)
    return found.getvalue()


def _tables() -> tuple[str, bytes]:
    """The file of the grammar's tables, so that Lark is not needed."""
    with TemporaryDirectory() as folder:
        environment = {**os.environ, "XDG_CACHE_HOME": folder, "PYTHONPATH": str(ROOT)}
        command = [sys.executable, "-c", "from gradual.syntax.parsing.tables import tables; tables()"]
        subprocess.run(command, env=environment, check=True)
        (file,) = Path(folder, "gradual").iterdir()
        return file.name, file.read_bytes()
