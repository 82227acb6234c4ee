"""Obligations: each constraint that a rule requires is proved, refuted, or left as a run-time check with its blame.

`discharge` decides a goal; `Obligation` is a goal with the data for its reports. At the end of a definition
`settlement` makes undecided goals errors if all sizes are known or named, and keeps them as checks if a size is `?`.
`unknown_rank` treats operators on operands of unknown rank. Spec chapter 9; hybrid checking as in Knowles and
Flanagan (2010).
"""
