"""Values from outside: made of what a caller of Python gives, and cast to the parameters' declared types, the
caller blamed.

Contracts at the boundary, as in Findler and Felleisen (2002). Spec: `run.entry`.
"""
