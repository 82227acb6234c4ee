"""The operators that ONNX Runtime adds to ONNX, in its domains `com.microsoft` and `com.microsoft.nchwc`.

ONNX Runtime's optimizer and its quantization tools write these operators into models.  Each importer follows the
runtime's documentation of contributed operators, also for operators that the runtime implements only on accelerators.
"""
