"""The commands, the interactive session, the migration tool and the language server: effects live here.

`cli` is the table of commands; each of `commands` is one of them and is imported when it is asked for.
"""
