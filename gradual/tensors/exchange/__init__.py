"""Exchange of tensors with other libraries: buffers, NumPy arrays, DLPack.

`array_protocols` reads any object with one of the protocols, `export` writes bytes, buffers and arrays, `dlpack`
implements `__dlpack__` of the array API standard in both directions, and `memory` copies strided elements.
"""
