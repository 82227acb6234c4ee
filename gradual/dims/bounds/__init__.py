"""Bounds on dims by intervals and by linear inequalities over the integers.

`Interval` propagates bounds through a term; `linear_rows` linearizes constraints; `fourier_motzkin` shows that
inequalities contradict each other by elimination; `omega` finds an integer solution or shows that there is none
(Pugh 1991). Spec: `dim.decide.interval`, `dim.decide.linear`.
"""
