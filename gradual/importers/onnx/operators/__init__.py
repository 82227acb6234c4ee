"""The translation of each ONNX operator: a function per operator, in files by family.

A function takes a `Use` (the node, its operands, its attributes, the builder) and returns the values of its outputs.
Differences from ONNX Runtime are listed in `tests/importers/differences.txt`.
"""
