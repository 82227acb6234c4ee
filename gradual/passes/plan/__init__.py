"""The memory plan of a function, and what a function needs in order to be static.

`obstacles` and `require_static` say what is not known before a call; `prepare` makes a function ready; `slots`
shares memory between values whose live ranges do not overlap, where a proof shows that one fits; `pack_offsets`
packs buffers of constant size. Spec: `plan`, `graph.static`; after Relay's and TVM's graph runtimes.
"""
