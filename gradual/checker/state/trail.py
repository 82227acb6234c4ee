"""What tables held before they were changed, to be put back."""

from __future__ import annotations

from typing import Any

_ABSENT: Any = object()


class Trail:
    """Changes of tables, undone the last first."""

    def __init__(self) -> None:
        self._entries: list[Any] = []  # a table, a key, and what it held, one after the other

    def mark(self) -> int:
        """A place to come back to."""
        return len(self._entries)

    def put(self, table: dict[Any, Any], key: Any, value: Any) -> None:
        """A new entry of a table until it is undone."""
        self._entries += (table, key, table.get(key, _ABSENT))
        table[key] = value

    def undo(self, mark: int) -> None:
        """Put back what was changed since the mark."""
        entries = self._entries
        while len(entries) > mark:
            old, key, table = entries.pop(), entries.pop(), entries.pop()
            if old is _ABSENT:
                table.pop(key, None)
            else:
                table[key] = old

    def clear(self) -> None:
        """Forget the way back."""
        self._entries.clear()
