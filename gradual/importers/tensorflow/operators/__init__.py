"""The importers of TensorFlow's operators, a family in each file; `plumbing` has those that only pass values on."""
