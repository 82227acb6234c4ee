"""Tables in a Markdown page: each stands in a fence after the line `<!-- bench: NAME -->`."""

from __future__ import annotations

import re
from collections.abc import Sequence


def filled(page: str, name: str, lines: Sequence[str]) -> str:
    """The page with these lines as the table of that name; unchanged where it has no place for it.

    >>> print(filled("<!-- bench: a -->\\n```text\\nold\\n```\\nend", "a", ["new"]))
    <!-- bench: a -->
    ```text
    new
    ```
    end
    """
    place = re.compile(rf"(<!-- bench: {re.escape(name)} -->\n```text\n).*?(?=```)", re.DOTALL)
    table = "".join(f"{text.rstrip()}\n" for text in lines)
    return place.sub(lambda found: found[1] + table, page, count=1)
