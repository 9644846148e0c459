import type { Request } from 'express';
import type { Logger } from 'pino';
import type { AuthenticatedRequest } from '../auth/credential.js';
import type { Database } from '../../postgres/database.js';

const MOST_KEYS = 1_000;
const LOGGED_EVERY_MS = 5_000;
/** A secret or a restricted key. */
const OF_APP = /^Bearer [sr]k_/i;

/** Refuses calls of an app before any work, instead of later, while its waiting calls are at their limit. One log line counts them. */
export class OverloadDoor {
  private readonly apps = new Map<string, string>();
  private logged: NodeJS.Timeout | undefined;
  private calls = 0;

  constructor(
    private readonly database: Pick<Database, 'refusesCallOf'>,
    private readonly logger: Logger,
  ) {}

  refuses({ headers: { authorization } }: Request): boolean {
    const app = authorization ? this.apps.get(authorization) : undefined;
    if (app === undefined || !this.database.refusesCallOf(app)) return false;
    this.log();
    return true;
  }

  note({ headers: { authorization }, app_: app }: AuthenticatedRequest): void {
    if (!app || !OF_APP.test(authorization ?? '') || this.apps.has(authorization!)) return;
    if (this.apps.size >= MOST_KEYS) this.apps.clear();
    this.apps.set(authorization!, app.id);
  }

  private log(): void {
    this.calls++;
    this.logged ??= setTimeout(() => {
      this.logger.warn({ error_type: 'overloaded', calls: this.calls }, 'calls were refused because too many waited');
      this.logged = undefined;
      this.calls = 0;
    }, LOGGED_EVERY_MS).unref();
  }
}
