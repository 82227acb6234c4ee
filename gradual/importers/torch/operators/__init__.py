"""Translations of ATen operators, by family; each declares its importers in a table.

The meanings are those of `aten/src/ATen/native/native_functions.yaml` and of PyTorch's documentation.
"""
