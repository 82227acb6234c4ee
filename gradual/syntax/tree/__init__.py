"""The surface language as a tree: `ast` (every node with its span), literals, and name resolution (`Scopes`, `Names`).

Nodes are frozen, compared by identity, and walked with an explicit stack.
"""
