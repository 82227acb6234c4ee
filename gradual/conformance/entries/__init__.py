"""The chapter of operators' entries, which is generated from the declarations of the operators."""
