"""Warnings (lints) about programs that are accepted and unlikely to do what was meant.

`lint.py` has the codes and the messages; `names` finds unused and shadowed names in the text, `branches` and
`stretched` find their cases in core. No type, obligation or acceptance depends on them. Spec: codes E0801 to E0805
in `spec/errors/`; decision 0032.
"""
