"""Sparse tensors: compressed rows (CSR) and coordinate lists, with the dense operators that take them."""
