"""Translations of ATen's layers: products, attention, normalizations, convolutions, pools, images, recurrent layers."""
