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
_ROW = re.compile(r"^\|.*\|$", re.MULTILINE)
_CODE = re.compile(r"(`[^`\n]*`)|\|")
_MARKER = re.compile(r" *(?:[-*+]|\d+[.)]) +")


def adapted(text: str) -> str:
    """The text with lists, fences, and bars of code in tables as Python-Markdown reads them."""
    return _ROW.sub(_row, _titled(_indented(text)))


def _row(row: re.Match[str]) -> str:
    """A row of a table, where GitHub wants a bar inside code to be marked, and Python-Markdown does not."""
    return _CODE.sub(lambda part: part[0].replace("\\|", "|"), row[0])


def cell(text: str) -> str:
    """A text in a cell of a table: a bar outside of code does not end the cell."""
    return _CODE.sub(lambda part: part[0] if part[1] else "\\|", text)


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
