"""TensorFlow graphs, SavedModels and MetaGraphs, read without TensorFlow.

`file` reads them; `order` sorts the nodes of a graph; `importers` is the table from an operator to its translation;
`operators`, `elements`, `selecting` and `signals` translate nodes; `survey` finds operators that are not imported, and
`refused` says what to do about them; `unranked` says which variables without a rank are vectors; `program` puts the
program together.

An operator is added in a file of `operators`, as a function that composes operators of the language:

    @imports("Softplus")
    def softplus(use: Use) -> Value:
        return use.call("log", use.call("add", use.call("exp", use[0]), use.like(1, use[0])))

`use[i]` is an input, and methods such as `use.number("axis")` read an attribute.  The importer of an operator with
several results declares their names, `@imports("Unique", results=("y", "idx"))`, and returns a list.  A new file has to
be listed in `FAMILIES` of `program`.
"""
