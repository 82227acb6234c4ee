"""`python -m gradual`, and the console script `gradual`."""

from __future__ import annotations

import sys


def main() -> None:
    """Run the command line; `--version` answers before anything else is imported."""
    if sys.argv[1:] == ["--version"]:
        from gradual import __version__

        print(f"gradual {__version__}")
        return
    from gradual.tools.cli import entry

    sys.exit(entry())


if __name__ == "__main__":
    main()
