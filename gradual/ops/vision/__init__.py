"""Operators on images: resizing, sampling, regions of interest, anchors and the suppression of overlapping boxes."""
