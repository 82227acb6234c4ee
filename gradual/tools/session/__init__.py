"""The interactive session: definitions and values that accumulate with each input, and the prompt.

`Program` is the text that is checked, with the place in the user's text that each part comes from; `State` holds the
definitions and values; `Words` are an entry with `_` and drawn tensors; `Inputs` checks and runs inputs; `Session` reads
inputs and commands; `completion` completes names.
"""
