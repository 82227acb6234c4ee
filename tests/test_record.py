"""Records: what `record` makes behaves as what `dataclass(frozen=True, slots=True)` makes."""

from __future__ import annotations

import copy
import pickle
import subprocess
import sys
import weakref
from collections.abc import Callable, Iterator
from dataclasses import MISSING, dataclass, field, fields, is_dataclass, replace
from functools import cached_property, partial
from inspect import signature
from pathlib import Path
from typing import Any, ClassVar, Generic, TypeVar

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gradual.record import record

E = TypeVar("E")
NAMES = ("a", "b", "c", "d", "e")


# ------------------------------------------------------------------------------------------------ the two, side by side
@st.composite
def drawn_fields(draw: st.DrawFn, names: tuple[str, ...], after_default: bool) -> dict[str, Any]:
    """Name -> what the class assigns to it, MISSING for nothing; no required field after one with a default."""
    found: dict[str, Any] = {}
    for name in names:
        options = {"compare": draw(st.booleans()), "repr": draw(st.booleans()), "kw_only": draw(st.booleans())}
        kind = draw(st.sampled_from(("required", "default", "field", "factory", "inner")))
        if kind == "required" and after_default and not options["kw_only"]:
            kind = "default"
        after_default = after_default or (kind in ("default", "field", "factory") and not options["kw_only"])
        match kind:
            case "required":
                found[name] = field(**options) if options["kw_only"] else MISSING
            case "default":
                found[name] = draw(st.integers(0, 2))
                after_default = True
            case "field":
                found[name] = field(default=draw(st.integers(0, 2)), **options)
            case "factory":
                found[name] = field(default_factory=tuple, **options)
            case _:
                found[name] = field(init=False, default=draw(st.integers(0, 2)))
    return found


@st.composite
def drawn_classes(draw: st.DrawFn) -> Callable[[Callable[[type], type]], type]:
    """A function that makes a class by a decorator: fields of a base, fields of its own, perhaps `__post_init__`."""
    count = draw(st.integers(0, len(NAMES)))
    split = draw(st.integers(0, count))
    base = draw(drawn_fields(NAMES[:split], False))
    given_before = any(one is not MISSING for one in base.values())
    own = draw(drawn_fields(NAMES[split:count], given_before))
    checks = draw(st.booleans())

    def made(decorate: Callable[[type], type]) -> type:
        parent = decorate(_body("Base", (), base))
        return decorate(_body("Made", (parent,), own, checks))

    return made


def _body(name: str, bases: tuple[type, ...], parts: dict[str, Any], checks: bool = False) -> type:
    body: dict[str, Any] = {"__module__": __name__, "__annotations__": dict.fromkeys(parts, "Any"), "__doc__": name}
    body |= {name: copy.copy(part) for name, part in parts.items() if part is not MISSING}
    if checks:
        body["__post_init__"] = _refuse_threes
    return type(name, bases, body)


def _refuse_threes(self: Any) -> None:
    """A `__post_init__`."""
    if any(getattr(self, one.name) == 3 for one in fields(self)):
        raise ValueError("a three")


def frozen(cls: type) -> type:
    """The standard decorator."""
    return dataclass(frozen=True, slots=True)(cls)


def outcome(act: Callable[[], Any]) -> Any:
    """What a call gives, or its error as text."""
    try:
        return act()
    except (TypeError, ValueError, AttributeError) as error:
        return type(error), str(error)


ARGUMENTS = st.tuples(
    st.lists(st.integers(0, 3), max_size=3), st.dictionaries(st.sampled_from(NAMES), st.integers(0, 3), max_size=3)
)


@given(drawn_classes(), st.lists(ARGUMENTS, min_size=2, max_size=4), ARGUMENTS)
def test_a_record_behaves_as_a_frozen_dataclass(
    declared: Callable[[Callable[[type], type]], type], calls: list[Any], change: Any
) -> None:
    ours, standard = declared(record), declared(frozen)
    assert ours.__match_args__ == standard.__match_args__
    assert ours.__slots__ == standard.__slots__
    assert parameters(ours) == parameters(standard)
    pairs = []
    for positional, named in calls:
        mine, theirs = (outcome(partial(cls, *positional, **named)) for cls in (ours, standard))
        if isinstance(theirs, tuple):
            assert mine == theirs  # the same error: missing, surplus, unknown or twice
        else:
            pairs.append((mine, theirs))
    for mine, theirs in pairs:
        assert_alike(mine, theirs)
        changed, expected = (outcome(partial(replace, one, **change[1])) for one in (mine, theirs))
        if isinstance(expected, tuple):
            assert changed == expected
        else:
            assert_alike(changed, expected)
        for other, another in pairs:
            assert (mine == other, mine != other) == (theirs == another, theirs != another)
            assert mine != another and (mine == other) <= (hash(mine) == hash(other))


