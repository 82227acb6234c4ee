// Compares the TextMate grammar with the parser: reads programs as JSON, each [name, text, [[start, end, kind], …]], and
// prints each token that is coloured otherwise. `python -m tests.editors.coloured` writes these programs.

import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

const load = createRequire(import.meta.url);
const textmate = load('vscode-textmate');
const oniguruma = load('vscode-oniguruma');

/** The scope of each of the lexer's kinds. */
const SCOPES = {
  'Comment.Single': 'comment.line',
  'Comment.Multiline': 'comment.block',
  String: 'string.quoted',
  'Name.Variable': 'variable.other.relay',
  'Name.Attribute': 'variable.parameter.attribute',
  'Keyword.Constant': 'constant.language.relay',
};

await oniguruma.loadWASM(readFileSync(join(dirname(load.resolve('vscode-oniguruma')), 'onig.wasm')).buffer);
const registry = new textmate.Registry({
  onigLib: Promise.resolve({
    createOnigScanner: patterns => new oniguruma.OnigScanner(patterns),
    createOnigString: text => new oniguruma.OnigString(text),
  }),
  loadGrammar: async () => {
    const file = new URL('../syntaxes/relay.tmLanguage.json', import.meta.url);
    return textmate.parseRawGrammar(readFileSync(file, 'utf8'), 'relay.json');
  },
});
const grammar = await registry.loadGrammar('source.relay');

/** The scopes at each offset of a text. */
function scopes(text) {
  const found = [];
  let stack = textmate.INITIAL;
  for (const line of text.split('\n')) {
    const { tokens, ruleStack } = grammar.tokenizeLine(line, stack);
    stack = ruleStack;
    for (const token of tokens) {
      for (let k = token.startIndex; k < Math.min(token.endIndex, line.length); k++) found.push(token.scopes.join(' '));
    }
    found.push('');
  }
  return found;
}

const programs = JSON.parse(readFileSync(0, 'utf8'));
let differing = 0;
for (const [name, text, tokens] of programs) {
  const found = scopes(text);
  for (const [start, end, kind] of tokens) {
    const wrong = Object.entries(SCOPES).find(([one, scope]) => (one === kind) !== found[start].includes(scope));
    if (wrong === undefined) continue;
    differing++;
    console.log(`${name}: ${JSON.stringify(text.slice(start, end))} is ${kind}, and has ${found[start]}`);
  }
}
console.log(`${programs.length} programs, ${differing} tokens in another colour`);
process.exitCode = differing > 0 ? 1 : 0;
