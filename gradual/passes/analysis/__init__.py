"""Analyses that passes use: which steps may fault, how long a value is live, which of two sizes is larger, where
padding is safe.

Each gives facts and changes nothing. Spec: `pass.dead.fault`, `plan.life`, `plan.slot`, `pass.bucket.extend`.
"""
