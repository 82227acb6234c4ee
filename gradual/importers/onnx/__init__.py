"""ONNX models as programs: a model is read and its nodes are translated to a program text, which is then checked.

`file` reads models and is the only part that uses the package `onnx`.  `operators` translates ONNX's own operators,
`signals` those on signals and images, `microsoft` those of ONNX Runtime, and `ml` those of the domain `ai.onnx.ml`.
`survey` finds the parts of a model that cannot be imported, `origins` finds the Python source of a node, and `program`
builds the program.  The format is defined by ONNX's IR specification; decision 0027 describes how sizes become names.
"""
