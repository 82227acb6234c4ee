"""`gradual graph`: the data flow of a function, drawn as SVG or written for Graphviz.

`Flow` is the graph: each `Node` is a step of the program or a node of the model, each `Value` flows from one node to
others. `Box` is a group of nodes by module or block. `layers` places the parts of one box, in layers from top to
bottom (Sugiyama, Tagawa and Toda 1981), with coordinates by isotonic regression; `nesting` places boxes in boxes.
"""
