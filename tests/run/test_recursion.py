"""Loops are calls: in tail position they take no space, elsewhere they nest without the host's stack."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from gradual import Blame, Fault, Tensor
from gradual.run import machine
from tests.run.test_blame import accepted, floats


@contextmanager
def short_stack() -> Iterator[None]:
    """A host stack on which no long run could nest: a hundredth of the calls would fill it."""
    depth, frame = 0, sys._getframe()
    while frame is not None:
        depth, frame = depth + 1, frame.f_back  # type: ignore[assignment]
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(depth + 150)
    try:
        yield
    finally:
        sys.setrecursionlimit(limit)


COUNT = """def @count(%i: int64) -> int64 { if (%i <= 0i64) { %i } else { @count(%i - 1i64) } }
def @main(%i: int64) { @count(%i) }"""


def test_tail_calls_need_no_stack(monkeypatch: pytest.MonkeyPatch) -> None:
    found = accepted(COUNT)
    deepest = 0
    enter = machine.Machine._enter

    def watched(self: machine.Machine, *given: object) -> None:
        nonlocal deepest
        enter(self, *given)  # type: ignore[arg-type]
        deepest = max(deepest, len(self._stack))

    monkeypatch.setattr(machine.Machine, "_enter", watched)
    with short_stack():
        assert found.run("@main", Tensor(20_000, "int64")).item() == 0
    assert deepest <= 4


def test_calls_that_nest_need_no_stack_of_the_host() -> None:
    text = """def @sum(%i: int64) -> int64 {
      if (%i <= 0i64) { 0i64 } else { let %r = @sum(%i - 1i64); %r + %i }
    }
    def @main(%i: int64) { @sum(%i) }"""
    with short_stack():
        assert accepted(text).run("@main", Tensor(5_000, "int64")).item() == 12_502_500


def test_calls_that_nest_too_deep_are_a_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    from dataclasses import replace

    text = """def @deep(%x: Tensor[(?,), float32]) -> Tensor[(?,), float32] { let %y = @deep(%x); nn.relu(%y) }
    def @main(%x: Tensor[(?,), float32]) { @deep(%x) }"""
    monkeypatch.setattr(machine, "LIMITS", replace(machine.LIMITS, calls=500))
    with pytest.raises(Fault) as caught:
        accepted(text).run("@main", floats(1))
    span = caught.value.span
    assert (caught.value.code, text[span.start : span.end]) == ("E0607", "@deep(%x)")


def test_a_loop_that_grows_its_value() -> None:
    text = """def @grow(%k: int64, %x: Tensor[(n, 2), float32]) -> Tensor[(n + %k, 2), float32]
    where %k >= 0 and n >= 0 {
      if (%k == 0) { %x } else { @grow(%k - 1, concatenate((%x, ones(shape=[1, 2], dtype="float32")), axis=0)) }
    }
    def @main(%k: int64, %x: Tensor[(n, 2), float32]) -> Tensor[(n + %k, 2), float32]
    where %k >= 0 and n >= 0 { @grow(%k, %x) }"""
    found = accepted(text)
    assert not found.checks
    assert found.run("@main", Tensor(5, "int64"), floats(0, 2)).shape == (5, 2)


def test_a_loop_through_a_check_stops_where_it_fails() -> None:
    text = """def @halve(%x: Tensor[(?,), float32]) -> Tensor[(?,), float32] {
      let %d = take(shape_of(%x), 0);
      if (%d <= 2) { %x } else { @halve(sum(reshape(%x, newshape=[2, -1]), axis=[0])) }
    }
    def @main(%x: Tensor[(?,), float32]) { @halve(%x) }"""
    found = accepted(text)
    assert found.run("@main", floats(16)).shape == (2,)
    with pytest.raises(Blame) as caught:
        found.run("@main", floats(12))
    assert caught.value.rule == "op.reshape.divides"
    assert list(caught.value.sizes.values()) == [3]


def test_mutual_recursion() -> None:
    text = """def @even(%i: int64) -> bool { if (%i == 0i64) { True } else { @odd(%i - 1i64) } }
    def @odd(%i: int64) -> bool { if (%i == 0i64) { False } else { @even(%i - 1i64) } }
    def @main(%i: int64) { @even(%i) }"""
    with short_stack():
        assert accepted(text).run("@main", Tensor(2_001, "int64")).item() is False


def test_a_recursive_closure_sees_its_frame() -> None:
    text = """def @main(%i: int64, %x: Tensor[(?, 2), float32]) {
      let %loop = fn (%k: int64, %a: Tensor[(?, 2), float32]) -> Tensor[(?, 2), float32] {
        if (%k <= 0i64) { %a } else { %loop(%k - 1i64, concatenate((%a, %x), axis=0)) }
      };
      %loop(%i, %x)
    }"""
    assert accepted(text).run("@main", Tensor(3, "int64"), floats(2, 2)).shape == (8, 2)
