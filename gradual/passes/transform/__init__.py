"""The passes, one file each, named as on the command line; each ends in a table `PASSES` that `passes/catalogue.py`
gathers.

Spec chapter 11 has a section per pass, in the same order.
"""
