"""No needless check: the exact residual conditions of programs whose answer is known.  [T17]"""

from __future__ import annotations

import pytest

import gradual
from gradual.compilation import Compilation

NONE = {
    "the same tensor twice": "def @main(%x: Tensor[(?,), float32]) { add(%x, %x) }",
    "sizes read back": """def @main(%x: Tensor[(?, ?), float32]) {
      dyn.reshape(%x, shape_of(%x, dtype="int64"))
    }""",
    "there and back": """def @main(%x: Tensor[(?, ?), float32]) {
      dyn.reshape(reshape(%x, newshape=[-1]), shape_of(%x, dtype="int64"), allowzero=True)
    }""",
    "a size that is written down again": """def @main(%x: Tensor[(?, ?), float32]) {
      reshape(%x, newshape=[dim(%x, 1), dim(%x, 0)])
    }""",
    "an unannotated let keeps everything": """def @main(%x: Tensor[(?, ?), float32], %w: Tensor[(3, 4), float32]) {
      let %y = nn.relu(%x);
      let %z = negative(%y);
      add(%x, %z)
    }""",
    "a size is not negative": """def @main(%x: Tensor[(?,), float32], %y: Tensor[(n,), float32]) {
      (zeros(shape=[dim(%x, 0)], dtype="float32"), ones(shape=[n], dtype="float32"))
    }""",
    "a sum of sizes is not negative": """def @main(%x: Tensor[(?, ?), float32]) {
      let %y = concatenate((%x, %x), axis=0);
      zeros(shape=[dim(%y, 0) * dim(%x, 1) + 1], dtype="float32")
    }""",
    "equal branches": """def @main(%b: bool, %x: Tensor[(?, 3), float32]) {
      let %z = if (%b) { nn.relu(%x) } else { %x };
      add(%z, %x)
    }""",
    "a test that was made": """def @main(%x: Tensor[(?,), float32]) {
      let %d = take(shape_of(%x), 0);
      if (%d == 4) { reshape(%x, newshape=[2, 2]) } else { zeros(shape=[2, 2], dtype="float32") }
    }""",
    "a precondition": """def @main(%x: Tensor[(n,), float32]) where n % 2 == 0 { reshape(%x, newshape=[2, n // 2]) }""",
    "a forgotten size is what it is twice": """def @main(%x: Tensor[(?,), float32]) {
      let %y: Tensor[(?,), float32] = %x;
      add(%y, %y)
    }""",
    "the same data": """def @main(%x: Tensor[(n,), float32]) { add(unique(%x).0, unique(%x).0) }""",
    "a call on equal sizes": """
    def @f(%a: Tensor[(n,), float32], %b: Tensor[(n,), float32]) -> Tensor[(n,), float32] where n >= 0 { add(%a, %b) }
    def @main(%x: Tensor[(?,), float32]) { @f(%x, nn.relu(%x)) }""",
    "a closure sees the sizes outside": """def @main(%x: Tensor[(?, 2), float32]) {
      let %f = fn (%a: Tensor[(dim(%x, 0), 2), float32]) { add(%a, %x) };
      %f(%x)
    }""",
    "a loop with a counter": """
    def @grow(%k: int64, %x: Tensor[(n,), float32]) -> Tensor[(n + %k,), float32] where %k >= 0 {
      if (%k == 0) { %x } else { @grow(%k - 1, concatenate((%x, ones(shape=[1], dtype="float32")), axis=0)) }
    }""",
    "an empty contraction": "def @main(%x: Tensor[(?, 0), float32], %w: Tensor[(?, 0), float32]) { nn.dense(%x, %w) }",
    "what remains of a known size": """def @main(%x: Tensor[(b, 3, 4), float32]) -> Tensor[(b, 12), float32] {
      reshape(%x, newshape=[b, -1])
    }""",
}

RESIDUAL = {
    "broadcasting with a constant": (
        "def @main(%x: Tensor[(?,), float32], %y: Tensor[(4,), float32]) -> Tensor[(4,), float32] { add(%x, %y) }",
        ["dim(%x, 0) == 4 or dim(%x, 0) == 1"],
    ),
    "a check is a fact afterwards": (
        """def @main(%x: Tensor[(?,), float32]) {
          let %y: Tensor[(4,), float32] = %x;
          let %z: Tensor[(4,), float32] = %x;
          reshape(%x, newshape=[2, 2])
        }""",
        ["dim(%x, 0) == 4"],
    ),
    "a fact ends with its branch": (
        """def @main(%b: bool, %x: Tensor[(?,), float32]) {
          let %z = if (%b) { let %y: Tensor[(4,), float32] = %x; %y } else { %x };
          reshape(%x, newshape=[2, 2])
        }""",
        ["dim(%x, 0) == 4", "dim(%x, 0) == 4"],
    ),
    "an ascription forgets": (
        """def @main(%x: Tensor[(4,), float32]) {
          let %y: Tensor[(?,), float32] = %x;
          %y as Tensor[(5,), float32]
        }""",
        ["dim(%y, 0) == 5"],
    ),
    "different data": (
        "def @main(%x: Tensor[(n,), float32], %y: Tensor[(n,), float32]) { add(unique(%x).0, unique(%y).0) }",
        ["broadcasts(dim(%_1.0, 0), dim(%_3.0, 0))"],
    ),
    "a join says which two sizes": (
        """def @main(%b: bool, %x: Tensor[(10,), float32], %y: Tensor[(?,), float32]) {
          let %z = if (%b) { %x } else { %y };
          %z as Tensor[(10,), float32]
        }""",
        ["dim(%z, 0) == 10"],
    ),
    "halves are compared as halves": (
        """def @f(%x: Tensor[(n // 2,), float32], %a: Tensor[(n,), float32], %b: Tensor[(m,), float32], %c: Tensor[(?,),
          float32]) { %x as Tensor[(m // 2,), float32] }""",
        ["n // 2 == m // 2"],
    ),
    "what divides": (
        "def @main(%x: Tensor[(?, 5), float32]) { reshape(%x, newshape=[2, -1]) }",
        ["dim(%x, 0) % 2 == 0"],
    ),
    "a call measures its first argument": (
        """def @f(%a: Tensor[(n,), float32], %b: Tensor[(n,), float32]) -> Tensor[(n,), float32] { add(%a, %b) }
        def @main(%x: Tensor[(3,), float32], %y: Tensor[(?,), float32]) { (@f(%x, %y), @f(%y, %x)) }""",
        ["dim(%y, 0) == 3"],
    ),
}


def accepted(text: str) -> Compilation:
    """The program, which has no error."""
    found = gradual.check(text)
    assert found.ok, [diagnostic.message for diagnostic in found.diagnostics]
    return found


@pytest.mark.parametrize("name", NONE)
def test_no_check_where_nothing_can_fail(name: str) -> None:
    assert [str(check.goal) for check in accepted(NONE[name]).checks] == []


@pytest.mark.parametrize("name", RESIDUAL)
def test_exactly_the_checks_that_can_fail(name: str) -> None:
    text, conditions = RESIDUAL[name]
    assert sorted(str(check.goal) for check in accepted(text).checks) == sorted(conditions)


@pytest.mark.parametrize("name", NONE)
def test_without_a_solver_there_is_no_needless_check_either(name: str) -> None:
    assert gradual.check(NONE[name], smt=False).checks == ()
