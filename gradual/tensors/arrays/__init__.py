"""Arithmetic on NumPy arrays for runs with `--fast`; its results have the same bits as those of the definitions.

`numpy_library` imports NumPy, on first use.  `elements` converts between the elements of tensors and arrays,
`functions` has the elementwise functions, `folds` the reductions, `products` and `windows` the contractions.  Floats
are computed in binary64, and only results are rounded to their type, as in the definitions; NaN payloads are not part
of a result.
"""
