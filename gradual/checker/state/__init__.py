"""The context in which one definition is checked, in parts, each of which a rule takes alone where it can.

`Scoping` (names), `Values` (core variables and their types), `TracedFacts` (facts with their provenance), `Unknowns`
(each open size and who left it open), `Strictness` (whether a `?` takes part), `Obligations` (pending ones),
`Reach` (whether a run comes here), `Output` (the core so far); `TypingContext` is all of them. Every table is on a
trail, so that a branch is rolled back. Spec chapter 9.
"""
