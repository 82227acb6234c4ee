"""ONNX models as programs: `reading` is the only door to the package `onnx`, `program` the way in."""
