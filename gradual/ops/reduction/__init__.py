"""Reductions along axes, running sums and products, and sums that undo a broadcast; a table of rows and two files
beside it.
"""
