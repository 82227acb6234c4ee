// The extension as it is packaged, with a stub of VS Code, vscode-languageclient and the real server. The environment
// variable GRADUAL is the path of `gradual`.

import './hook';
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { resolve } from 'node:path';
import { after, before, test } from 'node:test';
import { checkArguments, clientOptions, command, serverOptions } from '../src/client';
import * as stub from './vscode';
import { vscode } from './vscode';

const GRADUAL = process.env.GRADUAL ?? 'gradual';
const DECLARED = JSON.parse(readFileSync('package.json', 'utf8')).contributes;
const URI = vscode.Uri.parse('file:///skip.relay');
const PROGRAM = `def @skip(%x: Tensor[(n, 8), float32]) {
  let %half = strided_slice(%x, begin=[0], end=[n], strides=[2], axes=[0]);
  add(%x, repeat(%half, repeats=2, axis=0))
}
`;
const extension = require(resolve('dist/extension.js'));

// ---------------------------------------------------------------------------------------------- options
test('the path of the command may name the workspace and the home folder', () => {
  const path = (text: string) => command({ path: text, arguments: [] }, '/w');
  assert.equal(path('${workspaceFolder}/.venv/bin/gradual'), '/w/.venv/bin/gradual');
  assert.equal(path('~/bin/gradual'), `${homedir()}/bin/gradual`);
  assert.equal(path('gradual~'), 'gradual~');
});

test('the server is `gradual lsp` with the arguments of the settings', () => {
  assert.deepEqual(serverOptions({ path: 'g', arguments: ['--no-smt'] }, '/w'), {
    command: 'g',
    args: ['lsp', '--no-smt'],
    options: { cwd: '/w' },
  });
});

test('the client serves the language that the package declares', () => {
  const languages = clientOptions().documentSelector!.map(one => (one as { language: string }).language);
  assert.deepEqual(new Set(languages), new Set(DECLARED.languages.map((one: { id: string }) => one.id)));
});

// ---------------------------------------------------------------------------------------- the real server
function document(text: string, version: number) {
  return { uri: URI, languageId: 'relay', version, getText: () => text, isClosed: false, fileName: '/skip.relay' };
}

/** The diagnostics of the program once they fulfil a condition. */
async function diagnostics(wanted: (found: any[]) => boolean): Promise<any[]> {
  for (;;) {
    const found = stub.published.get(URI.toString());
    if (found !== undefined && wanted(found)) return found;
    await new Promise(done => setTimeout(done, 20));
  }
}

before(async () => {
  vscode.window.tabGroups.all.push({ tabs: [{ input: new vscode.TabInputText(URI) }] });
  stub.settings.set('gradual.path', GRADUAL);
  await extension.activate({ subscriptions: [] });
});
after(() => extension.deactivate());

test('activation starts the server and registers what the package declares', () => {
  assert.deepEqual(stub.shown, []);
  for (const one of DECLARED.commands) assert.ok(stub.handlers.has(one.command), one.command);
  for (const one of DECLARED.taskDefinitions) assert.ok(stub.taskProviders.has(one.type), one.type);
});

test('the client offers what the server can do', () => {
  const offered = ['Hover', 'CompletionItem', 'Definition', 'Rename', 'InlayHints', 'CodeActions', 'DocumentFormattingEdit'];
  for (const one of offered) assert.ok(stub.registered.has(`register${one}Provider`), one);
  assert.ok(stub.handlers.has('gradual.checkModel'), "the server's command");
});

test('a program that is opened gets its diagnostics, and one that is mended none', { timeout: 30_000 }, async () => {
  vscode.workspace.textDocuments.push(document(PROGRAM, 1));
  await stub.opened.fire(document(PROGRAM, 1));
  const [error] = await diagnostics(found => found.length > 0);
  assert.equal(error.code.value ?? error.code, 'E0302');
  assert.match(error.message, /fails for n = 3/);
  assert.deepEqual({ ...error.range.start }, { line: 2, character: 6 });
  const mended = document(PROGRAM.replace(') {', ') where n % 2 == 0 {'), 2);
  const at = new vscode.Position(0, 38);
  const change = { range: new vscode.Range(at, at), rangeLength: 0, rangeOffset: 38, text: ' where n % 2 == 0' };
  assert.equal(PROGRAM[38], ' ');
  await stub.changed.fire({ document: mended, contentChanges: [change], reason: undefined });
  await diagnostics(found => found.length === 0);
});

test('a model is checked by the server, and the totals are shown', { timeout: 30_000 }, async () => {
  await vscode.commands.executeCommand('gradual.checkModelFile', vscode.Uri.file(resolve('../../examples/positions.onnx')));
  assert.match(stub.shown.pop()!, /positions\.onnx: .*(?:proved|needs the package)/);
});

test('a command that is not there is reported with what to do, and a restart mends it', { timeout: 30_000 }, async () => {
  stub.settings.set('gradual.path', '/nowhere/gradual');
  await stub.configured.fire({ affectsConfiguration: (name: string) => name === 'gradual.path' });
  assert.match(stub.shown.at(-1)!, /`\/nowhere\/gradual lsp` does not start: .*pip install "gradual\[lsp\]"/);
  stub.shown.length = 0;
  stub.settings.set('gradual.path', GRADUAL);
  await vscode.commands.executeCommand('gradual.restartServer');
  assert.deepEqual(stub.shown, []);
});

// ---------------------------------------------------------------------------------------------------- tasks
test('the tasks check the workspace and the program that is shown', () => {
  vscode.workspace.workspaceFolders = [{ uri: vscode.Uri.file('/w') }];
  vscode.window.activeTextEditor = { document: { languageId: 'relay', fileName: '/w/a.relay' } };
  const made = stub.taskProviders.get('gradual').provideTasks();
  assert.deepEqual(
    made.map((one: any) => [one.execution.args, one.problemMatchers]),
    [
      [checkArguments(['.']), '$gradual'],
      [checkArguments(['/w/a.relay']), '$gradual'],
    ],
  );
});

test('the problem matchers read the lines of both formats', () => {
  const lines: Record<string, [string, Record<string, string>][]> = {
    gradual: [
      [
        'a b.relay:5:7: error[E0302]: shapes do not broadcast: n = 3 [op.broadcast.agree]',
        { file: 'a b.relay', line: '5', column: '7', severity: 'error', code: 'E0302' },
      ],
      ['C:\\a.relay:3:12: note[E0401]: residual check c1', { file: 'C:\\a.relay', line: '3', severity: 'note' }],
    ],
    'gradual-github': [
      [
        '::error file=a.relay,line=5,col=7,endLine=5,endColumn=9,title=E0302 op.broadcast.agree::no%0Anote: n = 3',
        { severity: 'error', file: 'a.relay', line: '5', endColumn: '9', code: 'E0302', message: 'no' },
      ],
    ],
  };
  for (const { name, pattern } of DECLARED.problemMatchers) {
    for (const [line, expected] of lines[name]) {
      const match = new RegExp(pattern.regexp).exec(line);
      assert.ok(match, line);
      for (const [part, text] of Object.entries(expected)) assert.equal(match[pattern[part]], text, part);
    }
    assert.equal(new RegExp(pattern.regexp).exec('proved 2 · residual 0 · refuted 1 · errors 1'), null);
  }
});
