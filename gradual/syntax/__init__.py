"""From text to tree and back: the surface language, its parser, its printers, and repairs of syntax errors.

`tree` (`ast`, scopes, literals), `parsing` (tokens, tables, the loop; the only user of Lark), `repair` (one edit
that makes a text parse), `printing` (the canonical text). Spec chapter 3; the grammar is `grammar/gradual.lark`.
"""
