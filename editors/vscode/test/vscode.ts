// The part of VS Code's interface that the extension uses, without VS Code: what is registered and shown is recorded.

type Handler = (...given: any[]) => any;

export const settings = new Map<string, unknown>();
export const handlers = new Map<string, Handler>();
export const shown: string[] = [];
export const taskProviders = new Map<string, any>();
export const changed: Handler[] = [];

export const commands = {
  registerCommand: (name: string, handler: Handler) => (handlers.set(name, handler), { dispose() {} }),
  executeCommand: async (name: string, ...given: unknown[]) => handlers.get(name)?.(...given),
};
export const tasks = {
  registerTaskProvider: (type: string, provider: unknown) => (taskProviders.set(type, provider), { dispose() {} }),
};
export const window = {
  activeTextEditor: undefined as unknown,
  showErrorMessage: async (message: string) => void shown.push(message),
  setStatusBarMessage: (message: string) => void shown.push(message),
  showOpenDialog: async () => undefined,
};
export const workspace = {
  workspaceFolders: undefined as { uri: { fsPath: string } }[] | undefined,
  getConfiguration: (section: string) => ({
    get: (name: string, otherwise: unknown) => settings.get(`${section}.${name}`) ?? otherwise,
  }),
  onDidChangeConfiguration: (handler: Handler) => (changed.push(handler), { dispose() {} }),
  asRelativePath: (uri: { fsPath: string }) => uri.fsPath,
};
export class ProcessExecution {
  constructor(
    readonly process: string,
    readonly args: string[],
    readonly options: unknown,
  ) {}
}
export class Task {
  group: unknown;
  constructor(
    readonly definition: unknown,
    readonly scope: unknown,
    readonly name: string,
    readonly source: string,
    readonly execution: ProcessExecution,
    readonly problemMatchers: string,
  ) {}
}
export const TaskScope = { Workspace: 2 };
export const TaskGroup = { Build: 'build' };