def parameters(cls: type) -> list[tuple[str, Any, bool]]:
    """The name and the kind of each parameter of the constructor, and whether it must be given."""
    return [(one.name, one.kind, one.default is one.empty) for one in signature(cls).parameters.values()]


def assert_alike(mine: Any, theirs: Any) -> None:
    """Two values have the same text, hash, fields and copies."""
    assert repr(mine) == repr(theirs) and hash(mine) == hash(theirs)
    names = [one.name for one in fields(mine)]
    assert names == [one.name for one in fields(theirs)]
    assert [getattr(mine, name) for name in names] == [getattr(theirs, name) for name in names]
    assert copy.copy(mine) == mine and copy.deepcopy(mine) == mine and copy.copy(mine) is not mine
    described = ("default", "default_factory", "init", "repr", "hash", "compare", "kw_only")
    for one, another in zip(fields(mine), fields(theirs), strict=True):
        assert all(getattr(one, part) == getattr(another, part) for part in described)


# ------------------------------------------------------------------------------------------------ one point at a time
@record
class Point:
    """A point."""

    x: int
    y: int = 0
    note: str = field(default="", compare=False, repr=False)


@record
class Solid(Point, Generic[E]):
    """A point with more."""

    KINDS: ClassVar[tuple[str, ...]] = ("a", "b")

    z: E | None = None
    tags: list[str] = field(default_factory=list, compare=False)


@record(frozen=False, eq=False)
class Tally:
    """A mutable record."""

    @record
    class Inner:
        """A record inside another."""

    count: int = 0
    seen: set[int] = field(default_factory=set)


@record(eq=False, slots=False)
class Wide:
    """A record with a dictionary of attributes."""

    x: int
    y: int = field(default=2)

    @cached_property
    def double(self) -> int:
        """Computed once."""
        return self.x * 2


@record(eq=False, repr=False, weakref_slot=True)
class Held:
    """A record that can be referred to weakly."""

    x: int


def test_a_record_has_slots_and_nothing_else() -> None:
    assert Point.__slots__ == ("x", "y", "note") and Solid.__slots__ == ("z", "tags")
    assert not hasattr(Solid(1), "__dict__")
    with pytest.raises(AttributeError):
        Point(1).other = 2  # type: ignore[attr-defined]


def test_class_variables_are_no_fields() -> None:
    assert Solid.KINDS == ("a", "b")
    assert [one.name for one in fields(Solid)] == ["x", "y", "note", "z", "tags"]
    assert is_dataclass(Solid) and is_dataclass(Solid(1)) and Solid[int](1, z=2).z == 2


def test_patterns_match_fields_in_order() -> None:
    match Solid(1, 2, "n", 3):
        case Solid(a, b, z=c):
            assert (a, b, c) == (1, 2, 3)
        case _:
            pytest.fail("no match")


def test_fields_left_out_of_comparisons() -> None:
    assert Point(1, 2, "one") == Point(1, 2, "other")
    assert hash(Point(1, 2, "one")) == hash(Point(1, 2, "other")) == hash((1, 2))
    assert repr(Point(1, 2, "one")) == "Point(x=1, y=2)"
    assert Point(1) != Solid(1)


def test_each_value_has_its_own_default() -> None:
    one, other = Tally(), Tally()
    one.seen.add(1)
    one.count += 1
    assert other.seen == set() and (one.count, other.count) == (1, 0)


def test_without_eq_a_record_is_equal_to_itself_only() -> None:
    one = Tally()
    assert one == one and one != Tally() and hash(one) == object.__hash__(one)


def test_a_mutable_record_with_eq_has_no_hash() -> None:
    for slots in (True, False):
        made = record(frozen=False, slots=slots)(_body("Made", (), {"a": 1}))
        assert made() == made()
        with pytest.raises(TypeError, match="unhashable type: 'Made'"):
            hash(made())


def test_methods_of_the_class_stay() -> None:
    @record
    class Own:
        x: int

        def __eq__(self, other: object) -> bool:
            return isinstance(other, Own)

        def __repr__(self) -> str:
            return "own"

    assert Own(1) == Own(2) and repr(Own(1)) == "own" and hash(Own(1)) == hash((1,))


def test_a_record_without_slots_takes_cached_properties() -> None:
    wide = Wide(3)
    assert (wide.double, wide.y, Wide.y) == (6, 2, 2) and not hasattr(Wide, "x")
    assert vars(wide) == {"x": 3, "y": 2, "double": 6}


