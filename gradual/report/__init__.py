"""Reports for people: diagnostics and summaries as text or HTML, with excerpts of the source.

`excerpt` lays out a source as rustc does, `render` a diagnostic, `summary` the report of a program, `paint` the
colours, `lost` the checks that come from one unknown.
"""
