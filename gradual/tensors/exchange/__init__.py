"""Tensors from and for other libraries: buffers, arrays of NumPy, DLPack.

`array_protocols` reads whatever offers one of the protocols, `export` gives bytes, buffers and arrays, `dlpack` lends
and borrows as the array API standard says, and `memory` copies elements that lie so many bytes apart.
"""
