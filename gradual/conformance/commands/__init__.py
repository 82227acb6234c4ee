"""The commands on a suite that need no checker, in the order of a run.

`selection` reads the suite and chooses cases, `running` is the command `run`, `telling` prints its results, `covering`
counts them by rule, `reading` has the commands that print cases. `standalone` puts them together as the command
`gradual-conformance`, whose distribution is built in `packaging/conformance`.
"""
