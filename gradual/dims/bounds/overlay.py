"""Mappings that differ from a large one by a single key, without a copy."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TypeVar

K = TypeVar("K")
V = TypeVar("V")


class Without(Mapping[K, V]):
    """A mapping as it would be without one of its keys."""

    __slots__ = ("_all", "_key")

    def __init__(self, all: Mapping[K, V], key: K) -> None:
        self._all = all
        self._key = key

    def __getitem__(self, key: K) -> V:
        if key is self._key:
            raise KeyError(key)
        return self._all[key]

    def __iter__(self) -> Iterator[K]:
        return (key for key in self._all if key is not self._key)

    def __len__(self) -> int:
        return len(self._all) - (self._key in self._all)


class With(Mapping[K, V]):
    """A mapping as it would be with another value at one key."""

    __slots__ = ("_all", "_key", "_value")

    def __init__(self, all: Mapping[K, V], key: K, value: V) -> None:
        self._all = all
        self._key = key
        self._value = value

    def __getitem__(self, key: K) -> V:
        return self._value if key is self._key else self._all[key]

    def __iter__(self) -> Iterator[K]:
        yield from (key for key in self._all if key is not self._key)
        yield self._key

    def __len__(self) -> int:
        return len(self._all) + (self._key not in self._all)
