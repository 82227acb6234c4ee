"""The interactive session: definitions and values that grow with each input, and the prompt around it.

`Session` compiles and runs an input, `repl` reads inputs and commands, `completion` completes names.
"""
