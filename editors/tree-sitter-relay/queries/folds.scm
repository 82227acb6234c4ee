[
  (block)
  (type_definition)
  (match_expression)
  (parameters)
  (arguments)
  (block_comment)
  (metadata)
] @fold
