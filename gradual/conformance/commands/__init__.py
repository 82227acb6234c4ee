"""The commands on a suite that need no checker, in the order of a run.

`selection` reads the suite and chooses cases, `asking` starts the implementation under test, `running` is the command
`run`, `telling` prints its results, `reading` has the commands that print cases.
"""
