import { KeyUsage } from '../../src/modules/apps/infrastructure/key-usage.js';
import { SqlAppDirectory } from '../../src/modules/apps/infrastructure/sql-app-directory.js';
import type { TestApp } from './app.js';

/** Writes the used keys at once, instead of a second later. They are not written again for a minute. */
export function writeKeyUses({ nest }: TestApp): Promise<void> {
  return nest.get(KeyUsage, { strict: false }).beforeApplicationShutdown();
}

/** Clears the keys and settings that a replica caches for half a second. */
export function forgetSettings(...replicas: readonly TestApp[]): void {
  for (const { nest } of replicas) nest.get(SqlAppDirectory, { strict: false }).changed();
}
