"""Output formats: JSON lines, SARIF and JUnit for continuous integration, tables, plans as SVG.

`json_lines` is the machine-readable form of everything that `gradual check` reports; keys and order are stable.
"""
