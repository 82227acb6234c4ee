"""The operators: each is one declaration, with its typing rule and its reference semantics side by side.

`declaration` is what a declaration is made of, the other folders are families, `catalogue` gathers all operators,
and `two_forms` merges the static and the dynamic form of an operator under one name; the number of arguments selects
the form. From a declaration come the typing rule,
the run-time shape function and the entry in the specification. Spec chapter 7; after Relay's operators (Roesch et
al. 2018).
"""
