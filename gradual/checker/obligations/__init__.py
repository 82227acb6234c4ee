"""Obligations: each constraint that a rule requires is proved, refuted, or left as a run-time check with its blame.

`discharge` decides a goal; `Obligation` is a goal with the data for its reports. At the end of a definition
`settlement` decides what becomes of undecided goals: if no `?` takes part in the definition (it is strict), a goal that
fails for some sizes is an error; else each undecided goal is a check.
`unknown_rank` treats operators on operands of unknown rank. Spec chapter 9; hybrid checking as in Knowles and
Flanagan (2010).
"""
