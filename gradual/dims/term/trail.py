"""What tables held before they were changed, to be put back."""

from __future__ import annotations

from typing import Any

_ABSENT = object()


class Trail:
    """Changes to dictionaries, undone in reverse order."""

    __slots__ = ("_changes", "undone")

    def __init__(self) -> None:
        self.undone = 0
        self._changes: list[tuple[dict[Any, Any], Any, Any]] = []

    def __len__(self) -> int:
        return len(self._changes)

    def put(self, table: dict[Any, Any], key: Any, value: Any) -> None:
        """Set `table[key]`."""
        self._changes.append((table, key, table.get(key, _ABSENT)))
        table[key] = value

    def drop(self, table: dict[Any, Any], key: Any) -> None:
        """Remove `table[key]` if it is there."""
        if key in table:
            self._changes.append((table, key, table.pop(key)))

    def undo(self, length: int) -> None:
        """Go back to when the trail was that long."""
        self.undone += len(self._changes) > length
        while len(self._changes) > length:
            table, key, old = self._changes.pop()
            if old is _ABSENT:
                del table[key]
            else:
                table[key] = old
