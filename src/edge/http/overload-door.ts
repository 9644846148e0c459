import type { IncomingMessage } from 'node:http';
import type { Logger } from 'pino';
import type { CurrentCall } from '../../kernel/current-call.js';
import type { AuthenticatedRequest } from './authenticated-request.js';
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
    private readonly database: Pick<Database, 'admitsCall' | 'forgetCall'>,
    private readonly logger: Logger,
  ) {}

  refuses(call: IncomingMessage): boolean {
    const { authorization } = call.headers;
    const app = authorization ? this.apps.get(authorization) : undefined;
    if (app === undefined || this.database.admitsCall(call as CurrentCall, app)) return false;
    this.log();
    return true;
  }

  /** To be called at the end of each call that was not refused. */
  note(call: AuthenticatedRequest): void {
    this.database.forgetCall(call);
    const {
      headers: { authorization },
      app_: app,
    } = call;
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
