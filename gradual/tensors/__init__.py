"""Tensors and arithmetic without NumPy: a shape, an element type, and flat row-major elements.

`scalar` and `reals` (arithmetic per element type, IEEE 754), `Tensor`, `index` (strides and broadcasting), `value`
(JSON); `array_protocols`, `dlpack` and `export` exchange data with other libraries. Spec chapter 10, `type.dtype`.
"""
