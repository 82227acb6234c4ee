"""Obligations: each constraint that a rule requires is proved, refuted, or left as a run-time check with its blame.

`discharge` decides one; `Obligation` is an obligation with what a report needs of it; `settlement` ends a definition:
what is still undecided is an error where all sizes are known or named, and a check where one is `?`. `unknown_rank`
does the same for operands whose rank is not known. Spec chapter 9; hybrid checking as in Knowles and Flanagan
(2010).
"""
