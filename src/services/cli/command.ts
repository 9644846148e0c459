import type { ParseArgsConfig } from 'node:util';
import type { INestApplicationContext } from '@nestjs/common';
import type { Terminal } from './terminal.js';

/** The outcome of a command: printed one field a line, or as one object with `--json`. */
export type Result = Readonly<Record<string, string | number | boolean>>;

export type Options = NonNullable<ParseArgsConfig['options']>;
export type Values = Readonly<Record<string, string | boolean | readonly string[] | undefined>>;

/** The resources of a command of a module. */
export interface CommandContext {
  readonly terminal: Terminal;
  /** The service without HTTP, which runs until the command ends. Throws when the database lacks migrations. */
  service(): Promise<INestApplicationContext>;
}

export interface Command<Context = CommandContext> {
  readonly summary: string;
  /** The options the command accepts. Those in `required` must be given; the rest are optional. */
  readonly options?: Options;
  readonly required?: readonly string[];
  /** The names of the values that are given without an option, in this order; the command requires them. */
  readonly operands?: readonly string[];
  /** Runs the command. If it returns no result, it has printed everything itself. */
  readonly run: (values: Values, workspace: Context) => Promise<Result | void>;
}

/**
 * The commands by name; a name may have up to three words. Those of modules are in `src/modules/commands.ts`. Their files import the service's
 * code only in `run`.
 */
export type Commands<Context = CommandContext> = Readonly<Record<string, Command<Context>>>;

/** The command completed and found faults. The result is printed, the exit status is 1. */
export class FaultsFound extends Error {
  override readonly name = 'FaultsFound';
  constructor(readonly result: Result) {
    super('Faults were found.');
  }
}
