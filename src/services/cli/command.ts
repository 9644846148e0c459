import type { ParseArgsConfig } from 'node:util';
import type { INestApplicationContext } from '@nestjs/common';
import type { Database } from '../../postgres/database.js';
import type { Terminal } from './terminal.js';

/** Printed one field a line, or as one object with `--json`. */
export type Result = Readonly<Record<string, string | number | boolean>>;

export type Options = NonNullable<ParseArgsConfig['options']>;
export type Values = Readonly<Record<string, string | boolean | readonly string[] | undefined>>;

export interface CommandContext {
  readonly terminal: Terminal;
  /** The service without HTTP, which runs until the command ends. Throws when the database lacks migrations. */
  service(): Promise<INestApplicationContext>;
  /** Starts much sooner than the service. Throws when the database lacks migrations. */
  withDatabase<T>(work: (database: Database) => Promise<T>): Promise<T>;
}

export interface Command<Context = CommandContext> {
  readonly summary: string;
  readonly options?: Options;
  readonly required?: readonly string[];
  /** Values without an option, in this order; all are required. */
  readonly operands?: readonly string[];
  /** Without a result the command has printed everything itself. */
  readonly run: (values: Values, workspace: Context) => Promise<Result | void>;
}

/** A name may have up to three words. Files of commands import the service's code only in `run`. */
export type Commands<Context = CommandContext> = Readonly<Record<string, Command<Context>>>;

/** The result is printed, the exit status is 1. */
export class FaultsFound extends Error {
  override readonly name = 'FaultsFound';
  constructor(readonly result: Result) {
    super('Faults were found.');
  }
}
