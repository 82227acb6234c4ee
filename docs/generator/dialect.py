"""GitHub's Markdown in the form that Python-Markdown reads: lists are indented by four, and titles of fences are named.

Pages are written as GitHub and CommonMark read them: the text of a list item stands under its first word, and a fence
may have words after its language.
"""

from __future__ import annotations

import re

from markdown_it import MarkdownIt

_COMMONMARK = MarkdownIt("commonmark").enable("table")
_FENCE = re.compile(r"^(?P<open> *`{3,}\w+) +(?P<title>[^\n{=`]+)$", re.MULTILINE)
_ITEM = re.compile(r"^ *(?:[-*+]|\d+[.)]) ", re.MULTILINE)
_MARKER = re.compile(r" *(?:[-*+]|\d+[.)]) +")


def adapted(text: str) -> str:
    """The text with lists and fences as Python-Markdown reads them."""
    return _titled(_indented(text))


def _titled(text: str) -> str:
    """The words after a fence's language as the title of the block."""
    return _FENCE.sub(lambda match: f'{match["open"]} title="{match["title"].strip()}"', text)


def _indented(text: str) -> str:
    """The text with the content of list items indented by four for each level."""
    if not _ITEM.search(text):
        return text
    lines = text.split("\n")
    depth, column = [0] * len(lines), [0] * len(lines)
    opens = [False] * len(lines)
    for token in _COMMONMARK.parse(text):
        if token.type == "list_item_open" and token.map is not None:
            first, end = token.map
            marker = _MARKER.match(lines[first][column[first] :])
            width = column[first] + (marker.end() if marker else 2)
            opens[first] = True
            for at in range(first, end):
                depth[at], column[at] = depth[at] + 1, width
    return "\n".join(_line(*row) for row in zip(lines, depth, column, opens, strict=True))


def _line(line: str, depth: int, column: int, opens: bool) -> str:
    if not depth or not line.strip():
        return line
    if opens:
        return " " * 4 * (depth - 1) + line.lstrip()
    blanks = len(line) - len(line.lstrip(" "))
    return " " * (4 * depth + max(blanks - column, 0)) + line.lstrip(" ")
