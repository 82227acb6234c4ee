"""The constraint store: the facts at a program point, kept saturated; changes are undone by a trail.

`Store` sorts a conjunction into substitutions, bounds and the rest, indexed by variable; `Known` keeps it in solved
form as facts are added; `Facts` separates unconditional facts from path facts, and finds the facts connected with a
goal (`Cone`). Spec: `dim.facts` and the sections under it.
"""
