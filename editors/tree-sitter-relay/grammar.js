// Gradual Relay for tree-sitter. It follows grammar/gradual.lark rule by rule, with precedences in place of levels.
//
// Inside `[ ]`, `?{ }`, `where` and `assert`, `//` after an operand is floor division; elsewhere it begins a comment.
// The rules of expressions therefore exist twice, plain and sized, and give the same nodes: only in sized ones is the
// token `_floor` valid, which src/scanner.c then prefers to a comment.

/// <reference types="tree-sitter-cli/dsl" />

const PRECEDENCE = { choose: 0, cast: 1, or: 2, and: 3, not: 4, equality: 5, relation: 6, sum: 7, product: 8, sign: 9 };

// Keywords that may also be the key of an attribute: `f(%x, type=1)`. Other keywords are not valid where a key stands.
const KEYS = ['if', 'fn', 'let', 'match', 'not', 'ref', 'ref_read', 'ref_write', 'free_var', 'assert', 'Tensor'];

const SPECIAL_NUMBERS = ['inf', 'nan'].flatMap(kind => ['f', 'f16', 'f32', 'f64', 'bf16'].map(suffix => kind + suffix));

const LOCAL = /%[A-Za-z_]\w*((\.\d+)*\.[A-Za-z_]\w*|::\w+|\/[A-Za-z_]\w*|:\d+)*/;
const GLOBAL = /@[A-Za-z_]\w*((\.\d+)*\.[A-Za-z_]\w*|::\w+|\/[A-Za-z_]\w*|:\d+)*/;
const NUMBER = /-?\d+(\.\d*)?([eE][+-]?\d+)?(i(8|16|32|64)?|u(8|16|32|64)|f(16|32|64)?|bf16)?/;

/** One or more, between commas; a comma may follow the last. */
const list = rule => seq(rule, repeat(seq(',', rule)), optional(','));

/** Operands, then attributes by name, between commas. */
const operands = (rule, attribute) =>
  choice(list(attribute), seq(rule, repeat(seq(',', rule)), repeat(seq(',', attribute)), optional(',')));

const binary = (left, operator, right, level) =>
  prec.left(level, seq(field('left', left), field('operator', operator), field('right', right)));

/** The rules of expressions, which have `_sized_` before their names if sized. */
function expressions(sized) {
  const name = rule => (sized ? `_sized_${rule.replace(/^_/, '')}` : rule);
  const use = ($, rule) => (sized && !rule.startsWith('_') ? alias($[name(rule)], $[rule]) : $[name(rule)]);
  const expr = $ => $[name('_expression')];
  const products = $ => (sized ? choice('*', '/', '%', alias($._floor, '//')) : choice('*', '/', '%'));
  const rules = {
    _expression: $ =>
      choice(
        $[name('_postfix')],
        ...['conditional_expression', 'cast_expression', 'binary_expression', 'unary_expression'].map(rule => use($, rule)),
      ),
    _postfix: $ =>
      choice(
        $._leaf,
        ...['call', 'projection', 'instance', 'parenthesized_expression', 'tuple', 'if_expression', 'match_expression']
          .concat(['reference_expression'])
          .map(rule => use($, rule)),
      ),
    _body: $ => choice(expr($), alias(sized ? $._sized_sequence : $._sequence, $.sequence)),
    conditional_expression: $ =>
      prec.right(
        PRECEDENCE.choose,
        seq(
          ...['if', field('condition', expr($)), 'then', field('consequence', expr($))],
          ...['else', field('alternative', expr($))],
        ),
      ),
    cast_expression: $ => prec.left(PRECEDENCE.cast, seq(field('value', expr($)), 'as', field('type', $._plain_type))),
    binary_expression: $ =>
      choice(
        binary(expr($), 'or', expr($), PRECEDENCE.or),
        binary(expr($), 'and', expr($), PRECEDENCE.and),
        binary(expr($), choice('==', '!='), expr($), PRECEDENCE.equality),
        binary(expr($), choice('<', '<=', '>', '>='), expr($), PRECEDENCE.relation),
        binary(expr($), choice('+', '-'), expr($), PRECEDENCE.sum),
        binary(expr($), products($), expr($), PRECEDENCE.product),
      ),
    unary_expression: $ =>
      choice(
        prec(PRECEDENCE.not, seq(field('operator', 'not'), field('operand', expr($)))),
        prec(PRECEDENCE.sign, seq(field('operator', '-'), field('operand', expr($)))),
      ),
    call: $ => seq(field('function', $[name('_postfix')]), field('arguments', use($, 'arguments'))),
    arguments: $ => seq('(', optional(operands($[name('_body')], use($, 'attribute'))), ')'),
    attribute: $ => seq(field('key', $._key), '=', field('value', expr($))),
    projection: $ => seq(field('value', $[name('_postfix')]), field('index', $.index)),
    instance: $ =>
      seq(
        field('function', $[name('_postfix')]),
        ...['[', optional(list(choice($._sized_expression, $.function_type))), ']'],
      ),
    parenthesized_expression: $ => seq('(', $[name('_body')], ')'),
    tuple: $ =>
      choice(
        seq('(', ')'),
        seq('(', $[name('_body')], ',', optional(list($[name('_body')])), ')'),
      ),
    if_expression: $ =>
      seq(
        ...['if', '(', field('condition', $[name('_body')]), ')', field('consequence', $.block)],
        ...['else', field('alternative', choice($.block, $.if_expression))],
      ),
    match_expression: $ =>
      seq(
        choice('match', 'match?'),
        field('value', $[name('_postfix')]),
        ...['{', optional(list($.match_arm)), '}'],
      ),
    reference_expression: $ =>
      choice(
        seq(choice('ref', 'ref_read'), '(', $[name('_body')], ')'),
        seq('ref_write', '(', $[name('_body')], ',', $[name('_body')], ')'),
      ),
  };
  return Object.fromEntries(Object.entries(rules).map(([rule, made]) => [name(rule), made]));
}

