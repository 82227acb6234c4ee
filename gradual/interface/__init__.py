"""What commands share at the rim of the program: the terminal, pages of codes and rules, input and reports.

`Output` is where a command writes; `input` reads files, arguments and settings; `reports` writes JSON, SARIF and
tables.
"""
