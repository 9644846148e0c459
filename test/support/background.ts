import { PostgresKeyUsage } from '../../src/modules/apps/infrastructure/postgres-key-usage.js';
import { PostgresAppDirectory } from '../../src/modules/apps/infrastructure/postgres-app-directory.js';
import { Database } from '../../src/postgres/database.js';
import type { TestApp } from './app.js';
import { eventually } from './eventually.js';

/** Writes the used keys at once, instead of a second later. They are not written again for a minute. */
export function writeKeyUses({ nest }: TestApp): Promise<void> {
  return nest.get(PostgresKeyUsage, { strict: false }).beforeApplicationShutdown();
}

/** Clears the keys and settings that a replica caches for half a second. */
export function forgetSettings(...replicas: readonly TestApp[]): void {
  for (const { nest } of replicas) nest.get(PostgresAppDirectory, { strict: false }).changed();
}

/** Makes a schedule due until the check passes. Not once: a run that has begun stores its own next time over it. */
export function untilScheduleDid({ nest }: TestApp, kind: string, check: () => Promise<void>): Promise<void> {
  return eventually(async () => {
    await nest
      .get(Database)
      .write(`update jobs set (due_at, rank_at) = (now(), now()) where kind = $1 and lease is null`, [kind]);
    await check();
  });
}
