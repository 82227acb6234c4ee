"""The delaborator: core as a surface program, which elaborates to the same core again.

`program` writes a module, one step a line; `types` writes dims and types and raises `Inexpressible` for what the
surface cannot express; `demands` and `blocks` decide which checks and ascriptions are re-derived when the text is
elaborated again, so that only the others are written. Spec: `pass.surface`.
"""
