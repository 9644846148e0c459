import type { ParseArgsConfig } from 'node:util';
import type { Workspace } from './workspace.js';

/** The outcome of a command: printed one field a line, or as one object with `--json`. */
export type Result = Readonly<Record<string, string | number | boolean>>;

export type Options = NonNullable<ParseArgsConfig['options']>;
export type Values = Readonly<Record<string, string | boolean | undefined>>;

export interface Command {
  readonly summary: string;
  /** The options the command accepts. Those in `required` must be given; the rest are optional. */
  readonly options?: Options;
  readonly required?: readonly string[];
  /** The name of the value that is given without an option; the command requires it. */
  readonly argument?: string;
  /** Runs the command. If it returns no result, it has printed everything itself. */
  readonly run: (values: Values, workspace: Workspace) => Promise<Result | void>;
}

/** The commands by name; a name may have two words. */
export type Commands = Readonly<Record<string, Command>>;

/** The command completed and found faults. The result is printed, the exit status is 1. */
export class FaultsFound extends Error {
  override readonly name = 'FaultsFound';
  constructor(readonly result: Result) {
    super('Faults were found.');
  }
}
