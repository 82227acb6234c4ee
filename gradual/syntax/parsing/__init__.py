"""The parser: one regular expression gives tokens, Lark's LALR tables drive a loop, and the tree is built as rules
complete; usual bindings and parameters are recognised whole.

`Lexicon` and `Lexer`, `Tables`, `Machine`, `Phrases` (whole bindings and parameters), `reader` (the loop), `build` (a
function per rule of the grammar), `errors` (every syntax error), `metadata` (TVM's `#[metadata]` section). Spec
chapter 3.
"""
