"""The constraint store: what is known at a point of a program, kept saturated and undone by a trail.

`Store` sorts a conjunction into substitutions, bounds and the rest, indexed by variable; `Known` keeps it in solved
form as facts are added; `Facts` separates what holds unconditionally from what was learnt on a path, and gives for
a goal the facts connected with it (`Cone`). Spec: `dim.facts` and the sections under it.
"""