def test_weak_references_where_they_are_asked_for() -> None:
    held = Held(1)
    assert weakref.ref(held)() is held
    with pytest.raises(TypeError):
        weakref.ref(Point(1))


@pytest.mark.parametrize("value", [Point(1, 2, "n"), Solid(1, tags=["a"]), Point(7)], ids=repr)
def test_pickling(value: Point) -> None:
    for protocol in range(2, pickle.HIGHEST_PROTOCOL + 1):
        found = pickle.loads(pickle.dumps(value, protocol))
        assert found == value and found.note == value.note


def test_a_mutable_default_is_refused() -> None:
    with pytest.raises(ValueError, match=r"the default of Made.a is mutable: use field\(default_factory=...\)"):
        record(_body("Made", (), {"a": []}))


def test_all_fields_by_name() -> None:
    made = record(kw_only=True)(_body("Made", (), {"a": MISSING, "b": 1, "c": field(default_factory=list)}))
    assert str(signature(made)).startswith("(*, a, b=1, c=") and made.__match_args__ == ()
    assert repr(made(a=0)) == "Made(a=0, b=1, c=[])"


def test_the_constructor_of_a_base_is_that_of_the_base() -> None:
    @record(frozen=False)
    class Under:
        x: int

    @record(frozen=False)
    class Over(Under):
        y: int

        def __init__(self, y: int) -> None:
            Under.__init__(self, 5)
            self.y = y

    assert repr(Over(1)).endswith("Over(x=5, y=1)")


def test_what_runs_after_the_constructor() -> None:
    made = record(_body("Made", (), {"a": 0, "b": field(init=False, default=1)}, checks=True))
    assert repr(made(2)) == "Made(a=2, b=1)"
    with pytest.raises(ValueError, match="a three"):
        made(3)


def test_fields_of_several_bases() -> None:
    """The bases from the last to the first, as in `dataclass`; the default of an earlier base holds."""

    def text(decorate: Callable[..., Any]) -> str:
        first = decorate(_body("First", (), {"x": 0, "y": 1}))
        second = decorate(_body("Second", (), {"y": 2, "z": 3}))
        return repr(decorate(_body("Both", (first, second), {"w": 4}))())

    assert text(record(slots=False)) == text(dataclass(frozen=True)) == "Both(y=1, z=3, x=0, w=4)"


def test_a_value_that_contains_itself_has_a_text() -> None:
    tally = Tally()
    tally.seen = [tally]  # type: ignore[assignment]
    assert repr(tally) == "Tally(count=0, seen=[...])"


def test_documentation_and_names_stay() -> None:
    assert (Solid.__doc__, Solid.__module__, Solid.__qualname__) == ("A point with more.", __name__, "Solid")
    assert Tally.Inner.__qualname__ == "Tally.Inner"
    assert Solid.__init__.__qualname__ == "Solid.__init__" and Solid.__init__.__module__ == __name__


def test_methods_are_written_when_they_are_first_used() -> None:
    made = record(_body("Made", (), {"a": 1}))
    later = {name: made.__dict__[name] for name in ("__init__", "__eq__", "__hash__", "__dataclass_fields__")}
    assert made() == made()
    written = {name for name in later if made.__dict__[name] is not later[name]}
    assert written == {"__init__", "__eq__"}


TYPED = """\
from dataclasses import field, fields, replace
from typing import assert_type

from gradual.record import record


@record
class P:
    x: int
    y: list[int] = field(default_factory=list)
    z: int = field(init=False, default=0)


@record(frozen=False, eq=False)
class Q:
    x: int


p = P(1)
p.x = 2  # wrong
Q(1).x = 3
P("a")  # wrong
P()  # wrong
P(1, [], 3)  # wrong
P(1, z=3)  # wrong
replace(p, w=1)  # wrong
replace(p, x="a")  # wrong
assert_type(replace(p, x=1), P)
fields(p)
match p:
    case P(x, y):
        assert_type((x, y, p.z), tuple[int, list[int], int])
"""


@pytest.mark.slow
def test_type_checkers_know_records(tmp_path: Path) -> None:
    """An assignment to a field of a frozen record is rejected by mypy; what is well typed is accepted."""
    program = tmp_path / "typed.py"
    program.write_text(TYPED)
    checking = [sys.executable, "-m", "mypy", "--strict", "--config-file=", f"--cache-dir={tmp_path}", str(program)]
    done = subprocess.run(checking, capture_output=True, text=True, cwd=Path(__file__).parents[1])
    assert set(_lines(done.stdout)) == {k for k, line in enumerate(TYPED.splitlines(), 1) if "# wrong" in line}


def _lines(report: str) -> Iterator[int]:
    """The lines that mypy reports."""
    return (int(line.split(":")[1]) for line in report.splitlines() if ": error:" in line)
