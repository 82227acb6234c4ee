"""ONNX models as programs: a model is read, its nodes are translated, and a program text comes out that is then
checked.

`file` reads models (the only door to the package `onnx`), `operators` translates nodes, `signals` those of signals and
images, `microsoft` those of ONNX Runtime, `ml` those of the domain `ai.onnx.ml`, `survey` says what of a model cannot
be imported, `origins` where a node comes from, `program` puts it together.  The format is that of ONNX's IR
specification; decision 0027 says how its sizes become names.
"""
