"""Arithmetic on NumPy arrays with the bits of the definitions, for runs that ask for it.

`numpy_library` imports NumPy, on first use.  `elements` converts between the elements of tensors and arrays,
`functions` has the elementwise functions, `folds` the reductions, `products` and `windows` the contractions.  Floats
are computed in binary64 until a result is kept, as in the definitions; NaN payloads are not part of a result.
"""
