"""The results of a run as files: JSON, JUnit's XML, a page of HTML, and a badge.

`summary` is what all of them tell; each other file of this folder writes one form of it.
"""
