"""Texts of suites for the tests of the reader and the runner."""

from __future__ import annotations

from gradual.conformance.cases.read import Collection, read

CHAPTER = """# A chapter
## op.nn.dense.contract
## check.residual
## run.check.blame
"""

HEAD = """# Dense

## op/nn.dense/unknown-width
One `?` is harmless (batch); the other is checked. rules: `op.nn.dense.contract` `check.residual` `run.check.blame`

```relay
def @head(%x: Tensor[(?, ?), float32], %w: Tensor[(11, 7), float32]) -> Tensor[(?, 11), float32] {
  nn.dense(%x, %w, units=None)
}
```
```types
@head : fn (Tensor[(?, ?), float32], Tensor[(11, 7), float32]) -> Tensor[(?, 11), float32]
%x : Tensor[(dim(%x, 0), dim(%x, 1)), float32]
```
```checks
dim(%x, 1) == 7   at 2:12-2:14   by op.nn.dense.contract   blames 1:28-1:29
```
```core
def @head {
}
```
```run
@head(float32[5, 7], float32[11, 7]) => float32[5, 11]
@head(float32[5, 3], float32[11, 7]) => blame E0601 1:28-1:29
@head(float32[5, 2], float32[11, 7]) => fault E0607
```
"""

REFUTED = """
## op/nn.dense/other-width
Both sizes are known and differ. rules: `op.nn.dense.contract`

```relay
def @main[n: Dim](%x: Tensor[(n, 5), float32], %w: Tensor[(11, n), float32]) {
  nn.dense(%x, %w)
  //~      ^^ error E0302 at n=3
  //~          -- the weight
}
```
"""

VARIANTS = """
## op/nn.dense/precision
rules: `op.nn.dense.contract`

```relay
def @main(%x: Tensor[(2, <<K>>), float32], %w: Tensor[(11, 7), float32]) { nn.dense(%x, %w) }
```
```variants
unknown   K=?   accept
exact     K=7   accept
wrong     K=5   reject E0301
```
"""


PASSED = """
```pass
inline drop-dead
```
```after
def @head {}
```
```left
@head  2:3-2:14  it stays
```
"""
"""Blocks that may follow those of `HEAD`."""


def collected(suite: str, chapter: str = CHAPTER) -> Collection:
    """The collection of one suite and one chapter."""
    return read({"suite.md": suite}, {"1-chapter.md": chapter})
