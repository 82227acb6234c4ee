; No two patterns match the same node: editors differ in which of two wins.

[(line_comment) (block_comment)] @comment
(header) @keyword.directive
(metadata) @string.special

["def" "fn" "operator"] @keyword.function
["type" "extern"] @keyword.type
["if" "then" "else" "match" "match?"] @keyword.conditional
["let" "free_var" "assert" "where" "as"] @keyword
["and" "or" "not"] @keyword.operator
["ref" "ref_read" "ref_write"] @function.builtin
"Tensor" @type.builtin

["==" "!=" "<" "<=" ">" ">=" "+" "-" "*" "/" "//" "%" "=" "->" "=>"] @operator
["(" ")" "[" "]" "{" "}"] @punctuation.bracket
["," ";" ":"] @punctuation.delimiter

(string) @string
(number) @number
(boolean) @boolean
(meta) @constant.builtin
[(hole) (unknown_rank) (bound_variable)] @character.special
(index) @number

(global) @function
[(variable) (graph_variable)] @variable
(type_identifier) @type
(attribute key: (name) @property)

(operator_declaration name: (name) @function)
(constructor name: (name) @constructor)
(constructor_pattern name: (name) @constructor)
(match_arm pattern: (name) @constructor)
((call function: (name) @constructor) (#match? @constructor "^[A-Z]"))
((call function: (name) @function.builtin) (#match? @function.builtin "^[a-z_]"))

; Names of sizes.
(binder name: (name) @constant)
(binder kind: (name) @type)
(shape (name) @constant)
(list (name) @constant)
(instance "[" (name) @constant)
(binary_expression left: (name) @constant)
(binary_expression right: (name) @constant)
(unary_expression operand: (name) @constant)
