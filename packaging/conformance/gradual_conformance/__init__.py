"""The conformance suite of Gradual Relay and its runner, for any implementation of the language."""
