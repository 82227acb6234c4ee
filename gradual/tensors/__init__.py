"""Tensors and arithmetic without NumPy: a shape, an element type, and flat row-major elements.

`scalar` and `reals` (arithmetic per element type, IEEE 754), `Tensor`, `index` (strides and broadcasting), `value`
(tuples and data structures), `json_form` (values as JSON); `exchange` (arrays of other libraries), `arrays` (the same
arithmetic with NumPy). Spec chapter 10, `type.dtype`.
"""
