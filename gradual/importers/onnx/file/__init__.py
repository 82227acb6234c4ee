"""ONNX files as plain values: `Model`, `Graph`, `Node`, and what ONNX's schemas say of operators.

`reading` is the only place that imports `onnx`; everything else takes the values of `model`.
"""
