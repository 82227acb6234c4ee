"""What comes in: program texts from paths, arguments of a run, settings, levels of warnings, NumPy's files.

`Text`, `Call`, `Settings` and `Levels` are what is read; nothing here checks a program.
"""
