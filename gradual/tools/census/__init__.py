"""`gradual census`: thousands of models and programs checked, on one machine or on many, and one report on all.

`Task` is a file to check, `Row` its result, `Journal` keeps the rows for a later run, `Census` adds them up.
"""
