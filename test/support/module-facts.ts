import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../../src/services/root.js';
import type { TestApp } from './app.js';
import type { GivenApp } from './given.js';

export type Body = Record<string, unknown>;

/** Ids by the names of path parameters and fields. */
export type Ids = Readonly<Record<string, string>>;

/** A call that succeeds once. */
export interface Call {
  /** With its ids; without it the template, with the id of the app. */
  readonly path?: string;
  readonly body?: Body;
}

/**
 * The facts about a module that the tests of all routes need. `test/modules/<name>/facts.ts` exports them as `facts`. For a module
 * with `POST /v1/teams` and `GET /v1/teams/{team_id}`:
 *
 *     export const facts: ModuleFacts = {
 *       ids: async (service, app) => ({ team_id: (await newTeam(service, app)).id }),
 *       bodies: { 'POST /v1/teams': null },
 *       calls: { 'POST /v1/teams': () => ({ body: { name: 'Red' } }) },
 *     };
 */
export interface ModuleFacts {
  /** Settings of the app that the routes need. */
  readonly settings?: Body;
  /** Ids of new objects of a user, for the parameters of paths. */
  readonly ids?: (service: TestApp, app: GivenApp, userId: string) => Promise<Ids>;
  /** For each route of `/v1` with a body, as `POST /v1/…`: a body that names objects by their ids; null where it names none. */
  readonly bodies?: Readonly<Record<string, ((ids: Ids) => Body) | null>>;
  /** Where an unknown id is a proof that proves nothing: the error type. */
  readonly wrongProofs?: Readonly<Record<string, string>>;
  /**
   * A call that succeeds once, for each operation that changes something, and for each POST, even if it only reads. A module that has
   * `GET /management/v1/apps/{app_id}/teams/{team_id}` and changes no team needs a call of that GET, because its path names the object.
   */
  readonly calls?: Readonly<Record<string, (service: TestApp, app: GivenApp) => Call | Promise<Call>>>;
  /** The operations that publish no event, and why none is needed. */
  readonly withoutEvent?: Readonly<Record<string, string>>;
  /** Makes two rows of the app in each table of the module that has a sealed column. */
  readonly sealed?: (service: TestApp, app: GivenApp) => Promise<void>;
  /** Columns of type bytea that hold no sealed value, as `table.column`, each with its reason. */
  readonly unsealed?: Readonly<Record<string, string>>;
  /** Tables without a MAC of their rows (`MacTables`), each with its reason. */
  readonly withoutMac?: Readonly<Record<string, string>>;
  /** The POSTs that start a session: the error type of a repetition without an `Idempotency-Key`, because the proof is spent; null if none is. */
  readonly startingSessions?: Readonly<Record<string, string | null>>;
}

const MODULES = join(ROOT, 'test/modules');

/** The facts of all modules that state some. */
export const factsOfModules: readonly ModuleFacts[] = readdirSync(MODULES)
  .map((name) => join(MODULES, name, 'facts.ts'))
  .filter((file) => existsSync(file))
  // eslint-disable-next-line @typescript-eslint/no-require-imports -- an import would name the module
  .map((file) => (require(file) as { facts: ModuleFacts }).facts);

/** One part of the facts of all modules. */
export function ofAll<T extends object>(part: (facts: ModuleFacts) => T | undefined): T {
  return Object.assign({}, ...factsOfModules.map(part)) as T;
}
