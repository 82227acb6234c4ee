"""Operators of images and volumes beside `operators.networks`: transposed convolutions, blocks, patches, norms."""
