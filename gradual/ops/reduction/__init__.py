"""Reductions along axes (`reductions`, a table of rows, and `variance`), running sums and products (`scans`), and
sums that undo a broadcast (`collapse`).
"""
