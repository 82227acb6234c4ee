"""The program that an import builds: values with their types, names, and the text that they become.

`Builder` applies operators and asks their judgements for types at once; `Dims` names the sizes of inputs, `Formula`
reads sizes that exporters write as text; `folding` computes what is known while importing; `importers` is the table
from an ONNX operator to its translation.
"""
