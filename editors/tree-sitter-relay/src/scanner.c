// What depends on more than one token: floor division or a comment, comments that nest, names with numeric parts.

#include <wctype.h>

#include "tree_sitter/parser.h"

enum Token { LINE_COMMENT, BLOCK_COMMENT, FLOOR, NAME_PART, DECLARED_PART, ERROR };

void *tree_sitter_relay_external_scanner_create(void) { return NULL; }
void tree_sitter_relay_external_scanner_destroy(void *state) { (void)state; }
unsigned tree_sitter_relay_external_scanner_serialize(void *state, char *buffer) {
  (void)state, (void)buffer;
  return 0;
}
void tree_sitter_relay_external_scanner_deserialize(void *state, const char *buffer, unsigned length) {
  (void)state, (void)buffer, (void)length;
}

static bool is_blank(int32_t c) {
  return c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == '\f' || c == 0xFEFF;
}
static bool is_digit(int32_t c) { return c >= '0' && c <= '9'; }
static bool is_letter(int32_t c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }

static bool found(TSLexer *lexer, enum Token token) {
  lexer->mark_end(lexer);
  lexer->result_symbol = token;
  return true;
}

// The suffixes of numbers, and the exponent: what may follow digits in a number.
static bool is_suffix(const char *text) {
  static const char *const suffixes[] = {"",    "i",   "i8",  "i16", "i32", "i64", "u8",
                                         "u16", "u32", "u64", "f",   "f16", "f32", "f64", "bf16"};
  if (*text == 'e' || *text == 'E') {
    const char *digits = text + 1;
    while (is_digit(*digits)) digits++;
    if (digits > text + 1) text = digits;
  }
  for (unsigned k = 0; k < sizeof suffixes / sizeof *suffixes; k++) {
    const char *left = suffixes[k], *right = text;
    while (*left && *left == *right) left++, right++;
    if (*left == *right) return true;
  }
  return false;
}

// A part of a name after `.` or `/`, which has been read. In a use, `.1` is a projection and `/2f` a division.
static bool scan_part(TSLexer *lexer, bool divides, bool declared) {
  char rest[6] = "";  // what follows the digits; longer than any suffix if it does not fit
  unsigned length = 0, digits = 0;
  for (; is_digit(lexer->lookahead); digits++) lexer->advance(lexer, false);
  for (; is_digit(lexer->lookahead) || is_letter(lexer->lookahead); lexer->advance(lexer, false)) {
    if (length < sizeof rest - 1) rest[length++] = (char)lexer->lookahead;
  }
  if (digits + length == 0) return false;
  bool is_number = digits > 0 && (divides ? is_suffix(rest) : length == 0);
  if (is_number && !declared) return false;
  return found(lexer, declared ? DECLARED_PART : NAME_PART);
}

static bool scan_block_comment(TSLexer *lexer) {
  unsigned depth = 1;
  lexer->advance(lexer, false);
  while (depth > 0) {
    if (lexer->eof(lexer)) return false;
    int32_t first = lexer->lookahead;
    lexer->advance(lexer, false);
    if (first == '*' && lexer->lookahead == '/') {
      depth--;
      lexer->advance(lexer, false);
    } else if (first == '/' && lexer->lookahead == '*') {
      depth++;
      lexer->advance(lexer, false);
    }
  }
  return found(lexer, BLOCK_COMMENT);
}

bool tree_sitter_relay_external_scanner_scan(void *state, TSLexer *lexer, const bool *valid) {
  (void)state;
  bool recovers = valid[ERROR];
  bool part = (valid[NAME_PART] || valid[DECLARED_PART]) && !recovers && !is_blank(lexer->lookahead);
  if (part && lexer->lookahead == '.') {
    lexer->advance(lexer, false);
    return scan_part(lexer, false, valid[DECLARED_PART]);
  }
  while (is_blank(lexer->lookahead)) lexer->advance(lexer, true);
  if (lexer->lookahead != '/') return false;
  lexer->advance(lexer, false);
  if (lexer->lookahead == '*') return scan_block_comment(lexer);
  if (lexer->lookahead != '/') return part && scan_part(lexer, true, valid[DECLARED_PART]);
  lexer->advance(lexer, false);
  if (valid[FLOOR] && !recovers) return found(lexer, FLOOR);
  while (!lexer->eof(lexer) && lexer->lookahead != '\n') lexer->advance(lexer, false);
  return found(lexer, LINE_COMMENT);
}
