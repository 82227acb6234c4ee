"""The program that an import builds: values with their types, names, and the text that they become.

`Builder` applies operators and types each application at once; `Dims` names the sizes of inputs; `Formula` is a size
that an exporter writes as an expression; `folding` computes constants while importing; `importers` is the table from
an ONNX operator to its translation.
"""
