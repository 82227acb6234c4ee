"""Every operator against its oracles: `python -m tests.ops.campaign --examples 200`.

For each operator it tells how many argument sets were compared and of which element types; it fails where there were
fewer than asked for, where a type that the judgement admits for an argument was never compared, or where ONNX has the
operator and computed none.  Arguments are drawn anew at random each time.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from gradual.ops.catalogue import CATALOGUE
from gradual.ops.declaration.attributes import bound
from gradual.ops.declaration.operator import IllFormed
from gradual.types.dtype import DType
from gradual.types.type import TensorType, TupleType

HERE = Path(__file__).parent


ROUNDS = 6
"""How often what is still missing is compared again: arguments are drawn, and a type may not come up."""

ONNX_PROPERTY = "test_an_operator_is_that_of_onnx"

EXPLAINED = {
    ("vision.non_max_suppression", 2): "without `return_indices` the indices are not read, whatever their type",
}
"""Arguments that are admitted in more types than it makes sense to compare."""


class Chosen:
    """Of all tests those that compare these operators with oracles, and which of them failed."""

    def __init__(self, names: set[str]) -> None:
        self.names = names
        self.failed: list[str] = []

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.failed:
            self.failed.append(report.nodeid)

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        from tests.ops.oracle import COMPARED

        wanted = set().union(*(COMPARED.get(name, set()) for name in self.names)) | {ONNX_PROPERTY}
        items[:] = [item for item in items if item.originalname in wanted and self.about(item)]  # type: ignore[attr-defined]

    def about(self, item: pytest.Item) -> bool:
        """Whether a test that is for one operator is for one of these; a dynamic twin is where its static form is."""
        callspec = getattr(item, "callspec", None)
        name = callspec.params.get("name") if callspec else None
        return name not in CATALOGUE or static(name) in set(map(static, self.names))


def static(name: str) -> str:
    """The name of an operator's static form."""
    return name.removeprefix("dyn.")


def retyped(kind: Any, source: DType, target: DType) -> Any:
    """A type with one element type replaced; the elements of what is no integer are not known."""
    if isinstance(kind, TupleType):
        return TupleType(tuple(retyped(field, source, target) for field in kind.fields))
    if not isinstance(kind, TensorType) or kind.dtype is not source:
        return kind
    keeps = source.is_integer and target.is_integer
    return replace(kind, dtype=target, contents=kind.contents if keeps else None, numbers=None)


def admitted(name: str) -> set[tuple[int, DType]]:
    """The element types that a judgement admits for each argument, as far as the argument sets seen can tell."""
    from tests.ops.oracle import SEEN, dtypes_of
    from tests.ops.test_catalogue import exact_type

    found = set()
    for arguments, attributes in SEEN.get(name, []):
        kinds = [exact_type(value) for value in arguments]
        for place, source in enumerate(dtypes_of(arguments)):
            for target in DType:
                together = [retyped(kind, source, target) for kind in kinds]
                alone = [retyped(kind, source, target) if at == place else kind for at, kind in enumerate(kinds)]
                if any(admits(name, given, attributes) for given in (together, alone)):
                    found.add((place, target))
    return found


def admits(name: str, kinds: Iterable[Any], attributes: dict[str, Any]) -> bool:
    """Whether a judgement takes arguments of these types."""
    try:
        CATALOGUE[name].judge(*kinds, **bound(CATALOGUE[name], attributes))
    except IllFormed:
        return False
    return True


def shortfalls(name: str, count: int, types: set[tuple[int, DType]], wanted: int) -> Iterator[str]:
    """What was asked for and not compared."""
    if count < wanted:
        yield f"{name}: {count} argument sets"
    if (onnx := by_onnx(name)) and not {"runtime", "reference"} & set(onnx):
        yield f"{name}: ONNX computed none"
    missing = {one for one in admitted(name) - types if (name, one[0]) not in EXPLAINED}
    missing -= {(at, dtype) for at, dtype in missing if are_places(at, admitted(name), types)}
    if missing:
        yield f"{name}: never compared: " + ", ".join(f"argument {at + 1} of {dtype}" for at, dtype in sorted(missing))


def are_places(at: int, wanted: set[tuple[int, DType]], types: set[tuple[int, DType]]) -> bool:
    """Whether an argument but the first holds places or sizes, which mean the same in every type, and two came up."""
    of_it = {dtype for place, dtype in wanted if place == at}
    return at > 0 and all(dtype.is_integer for dtype in of_it) and len({one for one in types if one[0] == at}) > 1


def met(name: str) -> tuple[int, set[tuple[int, DType]]]:
    """How many argument sets of an operator were compared, and which types of which argument."""
    from tests.ops.oracle import COUNTED

    found = {dtypes: count for (one, dtypes), count in COUNTED.items() if one == name}
    return sum(found.values()), {place for dtypes in found for place in enumerate(dtypes)}


def by_onnx(name: str) -> dict[str, int]:
    """How many applications of an operator were compared with ONNX, by who computed them, or why they were not."""
    from tests.ops.oracle import ONNX_MET

    return {who: count for (one, who), count in ONNX_MET.items() if one == name}


def main() -> int:
    """Compare, tell, and say by the exit status whether anything is missing."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--examples", type=int, default=200)
    parser.add_argument("operators", nargs="*", metavar="OPERATOR", help="all where none is named")
    given = parser.parse_args()
    os.environ["ORACLE_EXAMPLES"] = str(given.examples)
    os.environ["HYPOTHESIS_PROFILE"] = "exploring"
    began = time.monotonic()
    every = sorted({CATALOGUE[name].name for name in given.operators or CATALOGUE})
    short: dict[str, list[str]] = {name: [] for name in every}
    wrong: list[str] = []
    for _ in range(ROUNDS):
        wrong += differences(set(short))
        found = {name: list(shortfalls(name, *met(name), given.examples)) for name in short}
        short = {name: says for name, says in found.items() if says}
        if not short:
            break
    tell(every)
    total = sum(met(name)[0] for name in every)
    print(f"{total} argument sets of {len(every)} operators in {time.monotonic() - began:.0f} s")
    wrong += [line for says in short.values() for line in says]
    print("\n".join(dict.fromkeys(wrong)) or "no difference, and nothing is missing")
    return bool(wrong)


def differences(names: set[str]) -> list[str]:
    """Compares these operators; gives the properties that failed, or how the run ended if it was not by its end."""
    chosen = Chosen(names)
    status = pytest.main(["-q", "-p", "no:cacheprovider", str(HERE)], plugins=[chosen])
    if status not in (pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED):
        return [*chosen.failed, f"the run ended with {status!r}"]
    return [f"different: {name}" for name in chosen.failed]


def tell(names: Iterable[str]) -> None:
    """What was compared of each operator, and what ONNX Runtime died of."""
    from tests.ops.oracle import ONNX_DEATHS

    for name in names:
        count, types = met(name)
        print(f"{name:40} {count:6}  {' '.join(sorted(str(dtype) for place, dtype in types if place == 0))}")
        if onnx := by_onnx(name):
            print(f"{'':40} {'':6}  ONNX: {', '.join(f'{who} {times}' for who, times in sorted(onnx.items()))}")
    for death in ONNX_DEATHS:
        print(f"not compared: {death}")


if __name__ == "__main__":
    sys.exit(main())
