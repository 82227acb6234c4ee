"""The language server: the protocol's requests, answered from the findings of the checker.

`Server` (requests), `Document` (a text that is being edited), `Reading` (its definitions), `recovery` (what stands for
those with syntax errors), `Checker` (only functions that changed are checked again), `features` (hover, completion,
rename).  `docs/how-to/use-an-editor.md` lists the answers.
"""