module.exports = grammar({
  name: 'relay',

  word: $ => $.name,

  extras: $ => [/[ \t\r\n\f\uFEFF]/, $.line_comment, $.block_comment],

  // `_error` is in no rule: it is valid only while tree-sitter recovers from an error, when every token is.
  externals: $ => [$.line_comment, $.block_comment, $._floor, $._name_part, $._declared_part, $._error],

  rules: {
    source_file: $ =>
      seq(repeat($.header), optional(choice(repeat1($._definition), $._contents, repeat1($._item))), optional($.metadata)),

    // ------------------------------------------------------------------------------------------- definitions
    _definition: $ => choice($.function_definition, $.type_definition, $.extern_type, $.operator_declaration),

    function_definition: $ => seq('def', field('name', $.global), $._signature, field('body', $.block)),
    function_literal: $ => seq('fn', $._signature, field('body', $.block)),
    _signature: $ =>
      seq(
        optional($.binders),
        field('parameters', choice($.parameters, alias($._none, $.parameters))),
        ...[optional(seq('->', field('result', $._plain_type))), optional($.where_clause)],
      ),

    type_definition: $ =>
      seq(
        ...['type', field('name', alias($.name, $.type_identifier)), optional($.binders)],
        optional(seq('{', optional(list($.constructor)), '}')),
      ),
    constructor: $ => seq(field('name', $.name), optional(seq('(', optional(list($._type)), ')'))),
    extern_type: $ => seq('extern', 'type', field('name', alias($.name, $.type_identifier)), optional($.binders)),

    operator_declaration: $ =>
      seq(
        ...['operator', field('name', $.name), optional(choice($.binders, alias($._angle_binders, $.binders)))],
        ...[field('parameters', choice($.parameters, alias($._none, $.parameters))), '->', field('result', $._plain_type), optional($.where_clause)],
        choice(';', field('body', $.block)),
      ),

    binders: $ => seq('[', optional(choice($._where, seq(list($.binder), optional($._where)))), ']'),
    _where: $ => alias($._size_requirements, $.where_clause),
    _angle_binders: $ => seq('<', list($.binder), '>'),
    binder: $ => seq(field('name', $.name), optional(seq(':', field('kind', $.name)))),

    parameters: $ => seq('(', operands($.parameter, $.attribute), ')'),
    _none: $ => seq('(', ')'),
    parameter: $ =>
      seq(field('name', $._declared), optional($.attributes), optional(seq(':', field('type', $._type)))),
    attributes: $ => seq('{', list($.attribute), '}'),

    where_clause: $ => $._size_requirements,
    _size_requirements: $ => seq('where', $._sized_expression, repeat(seq(',', $._sized_expression))),

    // ------------------------------------------------------------------------------------ blocks and items
    block: $ => seq('{', $._contents, '}'),
    _contents: $ => seq(repeat($._item), $._expression),
    _item: $ => choice($.let_binding, $.graph_binding, $.expression_statement, $.free_variable, $.assertion),
    let_binding: $ =>
      seq(
        ...['let', field('name', choice($._declared, $.graph_variable)), optional($.attributes)],
        ...[optional(seq(':', field('type', $._type))), '=', field('value', $._value), ';'],
      ),
    graph_binding: $ => seq(field('name', $.graph_variable), '=', field('value', $._value), ';'),
    expression_statement: $ => seq($._expression, ';'),
    free_variable: $ => seq('free_var', field('name', $._declared), optional(seq(':', field('type', $._type))), ';'),
    assertion: $ => seq('assert', $._sized_expression, optional(seq(',', field('message', $.string))), ';'),

    _value: $ => choice($._expression, alias($._bindings, $.sequence)),
    _bindings: $ => seq(repeat1(choice($.let_binding, $.graph_binding)), $._expression),
    _sequence: $ => seq(repeat1($._item), $._expression),
    _sized_sequence: $ =>
      seq(choice($.let_binding, $.graph_binding, $.free_variable, $.assertion), repeat($._item), $._expression),

    // -------------------------------------------------------------------------------------- expressions
    ...expressions(false),
    ...expressions(true),

    _leaf: $ =>
      choice(
        ...[$._used, $.graph_variable, $.global, $.name, $.number, $.boolean, $.string, $.meta, $.hole],
        ...[$.list, $.bound, $.block, $.function_literal, $.tensor_type],
      ),
    list: $ => seq('[', optional(list($._sized_expression)), ']'),
    bound: $ => seq($.bound_variable, $._sized_expression, '}'),
    match_arm: $ => seq(field('pattern', $._pattern), '=>', field('value', $._body)),

    _key: $ => choice($.name, ...KEYS.map(word => alias(word, $.name))),

    // A name such as `%input.1` or `%conv/1x1` is one variable where it is declared; in a use only parts that could
    // be neither a projection nor a divisor are taken for parts of the name.
    variable: $ => LOCAL,
    _used: $ => choice($.variable, alias($._used_parts, $.variable)),
    _used_parts: $ => seq(alias($.variable, 'name'), repeat1($._name_part)),
    _declared: $ => choice($.variable, alias($._declared_parts, $.variable)),
    _declared_parts: $ => seq(alias($.variable, 'name'), repeat1($._declared_part)),

    // ------------------------------------------------------------------------------------------ patterns
    _pattern: $ => choice($.name, $.constructor_pattern, $.variable_pattern, $.tuple_pattern),
    constructor_pattern: $ => seq(field('name', $.name), '(', optional(list($._pattern)), ')'),
    variable_pattern: $ => seq(field('name', $._declared), optional(seq(':', field('type', $._type)))),
    tuple_pattern: $ => seq('(', optional(list($._pattern)), ')'),

    // --------------------------------------------------------------------------------------------- types
    _type: $ => choice($._plain_type, $.constrained_type),
    constrained_type: $ => seq($.function_type, 'where', $._sized_expression),
    _plain_type: $ =>
      choice(
        alias($.name, $.type_identifier),
        ...[$.tensor_type, $.function_type, $.named_type, $.tuple_type, $.reference_type, $.meta],
      ),
    named_type: $ => seq(field('name', alias($.name, $.type_identifier)), '[', optional(list($._type)), ']'),
    tuple_type: $ => seq('(', optional(list($._type)), ')'),
    reference_type: $ => seq('ref', '(', $._type, ')'),
    tensor_type: $ =>
      seq(
        ...['Tensor', '['],
        field('shape', choice($.shape, alias('*', $.unknown_rank))),
        ...[',', field('dtype', alias($.name, $.type_identifier)), ']'],
      ),
    shape: $ => seq('(', optional(list($._sized_expression)), ')'),
    function_type: $ =>
      seq(
        ...['fn', optional($.binders), choice(seq('(', list($._type), ')'), $._none)],
        ...['->', field('result', $._plain_type)],
      ),

    // -------------------------------------------------------------------------------------------- tokens
    graph_variable: $ => /%\d+/,
    global: $ => GLOBAL,
    name: $ => /[A-Za-z_]\w*(\.[A-Za-z_]\w*)*/,
    number: $ => choice(NUMBER, ...SPECIAL_NUMBERS),
    boolean: $ => choice('True', 'False'),
    string: $ => /"([^"\\\n]|\\[^\n])*"/,
    index: $ => /\.[ \t\r\n]*\d+/,
    meta: $ => /meta\[[A-Za-z0-9_.]+\]\[\d+\]/,
    hole: $ => '?',
    bound_variable: $ => /\?[ \t\r\n]*\{[ \t\r\n]*[A-Za-z_]\w*[ \t\r\n]*\./,
    header: $ => /#\[[ \t]*[A-Za-z_][A-Za-z0-9_.]*[ \t]*=[ \t]*"([^"\\\n]|\\[^\n])*"[ \t]*\]/,
    metadata: $ => /#\[metadata\](.|[\r\n])*/,
  },
});
