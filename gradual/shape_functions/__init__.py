"""Shape functions as code: what a call makes and takes, computed from the sizes of its arguments.

`form` is the one intermediate form: named integers, needs, results and buffers.  `build` makes it from core and its
plan of memory; `walk` tells what is decided before the run, and `flattening` writes formulas as short definitions.
`relay`, `python` and `c` print it.   [plan.bound]
"""
