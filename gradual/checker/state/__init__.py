"""What a definition is checked in: its scope, its facts, its pending obligations and the core written so far.

`Program` holds what all definitions of a file share; `Elaboration` is the context of one of them, built from
`Scoping` (names), `Learning` (facts with their provenance), `Strictness` (whether a `?` takes part) and `Answers`
(a memo table of operator judgements). Every table is on a trail, so that a branch can be rolled back. Spec chapter
9.
"""
