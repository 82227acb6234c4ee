"""Programs from models of other systems; each format has a room, and ONNX is the one there is."""
