"""Operators without a family: Fourier transforms, and markers that compute nothing; and Relay's operators that are
not supported, with the reason of each.
"""
