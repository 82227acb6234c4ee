"""Operators of images, volumes and series: transposed convolutions, blocks, patches, norms, boxes, cells."""
