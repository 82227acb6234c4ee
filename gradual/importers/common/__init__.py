"""What all front ends share: values under construction, constant folding, names of sizes, and the program text.

`values` and `builder` make bindings, each with the node that it is made from; `sizes` names those of inputs; `lists`
are sequences of tensors; `branching` makes branches and loops; `text` turns it all into a text with its origins;
`refusals` says what of a model is not imported, all of it at once.
"""
