// VS Code's interface without VS Code, enough for vscode-languageclient to run in Node. The names are those that
// @types/vscode declares; what is registered and shown is recorded.

import { readFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';

type Handler = (...given: any[]) => any;

const DECLARED = readFileSync('node_modules/@types/vscode/index.d.ts', 'utf8');

export const settings = new Map<string, unknown>();
export const handlers = new Map<string, Handler>();
export const shown: string[] = [];
export const taskProviders = new Map<string, any>();
export const registered = new Set<string>();
export const published = new Map<string, any[]>();
export const opened = eventEmitter();
export const changed = eventEmitter();
export const configured = eventEmitter();

function eventEmitter() {
  const listeners = new Set<Handler>();
  return {
    event: (listener: Handler, self?: unknown) => {
      const bound = self === undefined ? listener : listener.bind(self);
      listeners.add(bound);
      return { dispose: () => listeners.delete(bound) };
    },
    fire: (value: unknown) => Promise.all([...listeners].map(listener => listener(value))),
    dispose: () => listeners.clear(),
  };
}

const nothing = { dispose() {} };
const never = () => nothing;

/** A namespace: what is not given is a function that registers something, or an event that never comes. */
function namespace(given: object): any {
  return new Proxy(given, {
    get: (target: any, name: string) =>
      name in target ? target[name] : (registered.add(name), never),
  });
}

class Position {
  constructor(readonly line: number, readonly character: number) {}
}
class Range {
  readonly start: Position;
  readonly end: Position;
  constructor(...given: [Position, Position] | [number, number, number, number]) {
    const [start, end] = given.length === 2 ? given : [new Position(given[0], given[1]), new Position(given[2], given[3])];
    this.start = start;
    this.end = end;
  }
}
class Uri {
  constructor(private readonly text: string) {}
  static parse(text: string) { return new Uri(text); }
  static file(path: string) { return new Uri(pathToFileURL(path).href); }
  get scheme() { return this.text.split(':')[0]; }
  get fsPath() { return decodeURIComponent(new URL(this.text).pathname); }
  get path() { return this.fsPath; }
  toString() { return this.text; }
}
class CancellationTokenSource {
  token = { isCancellationRequested: false, onCancellationRequested: never };
  cancel() {}
  dispose() {}
}
class EventEmitter {
  constructor() { Object.assign(this, eventEmitter()); }
}
class Diagnostic {
  constructor(readonly range: Range, readonly message: string, readonly severity: number) {}
}
class CodeActionKind {
  static Empty = new CodeActionKind('');
  constructor(readonly value: string) {}
  append(part: string) {
    return new CodeActionKind(this.value ? `${this.value}.${part}` : part);
  }
}
class Disposable {
  constructor(readonly dispose: () => void) {}
  static from = (...all: { dispose(): void }[]) => new Disposable(() => all.forEach(one => one.dispose()));
}
class TabInputText {
  constructor(readonly uri: Uri) {}
}
class ProcessExecution {
  constructor(readonly process: string, readonly args: string[], readonly options: unknown) {}
}
class Task {
  constructor(
    readonly definition: unknown, readonly scope: unknown, readonly name: string, readonly source: string,
    readonly execution: ProcessExecution, readonly problemMatchers: string,
  ) {}
}

const collection = {
  set: (uri: Uri, found: any[]) => void published.set(uri.toString(), found),
  delete: (uri: Uri) => void published.delete(uri.toString()),
  has: (uri: Uri) => published.has(uri.toString()),
  clear: () => published.clear(),
  dispose() {},
};
const channel = { append() {}, appendLine() {}, error() {}, info() {}, warn() {}, show() {}, dispose() {}, logLevel: 0, onDidChangeLogLevel: never };
const documents: any[] = [];

const given: Record<string, unknown> = {
  ...{ Position, Range, Uri, CancellationTokenSource, EventEmitter, Diagnostic, CodeActionKind, Disposable, TabInputText, ProcessExecution, Task },
  version: '1.91.0',
  commands: namespace({
    registerCommand: (name: string, handler: Handler) => (handlers.set(name, handler), nothing),
    executeCommand: async (name: string, ...given: unknown[]) => handlers.get(name)?.(...given),
  }),
  tasks: namespace({
    registerTaskProvider: (type: string, provider: unknown) => (taskProviders.set(type, provider), nothing),
  }),
  env: namespace({ language: 'en', appName: 'test', uriScheme: 'vscode', isTelemetryEnabled: false }),
  extensions: namespace({ getExtension: () => undefined, all: [] }),
  languages: namespace({
    createDiagnosticCollection: () => collection,
    match: (selector: any, document: any) =>
      [selector].flat().some(one => one.language === document.languageId && one.scheme === document.uri.scheme) ? 10 : 0,
  }),
  window: namespace({
    activeTextEditor: undefined,
    visibleTextEditors: [],
    tabGroups: { all: [], activeTabGroup: { tabs: [] }, onDidChangeTabs: never, onDidChangeTabGroups: never },
    createOutputChannel: () => channel,
    showErrorMessage: async (message: string) => void shown.push(message),
    setStatusBarMessage: (message: string) => void shown.push(message),
  }),
  workspace: namespace({
    workspaceFolders: undefined,
    textDocuments: documents,
    notebookDocuments: [],
    getConfiguration: (section: string) => ({
      get: (name: string, otherwise: unknown) => settings.get(`${section}.${name}`) ?? otherwise,
    }),
    onDidOpenTextDocument: opened.event,
    onDidChangeTextDocument: changed.event,
    onDidChangeConfiguration: configured.event,
    asRelativePath: (uri: Uri) => uri.fsPath.split('/').at(-1),
  }),
};

/** The value of a member of an enumeration, as declared or counted. */
function enumeration(body: string): Record<string, number> {
  const members = [...body.matchAll(/^\t\t(\w+)(?: = (-?\d+))?/gm)];
  return Object.fromEntries(members.map(([, name, value], k) => [name, value === undefined ? k : Number(value)]));
}

for (const [, name, body] of DECLARED.matchAll(/^\texport enum (\w+) \{\n([\s\S]*?)^\t\}/gm)) given[name] ??= enumeration(body);
for (const [, name] of DECLARED.matchAll(/^\texport (?:abstract )?class (\w+)/gm)) given[name] ??= class {};

export const vscode = given as any;
