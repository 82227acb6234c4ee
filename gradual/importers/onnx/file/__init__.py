"""ONNX files as plain values: `Model`, `Graph`, `Node`, and facts about operators from ONNX's schemas.

`reading` is the only place that imports `onnx`; everything else takes the values of `model`.
"""
