"""PyTorch programs saved by `torch.export.save` (`.pt2`), read without PyTorch.

`file` reads archives; `importers` is the table from an ATen operator to its translation; `operators` and `networks`
translate calls, some as compositions in terms of `arithmetic`; `refused` says what to do about all other operators;
`program` puts the program together; `guards` says which conditions of the export the program needs.  The format is
that of PyTorch's export serialization, schema version 8.
"""
