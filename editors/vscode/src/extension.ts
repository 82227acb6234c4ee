// The extension: starts the language server, and offers commands and tasks.

import * as vscode from 'vscode';
import { LanguageClient } from 'vscode-languageclient/node';
import { checkArguments, clientOptions, command, LANGUAGE, serverOptions, type Settings } from './client';

const MODELS = { Models: ['onnx', 'pt2', 'pb', 'graphdef'] };
const INSTALL = 'Install it with `pip install "gradual[lsp]"`, or set `gradual.path`.';

/** Milliseconds that the server has to stop, which it does between two checks. */
const STOPPING = 10_000;

let client: LanguageClient | undefined;

export async function activate(context: vscode.ExtensionContext): Promise<void> {
  context.subscriptions.push(
    vscode.commands.registerCommand('gradual.restartServer', restart),
    vscode.commands.registerCommand('gradual.checkModelFile', checkModel),
    vscode.tasks.registerTaskProvider('gradual', { provideTasks, resolveTask }),
    vscode.workspace.onDidChangeConfiguration(async change => {
      if (change.affectsConfiguration('gradual.path') || change.affectsConfiguration('gradual.arguments')) await restart();
    }),
  );
  await start();
}

export async function deactivate(): Promise<void> {
  await stop();
}

async function start(): Promise<void> {
  const options = serverOptions(settings(), folder());
  client = new LanguageClient('gradual', 'Gradual Relay', options, clientOptions());
  try {
    await client.start();
  } catch (error) {
    client = undefined;
    const chosen = await vscode.window.showErrorMessage(
      `\`${command(settings(), folder())} lsp\` does not start: ${error}. ${INSTALL}`,
      'Open Settings',
    );
    if (chosen) await vscode.commands.executeCommand('workbench.action.openSettings', 'gradual.path');
  }
}

async function stop(): Promise<void> {
  const running = client;
  client = undefined;
  await running?.stop(STOPPING);
}

async function restart(): Promise<void> {
  await stop();
  await start();
}

/** Check a model, of the menu or chosen in a dialog; its diagnostics appear in the files that it was exported from. */
async function checkModel(model?: vscode.Uri): Promise<void> {
  const chosen = model ?? (await vscode.window.showOpenDialog({ filters: MODELS, openLabel: 'Check' }))?.[0];
  if (chosen === undefined) return;
  const totals: string | undefined = await client?.sendRequest('workspace/executeCommand', {
    command: 'gradual.checkModel',
    arguments: [chosen.fsPath],
  });
  vscode.window.setStatusBarMessage(`${vscode.workspace.asRelativePath(chosen)}: ${totals ?? 'no server'}`, 10_000);
}

// ------------------------------------------------------------------------------------------------- tasks
/** A task for the workspace, and one for the program that is shown. */
function provideTasks(): vscode.Task[] {
  const shown = vscode.window.activeTextEditor?.document;
  const tasks = folder() === undefined ? [] : [task({ type: 'gradual', paths: ['.'] }, 'check the workspace')];
  if (shown?.languageId === LANGUAGE) tasks.push(task({ type: 'gradual', paths: [shown.fileName] }, 'check this file'));
  return tasks;
}

function resolveTask(asked: vscode.Task): vscode.Task {
  return task(asked.definition, asked.name);
}

function task(definition: vscode.TaskDefinition, name: string): vscode.Task {
  const run = new vscode.ProcessExecution(
    command(settings(), folder()),
    checkArguments(definition.paths, definition.arguments),
    { cwd: folder() },
  );
  const made = new vscode.Task(definition, vscode.TaskScope.Workspace, name, 'gradual', run, '$gradual');
  made.group = vscode.TaskGroup.Build;
  return made;
}

// ---------------------------------------------------------------------------------------------- settings
function settings(): Settings {
  const section = vscode.workspace.getConfiguration('gradual');
  return { path: section.get('path', 'gradual'), arguments: section.get('arguments', []) };
}

function folder(): string | undefined {
  return vscode.workspace.workspaceFolders?.[0]?.uri.fsPath;
}
