"""Input: program texts from paths, arguments of a run, settings, levels of warnings, NumPy files.

The main types are `Text`, `Call`, `Settings` and `Levels`; nothing here checks a program.
"""
