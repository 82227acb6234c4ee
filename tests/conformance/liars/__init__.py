"""Implementations that lie in one way each, to test whether the suite tells them from the reference.

`truth` is the reference, which remembers its answers, and a `Liar` on top of it. `reports` and `outcomes` change
answers; `arithmetic` changes how elements are rounded and wrapped; `kernels` makes the result of one operator wrong, in
the right shape. `weighing` finds the cases that tell each liar. `python -m tests.conformance.liars` prints the tallies;
`python -m tests.conformance.liars.adapter NAME` answers the protocol as a liar does.
"""
