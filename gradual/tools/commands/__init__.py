"""The commands of `gradual`, one file each: options, one call of `gradual.compiler`, and the output."""
