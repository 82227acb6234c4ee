// What starts the server, from the settings; and what the client asks of it.

import { homedir } from 'node:os';
import type { LanguageClientOptions, ServerOptions } from 'vscode-languageclient/node';

/** The settings of the section `gradual`. */
export interface Settings {
  path: string;
  arguments: string[];
}

export const LANGUAGE = 'relay';

/** The path of the command, with its variables replaced; `folder` is the workspace's first folder. */
export function command(settings: Settings, folder: string | undefined): string {
  return settings.path.replace(/^~(?=[/\\])/, homedir()).replaceAll('${workspaceFolder}', folder ?? '.');
}

/** The server: `gradual lsp` over its standard input and output, started in the workspace's first folder. */
export function serverOptions(settings: Settings, folder: string | undefined): ServerOptions {
  return { command: command(settings, folder), args: ['lsp', ...settings.arguments], options: { cwd: folder } };
}

/** Programs in files and in editors that are not saved. */
export function clientOptions(): LanguageClientOptions {
  return {
    documentSelector: [
      { language: LANGUAGE, scheme: 'file' },
      { language: LANGUAGE, scheme: 'untitled' },
    ],
    diagnosticCollectionName: 'gradual',
  };
}

/** The command line of a task: the paths of a check, one finding a line. */
export function checkArguments(paths: string[], more: string[] = []): string[] {
  return ['check', '--format', 'concise', ...more, ...paths];
}
