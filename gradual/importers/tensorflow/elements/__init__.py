"""Operators on elements that the language lacks, as compositions: activations, special functions, bits, codes."""
