"""Operators of neural networks: convolutions, pools, normalizations, losses, gradients.

Windows are shared through `ops/declaration/windows.py`. Spec: the sections `op.conv.*` and `op.window.*`.
"""
