"""Archives of `torch.export.save` as plain values: `archive` unpacks, `schema` has the values, `reading` makes them.

`expressions` reads sizes, which are written as sympy's `srepr`, by Python's own parser; nothing is ever evaluated.
"""
