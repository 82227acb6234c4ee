"""PyTorch programs saved by `torch.export.save` (`.pt2`), read without PyTorch.

`file` reads archives; `importers` has the table from an ATen operator to its translation; `operators` and `networks`
translate calls, some as compositions in the notation of `arithmetic`; `refused` has the advice for all other
operators; `program` builds the program; `guards` translates the conditions that the export assumed.  The format is
that of PyTorch's export serialization, schema version 8.
"""
