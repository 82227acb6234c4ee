// A client in place of vscode-languageclient's, which needs VS Code: it starts the server that it is given, and speaks
// the protocol with it by the library on which vscode-languageclient is built.

import { spawn, type ChildProcess } from 'node:child_process';
import {
  createProtocolConnection,
  StreamMessageReader,
  StreamMessageWriter,
  type InitializeResult,
  type ProtocolConnection,
} from 'vscode-languageserver-protocol/node';

export const clients: LanguageClient[] = [];

export class LanguageClient {
  connection!: ProtocolConnection;
  initialized!: InitializeResult;
  private process!: ChildProcess;

  constructor(
    readonly id: string,
    readonly name: string,
    readonly server: { command: string; args: string[]; options: { cwd?: string } },
    readonly options: { documentSelector: unknown },
  ) {
    clients.push(this);
  }

  async start(): Promise<void> {
    const { command, args, options } = this.server;
    this.process = spawn(command, args, { ...options, stdio: ['pipe', 'pipe', 'inherit'] });
    await new Promise((resolve, reject) => this.process.once('spawn', resolve as () => void).once('error', reject));
    const { stdin, stdout } = this.process;
    this.connection = createProtocolConnection(new StreamMessageReader(stdout!), new StreamMessageWriter(stdin!));
    this.connection.listen();
    const asked = { processId: process.pid, rootUri: null, capabilities: {} };
    this.initialized = await this.connection.sendRequest('initialize', asked);
    await this.connection.sendNotification('initialized', {});
  }

  sendRequest(method: string, given: unknown): Promise<unknown> {
    return this.connection.sendRequest(method, given);
  }

  async stop(): Promise<void> {
    const ended = new Promise(resolve => this.process.once('exit', resolve));
    await this.connection.sendRequest('shutdown');
    await this.connection.sendNotification('exit');
    await ended;
  }
}
