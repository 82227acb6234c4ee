// Gives the stub to whatever asks for `vscode`, which only VS Code provides.

import Module from 'node:module';
import { vscode } from './vscode';

const loaded = (Module as any)._load;
(Module as any)._load = (name: string, ...more: unknown[]) => (name === 'vscode' ? vscode : loaded(name, ...more));
