"""The interactive session: definitions and values that accumulate with each input, and the prompt.

`Program` is the text that is checked, with the place in the user's text that each part comes from; `State` has the
definitions and values; `Words` is an entry with its `_` and its drawn tensors; `Inputs` checks and runs inputs;
`Session` reads inputs and commands; `completion` completes names.
"""
