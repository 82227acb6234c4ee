"""From text to tree and back: the surface language, its parser, its printers, and repairs of syntax errors.

`tree` (`ast`, scopes, literals), `parsing` (tokens, tables, the loop; the only door to Lark), `repair` (one edit
that makes a text readable), `printing` (the canonical text). Spec chapter 3; the grammar is `grammar/gradual.lark`.
"""
