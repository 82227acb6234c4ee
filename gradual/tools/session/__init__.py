"""The interactive session: definitions and values that accumulate with each input, and the prompt.

`Session` compiles and runs an input, `repl` reads inputs and commands, `completion` completes names.
"""
