"""ONNX files as plain values: `Model`, `Graph`, `Node`, and facts about operators from ONNX's schemas.

`reading` is the only module that imports `onnx`; the other modules use the classes of `model`.
"""
