"""`python -m gradual`, and the console script `gradual`."""

from __future__ import annotations

import gc
import sys


def main() -> None:
    """Run the command line; `--version` answers before anything else is imported.

    Nearly all objects of a command live until its end, so the garbage collector looks at young ones rarely, and not
    once more at the end.
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
