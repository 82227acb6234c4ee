[(function_definition) (function_literal) (operator_declaration) (block) (match_arm) (sequence)] @local.scope

(parameter name: (variable) @local.definition)
(let_binding name: [(variable) (graph_variable)] @local.definition)
(graph_binding name: (graph_variable) @local.definition)
(free_variable name: (variable) @local.definition)
(variable_pattern name: (variable) @local.definition)
(binder name: (name) @local.definition)

[(variable) (graph_variable) (name)] @local.reference
