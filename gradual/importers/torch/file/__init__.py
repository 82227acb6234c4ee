"""Archives of `torch.export.save` as values: `archive` unpacks, `schema` defines the values, `reading` reads them.

`forms` has a reader for each type of JSON value in the schema, `records` reads the metadata of tensors, `weights` their
elements.
`expressions` parses sizes, which are written as sympy's `srepr`, by Python's own parser; nothing is ever evaluated.
`declarations` has the parameters of operators: an operator that is imported has a line in `declarations.txt`.
"""
