"""Verified fixes: an edit is applied, the file checked again, and the help is shown only if the error is gone.

`Trials` does the checking, within a budget; `Guessing` lists candidate `where` clauses, the simplest first;
`requirements` looks for one `where` that proves every failing goal of a definition, `open_sizes` for the shape of a
parameter. See decision 0033 in `docs/decisions/`.
"""
