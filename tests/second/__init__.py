"""A second checker of the first-order core, written from the specification alone."""
