"""`python -m bench.field`: the conformance suite's programs of the level `core`, put to systems for other languages.

The systems are ONNX's shape inference, ONNX Runtime's symbolic shape inference, JAX's `eval_shape` with symbolic
dimensions, and `torch.export`.  Each has an adapter, `python -m bench.field.adapter SYSTEM`, which speaks the suite's
protocol: it translates a program into the system's own form, without anything that a checker would infer, and replies
with what the system says of it.
"""
