"""Reading TensorFlow's files by their wire format: `Model` is a graph with its library, `load` reads one."""
