"""The translation of ONNX's operators: one function for each operator, grouped by family into files.

A function takes a `Use` (the node, its operands, its attributes, the builder) and returns the values of its outputs.
Differences from ONNX Runtime are listed in `tests/importers/differences.txt`.
"""
