"""Translations of ATen operators, grouped by family into files; each file adds its importers to the table.

The semantics are those of `aten/src/ATen/native/native_functions.yaml` and of PyTorch's documentation.
"""
