"""Reductions along axes (`reductions`, a table of rows), running sums and products (`scans`), and sums that undo a
broadcast (`collapse`).
"""
