"""Running a suite: each case is sent to an implementation, and each disagreement is a `Failure`.

`judge` compares an answer with what is expected, separately for each aspect (`Profile`): verdict, codes, spans, types,
checks, blame and others; `run` runs many cases; `known` reads the list of an implementation's known failures;
`coverage` counts which rules a suite exercises; `bless` rewrites spans and values from the answers, never a verdict.
"""
