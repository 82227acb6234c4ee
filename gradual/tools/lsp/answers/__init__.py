"""What is asked about a whole text: diagnostics, quick fixes, folding, calls; about closed programs; about models."""
