"""TensorFlow graphs, SavedModels and MetaGraphs, read without TensorFlow.

`file` reads them; `order` sorts the nodes of a graph; `importers` is the table from an operator to its translation;
`operators` translates nodes; `refused` says what to do about operators that are not imported, which `survey` finds;
`unranked` says which variables without a rank are vectors; `program` puts the program together.

An operator is added in a file of `operators`, as a function that composes operators of the language:

    @imports("Softplus")
    def softplus(use: Use) -> Value:
        return use.call("log", use.call("add", use.call("exp", use[0]), use.like(1, use[0])))

`use[i]` is an input, `use.number("axis")` and others read an attribute; one that has several results says their names,
`@imports("Unique", results=("y", "idx"))`, and returns a list.  A new file has its name in `FAMILIES` of `program`.
"""
