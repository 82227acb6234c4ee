"""The sizes of a model's inputs: `Port` is what the model declares of an input, `Dims` names the sizes in the program.

`Formula` is a size that an exporter writes as an expression of others.
"""
