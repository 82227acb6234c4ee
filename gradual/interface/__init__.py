"""What commands share: the terminal, pages of codes and rules, input and reports.

A command writes to an `Output`; `input` reads files, arguments and settings; `reports` writes JSON, SARIF and
tables.
"""
