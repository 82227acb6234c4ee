"""The delaborator: core as a surface program, which elaborates to the same core again.

`program` writes a module, one step a line; `types` writes dims and types and raises `Inexpressible` for what the
surface cannot express; `demands` and `blocks` decide which checks, projections and conversions elaboration
of the text inserts again; these are not written. Spec: `pass.surface`.
"""
