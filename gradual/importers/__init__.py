"""Programs from models of other systems: `common` has what the front ends `onnx`, `torch`, `tensorflow` share."""
