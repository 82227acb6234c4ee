// The extension with a stub of VS Code and the real server; the environment variable GRADUAL is the path of `gradual`.

import assert from 'node:assert/strict';
import { homedir } from 'node:os';
import { after, before, test } from 'node:test';
import { readFileSync } from 'node:fs';
import type { PublishDiagnosticsParams } from 'vscode-languageserver-protocol/node';
import { checkArguments, clientOptions, command, serverOptions } from '../src/client';
import { activate, deactivate } from '../src/extension';
import { clients } from './language-client';
import * as stub from './vscode';

const GRADUAL = process.env.GRADUAL ?? 'gradual';
const DECLARED = JSON.parse(readFileSync('package.json', 'utf8')).contributes;
const URI = 'file:///skip.relay';
const PROGRAM = `def @skip(%x: Tensor[(n, 8), float32]) {
  let %half = strided_slice(%x, begin=[0], end=[n], strides=[2], axes=[0]);
  add(%x, repeat(%half, repeats=2, axis=0))
}
`;

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

/** What the server publishes next about a file. */
function published(uri: string): Promise<PublishDiagnosticsParams> {
  return new Promise(resolve => {
    clients.at(-1)!.connection.onNotification('textDocument/publishDiagnostics', (found: PublishDiagnosticsParams) => {
      if (found.uri === uri) resolve(found);
    });
  });
}

before(async () => {
  stub.settings.set('gradual.path', GRADUAL);
  await activate({ subscriptions: [] } as any);
});
after(deactivate);

test('activation starts the server and registers what the package declares', () => {
  assert.deepEqual(stub.shown, []);
  assert.equal(clients.length, 1);
  assert.equal(clients[0].initialized.serverInfo?.name, 'gradual');
  for (const one of DECLARED.commands) assert.ok(stub.handlers.has(one.command), one.command);
  for (const one of DECLARED.taskDefinitions) assert.ok(stub.taskProviders.has(one.type), one.type);
});

test('no command of the package is one that the client registers for the server', () => {
  const served = clients[0].initialized.capabilities.executeCommandProvider?.commands ?? [];
  assert.deepEqual(served, ['gradual.checkModel']);
  assert.ok(DECLARED.commands.every((one: { command: string }) => !served.includes(one.command)));
});

test('a program that is opened gets its diagnostics, and one that is mended none', async () => {
  const { connection } = clients[0];
  const document = { uri: URI, languageId: 'relay', version: 1, text: PROGRAM };
  let found = published(URI);
  await connection.sendNotification('textDocument/didOpen', { textDocument: document });
  const [error] = (await found).diagnostics;
  assert.equal(error.code, 'E0302');
  assert.match(String(error.message), /fails for n = 3/);
  assert.deepEqual(error.range.start, { line: 2, character: 6 });
  found = published(URI);
  await connection.sendNotification('textDocument/didChange', {
    textDocument: { uri: URI, version: 2 },
    contentChanges: [{ text: PROGRAM.replace(') {', ') where n % 2 == 0 {') }],
  });
  assert.deepEqual((await found).diagnostics, []);
});

test('a model is checked by the server, and the totals are shown', async () => {
  await stub.commands.executeCommand('gradual.checkModelFile', { fsPath: '../../examples/positions.onnx' });
  assert.match(stub.shown.pop()!, /positions\.onnx: .*(?:proved|needs the package)/);
});

test('a restart takes the new settings', async () => {
  stub.settings.set('gradual.arguments', ['--no-smt']);
  await stub.changed[0]({ affectsConfiguration: (name: string) => name === 'gradual.arguments' });
  assert.equal(clients.length, 2);
  assert.deepEqual(clients[1].server.args, ['lsp', '--no-smt']);
  assert.equal(clients[1].initialized.serverInfo?.name, 'gradual');
});

test('a command that is not there is reported with what to do', async () => {
  stub.settings.set('gradual.path', '/nowhere/gradual');
  await stub.commands.executeCommand('gradual.restartServer');
  assert.match(stub.shown.pop()!, /`\/nowhere\/gradual lsp` does not start: .*ENOENT.*pip install "gradual\[lsp\]"/);
  stub.settings.set('gradual.path', GRADUAL);
  await stub.commands.executeCommand('gradual.restartServer');
  assert.deepEqual(stub.shown, []);
});

test('the tasks check the workspace and the program that is shown', () => {
  stub.workspace.workspaceFolders = [{ uri: { fsPath: '/w' } }];
  stub.window.activeTextEditor = { document: { languageId: 'relay', fileName: '/w/a.relay' } };
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
