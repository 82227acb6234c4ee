"""The sizes of a model's inputs: `Port` is the declaration of an input, `Dims` names the sizes in the program.

`Formula` is a size that an exporter writes as an expression over other sizes.
"""
