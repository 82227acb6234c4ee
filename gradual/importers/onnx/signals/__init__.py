"""Importers of operators on signals, images and volumes: pools, other sizes, samples, columns of windows, spectra."""
