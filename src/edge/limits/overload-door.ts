import type { Request } from 'express';
import type { Logger } from 'pino';
import type { Database } from '../../postgres/database.js';

/** The keys of recent calls whose app is known. */
const MOST_KEYS = 1_000;
const LOGGED_EVERY_MS = 5_000;

/**
 * Refuses calls of an app before any work while as many of its calls wait for the database as may: otherwise the process would spend its
 * time on calls that it refuses later. Only the log line that counts them stands for the refused calls.
 */
export class OverloadDoor {
  private readonly apps = new Map<string, string>();
  private logged: NodeJS.Timeout | undefined;

  constructor(
    private readonly database: Pick<Database, 'connectionUse' | 'refusesCallOf'>,
    private readonly logger: Logger,
  ) {}

  refuses({ headers: { authorization = '' } }: Request): boolean {
    const app = this.apps.get(authorization);
    if (app === undefined || !this.database.refusesCallOf(app)) return false;
    this.log();
    return true;
  }

  /** Notes the app of the key of a call that has ended. */
  note({ headers: { authorization }, appId }: Request): void {
    if (authorization === undefined || appId === undefined || this.apps.has(authorization)) return;
    if (this.apps.size >= MOST_KEYS) this.apps.clear();
    this.apps.set(authorization, appId);
  }

  private log(): void {
    const { refused } = this.database.connectionUse;
    this.logged ??= setTimeout(() => {
      this.logged = undefined;
      const calls = this.database.connectionUse.refused - refused + 1;
      this.logger.warn({ error_type: 'overloaded', calls }, 'calls were refused because too many waited');
    }, LOGGED_EVERY_MS).unref();
  }
}
