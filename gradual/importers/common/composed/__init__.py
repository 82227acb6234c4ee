"""Compositions of the language's operators that several front ends need: arithmetic, scans, windows."""
