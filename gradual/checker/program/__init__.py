"""Data shared by all definitions of a file: signatures, settings, operators, the decision procedure.

`Program` holds these; `Judgements` are mutually recursive rules, passed in to avoid import cycles; `Answers` is a memo
table of operator judgements; `Place` is the source position where a value flows into a type. Spec chapter 9.
"""
