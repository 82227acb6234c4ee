"""Repairs of programs that were written as in PyTorch, NumPy or ONNX: a table of error kinds and the edits to try.

`Program` is what a repair knows about the code around the error; each file is a family (names, shapes, element types,
structure, calls), gathered in `table`. A repair is only proposed here; `checker/fixes` checks the file again with
it and shows it only if the error is gone. Spec: `syntax.token`, `name.operator`, `op.dtype`.
"""
