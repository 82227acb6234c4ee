"""Importers of operators on signals, images and volumes: pooling, resizing, sampling, im2col and inverse, spectra."""
