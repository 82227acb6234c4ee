"""The language server: the protocol's requests, answered from the findings of the checker.

`Server` (requests), `Document` (a text that is being edited), `Checker` (only functions that changed are checked
again), `features` (hover, completion, rename, quick fixes). `docs/how-to/use-an-editor.md` lists the answers.
"""
