"""Warnings (lints) about programs that are accepted and unlikely to do what was meant.

`lint.py` has the codes and the messages; `names` finds unused and shadowed names in the text, `branches` and
`stretched` find their cases in core. No type, obligation or acceptance depends on them. Spec: the phase `lints` in
`spec/errors/`; decision 0032.
"""
