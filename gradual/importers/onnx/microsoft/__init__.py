"""The operators that ONNX Runtime adds to ONNX, in its domains `com.microsoft` and `com.microsoft.nchwc`.

Its optimizer and its tools for quantization write them into models.  Each is composed as the runtime's documentation
of contributed operators defines it; what the runtime leaves to an accelerator is what the definition says.
"""
