"""What all front ends share: values under construction, constant folding, names of sizes, and the program text.

`values` and `builder` make bindings, each with the node that it is made from; `sizes` names the sizes of inputs;
`lists` represents sequences of tensors; `branching` makes branches and loops; `text` makes the program's text and its
table of origins; `refusals` collects the reasons why a model cannot be imported.
"""
