"""What all definitions of a file share: signatures, settings, operators, the decision procedure.

`Program` holds it; `Judgements` are the rules that files hand to each other instead of importing one another;
`Answers` is a memo table of operator judgements; `Place` is where a value flows. Spec chapter 9.
"""
