"""Archives of `torch.export.save` as plain values: `archive` unpacks, `schema` has the values, `reading` makes them.

`forms` are the JSON values that a schema may ask for, `records` what is recorded of tensors, `weights` their elements.
`expressions` reads sizes, which are written as sympy's `srepr`, by Python's own parser; nothing is ever evaluated.
`declarations` has what each operator takes: an operator that is imported has a line in `declarations.txt`.
"""
