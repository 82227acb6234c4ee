"""`python -m bench.peers`: what three tools know of the sizes of ONNX models before a run, and what that costs.

The tools are this one, ONNX's shape inference, and ONNX Runtime's symbolic shape inference.  Each reads each model in a
process of its own, and its answers are held against the sizes that ONNX Runtime gave in two runs.
"""
