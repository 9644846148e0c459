import { type BeforeApplicationShutdown, Injectable } from '@nestjs/common';
import { Batches } from '../../../kernel/batches.js';
import type { AppId } from '../../../kernel/ids.js';
import { RecentlyUsed } from '../../../kernel/recently-used.js';
import { Database } from '../../../postgres/database.js';
import { Log } from '../../../kernel/log.js';
import { Transactions } from '../../../kernel/transactions.js';

interface Use {
  readonly keyId: string;
  readonly appId: AppId | null;
}

const ONCE_IN_MS = 60_000;
const BATCHED_FOR_MS = 1_000;
const MOST_NOTED = 100_000;

// Rows another replica is writing are skipped: it writes the same minute, and waiting could become a deadlock.
const TOUCH_KEYS = `
  update api_keys set last_used_at = now()
   where app_id = $1 and id = any(array(
     select id from api_keys
      where app_id = $1 and id = any($2::text[]) and (last_used_at is null or last_used_at < now() - interval '1 minute')
        for update skip locked))`;

const TOUCH_MANAGEMENT_KEYS = `
  update management_keys set last_used_at = now()
   where id in (
     select k.id from management_keys k
      where k.id = any($1::text[]) and (k.last_used_at is null or k.last_used_at < now() - interval '1 minute')
        for update skip locked)`;

/** Keeps `last_used_at` to the minute without delaying requests: many uses become one statement a second at most. */
@Injectable()
export class PostgresKeyUsage implements BeforeApplicationShutdown {
  private readonly noted = new RecentlyUsed<string, number>(MOST_NOTED);
  private readonly batches = new Batches<Use>(BATCHED_FOR_MS, (uses) => this.write(uses));

  constructor(
    private readonly database: Database,
    private readonly transactions: Transactions,
    private readonly log: Log,
  ) {}

  note(keyId: string, appId: AppId | null): void {
    const now = performance.now();
    if (now - (this.noted.peek(keyId) ?? -Infinity) < ONCE_IN_MS) return;
    this.noted.set(keyId, now);
    void this.batches.add({ keyId, appId });
  }

  async beforeApplicationShutdown(): Promise<void> {
    await this.batches.flush();
  }

  private async write(uses: readonly Use[]): Promise<void> {
    const ofApps = uses.filter(({ appId }) => appId !== null);
    const ofOperators = uses.filter(({ appId }) => appId === null);
    try {
      if (ofApps.length > 0) {
        await this.transactions.run(async () => {
          for (const appId of new Set(ofApps.map((use) => use.appId))) {
            const keyIds = ofApps.filter((use) => use.appId === appId).map(({ keyId }) => keyId);
            void this.database.write(TOUCH_KEYS, [appId, keyIds]);
          }
        });
      }
      if (ofOperators.length > 0)
        await this.database.write(TOUCH_MANAGEMENT_KEYS, [ofOperators.map(({ keyId }) => keyId)]);
    } catch (error) {
      // A minute of "last used" is not worth a retry: the key's next use is noted again.
      for (const { keyId } of uses) this.noted.delete(keyId);
      this.log.warn({ err: { name: (error as Error).name } }, 'The last use of some keys was not written.');
    }
  }
}
