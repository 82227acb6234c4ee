"""What an operator's declaration is made of.

`Operator` and `Judgement` (result type and required constraints, `Need`), attributes, the shape algebra that
judgements share, `symbolic_elements` (data propagation: what is known of elements), dynamic variants, sliding
windows, and how a rule is evaluated if a rank is unknown. Spec: `op.structure`, `op.attribute`, `op.dyn.form`,
`op.dynamic`.
"""
