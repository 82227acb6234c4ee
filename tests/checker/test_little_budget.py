"""A search that ends early leaves checks, and never an exception.   [dim.decide.models]"""

from __future__ import annotations

from gradual.compiler import compile_source
from gradual.limits import Limits, Options
from gradual.source import Source

CAST = """def @main(
  %v1: Tensor[(m, n), float32],
  %v2: Tensor[(0, %v3, n), float32],
  %v3: int64,
  %v4: Tensor[(%v3, m), float32],
  %v5: bool,
  %v10: int64,
  %v11: bool,
  %v12: bool,
  %v13: Tensor[(n7,), int64],
  %v14: Tensor[(2,), int64],
  %v15: Tensor[(n8,), float32],
  %v16: Tensor[(n9,), float32],
  %v17: Tensor[(n,), float32]
)
where m >= 0, n >= 0, n8 >= 0, n9 >= 0 {
  let %v18 = if (%v10 < 0) {
    %v17
  } else {
    let %v24 = %v17;
    let %v26 = nn.bias_add(%v4, %v24, axis=-1);
    %v26
  };
  let %v27 = shape_of(%v16);
  let %v35 = %v2 as Tensor[(0, n, n), float32];
  let %v43 = zeros(shape=[%v27[0]], dtype="float32");
  let %v44 = %v43 as Tensor[(dim(%v2, 1),), float32];
  %v44
}
"""
"""A program whose counterexample names a size that no constraint of the question mentions."""


def test_a_model_has_a_number_for_every_size_that_is_shown() -> None:
    little = Options(limits=Limits(models=8, cases=2, residues=1, rlimit=10), advise=False)
    assert compile_source(Source("cast.relay", CAST), little).ok
