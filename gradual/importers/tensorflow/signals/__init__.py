"""Operators of images, volumes and series: transposed convolutions, blocks, patches, normalizations, boxes, cells."""
