"""Running a suite: each case is put to an implementation, and each disagreement is a `Failure`.

`judge` compares, by profile; `run` runs many; `known` keeps the list of failures that are expected of an
implementation; `coverage` tells which rules a suite exercises; `bless` rewrites places and values, never a verdict.
"""
