"""Evaluation of core: the machine for every program, and the graph runtime for functions that are static.

`value` (what a run computes, `Blame` and `Fault`), `sizes` (numbers for symbolic sizes), `steps` (one file per kind
of step), `entry` (values from outside, cast to the declared types), `machine` (an explicit stack), `graph` (a plan
and its runtime). Spec chapter 10.
"""
