"""Gradual Relay: tensor programs whose shapes are proved, refuted with a counterexample, or checked with blame."""

__version__ = "0.1.0"
