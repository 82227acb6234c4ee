"""The context in which one definition is checked, in parts; a function takes only the part it uses, if it can.

`Scoping` (names), `CheckedValues` (core variables and their types), `TracedFacts` (facts with their provenance),
`Unknowns` (unknown sizes and whom to blame for them), `Strictness` (whether the definition depends on a `?`),
`Obligations` (pending ones), `Reach` (reachability), `Output` (the core so far). `Elaboration` has all of them, and is
a typing context (`core/context.py`). Tables that a branch changes are restored from a trail at the end of the branch.
Spec chapter 9.
"""
