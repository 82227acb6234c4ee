"""The data folders that travel with the package: `grammar/`, `spec/`, and two pages of `docs/`."""

from __future__ import annotations

from pathlib import Path


def folder(name: str) -> Path:
    """Where a data folder lies: in a wheel, inside the package; in a checkout or an editable install, next to it.

    Raises:
        FileNotFoundError: the installation lacks it.
    """
    package = Path(__file__).resolve().parent
    for place in (package / name, package.parent / name):
        if place.is_dir():
            return place
    raise FileNotFoundError(f"the folder `{name}` is neither in {package} nor beside it")
