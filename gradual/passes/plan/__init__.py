"""The memory plan of a function, and what a function needs in order to be static.

`obstacles` and `require_static` say what is not known before a call; `prepare` makes a function ready; `slots`
lets values share memory if their live ranges do not overlap, by proofs of which sizes fit; `pack_offsets` packs
buffers of constant size. Spec: `plan`, `graph.static`; after Relay's and TVM's graph runtimes.
"""
