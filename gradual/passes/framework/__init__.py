"""What a pass is (`Pass`, `Context`, `Transformed`, `Note`) and what passes share.

`map_steps` replaces steps of a module, `builder` writes new ones with their types, `bound_names` lists the names that a
function binds, `pins` reads sizes that the user fixes. Spec: `pass.outcome`, `pass.interface`, `pass.total`,
`pass.verified`.
"""
