"""The build hook: it writes the package into a temporary folder, from which Hatch takes it."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

sys.path.insert(0, str(Path(__file__).parent))
import distribution


class ConformanceHook(BuildHookInterface):
    """An sdist has the same package as a wheel, so that a wheel can be built from it without the checkout."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Add the generated files, unless they are there."""
        if distribution.is_complete():
            return
        self._folder = tempfile.TemporaryDirectory()
        package = Path(self._folder.name) / distribution.NAME
        distribution.write(package)
        build_data["force_include"] |= {
            str(path): f"{distribution.NAME}/{path.relative_to(package).as_posix()}"
            for path in sorted(package.rglob("*"))
            if path.is_file()
        }

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        """Remove the temporary folder."""
        if not distribution.is_complete():
            self._folder.cleanup()
