"""Commands that are about models: `gradual import` and `gradual guards`, and the options that they share with others.

`Need` is whether a model needs a condition that its exporter assumed.
"""
