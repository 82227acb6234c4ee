"""`python -m gradual`, and the console script `gradual`."""

from __future__ import annotations

import gc
import sys


def main() -> None:
    """Run the command line; with `--version`, print the version without importing anything else.

    Nearly all objects of a command are in use until it ends. So the garbage collector is set to run rarely, and objects
    are frozen before the exit, so that it does not traverse them once more.
    """
    if sys.argv[1:] == ["--version"]:
        from gradual import __version__

        print(f"gradual {__version__}")
        return
    gc.set_threshold(100_000)
    from gradual.tools.cli import entry

    code = entry()
    gc.freeze()
    sys.exit(code)


if __name__ == "__main__":
    main()
