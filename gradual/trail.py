"""A record of changes to tables, by which they can be undone."""

from __future__ import annotations

from typing import Any

_ABSENT: Any = object()


class Trail:
    """Changes to dictionaries, undone in reverse order.

    Attributes:
        undone: how many calls of `undo` changed a table; results computed from the tables are stale once it has grown.
    """

    __slots__ = ("_entries", "undone")

    def __init__(self) -> None:
        self.undone = 0
        self._entries: list[Any] = []  # a table, a key, and what it held, one after the other

    def mark(self) -> int:
        """The present point, to be passed to `undo`."""
        return len(self._entries)

    def put(self, table: dict[Any, Any], key: Any, value: Any) -> None:
        """Set `table[key]` until it is undone."""
        self._entries += (table, key, table.get(key, _ABSENT))
        table[key] = value

    def drop(self, table: dict[Any, Any], key: Any) -> None:
        """Remove `table[key]`, if it is there, until it is undone."""
        if key in table:
            self._entries += (table, key, table.pop(key))

    def undo(self, mark: int) -> None:
        """Put back what was changed since the mark."""
        last = reversed(self._entries[mark:])
        self.undone += len(self._entries) > mark
        del self._entries[mark:]
        for old, key, table in zip(last, last, last, strict=True):
            if old is _ABSENT:
                table.pop(key, None)
            else:
                table[key] = old

    def clear(self) -> None:
        """Drop the record; what was changed so far can no longer be undone."""
        self._entries.clear()
