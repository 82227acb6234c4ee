"""The commands, the interactive session, the migration tool and the language server: the code with side effects.

`cli` has the table of commands; each module of `commands` is one command, imported when it is used.
"""
