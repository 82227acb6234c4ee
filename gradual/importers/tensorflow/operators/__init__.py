"""The importers of TensorFlow's operators, a family in each file; `plumbing` is what only moves values."""
