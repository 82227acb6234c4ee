"""Programs from models of other systems: a folder for each format, so far ONNX only."""
