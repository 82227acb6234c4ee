"""Shape functions as code: the shapes of a call's results and its memory, computed from the sizes of its arguments.

`form` is the intermediate form: named integers, needs, results and buffers.  `build` makes it from core and the memory
plan; `walk` finds out what can be decided before the run, and `flattening` splits formulas into short definitions.
`relay`, `python` and `c` print the form.   [plan.bound]
"""
