import { DomainError } from '../kernel/domain-error.js';
import { WrongUsage } from '../services/cli/arguments.js';
import type { Result } from '../services/cli/command.js';
import type { Terminal } from '../services/cli/terminal.js';

export function printResult(result: Result, isJson: boolean, { out }: Terminal): void {
  if (isJson) return out(`${JSON.stringify(result)}\n`);
  const width = Math.max(...Object.keys(result).map(({ length }) => length));
  for (const [name, value] of Object.entries(result)) out(`${name.padEnd(width)}  ${value}\n`);
}

export function printError(error: unknown, isJson: boolean, { out, err }: Terminal): void {
  const message = error instanceof Error ? error.message : String(error);
  if (isJson) {
    const type = error instanceof DomainError ? error.code : ((error as Error).name ?? 'Error');
    return out(`${JSON.stringify({ error: { type, message } })}\n`);
  }
  err(error instanceof WrongUsage ? `${message} See --help.\n` : `${message}\n`);
}
